"""Laws that every loss obeys, whatever its parameters; each is one test over the whole registry."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

from every_case import every_case
from properties.loss_cases import (
    EVERY,
    Ragged,
    claiming,
    draw_targets,
    gradient_of,
    highest_grade,
    identity,
    one_query,
    smooth_query,
    value_of,
)
from rankproof.errors import ArgumentError
from rankproof.losses import Loss
from rankproof.losses.base import ITEM_BY_ITEM
from rankproof.threads import chunks_by_items, using

every_loss = every_case("loss", EVERY, ids=identity)
SIZES = (1, 2, 3, 5, 7)


def seeded(loss: Loss, number: int = 0) -> np.random.Generator:
    """A generator of the loss's own, the same in every run."""
    return np.random.default_rng([number, *identity(loss).encode()])


def fourth_order(function: Callable[[np.ndarray], np.ndarray], at: np.ndarray, i: int) -> np.ndarray:
    """The derivative along axis i, with an error of the order of step^4."""
    step = np.zeros(at.size)
    step[i] = 1e-3
    return (
        8.0 * (function(at + step) - function(at - step))
        - (function(at + 2 * step) - function(at - 2 * step))
    ) / 12e-3


# Derivatives --------------------------------------------------------------------------------------


@every_loss
def test_the_gradient_is_that_of_the_value(loss: Loss) -> None:
    rng = seeded(loss)
    for n in SIZES:
        data = smooth_query(loss, rng, n)
        found = gradient_of(loss, data, data.scores)
        wanted = [fourth_order(lambda s, d=data: value_of(loss, d, s), data.scores, i) for i in range(n)]
        np.testing.assert_allclose(found, wanted, rtol=1e-6, atol=1e-7)


@every_loss
def test_the_hessian_diagonal_is_the_derivative_of_the_gradient_or_a_bound_on_it(loss: Loss) -> None:
    rng, kind = seeded(loss), loss.claims.value("hessian")
    for n in SIZES if kind else ():
        data = smooth_query(loss, rng, n)
        found = loss.hessian_diagonal(data.scores, data.targets, data.offsets)
        slopes = [fourth_order(lambda s, d=data: gradient_of(loss, d, s), data.scores, i) for i in range(n)]
        if kind == "exact":
            np.testing.assert_allclose(found, np.diagonal(slopes), rtol=1e-5, atol=1e-6)
        else:
            assert (found >= np.diagonal(slopes) - 1e-6).all()


@pytest.mark.parametrize("loss", claiming("hessian", None), ids=identity)
def test_a_loss_without_a_hessian_says_so(loss: Loss) -> None:
    with pytest.raises(ArgumentError, match="has no diagonal Hessian"):
        loss.evaluate([0.0, 1.0], [0.0, 1.0], [0, 2], hessian=True)


@every_loss
def test_the_hessian_changes_neither_value_nor_gradient(loss: Loss) -> None:
    if loss.claims.value("hessian") is None:
        return
    data = Ragged.draw(loss, seeded(loss), SIZES)
    plain = loss.evaluate(data.scores, data.targets, data.offsets)
    with_hessian = loss.evaluate(data.scores, data.targets, data.offsets, hessian=True)
    assert plain.hessian is None
    assert plain.value == with_hessian.value
    assert plain.gradient.tobytes() == with_hessian.gradient.tobytes()


# Symmetries ---------------------------------------------------------------------------------------


