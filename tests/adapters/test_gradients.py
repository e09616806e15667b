"""Gradients for the engines: those of the loss, scaled by one power of two, with curvature that is safe."""

from __future__ import annotations

import math

import numpy as np
import pytest

from every_case import every_case, few_cases
from properties.loss_cases import EVERY, Ragged, depends_on_rows, identity
from rankproof.adapters.curvature import Curvature
from rankproof.adapters.gradients import Gradients
from rankproof.adapters.newton import LIMIT
from rankproof.errors import ArgumentError, DataError
from rankproof.losses import Lift, Loss
from rankproof.losses.base import Loop
from rankproof.losses.parse import loss
from rankproof.losses.supervision import Supervision
from rankproof.threads import using

USABLE = [found for found in EVERY if found.claims.value("hessian") is not None]
SIZES = (1, 2, 7, 0, 12, 40, 3)


def drawn(found: Loss, seed: int = 5, *, tied: bool = False) -> Ragged:
    data = Ragged.draw(found, np.random.default_rng(seed), SIZES)
    return Ragged(np.round(data.scores), data.targets, data.offsets) if tied else data


def supervision(data: Ragged, weights: np.ndarray | None = None) -> Supervision:
    return Supervision(data.targets, data.offsets, float(data.offsets.size - 1), weights)


def both(found: Loss, data: Ragged, weights: np.ndarray | None = None, threads: int = 1) -> np.ndarray:
    """Gradient and curvature, as two rows of a copy."""
    with using(threads):
        return np.array(Gradients(found, supervision(data, weights)).at(data.scores))


@every_case("found", USABLE, ids=identity)
def test_the_gradient_is_the_kernels_times_a_power_of_two(found: Loss) -> None:
    data = drawn(found)
    made = Gradients(found, supervision(data))
    assert math.frexp(made.scale)[0] == 0.5
    gradient, hessian = made.at(data.scores)
    kernel = found.evaluate(data.scores, data.targets, data.offsets, hessian=True, threads=1)
    assert kernel.hessian is not None
    assert np.array_equal(gradient, made.scale * kernel.gradient)
    assert (hessian > 0).all()
    assert (hessian >= made.scale * kernel.hessian).all()
    if found.boosting.own_unit:
        assert (np.abs(gradient) <= LIMIT * hessian * (1 + 1e-15)).all()
        untouched = kernel.hessian * LIMIT > np.abs(kernel.gradient)
        untouched &= hessian > 2e-6
        assert np.array_equal(hessian[untouched], made.scale * kernel.hessian[untouched])


@every_case("found", USABLE, ids=identity)
def test_what_engines_hold_is_the_same_rounded(found: Loss) -> None:
    data = drawn(found)
    for weights in (None, np.array([2.0, 1.0, 0.3, 3.0, 1.0, 4.0, 0.0])):
        made = Gradients(found, supervision(data, weights))
        rounded = made.float32_at(data.scores)
        assert [part.dtype for part in rounded] == [np.float32, np.float32]
        for part, exact in zip(rounded, made.at(data.scores), strict=True):
            assert np.array_equal(part, exact.astype(np.float32))


@every_case("found", USABLE, ids=identity)
@every_case("score", [np.nan, np.inf, -np.inf])
@every_case("row", [0, 5, -1])
def test_scores_that_are_not_finite_are_named(found: Loss, score: float, row: int) -> None:
    data = drawn(found)
    made = Gradients(found, supervision(data))
    scores = data.scores.copy()
    scores[row] = score
    for way in (made.at, made.float32_at):
        with pytest.raises(DataError, match=f"predicts the score {score}: training has diverged"):
            way(scores)


def test_a_class_derived_from_lift_has_its_own_gradient() -> None:
    class Twice(Lift):
        """Twice the gradient, by a kernel of its own."""

        def kernel(self, *arrays: np.ndarray) -> Loop:
            fill = super().kernel(*arrays)

            def twice(
                low: int, high: int, values: np.ndarray, gradient: np.ndarray, hessian: np.ndarray
            ) -> None:
                fill(low, high, values, gradient, hessian)
                here = slice(arrays[2][low], arrays[2][high])
                gradient[here] *= 2.0

            return twice

    data = drawn(Lift())
    for kind, times in ((Lift, 1.0), (Twice, 2.0)):
        made = Gradients(kind(), supervision(data))
        expected = Lift().evaluate(data.scores, data.targets, data.offsets, threads=1).gradient
        assert np.array_equal(made.float32_at(data.scores)[0], np.float32(times * made.scale * expected))


@every_case("found", USABLE, ids=identity)
def test_the_mean_curvature_at_the_start_is_that_of_the_engines_own_losses(found: Loss) -> None:
    data = drawn(found)
    made = Gradients(found, supervision(data))
    _, hessian = made.at(np.zeros(data.scores.size))
    informative = hessian > 2e-6
    aim = found.boosting.bound * (1 if found.name == "squared" else 1 / 16)
    assert 2**-0.5 <= hessian[informative].mean() / aim <= 2**0.5


@every_case("found", [f for f in USABLE if not depends_on_rows(f)], ids=identity)
@every_case("tied", [False, True])
def test_the_order_of_rows_within_a_query_changes_nothing(found: Loss, tied: bool) -> None:
    data = drawn(found, tied=tied)
    rng = np.random.default_rng(0)
    moved = np.concatenate([rng.permutation(np.arange(a, b)) for a, b in data.queries()]).astype(int)
    there = both(found, data)[:, moved]
    here = both(found, Ragged(data.scores[moved], data.targets[moved], data.offsets))
    assert np.abs(here - there).max() <= 1e-12 * max(1.0, np.abs(there).max())


