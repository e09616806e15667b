"""Minimisers of expected losses, against closed forms, a solver without gradients, and a linear program."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

import rankproof.theory.minima.hinges as hinges
from rankproof.errors import ArgumentError
from rankproof.feedback import Law, Permutation, PreferenceGraph
from rankproof.feedback.spaces import graded_space, graph_space, permutation_space
from rankproof.losses import LOSSES, Preorder
from rankproof.losses import loss as loss_of
from rankproof.theory.custom.loss import as_user_loss
from rankproof.theory.minima.expected import ExpectedLosses, loss_inputs
from rankproof.theory.minima.minimise import minimise, minimise_many
from theory import by_hand

P = Law({(2, 0, 1): "1/4", (0, 1, 2): "1/2", (1, 1, 0): "1/4"})
MEAN_GAIN = np.array([0.25 * 3 + 0.25, 0.5 + 0.25, 0.25 + 0.5 * 3])


def softmax(x: np.ndarray) -> np.ndarray:
    return np.exp(x) / np.exp(x).sum()


# Closed forms --------------------------------------------------------------------------------------


def test_squared_ends_at_the_mean() -> None:
    np.testing.assert_allclose(minimise(loss_of("squared:gain"), P).scores, MEAN_GAIN, atol=1e-10)


def test_softmax_ends_at_the_shares_of_the_mean() -> None:
    found = minimise(loss_of("softmax:gain"), P)
    np.testing.assert_allclose(softmax(found.scores), MEAN_GAIN / MEAN_GAIN.sum(), atol=1e-12)
    assert found.reached
    assert found.infinite == ()


def test_a_loss_of_directions_ends_along_the_mean() -> None:
    found = minimise(loss_of("cosine:gain"), P).scores
    np.testing.assert_allclose(
        found / np.linalg.norm(found), MEAN_GAIN / np.linalg.norm(MEAN_GAIN), atol=1e-9
    )


def test_logistic_pairs_end_at_log_odds() -> None:
    found = minimise(loss_of("RankNet"), Law({(1, 0): "2/3", (0, 1): "1/3"})).scores
    assert found[0] - found[1] == pytest.approx(math.log(2), abs=1e-12)


def test_squared_hinge_ends_where_the_slopes_cancel() -> None:
    # 2/3 * 2 (1 - t) = 1/3 * 2 (1 + t): t = 1/3
    found = minimise(loss_of("preorder"), Law({(1, 0): "2/3", (0, 1): "1/3"})).scores
    assert found[0] - found[1] == pytest.approx(1 / 3, abs=1e-12)


@pytest.mark.parametrize("name", ["RankNet", "RankBoost", "preorder", "listmle", "listnet", "xe-ndcg"])
def test_newton_agrees_with_a_solver_without_gradients(name: str) -> None:
    found = minimise(loss_of(name), P)
    other = by_hand.minimiser(name, P)
    np.testing.assert_allclose(found.scores - found.scores.mean(), other - other.mean(), atol=1e-5)
    assert by_hand.risk(name, P, found.scores) <= by_hand.risk(name, P, other) + 1e-12


def smooth_and_convex() -> list[str]:
    made = {name: cls() for name, cls in LOSSES.items()}
    return [n for n, loss in made.items() if loss.claims.value("convex") and loss.claims.value("smooth")]


@pytest.mark.parametrize("name", smooth_and_convex())
def test_the_slope_of_a_smooth_convex_loss_is_nothing_but_rounding(name: str) -> None:
    rng = np.random.default_rng(5)
    space = graded_space(3, 3)
    expected = ExpectedLosses(LOSSES[name](), space.feedback)
    p = rng.dirichlet(np.ones(len(space)), 20)
    scores, values, slopes, reached = minimise_many(expected, p)
    assert reached.all()
    assert slopes.max() < 1e-9
    # No step near or far goes down.
    for step in rng.normal(size=(20, *scores.shape)) * 10.0 ** rng.uniform(-3, 1, (20, 1, 1)):
        assert (expected.evaluate(scores + step, p)[0] >= values - 1e-12).all()


def test_laws_do_not_disturb_each_other() -> None:
    space = graded_space(3, 2)
    expected = ExpectedLosses(loss_of("RankNet"), space.feedback)
    p = np.random.default_rng(1).dirichlet(np.ones(len(space)), 5)
    together = minimise_many(expected, p)[0]
    alone = np.concatenate([minimise_many(expected, row[None])[0] for row in p])
    np.testing.assert_allclose(together, alone, atol=1e-9)


# The hinge -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(8))
def test_the_hinge_is_least_at_one_of_the_corners(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n = 3 + seed % 2
    labels = [tuple(map(int, row)) for row in rng.integers(0, 3, (5, n))]
    weights = rng.integers(1, 6, 5)
    law = Law([(y, Fraction(int(w), int(weights.sum()))) for y, w in zip(labels, weights, strict=True)])
    found = minimise(loss_of("RankSVM"), law)
    assert found.value == pytest.approx(by_hand.least_hinge(law), abs=1e-9)
    assert found.value == pytest.approx(by_hand.risk("RankSVM", law, found.scores), abs=1e-12)


def test_corners_are_the_weak_orders() -> None:
    # The Fubini numbers.
    assert [len(hinges.corners(n)) for n in (2, 3, 4, 5)] == [3, 13, 75, 541]
    assert hinges.hinge_step(Preorder(margin="squared-hinge")) is None
    assert hinges.hinge_step(loss_of("squared")) is None


# At infinity --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["RankNet", "RankBoost", "listmle", "softmax"])
def test_scores_that_spread_without_end_are_named(name: str) -> None:
    law = Law({(2, 1, 0): "1/2", (2, 0, 0): "1/2"})
    assert (0, 2) in minimise(loss_of(name), law).infinite


def test_only_the_pairs_that_spread_are_named() -> None:
    # Items 0 and 1 hold each other, and both are always above item 2.
    law = Law({(2, 1, 0): "1/2", (1, 2, 0): "1/2"})
    found = minimise(loss_of("RankNet"), law)
    assert found.infinite == ((0, 2), (1, 2))
    assert found.scores[0] == pytest.approx(found.scores[1])


def test_flat_margins_are_attained() -> None:
    for name in ("RankSVM", "preorder", "preorder(margin=huber)"):
        found = minimise(loss_of(name), Law.point((1, 0)))
        assert found.infinite == ()
        assert found.value == pytest.approx(0.0, abs=1e-12)


def test_smooth_ranks_spread_in_the_order_of_the_mean() -> None:
    found = minimise(loss_of("approx-ndcg:gain"), P)
    assert found.infinite == ((0, 1), (2, 0), (2, 1))
    assert np.argsort(-found.scores).tolist() == np.argsort(-MEAN_GAIN).tolist()


# Other feedback -------------------------------------------------------------------------------------------


def test_a_graph_is_the_sum_of_its_edges() -> None:
    space = graph_space(3)
    expected = ExpectedLosses(loss_of("RankNet"), space.feedback)
    s = np.array([0.3, -0.2, 0.9])
    values = expected.values_at(s[None])[0]
    for y, value in zip(space.feedback, values, strict=True):
        by_edges = sum(float(w) * np.logaddexp(0.0, s[j] - s[i]) for i, j, w in y.edges)
        assert value == pytest.approx(by_edges, abs=1e-12)


def test_a_graph_of_labels_counts_as_the_labels() -> None:
    for y in graded_space(3, 3).feedback:
        s = np.array([[0.3, -0.2, 0.9]])
        one = ExpectedLosses(loss_of("RankBoost"), [y]).evaluate(s, [[1.0]])
        other = ExpectedLosses(loss_of("RankBoost"), [y.preferences()]).evaluate(s, [[1.0]])
        np.testing.assert_allclose(one[0], other[0], atol=1e-12)
        np.testing.assert_allclose(one[1], other[1], atol=1e-12)


def test_permutations_are_read_as_grades() -> None:
    assert loss_inputs(loss_of("RankNet"), Permutation((1, 3, 2))) == [3.0, 1.0, 2.0]
    assert len(ExpectedLosses(loss_of("listmle"), permutation_space(3).feedback).feedback) == 6


def test_duchi_reads_net_weights() -> None:
    graph = PreferenceGraph({(0, 1): 2, (1, 2): 1})
    assert loss_inputs(loss_of("duchi"), graph) == [2.0, -1.0, -1.0]
    # r(s) = s^2: 2 nu s = net weight.
    found = minimise(loss_of("duchi(nu=2)"), Law.point(graph))
    np.testing.assert_allclose(found.scores, [0.5, -0.25, -0.25], atol=1e-10)


@pytest.mark.parametrize("name", ["listnet", "preorder(weight=gain)"])
def test_losses_that_need_grades_refuse_graphs(name: str) -> None:
    with pytest.raises(ArgumentError, match="preference graph"):
        ExpectedLosses(loss_of(name), graph_space(3).feedback)


# A user's loss ------------------------------------------------------------------------------------------


def test_a_users_loss_ends_where_the_registered_one_does() -> None:
    own = as_user_loss(by_hand.LOSSES["RankNet"], convex=True, name="own")
    found, known = minimise(own, P), minimise(loss_of("RankNet"), P)
    np.testing.assert_allclose(
        found.scores - found.scores.mean(), known.scores - known.scores.mean(), atol=1e-6
    )
    assert found.value == pytest.approx(known.value, abs=1e-10)


def test_a_loss_that_is_not_convex_is_tried_from_several_starts() -> None:
    # Two valleys per item; the deeper one is at -1 (y = 0) or 1 (y = 1).
    def valleys(scores: np.ndarray, y: object) -> float:
        return sum((s * s - 1) ** 2 + 0.3 * s * (1 - 2 * y[i]) for i, s in enumerate(scores))  # type: ignore[index]

    found = minimise(as_user_loss(valleys), Law.point((1, 0)))
    assert found.scores[0] > 0.9
    assert found.scores[1] < -0.9


def test_a_law_is_asked_for() -> None:
    with pytest.raises(ArgumentError, match="must be a Law"):
        minimise(loss_of("RankNet"), {(1, 0): 1})  # type: ignore[arg-type]
