"""Metrics and targets of the registry in a synthetic world, against their definitions over all rankings."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import rankproof as rp
from every_case import few_cases
from properties.strategies import ALL_VARIANTS
from rankproof.errors import ArgumentError, DataError, EmptyQueryError
from rankproof.metrics import METRICS, Metric
from rankproof.metrics.on_feedback import of_scores
from rankproof.targets import TARGETS, target_for, why_none
from rankproof.targets import target as target_of
from rankproof.worlds import FiniteWorld, IndependentWorld, IntentWorld, LabelLaw, Positional, Ranked

# Few metrics have a parameter without a default; `ALL_VARIANTS` lists them with values for it.
SIMPLEST = {metric.name: metric for metric in reversed(ALL_VARIANTS)}


def grades(metric: Metric) -> int:
    """The highest grade to draw: 3, unless the metric's own scale ends below."""
    return int(min(3, getattr(metric, "max_grade", 3)))


@st.composite
def laws_and_scores(draw: st.DrawFn, metric: Metric, most: int = 4) -> tuple[LabelLaw, list[int]]:
    items = draw(st.integers(1, most))
    vectors = st.tuples(*[st.integers(0, grades(metric))] * items)
    counts = draw(st.dictionaries(vectors, st.integers(1, 9), min_size=1, max_size=5))
    whole = sum(counts.values())
    law = LabelLaw.from_table({y: Fraction(k, whole) for y, k in counts.items()})
    return law, draw(st.lists(st.integers(0, 2), min_size=items, max_size=items))


def by_definition(metric: Metric, law: LabelLaw) -> dict[tuple[int, ...], float]:
    """E[value] of every ranking, from the literal definition; a query that is empty counts 0."""
    means = {}
    for order in permutations(range(law.items)):
        values = [metric.of_labels([y[i] for i in order]) for y in law.table()]
        terms = zip(values, law.table().values(), strict=True)
        means[order] = math.fsum(float(p) * float(value or 0) for value, p in terms)
    return means


@few_cases
@pytest.mark.parametrize("name", METRICS)
@settings(max_examples=30)
@given(st.data())
def test_values_best_rankings_and_regrets_are_those_of_all_rankings(name: str, data: st.DataObject) -> None:
    metric = SIMPLEST[name]
    law, scores = data.draw(laws_and_scores(metric))
    means = by_definition(metric, law)
    sorting = [order for order in means if all(scores[a] >= scores[b] for a, b in pairwise(order))]
    value = math.fsum(means[order] for order in sorting) / len(sorting)
    best = max(means.values()) if metric.direction == "higher" else min(means.values())
    assert law.value(metric, scores) == pytest.approx(value, rel=1e-12, abs=1e-14)
    found = law.best(metric)
    assert found.value == pytest.approx(best, rel=1e-12, abs=1e-14)
    assert means[tuple(found.order.tolist())] == pytest.approx(best, rel=1e-12, abs=1e-14)
    assert law.regret(metric, scores) == pytest.approx(abs(best - value), abs=1e-12)
    assert law.regret(metric, scores) > -1e-12
    assert law.regret(str(metric), scores) == law.regret(metric, scores)


@few_cases
@pytest.mark.parametrize("metric", ALL_VARIANTS, ids=str)
def test_every_parameter_of_a_metric_counts_in_a_world(metric: Metric) -> None:
    """A fixed law with ties, against the value of the scores for every label vector by itself."""
    top = grades(metric)
    law = LabelLaw([[0, 1, top, 1], [1, 0, 0, 2], [0, 0, 0, 0], [2, 1, 1, 0]], ["1/8", "3/8", "1/4", "1/4"])
    scores = [0.5, 2.0, 0.5, 0.5]
    try:
        metric.check(law.support.reshape(-1))
    except DataError:
        with pytest.raises(DataError):
            law.value(metric, scores)
        return
    rows = [of_scores(metric, scores, y) or 0.0 for y in law.table()]
    assert law.value(metric, scores) == pytest.approx(float(law.probabilities @ rows), rel=1e-13, abs=1e-15)
    assert law.regret(metric, scores) > -1e-12


@few_cases
@pytest.mark.parametrize("name", METRICS)
@settings(max_examples=10)
@given(st.data())
def test_regrets_equal_the_exact_ones(name: str, data: st.DataObject) -> None:
    metric = SIMPLEST[name]
    law, scores = data.draw(laws_and_scores(metric, most=3))
    exact = rp.regret(metric, law.to_law(), scores=scores)
    assert law.regret(metric, scores) == pytest.approx(float(exact), abs=1e-12)


