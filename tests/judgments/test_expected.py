"""Expected targets against the mean over every label vector, and over judges, by the literal definitions."""

from __future__ import annotations

from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest

import rankproof as rp
from rankproof.errors import ArgumentError, DataError
from rankproof.judgments.container import Judgments
from rankproof.targets import Target

METRICS = [
    "nDCG", "nDCG@1", "nDCG@2", "nDCG@10", "nDCG(gain=linear)@3", "nDCG(gain=[1,2,2,7])@2",
    "nDCG(discount=[1,0.5])", "nDCG(discount=letor)@4", "DCG@3", "P@3", "R@3", "F@2", "F(beta=2)", "AUC",
    "RBP", "ERR", "AP", "RR", "AP@1", "Rprec", "WPDL(weight=gain)", "Success@2",
]  # fmt: skip


def mean_by_force(target: Target, laws: np.ndarray, grades: list[int]) -> np.ndarray:
    """The sum over all label vectors of their probability times the definition of u."""
    total = np.zeros(len(laws))
    for places in product(range(len(grades)), repeat=len(laws)):
        p = np.prod([laws[i][g] for i, g in enumerate(places)])
        total += p * np.array([float(u) for u in target.of_labels([grades[g] for g in places])])
    return total


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("grades", [[0, 1], [0, 1, 2], [0, 1, 2, 3], [0, 2, 3]])
def test_independent_means_are_those_over_all_label_vectors(metric: str, grades: list[int]) -> None:
    rng = np.random.default_rng(len(grades))
    sizes = [1, 2, 3, 5, 6]
    laws = rng.dirichlet(np.full(len(grades), 0.5), sum(sizes))
    laws[1] = np.eye(len(grades))[-1]  # a certain grade
    offsets = np.concatenate(([0], np.cumsum(sizes)))
    soft = Judgments.from_probabilities(laws, offsets=offsets, grades=grades)
    expected = soft.expected_target(metric)
    target = rp.target_for(metric, noise="independent")
    assert (expected.target, expected.draws, expected.error) == (target, 0, 0.0)
    for a, b in pairwise(offsets):
        assert np.allclose(expected.values[a:b], mean_by_force(target, laws[a:b], grades), rtol=0, atol=1e-13)


def test_the_leave_one_out_formula_of_binary_labels() -> None:
    # E[y_i / Z(R)] = p_i E[1 / Z(1 + M)], with M of the other item: theory by hand, Z(1) = 1, Z(2) = 1.63...
    z2 = 1 + 1 / np.log2(3)
    p = np.array([0.9, 0.5])
    soft = Judgments.from_probabilities(np.column_stack([1 - p, p]), offsets=[0, 2])
    by_hand = [0.9 * (0.5 / 1 + 0.5 / z2), 0.5 * (0.1 / 1 + 0.9 / z2)]
    assert np.allclose(soft.expected_target("nDCG").values, by_hand, rtol=1e-15)


def judged(rows: Any, reading: Any = "joint") -> Judgments:
    query, item, judge, grade = zip(*rows, strict=True)
    return Judgments.from_columns(query, item, judge, grade, reading=reading)


@pytest.mark.parametrize("metric", ["nDCG", "nDCG@1", "P@1", "R@1", "DCG@2", "PD", "AUC"])
def test_joint_means_are_those_over_judges(metric: str) -> None:
    target = rp.target_for(metric, noise="low noise")
    sheets = {"q": [[2, 0, 1], [0, 0, 0], [1, 1, 0]], "r": [[0, 1], [2, 1]]}
    rows = [
        (q, f"d{i}", f"j{j}", grade)
        for q, own in sheets.items()
        for j, sheet in enumerate(own)
        for i, grade in enumerate(sheet)
    ]
    expected = judged(rows).expected_target(target)
    by_hand = np.concatenate(
        [
            np.mean([[float(u) for u in target.of_labels(sheet)] for sheet in own], axis=0)
            for own in sheets.values()
        ]
    )
    assert np.allclose(expected.values, by_hand, rtol=0, atol=1e-14)
    assert expected.draws == 0


GAPPED = [
    ("q", "a", "ann", 1),
    ("q", "b", "ann", 0),
    ("q", "a", "bob", 0),
    ("q", "c", "bob", 2),
    ("q", "c", "cid", 1),
]


