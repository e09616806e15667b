"""The Bregman family: the p-norms, and functions of a user with their checks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.special import expit

from rankproof.errors import ArgumentError
from rankproof.losses import KL, Bregman, Squared


def test_p_2_is_the_squared_loss_less_the_targets_squared() -> None:
    rng = np.random.default_rng(0)
    s, u = rng.normal(size=(2, 5))
    one, other = (loss.evaluate(s, u, [0, 5], hessian=True) for loss in (Squared(), Bregman(p=2)))
    assert other.value == pytest.approx(one.value - u @ u, rel=1e-12)
    np.testing.assert_allclose(other.gradient, one.gradient, rtol=1e-12)
    np.testing.assert_allclose(other.hessian, one.hessian, rtol=1e-12)


def test_p_three_halves_by_hand() -> None:
    """q = 3: |(1, 2, 2)|_3^2 = 17^(2/3)."""
    found = Bregman(p=1.5).evaluate([1.0, 2.0, -2.0], [1.0, 1.0, 3.0], [0, 3])
    assert found.value == pytest.approx(17 ** (2 / 3) - 2 * (1 + 2 - 6), rel=1e-14)


def test_scores_of_zero() -> None:
    found = Bregman(p=1.2).evaluate([0.0, 0.0], [1.0, -2.0], [0, 2], hessian=True)
    assert (found.value, found.gradient.tolist(), found.hessian.tolist()) == (0, [-2, 4], [2, 2])


@pytest.mark.parametrize("p", [1, 2.5, 0, -3, "two", np.nan])
def test_p_lies_above_1_and_at_most_at_2(p: object) -> None:
    with pytest.raises(ArgumentError, match="Argument p of bregman must be a number above 1 and at most 2"):
        Bregman(p=p)


def exponential(scores: np.ndarray) -> float:
    return float(np.exp(scores).sum())


def test_a_function_of_ones_own_is_used() -> None:
    """psi* = sum exp(s) gives extended KL without the part of the targets alone."""
    own = Bregman(conjugate=exponential, conjugate_gradient=np.exp)
    rng = np.random.default_rng(1)
    s, u = rng.normal(size=7), rng.exponential(size=7)
    one, other = KL().evaluate(s, u, [0, 3, 3, 7]), own.evaluate(s, u, [0, 3, 3, 7])
    np.testing.assert_allclose(other.gradient, one.gradient, rtol=1e-13)
    lost = np.add.reduceat(u * np.log(u) - u, [0, 3])
    np.testing.assert_allclose(other.per_query[[0, 2]], one.per_query[[0, 2]] - lost, rtol=1e-12)


def test_the_function_sees_one_query_at_a_time_and_cannot_change_the_scores() -> None:
    seen = []

    def greedy(scores: np.ndarray) -> float:
        seen.append(scores.size)
        value = float(scores @ scores) / 2
        scores[:] = 0.0
        return value

    own = Bregman(conjugate=greedy, conjugate_gradient=lambda s: s)
    seen.clear()
    s = np.array([1.0, 2.0, 3.0])
    found = own.evaluate(s, np.zeros(3), [0, 1, 3])
    assert seen == [1, 2]
    assert found.per_query.tolist() == [0.5, (4 + 9) / 2]
    assert s.tolist() == [1, 2, 3]


def test_what_is_not_known_is_not_claimed() -> None:
    claims = Bregman(conjugate=exponential, conjugate_gradient=np.exp).claims
    assert claims["convex"].value is True
    assert claims["order_preserving"].value is None


BROKEN: dict[str, tuple[dict[str, Any], str]] = {
    "alone": ({"conjugate": exponential}, "takes conjugate and conjugate_gradient together"),
    "gradient-alone": ({"conjugate_gradient": np.exp}, "takes conjugate and conjugate_gradient together"),
    "with-p": (
        {"p": 1.5, "conjugate": exponential, "conjugate_gradient": np.exp},
        "takes p or a conjugate of your own, not both, got p=1.5",
    ),
    "vector": (
        {"conjugate": np.exp, "conjugate_gradient": np.exp},
        "conjugate of bregman must return one number",
    ),
    "scalar-gradient": (
        {"conjugate": exponential, "conjugate_gradient": exponential},
        r"conjugate_gradient of bregman must return one number per score \(1\)",
    ),
    "nan": (
        {"conjugate": lambda _: float("nan"), "conjugate_gradient": np.exp},
        "conjugate of bregman must return one number, got nan",
    ),
    "raises": (
        {"conjugate": lambda s: s.no_such_thing, "conjugate_gradient": np.exp},
        "conjugate of bregman failed on scores .* AttributeError",
    ),
    "words": (
        {"conjugate": lambda _: "many", "conjugate_gradient": np.exp},
        "conjugate of bregman failed on scores .* ValueError",
    ),
    "wrong-gradient": (
        {"conjugate": exponential, "conjugate_gradient": expit},
        "conjugate_gradient of bregman must be the gradient of conjugate",
    ),
    "concave": (
        {"conjugate": lambda s: float(-(s @ s)), "conjugate_gradient": lambda s: -2 * s},
        "conjugate of bregman must be convex",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_function_that_cannot_be_a_conjugate_is_refused(name: str) -> None:
    given, message = BROKEN[name]
    with pytest.raises(ArgumentError, match=message):
        Bregman(**given)


def test_a_failure_during_training_names_the_scores() -> None:
    def picky(function: Callable[[np.ndarray], Any]) -> Callable[[np.ndarray], Any]:
        def checked(scores: np.ndarray) -> Any:
            if scores.size == 5:
                raise RuntimeError("five is too many")
            return function(scores)

        return checked

    own = Bregman(conjugate=picky(exponential), conjugate_gradient=picky(np.exp))
    with pytest.raises(ArgumentError, match=r"failed on scores \[0\. 0\. 0\. 0\. 0\.\]: RuntimeError: five"):
        own.evaluate(np.zeros(7), np.zeros(7), [0, 2, 7])