def test_numbers_are_those_of_the_plain_functions() -> None:
    def gain(labels: np.ndarray) -> np.ndarray:
        return 2.0**labels - 1

    def discount(rank: np.ndarray) -> np.ndarray:
        return 1 / np.log2(1 + rank)

    def normalised(labels: np.ndarray) -> np.ndarray:
        best = -np.sort(-gain(labels), axis=1) @ discount(np.arange(1, labels.shape[1] + 1))
        return gain(labels) / np.where(best > 0, best, 1)[:, None]

    def precisions(ranked: np.ndarray) -> np.ndarray:
        hits = ranked > 0
        precision = np.cumsum(hits, axis=1) / np.arange(1, ranked.shape[1] + 1)
        return (hits * precision).sum(axis=1) / np.maximum(hits.sum(axis=1), 1)

    known = IntentWorld.random(items=(3, 6), seed=2).sample_with_laws(40, seed=5)
    scores = np.round(known.data.X[:, 2])
    for metric, form in (
        ("DCG", Positional(gain, discount)),
        ("nDCG", Positional(normalised, discount)),
        ("AP", Ranked(precisions)),
    ):
        np.testing.assert_allclose(known.values(metric, scores), known.values(form, scores), atol=1e-13)
        np.testing.assert_allclose(known.best_values(metric), known.best_values(form), atol=1e-13)
        np.testing.assert_allclose(known.regrets(metric, scores), known.regrets(form, scores), atol=1e-13)
        assert known.regret(metric, scores) == pytest.approx(known.regret(form, scores), abs=1e-13)
    for target, function in (("gain", gain), ("normalised-gain", normalised)):
        np.testing.assert_allclose(known.bayes_scores(target), known.bayes_scores(function), rtol=1e-13)


def test_sorting_finds_the_best_ranking_of_many_items() -> None:
    known = IntentWorld.random(items=60, seed=3).sample_with_laws(20, seed=1)
    for metric in ("nDCG@10", "P@5", "R@20", "DCG(gain=linear)", "AUC", "RBP"):
        aimed = known.bayes_scores(target_for(metric))
        assert np.abs(known.regrets(metric, aimed)).max() < 1e-12
        assert known.regret(rp.metric(metric), -aimed) > 1e-3
    worst = known.data.labels
    with pytest.raises(ArgumentError, match=r"best ranking of 60 items .* No target standardises ERR under"):
        known.regret("ERR", worst)
    assert 0 < known.value("ERR", worst) < 1


def test_a_target_standardises_its_metric_in_a_world_of_its_condition() -> None:
    known = IndependentWorld.random(items=4, grades=3, seed=4).sample_with_laws(30, seed=1)
    assert why_none("ERR") is not None
    assert (
        np.abs(known.regrets("ERR", known.bayes_scores(target_for("ERR", noise="independent")))).max() < 1e-12
    )


def test_less_is_better_for_some_metrics() -> None:
    law = LabelLaw([[2, 1, 0]], [1])
    assert law.best("PD").value == 0
    assert law.best("PD").order.tolist() == [0, 1, 2]
    assert law.regret("PD", [1, 2, 3]) == 3
    assert law.regret("PD(ties=full)", [0, 0, 0]) == 3
    assert law.regret("ZeroOne", [0, 0, 0]) == pytest.approx(5 / 6)
    known = FiniteWorld([{(2, 1, 0): 1}]).population()
    assert known.regrets("PD", [1, 2, 3]).tolist() == [3]
    assert known.best_values("PD").tolist() == [0]


def test_ties_of_tau_b_can_beat_every_ranking() -> None:
    """The one exception that `regret` names: tau-b is 1 for scores that tie where the labels do."""
    law = LabelLaw([[1, 0, 0]], [1])
    assert law.value("tau(ties=b)", [1, 0, 0]) == 1
    assert law.regret("tau(ties=b)", [1, 0, 0]) == pytest.approx(2 / math.sqrt(6) - 1)
    assert law.regret("tau", [1, 0, 0]) == pytest.approx(0, abs=1e-15)


def test_an_empty_label_vector_counts_what_the_metric_says() -> None:
    law = LabelLaw([[1, 0], [0, 0]], ["1/4", "3/4"])
    assert law.value("AP", [1, 0]) == 0.25
    assert law.value("AP(empty=0)", [1, 0]) == 0.25
    assert law.value("AP(empty=1)", [1, 0]) == 1.0
    assert law.regret("AP(empty=1)", [0, 1]) == law.regret("AP", [0, 1]) == 0.125
    with pytest.raises(EmptyQueryError, match="no relevant item"):
        law.value("AP(empty=error)", [1, 0])


@pytest.mark.parametrize("name", TARGETS)
def test_every_target_has_its_mean(name: str) -> None:
    target = target_of(name)
    law = LabelLaw([[0, 1, 1], [1, 0, 0]], ["1/4", "3/4"])
    by_hand = np.array([[float(u) for u in target.of_labels(y)] for y in law.table()])
    np.testing.assert_allclose(law.expect(target), law.probabilities @ by_hand, rtol=1e-12)
    np.testing.assert_array_equal(law.expect(str(target)), law.expect(target))


def test_the_float_view_and_the_exact_law_are_one_law() -> None:
    law = rp.Law({(1, 1, 0): "8/13", (0, 0, 1): "5/13"})
    view = LabelLaw.from_table(law)
    assert view.to_law() == law
    assert view.expect_exact("relevance") == law.expect(lambda y: y)
    twice = LabelLaw([[1, 0], [1, 0]], ["1/3", "2/3"])
    assert twice.table() == {(1, 0): 1}
    assert twice.to_law() == rp.Law.point((1, 0))
    with pytest.raises(ArgumentError, match="float probabilities, and a Law has exact ones"):
        LabelLaw([[1, 0]], [1.0]).to_law()
    with pytest.raises(ArgumentError, match="Argument metric must be a metric, its string"):
        view.value(3, [1, 2, 3])  # type: ignore[arg-type]
