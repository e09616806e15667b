"""Cosine loss, plain and consistent, and the normalised q family it belongs to."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rankproof.errors import ArgumentError
from rankproof.losses import Cosine, QFamily


def test_plain_and_consistent_on_a_right_triangle() -> None:
    s, u = [3.0, 4.0], [0.0, 2.0]
    assert Cosine().evaluate(s, u, [0, 2]).value == pytest.approx(1 - 4 * 2 / 5, rel=1e-15)
    assert Cosine(normalize=True).evaluate(s, u, [0, 2]).value == pytest.approx(1 - 4 * 2 / 10, rel=1e-15)


@pytest.mark.parametrize("loss", [Cosine(), Cosine(normalize=True), QFamily(q=2), QFamily(q=5)], ids=str)
def test_the_length_of_the_scores_does_not_count(loss: Cosine | QFamily) -> None:
    rng = np.random.default_rng(1)
    s, u = rng.normal(size=(2, 5))
    one = loss.evaluate(s, u, [0, 5])
    for scale in (1e-200, 0.5, 1e200):
        other = loss.evaluate(scale * s, u, [0, 5])
        assert other.value == pytest.approx(one.value, rel=1e-13)
        np.testing.assert_allclose(other.gradient * scale, one.gradient, rtol=1e-11)


def test_the_gradient_is_orthogonal_to_the_scores() -> None:
    rng = np.random.default_rng(2)
    s, u = rng.normal(size=(2, 7))
    for loss in (Cosine(), QFamily(), QFamily(q=3)):
        assert abs(loss.evaluate(s, u, [0, 7]).gradient @ s) < 1e-13


def test_plain_cosine_lies_between_0_and_2() -> None:
    u = np.array([1.0, -2.0, 0.5])
    plain = Cosine(normalize=True)
    assert plain.evaluate(u * 7, u, [0, 3]).value == pytest.approx(0, abs=1e-15)
    assert plain.evaluate(u * -7, u, [0, 3]).value == pytest.approx(2, rel=1e-15)


def test_scores_of_zero_have_the_value_of_a_right_angle_and_fall_along_the_target() -> None:
    u = [0.5, -2.0]
    found = Cosine().evaluate([0.0, 0.0], u, [0, 2], hessian=True)
    assert (found.value, found.gradient.tolist()) == (1.0, [-0.5, 2.0])
    found = Cosine(normalize=True).evaluate([0.0, 0.0], [3.0, 4.0], [0, 2])
    np.testing.assert_allclose(found.gradient, [-0.6, -0.8], rtol=1e-15)
    found = QFamily(q=3).evaluate([0.0, 0.0], u, [0, 2])
    assert (found.value, found.gradient.tolist()) == (0.0, [-0.5, 2.0])


def test_a_step_from_zero_along_minus_the_gradient_is_the_best_direction() -> None:
    rng = np.random.default_rng(3)
    u = rng.normal(size=4)
    start = Cosine().evaluate(np.zeros(4), u, [0, 4])
    along = Cosine().evaluate(-1e-3 * start.gradient, u, [0, 4]).value
    others = [Cosine().evaluate(rng.normal(size=4), u, [0, 4]).value for _ in range(200)]
    assert along < min(others)


@pytest.mark.parametrize("loss", [Cosine(), Cosine(normalize=True)], ids=str)
def test_a_target_of_zero_has_no_direction(loss: Cosine) -> None:
    found = loss.evaluate([1.0, -2.0], [0.0, 0.0], [0, 2], hessian=True)
    assert found.value == 1.0
    assert not found.gradient.any()
    assert not found.hessian.any()


def test_q_2_is_the_consistent_cosine_less_1() -> None:
    rng = np.random.default_rng(4)
    s, u = rng.normal(size=(2, 6))
    one, other = (loss.evaluate(s, u, [0, 6], hessian=True) for loss in (Cosine(), QFamily(q=2)))
    assert other.value == pytest.approx(one.value - 1, rel=1e-12)
    np.testing.assert_allclose(other.gradient, one.gradient, rtol=1e-12)
    np.testing.assert_allclose(other.hessian, one.hessian, rtol=1e-11)


def test_the_q_norm_by_hand() -> None:
    """|(1, 2, 2)|_3 = (1 + 8 + 8)^(1/3)."""
    found = QFamily(q=3).evaluate([1.0, 2.0, -2.0], [1.0, 1.0, 3.0], [0, 3]).value
    assert found == pytest.approx(-(1 + 2 - 6) / 17 ** (1 / 3), rel=1e-14)


def test_q_follows_the_length_of_the_list() -> None:
    rng = np.random.default_rng(5)
    s, u = rng.normal(size=(2, 9))
    found = QFamily().evaluate(s, u, [0, 2, 9]).per_query
    assert found[0] == pytest.approx(
        QFamily(q=math.log(2) + 2).evaluate(s[:2], u[:2], [0, 2]).value, rel=1e-13
    )
    assert found[1] == pytest.approx(
        QFamily(q=math.log(7) + 2).evaluate(s[2:], u[2:], [0, 7]).value, rel=1e-13
    )


def test_parameters() -> None:
    assert QFamily(q="log(m)+2") == QFamily()
    assert QFamily(q=3.0) == QFamily(q=3)
    for q in (1.5, "ln", None, math.inf, True):
        with pytest.raises(ArgumentError, match=r"Argument q of q-family must be a number of at least 2"):
            QFamily(q=q)
    with pytest.raises(ArgumentError, match="Argument normalize of cosine must be one of false, true, got 1"):
        Cosine(normalize=1)
