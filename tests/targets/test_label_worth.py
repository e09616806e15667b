"""The target of a user's metric: what a label is worth, where that is proven, where it was only tried."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import rankproof as rp
from rankproof.errors import ArgumentError, DataError
from rankproof.feedback.spaces import graded_space
from rankproof.losses.choose import choose_loss
from rankproof.metrics.own.lengths import find_misfit
from rankproof.metrics.own.rule import Valued
from rankproof.metrics.own.standing import standing_of
from rankproof.targets.parse import target as target_of
from rankproof.theory.base.values import value_table
from rankproof.theory.existence.nearest import nearest_rule, worst_regret


def discounted(worths: tuple[Any, ...], places: int | None = None) -> Callable[..., Any]:
    def metric(ranking: Any, feedback: Any) -> float:
        return sum(worths[feedback[i]] / math.log2(k + 2) for k, i in enumerate(ranking[:places]))

    return metric


def ndcg(ranking: Any, feedback: Any) -> float | None:
    worth = sorted((2**y - 1 for y in feedback), reverse=True)
    best = sum(w / math.log2(k + 2) for k, w in enumerate(worth[:10]))
    found = sum((2 ** feedback[i] - 1) / math.log2(k + 2) for k, i in enumerate(ranking[:10]))
    return found / best if best else None


def auc(ranking: Any, feedback: Any) -> Fraction | None:
    pairs = [(feedback[a], feedback[b]) for k, a in enumerate(ranking) for b in ranking[k + 1 :]]
    right, wrong = sum(a > b for a, b in pairs), sum(a < b for a, b in pairs)
    return Fraction(right, right + wrong) if right + wrong else None


def precision_at_10(ranking: Any, feedback: Any) -> float:
    return sum((0, 1, -0.25)[feedback[i]] for i in ranking[:10]) / 10


def clean_page(ranking: Any, feedback: Any) -> int:
    page = [feedback[i] for i in ranking[:2]]
    return int(2 in page and 1 not in page)


def changes_at(n: int) -> Callable[..., Any]:
    """DCG on lists of fewer than n items, and something else from there on."""

    def metric(ranking: Any, feedback: Any) -> float:
        power = 2 if len(ranking) < n else 3
        return sum((power ** feedback[i] - 1) / math.log2(k + 2) for k, i in enumerate(ranking))

    return metric


@pytest.mark.parametrize("worths", [(0, 1, 3), (0, 1, -0.3), (0, -1, 2), (0, 0, 1)])
def test_the_worths_of_labels_are_found(worths: tuple[Any, ...]) -> None:
    standing = standing_of(rp.own_metric(discounted(worths)))
    assert standing.rule is not None
    assert [float(w) for w in standing.rule.worths] == pytest.approx(
        [w / abs(next(v for v in worths if v)) for w in worths], abs=1e-12
    )
    assert not standing.rule.factored
    assert "on all lists of 2, 3, 4 items with grades 0, 1, 2" in standing.proven
    assert "not proven" in standing.checked


def test_the_rule_is_printed_as_people_write_it() -> None:
    assert str(standing_of(rp.own_metric(discounted((0, 1, -0.3)))).rule) == "0 -> 0, 1 -> 1, 2 -> -0.3"


def test_a_factor_per_query_is_read_off_the_metric() -> None:
    target = rp.target_for(ndcg)
    random = np.random.default_rng(0)
    offsets = np.cumsum([0, 3, 12, 25, 2, 11])
    labels = random.integers(0, 5, offsets[-1])
    theirs = rp.target_for("nDCG@10").values(labels, offsets)
    np.testing.assert_allclose(target.values(labels, offsets), theirs, rtol=1e-12)


def test_auc_has_the_factor_of_its_pairs() -> None:
    target = rp.target_for(rp.own_metric(auc, grades=2))
    labels = [1, 0, 0, 1, 0]
    # 1 / (relevant * others), times the n - 1 that all queries of a length share.
    assert target.of_labels(labels) == [Fraction(4, 6), 0, 0, Fraction(4, 6), 0]


def test_a_copy_gets_the_target_of_the_library_and_the_same_order() -> None:
    train, test = rp.samples.diabetes_wards()
    mine = rp.LinearRanker(ndcg, l2=0.1).fit(train.X, train.labels, qid=train.qids)
    theirs = rp.LinearRanker("nDCG@10", l2=0.1).fit(train.X, train.labels, qid=train.qids)
    np.testing.assert_allclose(mine.coef_, theirs.coef_, rtol=1e-6, atol=1e-9)
    assert (np.argsort(mine.predict(test.X)) == np.argsort(theirs.predict(test.X))).all()
    assert mine.score(test.X, test.labels, qid=test.qids) == pytest.approx(
        theirs.score(test.X, test.labels, qid=test.qids), abs=1e-12
    )


def test_what_short_lists_do_not_tell_is_tried_and_not_called_proven() -> None:
    standing = standing_of(rp.own_metric(precision_at_10))
    assert str(standing.rule) == "0 -> 0, 1 -> 1, 2 -> -0.25"
    assert not standing.proven
    summary = choose_loss(precision_at_10).summary()
    assert "In all that was tried it is consistent" in summary
    assert "because it is consistent" not in summary


@pytest.mark.parametrize("n", [5, 6, 12, 30])
def test_a_metric_that_changes_on_longer_lists_is_refused(n: int) -> None:
    metric = changes_at(n)
    with pytest.raises(ArgumentError, match=rf"but not on lists of {n} items"):
        rp.target_for(rp.own_metric(metric, grades=3))


def test_a_change_at_a_length_of_the_data_alone_is_refused_when_it_is_met() -> None:
    # 37 is none of the lengths that are tried before data are read.
    metric = changes_at(37)

    def only_at_37(ranking: Any, feedback: Any) -> float:
        return metric(ranking, feedback) if len(ranking) == 37 else metric(ranking[:36], feedback)

    target = rp.target_for(rp.own_metric(only_at_37, grades=3))
    labels = np.arange(37) % 3
    assert target.values(labels[:36], [0, 36]).size == 36
    with pytest.raises(DataError, match="does not hold on lists of 37 items"):
        target.values(labels, [0, 37])


def test_labels_of_the_data_are_tried_too() -> None:
    def odd_when_full(ranking: Any, feedback: Any) -> Fraction:
        # Eleven items of grade 2 of eleven but one are never drawn.
        weight = 7 if len(feedback) == 11 and sum(y == 2 for y in feedback) == 10 else 1
        return sum((Fraction(feedback[i] ** weight, k + 1) for k, i in enumerate(ranking)), Fraction(0))

    target = rp.target_for(rp.own_metric(odd_when_full, grades=3))
    assert target.values([0, 1, 2] * 3 + [0, 1], [0, 11]).size == 11
    with pytest.raises(DataError, match="does not hold on lists of 11 items"):
        target.values([2] * 10 + [1], [0, 11])


def test_a_metric_that_turns_over_on_longer_lists_is_refused() -> None:
    def turned(ranking: Any, feedback: Any) -> float:
        value = sum(feedback[i] / (k + 1) for k, i in enumerate(ranking))
        return value if len(ranking) < 20 else -value

    with pytest.raises(ArgumentError, match="not on lists of 20 items"):
        rp.target_for(rp.own_metric(turned, grades=3))


def test_one_wrong_rank_of_a_long_list_is_found() -> None:
    def flat_at_5(ranking: Any, feedback: Any) -> Fraction:
        # Ranks 5 and 6 count twice what they should for one grade.
        places = [Fraction(1, k + 1) for k in range(len(ranking))]
        return sum(
            (
                p * feedback[i] * (2 if k in (4, 5) and feedback[i] == 2 else 1)
                for k, (p, i) in enumerate(zip(places, ranking, strict=True))
            ),
            Fraction(0),
        )

    valued = Valued(flat_at_5, "flat_at_5")
    assert find_misfit(valued, list, (0, 1, 2), 4) is None
    assert find_misfit(valued, list, (0, 1, 2), 8) is not None


def test_a_target_beyond_labels_is_not_extended() -> None:
    def pairs(ranking: Any, feedback: Any) -> int:
        # Pairs that differ by one grade weigh 1, by two 5: what an item is worth depends on the others.
        weight = {0: 0, 1: 1, 2: 5}
        return sum(
            (1 if feedback[a] > feedback[b] else -1) * weight[abs(feedback[a] - feedback[b])]
            for k, a in enumerate(ranking)
            for b in ranking[k + 1 :]
        )

    with pytest.raises(ArgumentError):
        rp.target_for(rp.own_metric(pairs, grades=3))


def test_no_target_is_refused_with_what_is_nearest() -> None:
    with pytest.raises(
        ArgumentError, match=r"No target standardises clean_page.*loses at most.*nearest=True"
    ):
        choose_loss(rp.own_metric(clean_page, grades=3))
    choice = choose_loss(rp.own_metric(clean_page, grades=3, nearest=True))
    assert choice.claim is None
    assert choice.warning is not None
    assert "loses at most" in choice.warning
    assert "not proven to be consistent" in choice.summary()
    assert choice.to_dict()["nearest"] is True


def test_the_worst_regret_bounds_what_laws_lose() -> None:
    table = value_table(clean_page, graded_space(4, 3))
    near = nearest_rule(table)
    random = np.random.default_rng(5)
    values = np.array([[float(v) for v in row] for row in table.values])
    worths = np.array([[float(near.worths[label]) for label in y] for y in table.space.feedback])
    worst = 0.0
    for _ in range(4000):
        law = np.zeros(len(table.space))
        law[random.integers(0, law.size, 3)] = random.random(3)
        law /= law.sum()
        means = law @ worths
        value = values @ law
        for ranking, reached in zip(table.rankings, value, strict=True):
            if all(means[a] >= means[b] - 1e-12 for a, b in pairwise(ranking)):
                worst = max(worst, float(value.max() - reached))
    assert worst <= float(near.regret) + 1e-9
    # The law that comes with it loses as much.
    law = np.zeros(len(table.space))
    for y, p in near.law:
        law[table.space.index(y)] = p
    value = values @ law
    assert float(value.max() - value[0]) == pytest.approx(float(near.regret), abs=1e-6)


def test_a_metric_with_a_target_is_nearest_to_itself() -> None:
    def twice(ranking: Any, feedback: Any) -> Fraction:
        return sum((Fraction((0, 1, 3)[feedback[i]], k + 1) for k, i in enumerate(ranking)), Fraction(0))

    table = value_table(twice, graded_space(3, 3))
    assert worst_regret(table, (Fraction(0), Fraction(1), Fraction(3))) == 0
    assert worst_regret(table, (Fraction(0), Fraction(1), Fraction(1))) > 0


def test_conditions_are_offered_only_where_they_were_tried() -> None:
    def hit(ranking: Any, feedback: Any) -> int:
        return int(any(feedback[i] for i in ranking[:2]))

    metric = rp.own_metric(hit, grades=2)
    standing = standing_of(metric)
    assert standing.rule is None
    assert "one relevant" in [known.condition for known in standing.conditions]
    target = rp.target_for(metric, noise="one relevant")
    assert target.of_labels([0, 1]) == [0, 1]
    assert choose_loss(metric, noise="one relevant").claim.value == "one relevant"  # type: ignore[union-attr]
    # Nothing says that the labels meet the condition.
    with pytest.raises(ArgumentError, match=r"say so: .*noise='one relevant'"):
        choose_loss(metric)
    with pytest.raises(ArgumentError, match="None is known under noise='low noise'"):
        rp.target_for(metric, noise="low noise")


def test_a_copy_of_a_metric_has_its_conditions() -> None:
    def average_precision(ranking: Any, feedback: Any) -> Fraction | None:
        hits = [k for k, item in enumerate(ranking, start=1) if feedback[item]]
        found = sum((Fraction(j, k) for j, k in enumerate(hits, start=1)), Fraction(0))
        return found / len(hits) if hits else None

    metric = rp.own_metric(average_precision, grades=2)
    # As for AP itself, where certify says the same.
    assert rp.certify_metric(average_precision, noise="independent").outcome == "consistent"
    choice = choose_loss(metric, noise="independent")
    assert choice.claim is not None
    assert "where it has the values of AP" in choice.claim.limits
    assert [float(u) for u in choice.target.of_labels([0, 1])] == [0, 1]  # type: ignore[union-attr]


def test_the_verdict_and_its_way_out_agree() -> None:
    verdict = rp.certify_metric(clean_page, grades=3)
    assert verdict.outcome == "inconsistent"
    assert not any("is consistent" in sentence for sentence in verdict.way_out)
    assert "loses at most" in verdict.way_out[0]
    found = rp.certify_metric(discounted((0, 1, -0.3)), grades=3)
    assert "0 -> 0, 1 -> 1, 2 -> -0.3" in found.way_out[0]
    assert "not proven" in found.way_out[0]


def test_few_items_that_say_nothing_are_passed_over() -> None:
    def top_3(ranking: Any, feedback: Any) -> int:
        return sum(feedback[i] for i in ranking[:3])

    verdict = rp.certify_metric(top_3, grades=3)
    assert verdict.outcome == "consistent"
    assert verdict.scope["items"] == 4


def test_strings_parse_back() -> None:
    target = rp.target_for(rp.own_metric(discounted((0, 1, -0.3)), grades=3))
    assert str(target) == "label-worth(worths=[0,1,-3/10])"
    assert target_of(str(target)) == target
    loss = choose_loss(rp.own_metric(discounted((0, 1, -0.3)), grades=3)).loss
    assert rp.loss(str(loss)) == loss


def test_labels_that_the_target_does_not_know_are_refused() -> None:
    with pytest.raises(DataError, match=r"labels 0 to 2, got the label 3.*grades=4"):
        rp.target_for(rp.own_metric(discounted((0, 1, 5)), grades=3)).values([3, 0], [0, 2])
    with pytest.raises(ArgumentError, match="must list what the labels"):
        target_of("label-worth(worths=[1])")
