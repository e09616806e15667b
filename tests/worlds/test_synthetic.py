"""Synthetic worlds: draws follow the stated laws, and expectations, best rankings and regrets are right."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from drawn import examples
from rankproof.data.ranking import RankingData
from rankproof.errors import ArgumentError, DataError
from rankproof.feedback import Law, PreferenceGraph
from rankproof.worlds import (
    FiniteWorld,
    IndependentWorld,
    IntentWorld,
    KnownData,
    LabelLaw,
    Positional,
    Ranked,
    World,
)

Floats = NDArray[np.float64]


def gain(labels: Floats) -> Floats:
    return 2.0**labels - 1


def discount(rank: NDArray[np.int64]) -> Floats:
    return 1 / np.log2(1 + rank)


def normalised_gain(labels: Floats) -> Floats:
    ideal = -np.sort(-gain(labels), axis=1) @ discount(np.arange(1, labels.shape[1] + 1))
    return gain(labels) / np.where(ideal > 0, ideal, 1)[:, None]


def relevant(labels: Floats) -> Floats:
    return (labels > 0).astype(float)


NDCG = Positional(normalised_gain, discount)
DCG = Positional(gain, discount)


def ndcg_of_ranked(ranked: Floats) -> Floats:
    return normalised_gain(ranked) @ discount(np.arange(1, ranked.shape[1] + 1))


def err_of_ranked(ranked: Floats) -> Floats:
    stop = gain(ranked) / 4
    reach = np.cumprod(np.hstack((np.ones((len(ranked), 1)), 1 - stop[:, :-1])), axis=1)
    return (reach * stop) @ (1 / np.arange(1, ranked.shape[1] + 1))


def ap_of_ranked(ranked: Floats) -> Floats:
    hit = relevant(ranked)
    precision = np.cumsum(hit, axis=1) / np.arange(1, ranked.shape[1] + 1)
    return (hit * precision).sum(axis=1) / np.maximum(hit.sum(axis=1), 1)


ERR, AP = Ranked(err_of_ranked), Ranked(ap_of_ranked)


def average_precision(scores: Floats, labels: Floats) -> float:
    """One query, no ties: written without numpy, apart from the code above."""
    order = sorted(range(len(scores)), key=lambda item: -scores[item])
    found, total = 0, 0.0
    for rank, item in enumerate(order, start=1):
        if labels[item] > 0:
            found += 1
            total += found / rank
    return total / found if found else 0.0


R11 = {(5, 4): "0.3", (1, 3): "0.7"}

laws = st.integers(1, 4).flatmap(
    lambda items: st.dictionaries(
        st.tuples(*[st.integers(0, 2)] * items), st.integers(1, 9), min_size=1, max_size=6
    ).map(
        lambda counts: LabelLaw.from_table({y: Fraction(k, sum(counts.values())) for y, k in counts.items()})
    )
)


def test_gains_and_normalised_gains_sort_differently() -> None:
    """The example of Ravikumar, Tewari & Yang 2011: E[G] = (10, 9.4), E[G/Z] = (0.32157, 0.75333)."""
    known = FiniteWorld([R11]).population()
    assert known.bayes_scores(gain) == pytest.approx([0.3 * 31 + 0.7 * 1, 0.3 * 15 + 0.7 * 7], rel=1e-14)
    second = 1 / math.log2(3)
    first, other = 31 + 15 * second, 7 + second
    by_hand = [0.3 * 31 / first + 0.7 * 1 / other, 0.3 * 15 / first + 0.7 * 7 / other]
    assert by_hand == pytest.approx([0.32157, 0.75333], abs=5e-6)
    assert known.bayes_scores(normalised_gain) == pytest.approx(by_hand, rel=1e-14)
    # Ranking item 0 first swaps two targets: the loss is their difference times that of the discounts.
    assert known.regret(NDCG, known.bayes_scores(gain)) == pytest.approx(
        (by_hand[1] - by_hand[0]) * (1 - second), rel=1e-12
    )
    assert known.regret(NDCG, known.bayes_scores(normalised_gain)) == 0
    assert known.regret(DCG, known.bayes_scores(gain)) == 0
    assert known.laws[0].expect_exact(lambda y: [2**grade - 1 for grade in y]) == (10, Fraction(47, 5))


@examples(60)
@given(laws)
def test_sorting_equals_brute_force_for_positional_metrics(law: LabelLaw) -> None:
    sorted_best, forced_best = law.best(NDCG), law.best(Ranked(ndcg_of_ranked))
    assert sorted_best.value == pytest.approx(forced_best.value, rel=1e-12)
    scores = -np.argsort(sorted_best.order).astype(float)
    assert law.value(Ranked(ndcg_of_ranked), scores) == pytest.approx(forced_best.value, rel=1e-12)
    assert abs(law.regret(NDCG, law.expect(normalised_gain))) < 1e-12


@examples(60)
@given(laws, st.data())
def test_values_under_ties_are_means_over_the_rankings_that_sort(law: LabelLaw, data: st.DataObject) -> None:
    scores = np.array(data.draw(st.lists(st.integers(0, 2), min_size=law.items, max_size=law.items)), float)
    sorting = [
        order
        for order in permutations(range(law.items))
        if all(scores[a] >= scores[b] for a, b in pairwise(order))
    ]
    for metric, function in ((NDCG, ndcg_of_ranked), (ERR, err_of_ranked)):
        mean = np.mean([law.probabilities @ function(law.support[:, order]) for order in sorting])
        assert law.value(metric, scores) == pytest.approx(mean, rel=1e-12, abs=1e-15)


@examples(30)
@given(laws)
def test_the_three_forms_of_a_metric_agree(law: LabelLaw) -> None:
    scores = np.arange(law.items)[::-1] * 1.5
    assert law.value(average_precision, scores) == pytest.approx(law.value(AP, scores), rel=1e-12)
    forced, plain = law.best(AP), law.best(average_precision)
    assert plain.value == pytest.approx(forced.value, rel=1e-12)
    for best in (forced, plain):
        assert law.value(average_precision, -np.argsort(best.order)) == pytest.approx(best.value, rel=1e-12)
    assert (
        -1e-12
        < law.regret(AP, scores)
        == pytest.approx(law.regret(average_precision, scores), rel=1e-9, abs=1e-12)
    )


def test_best_rankings_of_table_2_of_calauzenes_2012() -> None:
    """AP at a = 5/13: {123, 213, 312, 321} are best, so 132 has a regret; items from 0 here."""
    law = LabelLaw.from_table(Law.point((1, 1, 0)).mix((0, 0, 1), "5/13"))
    regrets = {order: law.regret(AP, -np.argsort(order).astype(float)) for order in permutations(range(3))}
    best = {order for order, regret in regrets.items() if abs(regret) < 1e-12}
    assert best == {(0, 1, 2), (1, 0, 2), (2, 0, 1), (2, 1, 0)}
    # By hand: AP of 0, 2, 1 is 5/6 under (1, 1, 0) and 1/2 under (0, 0, 1); that of 0, 1, 2 is 1 and 1/3.
    by_hand = 8 / 13 * (1 - 5 / 6) + 5 / 13 * (1 / 3 - 1 / 2)
    assert regrets[0, 2, 1] == pytest.approx(by_hand, rel=1e-12)


def assert_within_four_standard_errors(
    known: KnownData, statistic: Callable[[Floats, Floats], Floats]
) -> None:
    """The sum of a statistic of labels and features against its exact conditional mean and variance."""
    means, variances, seen = [], [], []
    for law, query in zip(known.laws, known.data, strict=True):
        values = statistic(law.support, query.X)
        mean = float(law.probabilities @ values)
        means.append(mean)
        variances.append(float(law.probabilities @ (values - mean) ** 2))
        seen.append(float(statistic(query.labels[None, :], query.X)[0]))
    error = math.sqrt(sum(variances))
    assert error > 0
    assert abs(sum(seen) - sum(means)) < 4 * error


WORLDS: dict[str, World] = {
    "independent": IndependentWorld.random(items=(3, 5), seed=1),
    "intents": IntentWorld.random(items=(5, 8), seed=1),
    "finite": FiniteWorld([R11, {(1, 1, 0): "8/13", (0, 0, 1): "5/13"}], ["1/4", "3/4"]),
}


@pytest.fixture(params=list(WORLDS), scope="module")
def known(request: pytest.FixtureRequest) -> KnownData:
    return WORLDS[request.param].sample_with_laws(1500, seed=11)


def assert_labels_go_along_with_features(known: KnownData) -> None:
    """Sensitive to the law given X, not only to the law on average."""
    for k in range(known.data.features):
        assert_within_four_standard_errors(known, lambda labels, X, k=k: labels @ X[:, k])  # type: ignore[misc]


def test_draws_follow_the_stated_laws(known: KnownData) -> None:
    assert_within_four_standard_errors(known, lambda labels, _: labels[:, 0])
    assert_within_four_standard_errors(known, lambda labels, _: labels[:, 0] * labels[:, 1])
    assert_within_four_standard_errors(known, lambda labels, X: gain(labels) @ X[:, 0])
    assert_labels_go_along_with_features(known)


@pytest.mark.parametrize("kind", [IndependentWorld, IntentWorld])
def test_the_laws_of_another_world_are_noticed(kind: type[IndependentWorld] | type[IntentWorld]) -> None:
    """The check above has the power to fail: the same data with the laws of other weights."""
    data = kind.random(items=4, seed=1).sample(1500, seed=11)
    assert_labels_go_along_with_features(kind.random(seed=1).with_laws(data))
    with pytest.raises(AssertionError):
        assert_labels_go_along_with_features(kind.random(seed=2).with_laws(data))


@pytest.mark.parametrize("name", WORLDS)
def test_a_seed_gives_the_same_data_with_and_without_laws(name: str) -> None:
    world = WORLDS[name]
    data, laws = world.sample_with_laws(20, seed=3)
    again = world.sample(20, seed=3)
    assert isinstance(data, RankingData)
    np.testing.assert_array_equal(data.X, again.X)
    np.testing.assert_array_equal(data.labels, again.labels)
    assert not np.array_equal(world.sample(20, seed=4).labels[:20], data.labels[:20])
    assert [law.items for law in laws] == data.sizes.tolist()
    for law, query in zip(laws, data, strict=True):
        assert (law.support == query.labels).all(axis=1).any()
        assert law.probabilities.sum() == pytest.approx(1, abs=1e-12)


def test_bayes_scores_have_no_regret_and_others_some(known: KnownData) -> None:
    part = KnownData(known.data[:200], known.laws[:200])
    assert np.abs(part.regrets(NDCG, part.bayes_scores(normalised_gain))).max() < 1e-12
    assert np.abs(part.regrets(DCG, part.bayes_scores(gain))).max() < 1e-12
    regrets = part.regrets(NDCG, -part.bayes_scores(normalised_gain))
    assert regrets.min() > -1e-12
    assert regrets.mean() > 0.01
    assert part.regret(NDCG, -part.bayes_scores(normalised_gain)) == pytest.approx(regrets.mean())
    np.testing.assert_allclose(
        part.best_values(NDCG) - part.values(NDCG, part.data.labels), part.regrets(NDCG, part.data.labels)
    )


def test_independent_items_need_normalised_gains_only_for_ndcg() -> None:
    """Under independence E[G] is optimal for ERR and P(relevant) for AP; nDCG still needs G/Z."""
    known = IndependentWorld.random(items=4, seed=0).sample_with_laws(60, seed=1)
    assert np.abs(known.regrets(ERR, known.bayes_scores(gain))).max() < 1e-12
    assert np.abs(known.regrets(AP, known.bayes_scores(relevant))).max() < 1e-12
    assert known.regret(NDCG, known.bayes_scores(gain)) > 1e-3
    assert known.regret(ERR, known.bayes_scores(relevant)) > 1e-3


def test_hidden_intents_make_the_targets_disagree() -> None:
    known = IntentWorld.random(items=5, seed=0).sample_with_laws(100, seed=1)
    raw, normalised, chance = map(known.bayes_scores, (gain, normalised_gain, relevant))
    assert known.regret(NDCG, raw) > 1e-3
    assert known.regret(NDCG, chance) > 1e-3
    for scores in (raw, normalised, chance):
        assert known.regret(ERR, scores) > 1e-3
        assert known.regret(AP, scores) > 1e-3


def test_labels_of_independent_items_have_the_product_of_their_laws() -> None:
    world = IndependentWorld(np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]), [0.0, -1.0, 0.5], items=2)
    X = np.array([[1.0, 2.0], [0.0, 0.0]])
    powers = np.exp([[0, 0, 2.5], [0, -1, 0.5]])
    marginals = powers / powers.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(world.item_laws(X), marginals, rtol=1e-14)
    table = world.law(X).table()
    assert len(table) == 9
    for (a, b), p in table.items():
        assert p == pytest.approx(marginals[0, int(a)] * marginals[1, int(b)], rel=1e-12)
    large = IndependentWorld.random(items=40).sample(3)
    assert large.sizes.tolist() == [40, 40, 40]
    with pytest.raises(ArgumentError, match=r"label vectors, more than 200000\. Take fewer items"):
        IndependentWorld.random(items=40).with_laws(large)


def test_an_intent_decides_all_labels() -> None:
    """Two intents on opposite sides of one feature; the context says how likely each is."""
    world = IntentWorld([[1.0], [0.0]], [[1.0], [-1.0]], [[0.0, 1.0], [0.0, 1.0]], items=3)
    X = np.array([[0.5, 2.0], [0.5, 0.5], [0.5, -3.0]])
    first = math.exp(0.5) / (math.exp(0.5) + 1)
    assert world.law(X).table() == pytest.approx({(2, 1, 0): first, (0, 0, 2): 1 - first}, rel=1e-14)
    alike = np.array([[0.5, 0.0], [0.5, 0.0]])
    assert world.law(alike).table() == pytest.approx({(0, 0): 1.0})


def test_the_population_of_a_finite_world_is_the_whole_world() -> None:
    world = FiniteWorld([R11, {(1, 0): "1/2", (0, 1): "1/2"}], ["1/4", "3/4"])
    known = world.population()
    assert world.probabilities == (Fraction(1, 4), Fraction(3, 4))
    assert isinstance(known.data.X, np.ndarray)
    assert known.data.X.tolist() == np.eye(4).tolist()
    scores = [0.0, 1.0, 1.0, 0.0]
    values = known.values(DCG, scores)
    second = 1 / math.log2(3)
    assert values == pytest.approx([9.4 + 10 * second, 0.5 + 0.5 * second], rel=1e-12)
    assert known.value(DCG, scores) == pytest.approx(values[0] / 4 + values[1] * 3 / 4, rel=1e-12)
    sample = world.sample(4000, seed=2)
    assert isinstance(sample.X, np.ndarray)
    share = sample.X[:, 0].sum() / 4000
    assert abs(share - 0.25) < 4 * math.sqrt(0.25 * 0.75 / 4000)


def test_a_finite_world_takes_laws_of_feedback_and_features() -> None:
    law = Law({(1, 1, 0): "8/13", (0, 0, 1): "5/13"})
    X = [[0.5], [1.5], [-0.0]]
    world = FiniteWorld([law, {(1,): 1}], features=[X, [[9.0]]])
    assert world.law([[0.5], [1.5], [0.0]]) is world.laws[0]
    assert Law(world.laws[0].table()) == law
    assert world.sample(50).features == 1
    with pytest.raises(ArgumentError, match="No kind of query"):
        world.law([[0.5], [1.5], [2.0]])


def test_known_data_need_the_features_of_the_world() -> None:
    world = WORLDS["intents"]
    with pytest.raises(ArgumentError, match="these data have no X"):
        world.with_laws(RankingData(labels=[1], offsets=[0, 1]))
    with pytest.raises(ArgumentError, match="X must have 6 columns for this world, got 2"):
        world.with_laws(RankingData(labels=[1], offsets=[0, 1], X=[[1, 2]]))
    empty = world.with_laws(world.sample(3)[:0])
    assert empty.laws == ()
    assert empty.bayes_scores(gain).size == 0
    with pytest.raises(DataError, match="no queries"):
        empty.value(NDCG, [])


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: LabelLaw([[1, 0]], ["1/2"]), DataError, "sum 1, got sum 1/2"),
        (lambda: LabelLaw([[1, 0]], [0.999]), DataError, "sum 1, got sum 0.999"),
        (lambda: LabelLaw([[1], [0]], [1.5, -0.5]), DataError, "must not be negative"),
        (lambda: LabelLaw([[1], [0]], [1.0, math.nan]), DataError, "sum 1, got sum nan"),
        (lambda: LabelLaw([[1], [0]], [1]), ArgumentError, "2 label vectors got 1 probabilities"),
        (lambda: LabelLaw([[1], [0]], ["x", 1]), ArgumentError, "numbers or strings such as '8/13'"),
        (lambda: LabelLaw([[1], [0]], [0.5, "x"]), ArgumentError, "numbers or strings such as '8/13'"),
        (lambda: LabelLaw([[1], [0, 2]], [1, 0]), ArgumentError, "must be a matrix of numbers"),
        (lambda: LabelLaw([[math.nan]], [1]), ArgumentError, "finite numbers"),
        (lambda: LabelLaw.from_table(3), ArgumentError, "made from a mapping"),  # type: ignore[arg-type]
        (
            lambda: LabelLaw.from_table(Law.point(PreferenceGraph([(0, 1)]))),
            ArgumentError,
            "made from a mapping",
        ),
        (lambda: LabelLaw([[1]], [1.0]).expect_exact(lambda y: y), ArgumentError, "no exact expectation"),
        (
            lambda: LabelLaw([[1]], [1]).expect_exact(lambda _: [0.5]),
            ArgumentError,
            "ints or Fractions, got 0.5",
        ),
        (
            lambda: LabelLaw([[1]], [1]).expect(lambda _: [1, 2]),
            ArgumentError,
            r"shape \(1, 1\), got shape \(2,\)",
        ),
        (lambda: LabelLaw([[1]], [1]).value(DCG, [1, 2]), ArgumentError, r"one number per item \(1\), got 2"),
        (
            lambda: LabelLaw([[1] * 9], [1]).best(AP),
            ArgumentError,
            "best ranking of 9 items .* refused above 8",
        ),
        (lambda: LabelLaw([[1] * 9], [1]).value(AP, [0] * 9), ArgumentError, "sorted by 362880 rankings"),
        (lambda: LabelLaw([[1]], [1]).value(Ranked(lambda _: 1.0), [0]), ArgumentError, "one value per row"),
        (
            lambda: LabelLaw([[1, 0]], [1]).value(Positional(gain, lambda rank: rank), [0, 1]),
            ArgumentError,
            "must not increase, got 1.0 at rank 1 and 2.0 at rank 2",
        ),
        (lambda: FiniteWorld([]), ArgumentError, "at least one law"),
        (lambda: FiniteWorld([{(1,): 1.0}]), ArgumentError, "exact probabilities"),
        (lambda: FiniteWorld([{(1,): 1}], [0.5]), DataError, "sum 1, got sum 0.5"),
        (lambda: FiniteWorld([{(1,): 1}], features=[[[1], [2]]]), ArgumentError, r"with 1 rows .*\(2, 1\)"),
        (lambda: FiniteWorld([{(1,): 1}] * 2, features=[[[1]]] * 2), ArgumentError, "the same features"),
        (lambda: IndependentWorld([1, 2]), ArgumentError, r"weights .* must be a matrix .*\(2,\)"),
        (lambda: IndependentWorld([[1], [2]], [1]), ArgumentError, "biases .* must have 2 numbers"),
        (
            lambda: IndependentWorld([[1], [2]], items=(4, 3)),
            ArgumentError,
            "items must be an int >= 4, got 3",
        ),
        (
            lambda: IntentWorld([[1]], [[1], [2]], [[0]]),
            ArgumentError,
            r"one row per intent, got \[1, 2\] rows",
        ),
        (lambda: IntentWorld([[1]], [[1]], [[1, 0]]), ArgumentError, "must not decrease"),
        (
            lambda: IntentWorld.random().sample(0),
            ArgumentError,
            r"queries of World\.sample must be an int >= 1",
        ),
    ],
)
def test_errors_name_the_value_and_the_rule(
    call: Callable[[], object], error: type[Exception], text: str
) -> None:
    with pytest.raises(error, match=text):
        call()