@every_loss
def test_items_have_no_order(loss: Loss) -> None:
    rng = seeded(loss)
    hessian = loss.claims.value("hessian") is not None
    for n in SIZES:
        data, order = one_query(loss, rng, n), rng.permutation(n)
        one = loss.evaluate(data.scores, data.targets, data.offsets, hessian=hessian)
        other = loss.evaluate(data.scores[order], data.targets[order], data.offsets, hessian=hessian)
        np.testing.assert_allclose(other.value, one.value, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(other.gradient, one.gradient[order], rtol=1e-10, atol=1e-12)
        if hessian:
            np.testing.assert_allclose(other.hessian, one.hessian[order], rtol=1e-10, atol=1e-11)


@every_case("loss", claiming("shift_invariant", True), ids=identity)
def test_a_shift_changes_nothing(loss: Loss) -> None:
    data = Ragged.draw(loss, seeded(loss), SIZES)
    shift = np.repeat(np.array([0.5, -3.0, 7.25, 100.0, -64.0]), np.diff(data.offsets))
    one = loss.evaluate(data.scores, data.targets, data.offsets)
    other = loss.evaluate(data.scores + shift, data.targets, data.offsets)
    np.testing.assert_allclose(other.per_query, one.per_query, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(other.gradient, one.gradient, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("loss", claiming("shift_invariant", False), ids=identity)
def test_a_shift_changes_something(loss: Loss) -> None:
    data = Ragged.draw(loss, seeded(loss), [4])
    assert abs(value_of(loss, data, data.scores + 1.0) - value_of(loss, data, data.scores)) > 1e-3


@every_loss
def test_a_query_is_alone(loss: Loss) -> None:
    """The loss of a query does not change, not by a bit, with the queries round it."""
    data = Ragged.draw(loss, seeded(loss), (3, 0, 8, 1, 30, 2))
    hessian = loss.claims.value("hessian") is not None
    together = loss.evaluate(data.scores, data.targets, data.offsets, hessian=hessian)
    for q, (a, b) in enumerate(data.queries()):
        alone = loss.evaluate(data.scores[a:b], data.targets[a:b], [0, b - a], hessian=hessian)
        assert alone.per_query[0] == together.per_query[q]
        assert alone.gradient.tobytes() == together.gradient[a:b].tobytes()
        if hessian:
            assert alone.hessian.tobytes() == together.hessian[a:b].tobytes()


# Weights ------------------------------------------------------------------------------------------


@every_loss
def test_query_weights_multiply(loss: Loss) -> None:
    data = Ragged.draw(loss, seeded(loss), (3, 5, 0, 2))
    weights = np.array([2.0, 0.0, 7.0, 0.25])
    plain = loss.evaluate(data.scores, data.targets, data.offsets)
    weighted = loss.evaluate(data.scores, data.targets, data.offsets, weights=weights)
    assert weighted.per_query.tolist() == (plain.per_query * weights).tolist()
    assert weighted.value == weighted.per_query.sum()
    per_item = np.repeat(weights, np.diff(data.offsets))
    assert weighted.gradient.tolist() == (plain.gradient * per_item).tolist()
    if loss.claims.value("hessian") is not None:
        one, other = (
            loss.hessian_diagonal(data.scores, data.targets, data.offsets, weights=w) for w in (None, weights)
        )
        assert other.tolist() == (one * per_item).tolist()


@every_loss
def test_item_weights_multiply_what_they_are_said_to(loss: Loss) -> None:
    rng = seeded(loss)
    data = Ragged.draw(loss, rng, (4, 6))
    v = rng.exponential(size=10) * (rng.random(10) < 0.8)
    if not loss.takes_item_weights:
        with pytest.raises(ArgumentError, match="takes no item weights"):
            loss.evaluate(data.scores, data.targets, data.offsets, item_weights=v)
        return
    hessian = loss.claims.value("hessian") is not None
    found = loss.evaluate(data.scores, data.targets, data.offsets, item_weights=v, hessian=hessian)
    if loss.boosting.weights_multiply_targets:
        wanted = loss.evaluate(data.scores, data.targets * v, data.offsets, hessian=hessian)
        per_query = wanted.per_query
    elif (
        loss.claims.value("weights_keep_order")
        and loss.claims["weights_keep_order"].reference != ITEM_BY_ITEM
    ):
        # A weight of 3 is three items at one score.
        assert_weights_are_copies(loss, data, rng.integers(0, 4, 10))
        return
    else:
        # They multiply the item's own share of the loss, which is its loss alone.
        wanted = loss.evaluate(data.scores, data.targets, np.arange(11), weights=v, hessian=hessian)
        per_query = np.add.reduceat(wanted.per_query, data.offsets[:-1])
    np.testing.assert_allclose(found.per_query, per_query, rtol=1e-12)
    np.testing.assert_allclose(found.gradient, wanted.gradient, rtol=1e-12, atol=1e-14)
    if hessian:
        np.testing.assert_allclose(found.hessian, wanted.hessian, rtol=1e-12, atol=1e-14)


def assert_weights_are_copies(loss: Loss, data: Ragged, copies: np.ndarray) -> None:
    found = loss.evaluate(
        data.scores, data.targets, data.offsets, item_weights=copies.astype(float), hessian=False
    )
    offsets = np.concatenate(([0], np.cumsum(copies)))[data.offsets]
    scores, targets = (np.repeat(one, copies) for one in (data.scores, data.targets))
    wanted = loss.evaluate(scores, targets, offsets)
    np.testing.assert_allclose(found.per_query, wanted.per_query, rtol=1e-9)
    item = np.repeat(np.arange(copies.size), copies)
    gradient = np.bincount(item, wanted.gradient, copies.size)
    np.testing.assert_allclose(found.gradient, gradient, rtol=1e-9, atol=1e-12)


# Threads ------------------------------------------------------------------------------------------


@cache
def many_sizes() -> tuple[int, ...]:
    sizes = np.concatenate((np.random.default_rng(2011).integers(0, 30, 5000), [800, 1, 0, 300]))
    return tuple(np.random.default_rng(2012).permutation(sizes).tolist())


@pytest.mark.exhaustive
@every_case("loss", EVERY, ids=identity, thin=True)
def test_the_number_of_threads_changes_no_bit(loss: Loss) -> None:
    data = Ragged.draw(loss, seeded(loss), many_sizes())
    with using(2):
        assert len(chunks_by_items(data.offsets)) > 2
    hessian = loss.claims.value("hessian") is not None
    one, *others = (
        loss.evaluate(data.scores, data.targets, data.offsets, hessian=hessian, threads=threads)
        for threads in (1, 2, 4)
    )
    assert np.isfinite(one.per_query).all()
    for other in others:
        assert one.value == other.value
        assert one.per_query.tobytes() == other.per_query.tobytes()
        assert one.gradient.tobytes() == other.gradient.tobytes()
        if hessian:
            assert one.hessian.tobytes() == other.hessian.tobytes()


# Degenerate data ----------------------------------------------------------------------------------


def check(loss: Loss, scores: np.ndarray, targets: np.ndarray, offsets: list[int], *, finite: bool) -> None:
    found = loss.evaluate(
        scores, targets, offsets, hessian=loss.claims.value("hessian") is not None, threads=1
    )
    parts = [found.per_query, found.gradient, *([] if found.hessian is None else [found.hessian])]
    for part in parts:
        assert np.isfinite(part).all() if finite else not np.isnan(part).any()


@every_loss
@every_case("n", [1, 2, 7])
def test_huge_scores_are_finite_where_the_loss_is(loss: Loss, n: int) -> None:
    rng = seeded(loss)
    most = loss.finite_up_to
    for scale in (most, -most):
        targets = draw_targets(loss, rng, n)
        check(loss, np.full(n, scale), targets, [0, n], finite=True)
        check(loss, scale * rng.choice([-1.0, 0.0, 0.5, 1.0], n), targets, [0, n], finite=True)


@every_loss
def test_scores_at_the_ends_of_the_scale_give_no_nan(loss: Loss) -> None:
    rng = seeded(loss)
    for scale in (1e300, 8e307, 5e-324, 1e-300, 1e-160):
        scores = scale * rng.choice([-1.0, 0.0, 1.0], 6)
        for targets in (draw_targets(loss, rng, 6), draw_targets(loss, rng, 6) * 0.0):
            check(loss, scores, targets, [0, 6], finite=False)


@every_loss
@every_case("score", [0.0, -0.0, 1.0, -3.5])
def test_equal_scores_are_no_exception(loss: Loss, score: float) -> None:
    rng = seeded(loss)
    for n in SIZES:
        check(loss, np.full(n, score), draw_targets(loss, rng, n), [0, n], finite=True)


@every_loss
def test_equal_targets_are_no_exception(loss: Loss) -> None:
    rng = seeded(loss)
    for target in (0.0, float(highest_grade(loss))):
        for n in SIZES:
            check(loss, rng.normal(size=n), np.full(n, target), [0, n], finite=True)


@every_loss
def test_an_empty_query_costs_nothing(loss: Loss) -> None:
    found = loss.evaluate([], [], [0, 0, 0], hessian=loss.claims.value("hessian") is not None)
    assert found.value == 0.0
    assert found.per_query.tolist() == [0.0, 0.0]
    assert found.gradient.size == 0


@every_loss
def test_no_query_costs_nothing(loss: Loss) -> None:
    assert loss.evaluate([], [], [0]).value == 0.0


@every_loss
def test_arguments_are_left_as_they_are(loss: Loss) -> None:
    data = Ragged.draw(loss, seeded(loss), (4, 3))
    before = (data.scores.tobytes(), data.targets.tobytes(), data.offsets.tobytes())
    loss.evaluate(data.scores, data.targets, data.offsets)
    assert before == (data.scores.tobytes(), data.targets.tobytes(), data.offsets.tobytes())