@few_cases
@pytest.mark.parametrize("found", [f for f in USABLE if f == type(f)(target=f.target)], ids=identity)
def test_the_number_of_threads_changes_no_bit(found: Loss) -> None:
    data = Ragged.draw(found, np.random.default_rng(1), [*([30] * 3000), 200, 1])
    alone = both(found, data, threads=1)
    assert alone.tobytes() == both(found, data, threads=2).tobytes() == both(found, data, threads=4).tobytes()


@pytest.mark.parametrize(
    "found", [loss("centred-squared"), loss("softmax"), loss("order-preserving")], ids=str
)
def test_query_weights_multiply(found: Loss) -> None:
    data = drawn(found)
    weights = np.array([2.0, 1.0, 0.5, 3.0, 1.0, 4.0, 0.0])
    expected = both(found, data) * np.repeat(weights, SIZES)
    assert np.array_equal(both(found, data, weights), expected)


def test_squared_loss_is_that_of_the_engines() -> None:
    data = drawn(loss("squared"))
    gradient, hessian = both(loss("squared"), data)
    assert np.array_equal(gradient, data.scores - data.targets)
    assert (hessian == 1).all()
    # Centred: s - u less its mean, and 1 - 1/n, both over 16; a query of one item says nothing.
    gradient, hessian = both(loss("centred-squared"), data)
    sizes = np.repeat(SIZES, SIZES)
    assert hessian[sizes > 1] == pytest.approx((1 - 1 / sizes[sizes > 1]) / 16, rel=1e-15)
    assert gradient[0] == 0
    assert 0 < hessian[0] <= 2e-6


def test_a_step_of_softmax_is_bounded() -> None:
    # One relevant item of 100: g = 1/100 - 1 and h = 0.01 * 0.99, a Newton step of 100.
    targets = np.zeros(100)
    targets[0] = 1
    made = Gradients(loss("softmax"), Supervision(targets, np.array([0, 100]), 1.0))
    gradient, hessian = made.at(np.zeros(100))
    assert -gradient[0] / hessian[0] == LIMIT
    assert hessian[1] == pytest.approx(made.scale * 0.01 * 0.99, rel=1e-12)


def test_the_curvature_of_lift_bounds_its_hessian_and_no_step_overshoots() -> None:
    rng = np.random.default_rng(3)
    targets = np.concatenate([rng.exponential(size=6), [0.0, 0.0, 4.0]])
    made = Gradients(loss("lift"), Supervision(targets, np.array([0, 9]), 1.0))
    _, curvature = made.at(np.zeros(9))
    # The second derivatives of 1/n sum_i u_i sum_j (1 - s_i + s_j)^2, written out.
    full = -2 / 9 * (targets[:, None] + targets)
    np.fill_diagonal(full, 2 / 9 * (7 * targets + targets.sum()))
    assert full.sum(axis=1) == pytest.approx(np.zeros(9), abs=1e-12)
    assert curvature == pytest.approx(2 * np.diag(full) * made.scale, rel=1e-12)
    room = np.linalg.eigvalsh(np.diag(curvature / made.scale) - full)
    assert room.min() >= -1e-12
    # The diagonal itself is no bound.
    assert np.linalg.eigvalsh(np.diag(np.diag(full)) - full).min() < -1


def test_a_bregman_loss_keeps_the_curvature_of_its_start() -> None:
    """Beside a score of 10 the squared 3-norm is all but flat along the other axis."""
    made = Gradients(loss("bregman(p=1.5)"), Supervision(np.array([1.0, 1.0]), np.array([0, 2]), 1.0))
    assert made.at(np.zeros(2))[1].tolist() == [1 / 16, 1 / 16]
    scores, targets = [10.0, 1e-3], [1.0, 1.0]
    assert loss("bregman(p=1.5)").hessian_diagonal(scores, targets, [0, 2])[1] < 1e-3
    assert made.at(np.array(scores))[1][1] == 1 / 16


def test_the_hinge_takes_steps_though_it_has_no_curvature() -> None:
    data = drawn(loss("RankSVM"))
    gradient, hessian = both(loss("RankSVM"), data)
    steep = gradient != 0
    assert np.array_equal(hessian[steep], np.abs(gradient[steep]) / LIMIT)


def test_the_scale_is_of_the_rows_that_have_curvature() -> None:
    def scale(*hessian: float) -> float:
        return Curvature.of_hessian(loss("squared"), np.array(hessian)).scale

    assert scale(0.0, 2.5, 0.0) == 0.5  # 1.25 is nearer to 1 than 0.625
    assert scale(2.0**-40) == 2.0**40
    assert scale(0.0, 0.0) == 1.0


def test_buffers_are_used_again() -> None:
    data = drawn(loss("softmax"))
    made = Gradients(loss("softmax"), supervision(data))
    first, again = made.at(data.scores), made.at(data.scores + 1)
    assert all(a is b for a, b in zip(first, again, strict=True))


def test_what_cannot_be_boosted_is_refused() -> None:
    own = next(found for found in EVERY if found.claims.value("hessian") is None)
    data = drawn(own)
    with pytest.raises(ArgumentError, match=r"Loss bregman comes without second derivatives.*squared, "):
        Gradients(own, supervision(data))
    made = Gradients(loss("squared"), supervision(data))
    with pytest.raises(ArgumentError, match=r"shape \(65, 3\) for 65 rows.*num_class"):
        made.at(np.zeros((65, 3)))
    with pytest.raises(DataError, match="the score inf: training has diverged"):
        made.at(np.full(65, np.inf))
    huge = Supervision(np.array([2.0**200, 0.0]), np.array([0, 2]), 1.0)
    with pytest.raises(DataError, match=r"a gradient of 1.6\d*e\+60 .* float32"):
        Gradients(loss("squared"), huge)
