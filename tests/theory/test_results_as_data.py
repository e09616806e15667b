"""Every result of the theory: to_dict is data, to_json is text, and a notebook shows it without scripts."""

from __future__ import annotations

import json
from typing import Any

import pytest

import rankproof as rp
from rankproof.feedback.spaces import graded_space
from rankproof.theory.base.counterexample import Counterexample
from rankproof.theory.base.minimum import Minimum
from rankproof.theory.base.values import value_table
from rankproof.theory.base.verdict import Verdict
from rankproof.theory.existence.decide import Existence, assumption_a, target_exists
from rankproof.theory.existence.witness import find_split
from rankproof.theory.matrix import VerdictMatrix, certify_matrix

LAW = rp.Law({(1, 1, 0): "3/5", (0, 0, 1): "2/5"})
REFUTED = rp.certify("squared:gain", "nDCG")
FOUND = REFUTED.find("counterexample")
assert FOUND is not None
MATRIX = certify_matrix(["softmax"], ["nDCG", "AP"], grades=2, effort=0.2)
EXISTENCE = target_exists("AP", graded_space(3, 2))
RESULTS: dict[str, Any] = {
    "verdict": REFUTED,
    "counterexample": Counterexample.from_dict(FOUND.data),
    "minimum": Minimum.from_dict(FOUND.data["minimum"]),
    "matrix": MATRIX,
    "replay": rp.replay(REFUTED),
    "existence": EXISTENCE,
    "target": target_exists("P@2", graded_space(3, 2)).target,
    "clash": EXISTENCE.clash,
    "contradiction": EXISTENCE.contradiction,
    "split": find_split(value_table("AP", graded_space(3, 2))),
    "assumption": assumption_a("AP", graded_space(3, 2)),
    "answer": rp.noise.is_independent(LAW),
    "violation": rp.noise.is_independent(LAW).violation,
    "answers": rp.noise.check(LAW),
    "rdps": rp.noise.rdps(LAW),
    "bound": rp.excess_bound("squared", "nDCG@10", 10, 0.01),
    "regression bound": rp.regression_bound("P@1", 2, 0.02),
}


@pytest.mark.parametrize("name", RESULTS)
def test_to_dict_is_data_and_to_json_is_its_text(name: str) -> None:
    result = RESULTS[name]
    plain, text = result.to_dict(), result.to_json()
    assert isinstance(plain, dict)
    assert isinstance(text, str)
    assert json.loads(text) == plain


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        (Verdict, "verdict"),
        (Counterexample, "counterexample"),
        (Minimum, "minimum"),
        (VerdictMatrix, "matrix"),
        (Existence, "existence"),
    ],
)
def test_the_text_is_read_back(kind: Any, name: str) -> None:
    result = RESULTS[name]
    assert kind.from_json(result.to_json()).to_dict() == result.to_dict()
    assert kind.from_dict(result.to_dict()).to_dict() == result.to_dict()
    with pytest.raises(rp.errors.ArgumentError, match="from_dict"):
        kind.from_json(result.to_dict())
    with pytest.raises(rp.errors.DataError, match="not JSON"):
        kind.from_json("{")


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_results_with_rows_are_frames(backend: str) -> None:
    for name, rows in (("matrix", 4), ("replay", 1), ("answers", len(RESULTS["answers"])), ("target", 8)):
        frame = RESULTS[name].to_frame(backend)
        assert frame.shape[0] == rows


def test_the_frame_of_the_matrix_has_a_row_per_cell() -> None:
    frame = MATRIX.to_frame()
    cell = frame[(frame["loss"] == "softmax") & (frame["metric"] == "nDCG")].iloc[0]
    assert cell["outcome"] == "consistent"
    assert cell["as"] == "softmax:normalised-gain"
    assert cell["rule"] == "standardised"


@pytest.mark.parametrize("name", RESULTS)
def test_a_notebook_shows_it(name: str) -> None:
    shown = RESULTS[name]._repr_html_()
    assert shown.startswith(("<pre>", "<table>", "<div>"))
    assert "<script" not in shown


def test_what_a_notebook_shows_is_escaped() -> None:
    plain = {**REFUTED.to_dict(), "metric": "<script>alert(1)</script>"}
    shown = Verdict.from_dict(plain)._repr_html_()
    assert "<script" not in shown
    assert "&lt;script&gt;" in shown
    cells = {("<b>", "nDCG"): Verdict.from_dict(plain)}
    table = VerdictMatrix(("<b>",), ("nDCG",), 3, 2, None, cells)._repr_html_()
    assert "<b>" not in table
    assert "&lt;b&gt;" in table
