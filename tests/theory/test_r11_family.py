"""R11 section 4, "A family of NDCG consistent surrogates", statement by statement; see ``test_r11.py``."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

import numpy as np
import pytest

from rankproof.feedback import Law
from rankproof.losses import Loss, loss
from rankproof.metrics import metric
from rankproof.theory.base.risk import regret
from theory.drawn_laws import DrawnLaws, best_scores
from theory.order_maps import follows, order_map

# The statements of the papers, on many drawn laws; what computes them has sharper tests elsewhere.
pytestmark = pytest.mark.exhaustive

LOG3 = 1 / math.log2(3)
Vectors = Callable[[np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Psi:
    """A convex function of vectors (the last axis) with its gradient, and the map g of equation 2."""

    value: Vectors
    gradient: Vectors
    g: Vectors

    def divergence(self, u: np.ndarray, v: np.ndarray) -> np.ndarray:
        """D(u, v) = psi(u) - psi(v) - <grad psi(v), u - v>."""
        return self.value(u) - self.value(v) - (self.gradient(v) * (u - v)).sum(axis=-1)


def power_gradient(x: np.ndarray, p: float) -> np.ndarray:
    """The gradient of |x|_p^2 / 2."""
    norm = np.linalg.norm(x, p, axis=-1, keepdims=True)
    return norm ** (2 - p) * np.sign(x) * np.abs(x) ** (p - 1)


def p_norm(p: float) -> Psi:
    """psi = |.|_p^2 with g(s) = grad psi*(2s), psi* = |.|_q^2 / 4."""
    q = p / (p - 1)
    return Psi(
        lambda u: np.linalg.norm(u, p, axis=-1) ** 2,
        lambda u: 2 * power_gradient(u, p),
        lambda s: power_gradient(s, q),
    )


ENTROPY = Psi(lambda u: (u * np.log(u) - u).sum(axis=-1), np.log, np.exp)
FAMILY = {
    "squared": p_norm(2),
    "bregman(p=2)": p_norm(2),
    "bregman(p=1.5)": p_norm(1.5),
    "bregman(p=1.2)": p_norm(1.2),
    "kl": ENTROPY,
}
members = pytest.mark.parametrize("name", FAMILY)


def losses_of(made: Loss, scores: np.ndarray, targets: np.ndarray) -> np.ndarray:
    """One value for every row."""
    rows, n = scores.shape
    offsets = np.arange(rows + 1) * n
    return made.evaluate(scores.reshape(-1), targets.reshape(-1), offsets, threads=1).per_query


# Theorem 8 ----------------------------------------------------------------------------------------


@members
def test_theorem_8_the_losses_are_bregman_divergences_up_to_what_depends_on_the_target(name: str) -> None:
    psi, rng = FAMILY[name], np.random.default_rng(8)
    s, other = rng.normal(size=(2, 2000, 4))
    u = rng.exponential(size=(2000, 4))
    rest = -psi.value(u) if name.startswith("bregman") else np.zeros(2000)
    for scores in (s, other):
        found = losses_of(loss(name), scores, u)
        np.testing.assert_allclose(found, psi.divergence(u, psi.g(scores)) + rest, rtol=1e-9, atol=1e-9)


@members
def test_theorem_8_and_strongly_consistent_with_one_map_for_all_laws(name: str) -> None:
    """s* = g^-1(E[u]): the same increasing function of each item's mean, up to the norm of them all."""
    aimed, psi = loss(name, metric="nDCG"), FAMILY[name]
    drawn = DrawnLaws.draw(np.random.default_rng(80), 2000, 3, 4, 4)
    mean = drawn.means(aimed.target)
    best = best_scores(aimed, mean)
    np.testing.assert_allclose(psi.g(best), mean, rtol=1e-9)
    assert (drawn.loss_regret(aimed, best + 0.3, best) > 0).all()
    assert drawn.metric_regret(metric("nDCG"), best).max() < 1e-12


def test_theorem_8_only_if_holds_up_to_a_function_of_the_target_alone() -> None:
    """Erratum: |s|_q^2 - 2 <s, u> is strongly consistent and below 0 at its minimum, so no divergence."""
    u = np.array([[1.0, 2.0, 0.5]])
    made = loss("bregman(p=1.5)")
    least = losses_of(made, best_scores(made, u), u)[0]
    assert least == pytest.approx(-(np.linalg.norm(u[0], 1.5) ** 2), rel=1e-12)
    assert least < 0


