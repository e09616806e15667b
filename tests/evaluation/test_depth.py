"""Only the first items of a ranking count: the digits of ``trec_eval -M``, and rankings cut by hand."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

import rankproof as rp
from rankproof.errors import ArgumentError, DataError


def test_the_digits_of_trec_eval(shared_data: Path) -> None:
    # Query 301 in test/out.test.aqcM of trec_eval: -q -c -M100 on its own test files.
    expected = {"AP": 0.0118, "nDCG": 0.0670, "P@200": 0.1150, "R@1000": 0.0485, "AP@20": 0.0023}
    folder = shared_data / "trec_eval"
    run, qrels = rp.read_run(folder / "results.test"), rp.read_qrels(folder / "qrels.test")
    metrics = list(expected)
    results = rp.evaluate(run, qrels, metrics, convention="trec_eval", depth=100)
    at = results.query_ids.tolist().index("301")
    assert {m: round(float(results.per_query[m][at]), 4) for m in metrics} == expected
    assert "depth: the first 100 items" in str(results)
    assert results.to_dict()["depth"] == 100
    whole = rp.evaluate(run, qrels, metrics, convention="trec_eval")
    assert whole.mean["AP"] > results.mean["AP"]
    assert "depth" not in whole.to_dict()


@pytest.mark.parametrize("depth", [1, 2, 3, 7])
@pytest.mark.parametrize("convention", ["rankproof", "trec_eval"])
def test_a_cut_run_is_a_run_with_fewer_lines(depth: int, convention: str) -> None:
    rng = np.random.default_rng(depth)
    lists = {
        f"q{q}": dict(zip(map(str, range(9)), rng.permutation(9).tolist(), strict=True)) for q in range(6)
    }
    short = {q: dict(sorted(docs.items(), key=lambda pair: -pair[1])[:depth]) for q, docs in lists.items()}
    qrels = rp.Qrels.from_dict(
        {f"q{q}": {str(d): int(rng.integers(0, 3)) for d in range(2, 12)} for q in range(6)}
    )
    metrics = ["AP", "nDCG", "P@5", "R@5", "RR"]
    cut = rp.evaluate(rp.Run.from_dict(lists), qrels, metrics, depth=depth, convention=convention)
    by_hand = rp.evaluate(rp.Run.from_dict(short), qrels, metrics, convention=convention)
    for m in metrics:
        np.testing.assert_array_equal(cut.per_query[m], by_hand.per_query[m])
        assert cut.constant[m] == by_hand.constant[m]
    assert cut.items == by_hand.items
    assert cut.unjudged == by_hand.unjudged


def test_arrays_are_cut_as_well() -> None:
    # nDCG of the first item alone: DCG 1 (gain 2^1 - 1), the best two have 3 and 1.
    results = rp.evaluate([3.0, 2.0, 1.0], [1, 2, 0], "nDCG", offsets=[0, 3], depth=1)
    np.testing.assert_allclose(results.per_query["nDCG"], [1 / (3 + 1 / math.log2(3))])


def test_ties_across_the_cut_are_refused_where_they_are_not_broken() -> None:
    run = rp.Run.from_dict({"q\x1b[1m": {"a": 1.0, "b": 1.0, "c": 0.5}})
    qrels = rp.Qrels.from_dict({"q\x1b[1m": {"a": 0, "b": 1}})
    with pytest.raises(DataError, match=r"Query 'q\\x1b\[1m' has equal scores on both sides of depth 1"):
        rp.evaluate(run, qrels, "AP", depth=1)
    assert rp.evaluate(run, qrels, "AP", depth=2).mean["AP"] == 0.75
    # trec_eval puts b before a.
    assert rp.evaluate(run, qrels, "AP", depth=1, convention="trec_eval").mean["AP"] == 1.0


def test_a_depth_is_a_whole_number() -> None:
    with pytest.raises(ArgumentError, match="depth"):
        rp.evaluate([1.0], [1], "AP", offsets=[0, 1], depth=0)
    with pytest.raises(ArgumentError, match="Argument depth goes with labels"):
        rp.evaluate([1.0, 2.0], [rp.PreferenceGraph([(0, 1)])], "PD", depth=1)


def test_systems_are_compared_at_a_depth() -> None:
    labels, offsets = [1, 0, 2] * 4, np.arange(0, 13, 3)
    rng = np.random.default_rng(0)
    systems = {name: rng.normal(size=12) for name in ("a", "b")}
    comparison = rp.compare(systems, labels, "nDCG", offsets=offsets, depth=1)
    for name, scores in systems.items():
        alone = rp.evaluate(scores, labels, "nDCG", offsets=offsets, depth=1)
        assert comparison.results[name].mean == alone.mean
    assert "depth: the first 1 items" in str(comparison)
