"""Every metric equals its definition over all rankings: ties, cutoffs, empties, unjudged and missed items."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import islice, permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agree.brute import ORACLES, Oracle, mean_over_tie_breaks, rankings, tie_groups
from drawn import examples, is_exhaustive
from every_case import every_case, exhaustive, few_cases
from properties.strategies import Ragged, accepts, metrics_named, plain, queries, ragged, values, variants
from rankproof.metrics import METRICS, Metric

TOLERANCE = 1e-12
# By its definition it takes the longest.
MEAN_NDCG_LAST = [*(name for name in METRICS if name != "MeanNDCG"), *exhaustive("MeanNDCG")]


def test_every_metric_has_an_oracle() -> None:
    assert set(ORACLES) == set(METRICS)


def test_the_oracle_lists_all_rankings() -> None:
    assert tie_groups([1.0, 2.0, 1.0, -0.0, 0.0]) == [[1], [0, 2], [3, 4]]
    assert sorted(rankings([[1], [0, 2]])) == [(1, 0, 2), (1, 2, 0)]
    assert len(set(rankings([[0, 1, 2, 3], [4, 5]]))) == math.factorial(4) * 2
    # Labels 1, 0 at rank 1, 2 or 2, 1: the mean of 1 and 1/2.
    first = mean_over_tie_breaks(lambda ranked, _: Fraction(1, ranked.index(1) + 1), [5.0, 5.0], [1, 0])
    assert first == Fraction(3, 4)


def same(got: float, wanted: Any) -> bool:
    """Equal to 1e-12, and both empty or neither."""
    if wanted is None or math.isnan(got):
        return wanted is None and math.isnan(got)
    return math.isclose(got, float(wanted), rel_tol=TOLERANCE, abs_tol=TOLERANCE)


@pytest.mark.parametrize("name", METRICS)
@examples(400, quick=30)
@given(data=st.data())
def test_values_of_scores(name: str, data: st.DataObject) -> None:
    metric = data.draw(metrics_named(name))
    found = data.draw(ragged(metric))
    oracle = Oracle.of(metric)
    for got, query in zip(values(metric, found).tolist(), found.queries(), strict=True):
        assert same(got, oracle.mean(*query)), (metric, query, got, oracle.mean(*query))


@pytest.mark.parametrize("name", METRICS)
@examples(100)
@given(data=st.data())
def test_the_definition_on_one_ranking(name: str, data: st.DataObject) -> None:
    metric = data.draw(metrics_named(name))
    _, labels, _ = data.draw(queries(metric, unjudged=metric.sees_unjudged, missed=False))
    ranked = [y if math.isnan(y) else plain(y) for y in labels]
    got = metric.of_labels(ranked)
    wanted = Oracle.of(metric).strict([None if math.isnan(y) else y for y in ranked])
    if isinstance(got, (Fraction, int)) and not isinstance(got, bool):
        assert got == wanted
    else:
        assert same(math.nan if got is None else float(got), wanted)


@few_cases
@pytest.mark.parametrize("name", MEAN_NDCG_LAST)
def test_long_tie_groups(name: str) -> None:
    """Nine items, five of them equal, and two missed: more than the drawn queries have."""
    rng = np.random.default_rng(9)
    for metric in variants(METRICS[name]):
        oracle = Oracle.of(metric)
        for _ in range(3):
            scores = [3.0, 1.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0, -1.0]
            query = (scores, rng.integers(0, 3, 9).tolist(), rng.integers(0, 3, 2).tolist())
            got = values(metric, Ragged.of([query]))[0]
            assert same(got, oracle.mean(*query)), (metric, query)


EXTREME_LABELS = (
    *(
        [1e300, -1e300, 1.0, 0.0],
        [999.0, 1000.0, 0.0, 1.0],
        [900.0, 899.0, -900.0, 1.0],
        [53.0, 54.0, 0.0, 1.0],
    ),
    *([1e-300, 5e-324, 0.0, 0.0], [1e-17, 0.0, 1e-17, -5e-324], [3.0, math.nextafter(1.0, 0.0), 1.0, 0.0]),
)


@every_case("metric", [one for kind in METRICS.values() for one in variants(kind)], ids=str, thin=True)
def test_extreme_labels(metric: Metric) -> None:
    """The ends of the domain: a value that is right, or a refusal; no overflow passes for an empty query."""
    accepted = [labels for labels in EXTREME_LABELS if accepts(metric, labels)]
    assert accepted or any(
        accepts(one, labels) for one in variants(type(metric)) for labels in EXTREME_LABELS
    )
    for labels in accepted:
        for scores in islice(permutations([1.0, 2.0, 3.0, 3.0]), None, None, 1 if is_exhaustive() else 5):
            got = values(metric, Ragged.of([(list(scores), labels, [])]))[0]
            wanted = Oracle.of(metric).mean(scores, [plain(y) for y in labels])
            assert same(got, wanted), (labels, scores)