@pytest.mark.parametrize("metric", ["nDCG@2", "P@1", "R@1"])
@pytest.mark.parametrize("smooth", [True, False])
def test_gaps_are_drawn_from_the_items_own_law(metric: str, smooth: bool) -> None:
    j = judged(GAPPED)
    laws = j.marginals(smooth=smooth)  # grades 0, 1, 2 of a, b, c
    sheets = [[1, 0, None], [0, None, 2], [None, None, 1]]
    target = rp.target_for(metric)
    means = []
    for sheet in sheets:
        own = np.array([laws[i] if g is None else np.eye(3)[g] for i, g in enumerate(sheet)])
        means.append(mean_by_force(target, own, [0, 1, 2]))
    expected = j.expected_target(metric, smooth=smooth)
    assert np.allclose(expected.values, np.mean(means, axis=0), rtol=0, atol=1e-14)


def test_filling_gaps_without_smoothing_keeps_every_items_law() -> None:
    # P@1 has u = 1[relevant], so its mean is the share of relevant grades of the item, whoever gave none.
    assert np.allclose(judged(GAPPED).expected_target("P@1", smooth=False).values, [0.5, 0.0, 1.0])


def test_gaps_may_be_refused() -> None:
    with pytest.raises(DataError, match=r"item 'c' of query 'q' has no grade of a judge .*3 of 3 sheets"):
        judged(GAPPED).expected_target("nDCG", gaps="refuse")
    with pytest.raises(ArgumentError, match="gaps must be one of 'marginal', 'refuse'"):
        judged(GAPPED).expected_target("nDCG", gaps="zero")


def test_a_gap_without_any_law_is_refused_without_smoothing() -> None:
    rows = [*GAPPED, ("q", "d", "ann", np.nan)]
    assert judged(rows).expected_target("nDCG").values.size == 4
    with pytest.raises(DataError, match="item 'd' of query 'q' has no grade at all"):
        judged(rows).expected_target("nDCG", smooth=False)


@pytest.mark.parametrize("metric", ["nDCG@2", "R@1"])
def test_draws_are_unbiased_and_say_how_far_off_they_are(metric: str) -> None:
    rng = np.random.default_rng(5)
    laws = rng.dirichlet(np.ones(3), 8)
    soft = Judgments.from_probabilities(laws, offsets=[0, 3, 8])
    exact = soft.expected_target(metric).values
    drawn = [soft.expected_target(metric, draws=400, seed=seed) for seed in range(60)]
    off = np.array([one.values for one in drawn]) - exact
    error = np.array([one.error for one in drawn])
    assert (error > 0).all()
    assert np.abs(off.mean(axis=0)).max() < 4 * error.mean() / np.sqrt(60)
    # `error` is the largest of the items' standard errors.
    assert off.std(axis=0).max() == pytest.approx(error.mean(), rel=0.25)
    again = soft.expected_target(metric, draws=400, seed=0)
    assert np.array_equal(again.values, drawn[0].values)


def test_targets_without_counts_are_drawn() -> None:
    soft = Judgments.from_probabilities([[0.2, 0.8], [0.6, 0.4], [0.5, 0.5]], offsets=[0, 3])
    target = rp.target_for("PD", noise="binary")
    expected = soft.expected_target(target, draws=20_000)
    laws = soft.marginals()
    assert expected.draws == 20_000
    assert np.abs(expected.values - mean_by_force(target, laws, [0, 1])).max() < 4 * expected.error
    assert "standard error at most" in str(expected)


def test_one_certain_grade_per_item_gives_the_target_itself() -> None:
    labels = np.array([2.0, 0, 1, 0, 0, 3])
    offsets = np.array([0, 4, 6])
    rows = [(q, i, "ann", labels[i]) for q in range(2) for i in range(offsets[q], offsets[q + 1])]
    for reading in ("joint", "independent"):
        for metric in ("nDCG@3", "R@2"):
            values = judged(rows, reading).expected_target(metric).values
            assert np.allclose(values, rp.target_for(metric).values(labels, offsets), rtol=1e-15)


def test_the_joint_reading_gives_no_target_that_needs_independence() -> None:
    with pytest.raises(ArgumentError, match="No target standardises ERR"):
        judged(GAPPED).expected_target("ERR")
