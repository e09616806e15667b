"""`replay` on files, matrices and users' functions; and what it is made of."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from architecture.layout import SOURCE, imported, parsed
from every_case import exhaustive
from rankproof.errors import DataError, FileFormatError, RankproofError
from rankproof.theory.base.verdict import Verdict
from rankproof.theory.certify import certify
from rankproof.theory.matrix import certify_matrix
from rankproof.theory.replay.replay import CodeNotRunError, replay, replay_file
from theory.questions import first_two
from theory.stored_verdicts import stored, why_not

# Files -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "not a JSON file"),
        ("{", "not a JSON file"),
        ("\xff", "not a JSON file"),
        ("[]", "Evidence is a verdict or a matrix"),
        ("3", "Evidence is a verdict or a matrix"),
        ('{"format": "rankproof.law"}', "Evidence is a verdict or a matrix"),
        ('{"format": "rankproof.verdict"}', "version None"),
        ('{"format": "rankproof.verdict", "version": 2}', "version 2"),
        ('{"format": "rankproof.verdict", "version": 1}', "outcome of a verdict"),
        (
            '{"format": "rankproof.verdict", "version": 1, "outcome": "consistent"}',
            "conditions must be a list",
        ),
        ('{"format": "rankproof.matrix"}', "its cells are not a list"),
        ('{"format": "rankproof.matrix", "cells": [{}]}', "A stored verdict is a dict"),
    ],
)
def test_damaged_files_are_told(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "why.json"
    path.write_text(text, encoding="latin-1")
    with pytest.raises(FileFormatError) as caught:
        replay_file(path)
    assert told in str(caught.value)
    assert str(path) in str(caught.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises((RankproofError, OSError), match="no_such"):
        replay_file(tmp_path / "no_such.json")


@pytest.mark.parametrize("field", ["loss", "noise", "rule", "metric", "reason"])
def test_texts_must_be_texts(field: str) -> None:
    plain = stored("standardised")
    plain[field] = 3
    with pytest.raises(DataError, match="is found where a text should be"):
        replay(plain)


def test_a_matrix_is_checked_cell_by_cell() -> None:
    matrix = certify_matrix(["softmax", "squared:gain"], ["nDCG", "AP"], grades=2, effort=0.2)
    plain = json.loads(json.dumps(matrix.to_dict()))
    assert replay(plain).holds
    for field, other in (
        ("column", "DCG"),
        ("row", "squared"),
        ("row", "any convex loss"),
        ("row", "nonsense"),
    ):
        wrong = copy.deepcopy(plain)
        wrong["cells"][1][field] = other
        assert "holds another verdict" in why_not(wrong)
    wrong = copy.deepcopy(plain)
    wrong["cells"][0], wrong["cells"][3] = (
        {**wrong["cells"][0], "verdict": wrong["cells"][3]["verdict"]},
        {**wrong["cells"][3], "verdict": wrong["cells"][0]["verdict"]},
    )
    assert not replay(wrong).holds


# Users' functions --------------------------------------------------------------------------------------

PAIRS = """
import numpy as np
def pairs(scores, feedback):
    n = len(scores)
    return sum(np.logaddexp(0, scores[j] - scores[i]) for i in range(n) for j in range(n)
               if feedback[i] > feedback[j])
def square(scores, feedback):
    return sum((s - y) ** 2 for s, y in zip(scores, feedback))