def test_theorem_8_needs_that_the_inverse_of_g_preserves_order() -> None:
    """Erratum: an invertible g that preserves order may break a tie, and then g^-1 makes one.

    g shifts ..., (-1, -1), (0, 0), (1, 0), (2, 1), ... by one and leaves all else alone. The loss
    |u - g(s)|^2 has its one minimum 0 at s = (0, 0) for the law that is always (1, 0), where u = (1, 0).
    So the tie is the minimiser, nDCG loses half of what the wrong order loses, and the regret of the loss is
    0: Theorem 10 fails for this g too. For Theorem 9, g^-1 = grad psi is what preserves order.
    """
    forth, back = order_map((1, 0), (0, 0))
    for x in product(range(-4, 5), repeat=2):
        assert follows(forth(x), x)
        assert back(forth(x)) == x == forth(back(x))
    assert back((1, 0)) == (0, 0)
    assert not follows(back((1, 0)), (1, 0))
    law = Law.point((1, 0))
    assert float(regret("nDCG", law, scores=back((1, 0)))) == pytest.approx((1 - LOG3) / 2)


def test_the_divergence_has_the_gradient_where_its_inverse_is_printed() -> None:
    """Erratum, section 4: with the inverse, "D"(2, 1) = (2 log 2 - 2) + 1 - e is below 0 for the entropy."""
    two, one = np.array([2.0]), np.array([1.0])
    printed = ENTROPY.value(two) - ENTROPY.value(one) - (np.exp(one) * (two - one)).sum()
    assert printed == pytest.approx(2 * math.log(2) - 1 - math.e)
    assert printed < 0
    assert ENTROPY.divergence(two, one) == pytest.approx(2 * math.log(2) - 1)


# Theorem 9 ----------------------------------------------------------------------------------------


@members
def test_theorem_9_the_gradients_preserve_order(name: str) -> None:
    u = np.random.default_rng(9).exponential(size=(2000, 5))
    slope = FAMILY[name].gradient(u)
    order = np.argsort(u, axis=1)
    assert (np.diff(np.take_along_axis(slope, order, axis=1), axis=1) > 0).all()


@members
def test_theorem_9_convex_in_the_scores(name: str) -> None:
    rng = np.random.default_rng(90)
    one, other = rng.normal(size=(2, 3000, 4)) * rng.choice([0.1, 1.0, 5.0], (3000, 1))
    u, t = rng.exponential(size=(3000, 4)), rng.random((3000, 1))
    ends = losses_of(loss(name), one, u), losses_of(loss(name), other, u)
    between = losses_of(loss(name), t * one + (1 - t) * other, u)
    chord = t[:, 0] * ends[0] + (1 - t[:, 0]) * ends[1]
    assert (between <= chord + 1e-12 * (1 + np.abs(ends).max(axis=0))).all()


def test_theorem_9_the_divergence_is_that_of_the_conjugate() -> None:
    """D_psi(u, (grad psi)^-1(s)) = D_psi*(s, grad psi(u)), as the proof says; entropy and |.|_1.5^2."""
    rng = np.random.default_rng(91)
    s, u = rng.normal(size=(500, 3)), rng.exponential(size=(500, 3))
    conjugate = Psi(lambda x: np.exp(x).sum(axis=-1), np.exp, np.log)
    np.testing.assert_allclose(
        ENTROPY.divergence(u, np.exp(s)), conjugate.divergence(s, ENTROPY.gradient(u)), atol=1e-9
    )
    psi, half = p_norm(1.5), p_norm(3)
    conjugate = Psi(lambda x: half.value(x) / 4, lambda x: half.gradient(x) / 4, psi.gradient)
    np.testing.assert_allclose(
        psi.divergence(u, psi.g(s / 2)), conjugate.divergence(s, psi.gradient(u)), atol=1e-9
    )


@members
def test_theorem_9_consistent(name: str) -> None:
    aimed = loss(name, metric="nDCG@2")
    drawn = DrawnLaws.draw(np.random.default_rng(92), 2000, 3, 4, 4)
    best = best_scores(aimed, drawn.means(aimed.target))
    assert np.abs(drawn.loss_regret(aimed, best, best)).max() == 0
    assert drawn.metric_regret(metric("nDCG@2"), best).max() < 1e-12


# The family after Theorem 9 -----------------------------------------------------------------------


