"""The convention ``ranx`` equals ranx.

ranx sorts a run by a quicksort that works by insertion on up to 15 items, which keeps equal scores in the
order of the run. So ties by row are its rule up to there; beyond, equal scores follow no rule, and only runs
whose scores all differ can be compared.

Its kernels take more than a minute to compile. A quick run has Python interpret them, which sorts equal
scores in another way: what has ties is left to the exhaustive run.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numba
import numpy as np
import pytest

from agree.convention_values import Data, values
from drawn import is_exhaustive
from every_case import exhaustive
from rankproof.errors import ConventionError, DataError
from rankproof.metrics import metric
from rankproof.metrics.conventions.named import CONVENTIONS

# It compiles its kernels with warnings about casts.
pytestmark = pytest.mark.filterwarnings("ignore")

METRICS = {
    "map": "AP",
    "map@3": "AP@3",
    "map@50-l2": "AP(rel=2)@50",
    "ndcg": "nDCG",
    "ndcg@3": "nDCG@3",
    "ndcg_burges": "nDCG(gain=[0,1,3,7])",
    "ndcg_burges@50": "nDCG(gain=[0,1,3,7])@50",
    "dcg@3": "DCG@3",
    "dcg_burges": "DCG(gain=[0,1,3,7])",
    "precision": "P",
    "precision@3": "P@3",
    "precision@50": "P@50",
    "recall": "R",
    "recall@3-l2": "R(rel=2)@3",
    "f1": "F",
    "f1@3": "F@3",
    "f1@50": "F@50",
    "hit_rate": "Success",
    "hit_rate@3": "Success@3",
    "mrr": "RR",
    "mrr@3": "RR@3",
    "mrr-l3": "RR(rel=3)",
    "r-precision": "Rprec",
}


@contextmanager
def loaded_ranx() -> Iterator[Any]:
    """ranx, compiled in the exhaustive run alone."""
    before = numba.config.DISABLE_JIT
    numba.config.DISABLE_JIT = int(not is_exhaustive())
    try:
        import ranx

        yield ranx
    finally:
        numba.config.DISABLE_JIT = before


def random_run(seed: int, *, longest: int, ties: bool, grades: int = 4) -> Data:
    """Queries with retrieved items, some without a judgment, and judged items that were not retrieved."""
    rng = np.random.default_rng(seed)
    queries = []
    for q in range(30):
        depth, missed = int(rng.integers(1, longest + 1)), int(rng.integers(0, 4))
        scores = rng.integers(0, 4, size=depth) / 2 if ties else rng.permutation(depth) / 2
        labels = rng.choice(
            grades, size=depth + missed, p=np.array([3.0] + [1.0] * (grades - 1)) / (grades + 2)
        )
        labels = np.where(q % 10 == 9, 0.0, labels)
        # The last item is judged in any case: qrels hold at least one judgment.
        gone = np.append(rng.random(depth + missed - 1) < 0.2, False) & (np.arange(depth + missed) < depth)
        queries.append((np.append(scores, np.zeros(missed)), np.where(gone, np.nan, labels), depth))
    return Data(
        np.concatenate([scores for scores, _, _ in queries]),
        np.concatenate([labels for _, labels, _ in queries]),
        np.array([scores.size for scores, _, _ in queries]),
        np.array([depth for _, _, depth in queries]),
    )


def tool(data: Data, names: list[str]) -> dict[str, np.ndarray]:
    """ranx's value of every query."""
    qrels: dict[str, dict[str, int]] = {}
    run: dict[str, dict[str, float]] = {}
    for q, items in enumerate(data.queries):
        ids = [f"d{i}" for i in range(data.sizes[q])]
        name = f"q{q:03}"
        judged = zip(ids, data.labels[items].tolist(), strict=True)
        qrels[name] = {doc: int(y) for doc, y in judged if y == y}
        retrieved = zip(ids[: data.depth[q]], data.scores[items].tolist(), strict=False)
        run[name] = dict(retrieved)
    with loaded_ranx() as ranx:
        found = ranx.evaluate(ranx.Qrels(qrels), ranx.Run(run), names, return_mean=False)
    return found if len(names) > 1 else {names[0]: found}


@pytest.mark.parametrize("seed", [0, *exhaustive(1, 2)])
@pytest.mark.parametrize(("longest", "ties"), [(60, False), *exhaustive((15, True))])
def test_equal(seed: int, longest: int, ties: bool) -> None:
    data = random_run(seed, longest=longest, ties=ties)
    for name, theirs in tool(data, list(METRICS)).items():
        ours = values("ranx", METRICS[name], data)
        np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-15, err_msg=name)


@pytest.mark.parametrize("ties", [False, *exhaustive(True)])
def test_rank_biased_precision_on_binary_labels(ties: bool) -> None:
    """Its rbp multiplies by the grade: only grades 0 and 1 give rank-biased precision."""
    data = random_run(7, longest=15, ties=ties, grades=2)
    theirs = tool(data, ["rbp.95", "rbp.5"])
    np.testing.assert_allclose(values("ranx", "RBP(p=0.95)", data), theirs["rbp.95"], rtol=1e-12)
    np.testing.assert_allclose(values("ranx", "RBP(p=0.5)", data), theirs["rbp.5"], rtol=1e-12)
    # It has no default: a p that nobody gave would not be its number.
    with pytest.raises(ConventionError, match=r"ranx has no p of its own for RBP \(rbp\.p\)\. Give one"):
        values("ranx", "RBP", data)
    with pytest.raises(DataError, match="whole grades from 0 to 1"):
        CONVENTIONS["ranx"].check(metric("RBP(p=0.5)"), np.array([2.0]))


@pytest.mark.exhaustive
def test_long_tie_groups_follow_no_rule() -> None:
    """15 items of equal score keep the order of the run, 16 do not."""
    with loaded_ranx() as ranx:
        runs = {n: ranx.Run({"q": {f"d{i}": 1.0 for i in range(n)}}) for n in (15, 16)}
    kept = {n: list(run.run["q"].keys()) == [f"d{i}" for i in range(n)] for n, run in runs.items()}
    assert kept == {15: True, 16: False}


def test_bpref_without_judged_irrelevant_items_is_not_copied() -> None:
    """All preferences hold when there are none: trec_eval says 1. ranx divides 0 by 0."""
    with loaded_ranx() as ranx:
        assert np.isnan(ranx.evaluate({"q": {"a": 1}}, {"q": {"a": 2.0, "b": 1.0}}, "bpref"))
    assert values("trec_eval", "bpref", one_relevant(), np.arange(2)).tolist() == [1.0]
    with pytest.raises(ConventionError, match="ranx has no bpref"):
        CONVENTIONS["ranx"].resolve(metric("bpref"))


def one_relevant() -> Data:
    """A relevant item above one without a judgment."""
    return Data(np.array([2.0, 1.0]), np.array([1.0, np.nan]), np.array([2]), np.array([2]))


def test_missing_queries_count_zero() -> None:
    with loaded_ranx() as ranx:
        qrels, run = ranx.Qrels({"a": {"x": 1}, "b": {"x": 1}}), ranx.Run({"a": {"x": 1.0}})
        assert ranx.evaluate(qrels, run, "map", make_comparable=True) == 0.5
    assert CONVENTIONS["ranx"].missing == "zero"