"""


@pytest.mark.exhaustive
def test_a_loss_in_a_file_is_run_again(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(PAIRS, encoding="utf-8")
    verdict = certify(f"{tmp_path}/mine.py:pairs", "nDCG", convex=True)
    plain = json.loads(json.dumps(verdict.to_dict()))
    assert verdict.outcome == "inconsistent"
    assert replay(plain, run_code=True).holds
    plain["loss"] = plain["loss"].replace("pairs", "square")
    assert "the minimum is not proven" in why_not(plain)
    plain["loss"] = plain["loss"].replace("square", "gone")
    assert "has no 'gone'" in why_not(plain)


LEAVES_A_MARK = f"""{PAIRS}
from pathlib import Path
Path(__file__).with_name("it_ran").touch()
"""


@pytest.mark.parametrize("metric", ["nDCG", *exhaustive("AP")])
def test_a_file_that_evidence_names_is_not_run_unless_that_is_allowed(tmp_path: Path, metric: str) -> None:
    """Neither for a counterexample (nDCG) nor for what excludes all convex losses (AP)."""
    file, mark = tmp_path / "mine.py", tmp_path / "it_ran"
    file.write_text(LEAVES_A_MARK, encoding="utf-8")
    verdict = certify(f"{file}:pairs", metric, convex=True)
    evidence = tmp_path / "why.json"
    evidence.write_text(verdict.to_json(), encoding="utf-8")
    mark.unlink()
    for given in (verdict, verdict.to_dict()):
        with pytest.raises(CodeNotRunError, match=r"mine\.py' has to be run.*read the file.*run_code=True"):
            replay(given)
    with pytest.raises(CodeNotRunError):
        replay_file(evidence)
    matrix = {
        "format": "rankproof.matrix",
        "cells": [{"row": "x", "column": "y", "verdict": verdict.to_dict()}],
    }
    with pytest.raises(CodeNotRunError):
        replay(matrix)
    assert Verdict.from_json(verdict.to_json()) == verdict
    assert not mark.exists()
    assert replay_file(evidence, run_code=True).holds
    assert mark.exists()


def test_a_metric_in_a_file_is_run_again_only_if_that_is_allowed(tmp_path: Path) -> None:
    """Its values are stored."""
    file = tmp_path / "mine.py"
    file.write_text(
        "def first(ranking, feedback):\n    return feedback[ranking[0]] + 0.5 * feedback[ranking[1]]\n",
        encoding="utf-8",
    )
    verdict = certify("squared", f"{file}:first")
    file.write_text("raise RuntimeError", encoding="utf-8")
    assert verdict.evidence
    assert replay(verdict).holds
    assert not replay(verdict, run_code=True).holds


@pytest.mark.exhaustive
def test_that_a_loss_is_convex_must_have_been_said(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(PAIRS, encoding="utf-8")
    plain = certify(f"{tmp_path}/mine.py:pairs", "nDCG", convex=True).to_dict()
    plain["scope"]["convex"] = None
    assert "is not said to be convex" in why_not(plain)


def test_a_loss_given_in_python_cannot_be_replayed_and_that_is_told() -> None:
    def softmax(scores: Any, feedback: Any) -> Any:
        """Not the loss of that name."""
        return sum((s - y) ** 2 for s, y in zip(scores, feedback, strict=True))

    verdict = certify(softmax, "nDCG", convex=True)
    assert (verdict.outcome, verdict.loss) == ("inconsistent", "function softmax")
    assert "write it into a file" in why_not(verdict.to_dict())


def test_a_function_is_not_taken_for_the_metric_of_its_name() -> None:
    def nDCG(ranking: tuple[int, ...], feedback: Any) -> Any:  # noqa: N802
        return first_two(ranking, feedback)

    verdict = certify("squared", nDCG)
    assert verdict.metric == "function nDCG"
    plain = verdict.to_dict()
    plain["metric"] = "nDCG"
    assert replay(verdict).holds
    assert not replay(plain).holds


# What replay is made of --------------------------------------------------------------------------------

FINDERS: tuple[str, ...] = ("rules", "search", "certify", "matrix", "base.question", "minima.convergence")
FINDERS += tuple(
    f"existence.{name}"
    for name in ("agreement", "decide", "witness", "contradiction", "exchanges", "closed_form")
)


def closure(module: str) -> set[str]:
    """All modules of the package that a module imports, also inside functions, and those that they import."""
    seen: set[str] = set()
    waiting = [module]
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        path = SOURCE.joinpath(*name.split(".")[1:])
        file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
        if not file.exists():
            # ``from a import b`` names a.b, which need not be a module.
            continue
        waiting += [other for other, _ in imported(parsed(file)) if other.startswith("rankproof.")]
    return seen


def theory_of(module: str) -> set[str]:
    """What it imports of the theory, and the folders that hold it."""
    prefix = "rankproof.theory."
    names = [name.removeprefix(prefix).split(".") for name in closure(module) if name.startswith(prefix)]
    return {".".join(name[: end + 1]) for name in names for end in range(len(name))}


@pytest.mark.exhaustive
def test_replay_imports_nothing_that_finds_evidence() -> None:
    theory = theory_of("rankproof.theory.replay.replay")
    assert {"existence.checks", "minima.enclosure", "replay.evidence", "base.evidence"} <= theory
    assert not theory & set(FINDERS)


def test_the_closure_sees_what_is_imported() -> None:
    theory = theory_of("rankproof.theory.certify")
    assert set(FINDERS) - theory == {"certify", "matrix"} - theory
    assert {"rules", "search", "existence.decide", "search.proposals"} <= theory