def test_a_function_of_a_sum_preserves_order_but_need_not_be_strictly_convex() -> None:
    """psi_out(sum h) with psi_out = sqrt, h = x^2 is the norm, which is linear along rays: D(u, 2u) = 0."""
    norm = Psi(lambda u: np.linalg.norm(u, axis=-1), lambda u: u / np.linalg.norm(u), lambda s: s)
    u = np.array([3.0, 4.0])
    assert follows(tuple(norm.gradient(u)), tuple(u))
    assert norm.divergence(u, 2 * u) == pytest.approx(0, abs=1e-15)


def test_cross_entropy_is_x_log_x_less_x_and_not_exp_as_printed() -> None:
    """Erratum: with h = exp, D(u, (grad psi)^-1(s)) = e^u + s log s - s - s u, which is no KL(u, e^s)."""
    s, u = np.array([[2.0]]), np.array([[3.0]])
    extended_kl = 3 * math.log(3 / math.e**2) - 3 + math.e**2
    assert losses_of(loss("kl"), s, u)[0] == pytest.approx(extended_kl, rel=1e-12)
    assert ENTROPY.divergence(u, np.exp(s))[0] == pytest.approx(extended_kl, rel=1e-12)
    exponential = Psi(lambda x: np.exp(x).sum(axis=-1), np.exp, np.log)
    assert exponential.divergence(u, np.log(s))[0] == pytest.approx(math.e**3 + 2 * math.log(2) - 2 - 2 * 3)
    assert exponential.divergence(u, np.log(s))[0] > 3 * extended_kl


@pytest.mark.parametrize("p", [1.2, 1.5, 2.0])
def test_penalty_and_normalisation_agree_in_the_order_of_their_minimisers(p: float) -> None:
    q = p / (p - 1)
    penalised, normalised = loss(f"bregman(p={p})", metric="nDCG"), loss(f"q-family(q={q!r})", metric="nDCG")
    drawn = DrawnLaws.draw(np.random.default_rng(4), 500, 3, 4, 4)
    best = best_scores(penalised, drawn.means(penalised.target))
    # loss_regret refuses scores with a slope left, so both are stationary at the same scores.
    for made in (penalised, normalised):
        assert np.abs(drawn.loss_regret(made, best, best)).max() == 0
    other = np.random.default_rng(5).normal(size=best.shape)
    assert (drawn.loss_regret(normalised, other, best) > 0).all()


@pytest.mark.parametrize("p", [1.1, 1.5, 1.9, 2.0])
def test_the_square_of_a_p_norm_is_strongly_convex_with_the_constant_p_less_1(p: float) -> None:
    """D(a, b) >= (p - 1) |a - b|_p^2 for psi = |.|_p^2, and no larger constant will do."""
    psi, rng = p_norm(p), np.random.default_rng(5)
    n, scale = 2, rng.choice([1e-2, 0.1, 1.0, 5.0], (20000, 1))
    b = np.where(rng.random((20000, 1)) < 0.5, np.ones(n), rng.normal(size=(20000, n)))
    a = b + scale * rng.normal(size=(20000, n))
    ratio = psi.divergence(a, b) / np.linalg.norm(a - b, p, axis=1) ** 2
    apart = np.linalg.norm(a - b, p, axis=1) > 1e-2
    assert p - 1 - 1e-9 <= ratio[apart].min() <= (p - 1) * 1.01


def test_cross_entropy_is_strongly_convex_in_the_l1_norm_for_probability_vectors_alone() -> None:
    """Section 6 says so rightly: D >= |.|_1^2 / 2 on the simplex (Pinsker), D >= |.|_1^2 / (2m) for sums m.

    Targets of nDCG are no probability vectors: u = (x, x) with x = 1/(1 + 1/log2(3)) has the sum 1.226.
    """
    rng = np.random.default_rng(6)
    a, b = rng.dirichlet(np.ones(3), (2, 5000))
    squares = np.abs(a - b).sum(axis=1) ** 2
    for m in (1.0, 1.226, 7.0):
        assert (ENTROPY.divergence(m * a, m * b) >= (m * m * squares) / (2 * m) - 1e-12).all()
    x = 1 / (1 + LOG3)
    u, v = np.array([x, x]), np.array([x + 0.01, x - 0.01])
    assert ENTROPY.divergence(u, v) < 0.02**2 / 2
    assert ENTROPY.divergence(u, v) >= 0.02**2 / (2 * 2 * x)
    far = np.array([100.0, 100.0])
    assert ENTROPY.divergence(np.ones(2), far) < 0.005 * np.abs(far - 1).sum() ** 2
