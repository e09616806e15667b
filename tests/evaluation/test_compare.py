"""`rankproof.compare`: paired tests, one family of corrections, a winner only when shown."""

from __future__ import annotations

import json

import numpy as np
import pytest

import rankproof as rp
from rankproof.errors import ArgumentError

RNG = np.random.default_rng(3)
OFFSETS = np.arange(0, 601, 10)
LABELS = RNG.integers(0, 3, 600)
SYSTEMS = {
    "good": LABELS + RNG.normal(size=600),
    "fair": LABELS + 2 * RNG.normal(size=600),
    "poor": RNG.normal(size=600),
}


def test_the_better_system_wins_and_letters_say_what_the_tests_say() -> None:
    found = rp.compare(SYSTEMS, LABELS, ["nDCG@10", "PD"], offsets=OFFSETS)
    for name in ("nDCG@10", "PD"):  # PD is better when lower
        assert found.winner(name) == "good"
        marks = found.letters(name)
        for pair in found.pairs[name]:
            assert pair.significant == (not set(marks[pair.a]) & set(marks[pair.b]))
        assert "a" in marks["good"]
        assert [(p.wins + p.ties + p.losses) for p in found.pairs[name]] == [60] * 3


def test_equal_systems_have_no_winner() -> None:
    found = rp.compare({"a": SYSTEMS["good"], "b": SYSTEMS["good"] * 2}, LABELS, "AP", offsets=OFFSETS)
    (pair,) = found.pairs["AP"]
    assert (pair.p, pair.winner, found.winner("AP"), pair.ties) == (1.0, None, None, 60)
    assert found.letters("AP") == {"a": "a", "b": "a"}
    assert "none shown" in str(found)


def test_correction_over_all_metrics_is_never_milder() -> None:
    each = rp.compare(SYSTEMS, LABELS, ["nDCG", "AP"], offsets=OFFSETS)
    together = rp.compare(SYSTEMS, LABELS, ["nDCG", "AP"], offsets=OFFSETS, correction="all")
    for name in ("nDCG", "AP"):
        for one, all_ in zip(each.pairs[name], together.pairs[name], strict=True):
            assert one.p == all_.p
            assert one.adjusted <= all_.adjusted


def test_runs_whose_queries_stand_in_another_order_are_paired_by_id() -> None:
    qrels = rp.Qrels.from_dict({"x": {"d": 1, "e": 0}, "y": {"d": 1, "e": 0}})
    a = rp.Run.from_dict({"x": {"d": 2.0, "e": 1.0}, "y": {"d": 1.0, "e": 2.0}})
    b = rp.Run.from_dict({"y": {"d": 2.0, "e": 1.0}, "x": {"d": 1.0, "e": 2.0}})
    found = rp.compare({"a": a, "b": b}, qrels, "RR")
    assert found.results["a"].per_query["RR"].tolist() == [1.0, 0.5]
    assert found.results["b"].per_query["RR"].tolist() == [0.5, 1.0]
    assert found.results["b"].query_ids.tolist() == ["x", "y"]


def test_queries_that_one_run_lacks_are_left_out_of_its_pairs_when_skipped() -> None:
    qrels = rp.Qrels.from_dict({"x": {"d": 1, "e": 0}, "y": {"d": 1, "e": 0}})
    a = rp.Run.from_dict({"x": {"d": 2.0, "e": 1.0}})
    b = rp.Run.from_dict({"y": {"d": 2.0, "e": 1.0}, "x": {"d": 1.0, "e": 2.0}})
    found = rp.compare({"a": a, "b": b}, qrels, "RR", missing="skip")
    (pair,) = found.pairs["RR"]
    assert (pair.n, pair.dropped) == (1, 1)
    assert found.results["a"].mean["RR"] == 1.0


def test_json_and_csv_hold_every_pair() -> None:
    found = rp.compare(SYSTEMS, LABELS, ["nDCG", "AP"], offsets=OFFSETS)
    plain = json.loads(found.to_json())
    assert plain["schema"] == "rankproof.comparison/1"
    assert [p["p_adjusted"] for p in plain["metrics"]["AP"]["pairs"]] == [
        p.adjusted for p in found.pairs["AP"]
    ]
    rows = found.to_csv().splitlines()
    assert len(rows) == 1 + 2 * 3
    assert r"\begin{tabular}{llll}" in found.to_latex()


@pytest.mark.parametrize(
    ("systems", "keywords", "message"),
    [
        ({"a": [1, 2]}, {}, "at least two"),
        ([[1, 2], [2, 1]], {}, "mapping"),
        ({"a": [1, 2], "b": [2, 1]}, {"correction": "none"}, "correction must be 'metric' or 'all'"),
        ({"a": [1, 2], "b": [2, 1]}, {"test": "z"}, "test must be one of"),
        ({"a": [1, 2], "b": [2, 1]}, {"level": 2}, "level"),
    ],
)
def test_wrong_arguments_get_a_clear_error(
    systems: object, keywords: dict[str, object], message: str
) -> None:
    with pytest.raises(ArgumentError, match=message):
        rp.compare(systems, [1, 0], "AP", offsets=[0, 2], **keywords)  # type: ignore[arg-type]
