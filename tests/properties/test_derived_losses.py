"""A class derived from a loss of the library, with a kernel of its own, inherits no fact about the other."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from properties.loss_cases import Ragged
from rankproof.adapters.catboost.pool import parameters as catboost_parameters
from rankproof.adapters.gradients import Gradients
from rankproof.adapters.newton import LIMIT
from rankproof.adapters.regression import as_regression, is_regression
from rankproof.errors import ArgumentError
from rankproof.losses import LOSSES, Loss, Squared
from rankproof.losses.base import Loop, registered
from rankproof.losses.boosting import Boosting
from rankproof.losses.choose import choose_loss
from rankproof.losses.supervision import Supervision

SIZES = (3, 1, 0, 9)
# What others read of a class beside its kernel and claims.
DECLARATIONS = ("boosting", "gradient_kernel", "torch_form")


class Cosh(Squared):
    """The sum of cosh(s_i - u_i), whose second derivatives are no constants, as those of its base are."""

    def kernel(self, scores: Any, targets: Any, offsets: Any, item_weights: Any) -> Loop:  # noqa: ARG002
        def fill(low: int, high: int, values: Any, gradient: Any, hessian: Any) -> None:
            for q in range(low, high):
                at = slice(offsets[q], offsets[q + 1])
                apart = scores[at] - targets[at]
                values[q] = np.cosh(apart).sum()
                gradient[at] = np.sinh(apart)
                if hessian.size:
                    hessian[at] = np.cosh(apart)

        return fill


def test_second_derivatives_are_those_of_the_class_and_not_of_its_base() -> None:
    made = Gradients(Cosh(), Supervision(np.array([1.0, 0.0]), np.array([0, 2]), 1.0))
    gradient, hessian = made.at(np.array([4.0, 3.0]))
    assert gradient / made.scale == pytest.approx([np.sinh(3), np.sinh(3)], rel=1e-15)
    assert hessian / made.scale == pytest.approx([np.cosh(3), np.cosh(3)], rel=1e-15)  # 10.07 twice


def steeper(base: type[Loss]) -> type[Loss]:
    """A class derived from a loss that adds the sum of e^(2 s_i) to it."""

    class Steeper(base):  # type: ignore[misc, valid-type]
        def kernel(self, scores: Any, targets: Any, offsets: Any, item_weights: Any) -> Loop:
            below = super().kernel(scores, targets, offsets, item_weights)

            def fill(low: int, high: int, values: Any, gradient: Any, hessian: Any) -> None:
                below(low, high, values, gradient, hessian)
                for q in range(low, high):
                    at = slice(offsets[q], offsets[q + 1])
                    added = np.exp(2 * scores[at])
                    values[q] += added.sum()
                    gradient[at] += 2 * added
                    if hessian.size:
                        hessian[at] += 4 * added

            return fill

    return Steeper


@pytest.fixture(params=LOSSES)
def derived(request: pytest.FixtureRequest) -> Loss:
    """For every loss of the registry, a class derived from it with another kernel."""
    return steeper(LOSSES[request.param])()


def test_every_engine_gets_the_derivatives_of_the_derived_class(derived: Loss) -> None:
    data = Ragged.draw(derived, np.random.default_rng(3), SIZES)
    made = Gradients(derived, Supervision(data.targets, data.offsets, float(len(SIZES))))
    expected = derived.evaluate(data.scores, data.targets, data.offsets, hessian=True)
    assert expected.hessian is not None
    # Never below |g| / 2: what is safe for any loss; and above a millionth of the mean.
    second = np.maximum(expected.hessian, np.abs(expected.gradient) / LIMIT)
    assert second.min() * made.scale > 1e-6
    for way, digits in ((made.at, 1e-14), (made.float32_at, 1e-6)):
        # Twice: what the first call leaves behind must not come back from the second.
        for _ in range(2):
            gradient, hessian = way(data.scores)
            assert gradient == pytest.approx(made.scale * expected.gradient, rel=digits, abs=1e-12)
            assert hessian == pytest.approx(made.scale * second, rel=digits)


def test_no_engine_takes_the_derived_class_for_a_loss_of_its_own(derived: Loss) -> None:
    assert not is_regression(derived)
    assert as_regression(derived, Supervision(np.ones(2), np.array([0, 2]), 1.0)) is None
    with pytest.raises(ArgumentError, match="CatBoost has no loss that is"):
        catboost_parameters("nDCG", derived)


@pytest.mark.torch
def test_torch_does_not_take_the_form_of_the_base(derived: Loss) -> None:
    import rankproof.torch as modules

    with pytest.raises(ArgumentError, match="of the class Steeper has no form in torch"):
        modules.loss(derived)


def test_nothing_is_proven_of_a_class_with_the_claims_of_another_kernel(derived: Loss) -> None:
    choice = choose_loss("nDCG", derived)
    assert choice.claim is None
    assert choice.warning is not None
    assert "its class Steeper has a kernel of its own, but the claims of another loss" in choice.warning
    with pytest.raises(ArgumentError, match="states no claims of its own"):
        registered(type("Named", (type(derived),), {"name": "named", "aliases": ()}))
    assert "named" not in LOSSES


@pytest.mark.parametrize("name", LOSSES)
def test_every_loss_of_the_library_states_its_claims_itself(name: str) -> None:
    assert LOSSES[name]().states_its_claims


@pytest.mark.parametrize("name", LOSSES)
def test_a_class_that_adds_nothing_declares_nothing(name: str) -> None:
    same = type("Same", (LOSSES[name],), {})()
    assert same.declared("boosting") == Boosting()
    for hook in DECLARATIONS[1:]:
        assert same.declared(hook)(*([None] * 4)) is None


@pytest.mark.parametrize("name", LOSSES)
def test_what_is_declared_of_boosting_holds(name: str) -> None:
    loss, rng = LOSSES[name](), np.random.default_rng(8)
    data = Ragged.draw(loss, rng, (5, 2, 7))
    facts = loss.boosting
    if facts.constant_hessian:
        second = [
            loss.hessian_diagonal(at, data.targets, data.offsets)
            for at in (data.scores, 9 * rng.normal(size=data.scores.size))
        ]
        assert second[0] == pytest.approx(second[1], rel=1e-12)
    # Labels times weights are no labels.
    if loss.takes_item_weights and loss.needs != "labels":
        weights = rng.random(data.scores.size)
        both = (
            loss.evaluate(data.scores, data.targets, data.offsets, item_weights=weights).gradient,
            loss.evaluate(data.scores, data.targets * weights, data.offsets).gradient,
        )
        assert facts.weights_multiply_targets == np.allclose(*both, rtol=1e-9, atol=0)
    if facts.regression is not None:
        weights = rng.random(data.scores.size) if loss.takes_item_weights else np.empty(0)
        target, rows = facts.regression(data.targets, data.offsets, weights)
        squares = (1.0 if rows is None else rows) * (data.scores - target)
        given = {"item_weights": weights} if weights.size else {}
        gradient = loss.evaluate(data.scores, data.targets, data.offsets, **given).gradient
        ratio = gradient / squares
        assert ratio == pytest.approx(np.full(ratio.size, ratio[0]), rel=1e-9)
