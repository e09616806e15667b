"""Every claim of every loss is attacked: where it says yes nothing breaks it, where no, something does."""

from __future__ import annotations

import inspect
from dataclasses import fields, replace

import numpy as np
import pytest

import rankproof.losses
from every_case import every_case, few_cases
from properties.loss_cases import (
    EVERY,
    OWN_FUNCTIONS,
    VARIANTS,
    claiming,
    gradient_of,
    identity,
    one_query,
    value_of,
)
from properties.loss_minimum import TargetLaw, draw_law, minimiser
from properties.test_loss_laws import seeded
from rankproof.losses import LOSSES, Loss
from rankproof.losses.base import ITEM_BY_ITEM

CLAIMS = {"convex", "smooth", "shift_invariant", "bounded_below", "order_preserving", "hessian"}
OPTIONAL = {"strongly_convex", "weights_keep_order"}
over_registry = pytest.mark.parametrize("name", LOSSES)


# Convexity ----------------------------------------------------------------------------------------


def worst_bulge(loss: Loss, segments: int) -> float:
    """How far the loss rises above a chord at most, relative to the values at its ends."""
    rng = seeded(loss, 1)
    worst = -np.inf
    for _ in range(segments):
        data = one_query(loss, rng, int(rng.integers(2, 6)))
        n = data.scores.size
        a, b = rng.normal(size=(2, n)) * rng.choice([0.1, 1.0, 5.0, 40.0])
        t = rng.random()
        ends, between = (value_of(loss, data, a), value_of(loss, data, b)), t * a + (1 - t) * b
        chord = t * ends[0] + (1 - t) * ends[1]
        worst = max(worst, (value_of(loss, data, between) - chord) / (1e-3 + max(map(abs, ends))))
    return worst


@every_case("loss", claiming("convex", True), ids=identity, thin=True)
def test_a_convex_loss_stays_below_its_chords(loss: Loss) -> None:
    assert worst_bulge(loss, 200) <= 1e-12


@few_cases
@pytest.mark.parametrize("loss", claiming("convex", False), ids=identity)
def test_a_loss_that_is_not_convex_rises_above_one(loss: Loss) -> None:
    assert worst_bulge(loss, 200) > 1e-3


# Smoothness ---------------------------------------------------------------------------------------


def worst_jump(loss: Loss) -> float:
    """The largest change of the gradient across points where it may have a kink: ties, zeros, whole steps."""
    rng = seeded(loss, 2)
    worst = 0.0
    for _ in range(60):
        data = one_query(loss, rng, int(rng.integers(2, 6)))
        n = data.scores.size
        corner = rng.choice([-2.0, -1.0, 0.0, 0.0, 0.5, 1.0], n) * rng.choice([0.0, 1.0])
        steps = 1e-8 * rng.normal(size=(2, n))
        sides = (gradient_of(loss, data, corner + steps[0]), gradient_of(loss, data, corner + steps[1]))
        worst = max(worst, float(np.abs(sides[0] - sides[1]).max()))
    return worst


@every_case("loss", claiming("smooth", True), ids=identity)
def test_the_gradient_of_a_smooth_loss_never_jumps(loss: Loss) -> None:
    assert worst_jump(loss) < 1e-4


@few_cases
@pytest.mark.parametrize("loss", claiming("smooth", False), ids=identity)
def test_the_gradient_of_a_loss_that_is_not_smooth_jumps(loss: Loss) -> None:
    assert worst_jump(loss) > 0.01


# Bounds -------------------------------------------------------------------------------------------


def lowest(loss: Loss) -> float:
    """The least value along random rays, in units of what the targets allow."""
    rng = seeded(loss, 3)
    found = np.inf
    for _ in range(60):
        data = one_query(loss, rng, int(rng.integers(1, 6)))
        ray = rng.normal(size=data.scores.size)
        scale = 1.0 + np.square(data.targets).sum()
        for far in (1.0, 30.0, 1e3, 1e6, 1e9):
            at = ray * min(far, loss.finite_up_to / 10)
            found = min(found, value_of(loss, data, at) / scale)
    return found


@every_case("loss", EVERY, ids=identity, thin=True)
def test_a_bounded_loss_never_falls_far_and_another_does(loss: Loss) -> None:
    bounded = loss.claims.value("bounded_below")
    if bounded is not None:
        assert lowest(loss) > -10.0 if bounded else lowest(loss) < -1e5


# Strong convexity ---------------------------------------------------------------------------------


def balanced(loss: Loss, scores: np.ndarray, mass: float) -> np.ndarray:
    """The targets for which the scores are least: the gradient, which is affine in the targets, is 0 there.

    Where they are free up to one direction, those whose sum is ``mass``.
    """
    n = scores.size
    probes = np.vstack([np.zeros(n), np.eye(n)])
    offsets = np.arange(n + 2) * n
    slopes = loss.evaluate(np.tile(scores, n + 1), probes.reshape(-1), offsets, threads=1).gradient
    start, *moved = slopes.reshape(n + 1, n)
    matrix, wanted = np.array(moved).T - start[:, None], -start
    if np.linalg.matrix_rank(matrix, rtol=1e-9) < n:
        matrix, wanted = np.vstack([matrix, np.ones(n)]), np.append(wanted, mass)
    found = np.linalg.lstsq(matrix, wanted, rcond=None)[0]
    np.testing.assert_allclose(matrix @ found, wanted, rtol=1e-9, atol=1e-9)
    return found


def least_curvature(loss: Loss, pairs: int) -> float:
    """The least of regret / (C/2 |a - b|^2) over targets a and scores s, where b are the targets of s."""
    rng = seeded(loss, 6)
    constant, norm = loss.claims.value("strongly_convex")
    per_mass = norm.endswith(" per mass")
    p = float(norm.removesuffix(" per mass").removeprefix("l"))
    least = np.inf
    for _ in range(pairs):
        n = int(rng.integers(2, 5))
        best = rng.normal() * np.ones(n) + rng.choice([0.03, 1.0]) * rng.normal(size=n)
        scores = best + rng.choice([0.03, 1.0, 3.0]) * rng.normal(size=n)
        a = balanced(loss, best, 1.0)
        b = balanced(loss, scores, a.sum())
        if per_mass:
            b *= a.sum() / b.sum()
        assert (np.diff(b[np.argsort(scores)]) >= -1e-9).all(), f"{b} does not sort as {scores}"
        distance = np.linalg.norm(a - b, p) ** 2 / (a.sum() if per_mass else 1.0)
        values = loss.evaluate(np.concatenate([scores, best]), np.tile(a, 2), [0, n, 2 * n], threads=1)
        here, there = values.per_query
        assert here - there >= constant / 2 * distance - 1e-12 * (1 + abs(here) + abs(there))
        if distance > 1e-3:
            least = min(least, (here - there) / (constant / 2 * distance))
    return least


STRONG = [loss for loss in EVERY if loss.claims.value("strongly_convex") is not None]


@few_cases
@pytest.mark.parametrize("loss", STRONG, ids=identity)
def test_a_strongly_convex_loss_grows_as_claimed_and_no_faster(loss: Loss) -> None:
    # With kl it is rarer that a pair comes near the bound.
    assert 1 - 1e-9 <= least_curvature(loss, 1500 if loss.name == "kl" else 400) < 1.01


def test_the_losses_of_the_bregman_family_are_the_ones_that_claim_strong_convexity() -> None:
    assert {loss.name for loss in STRONG} == {"squared", "centred-squared", "bregman", "kl", "softmax"}


# Nothing is forgotten -----------------------------------------------------------------------------


def concrete_losses() -> list[type[Loss]]:
    """Every loss class of the package, registered or not."""
    found, waiting = [], [Loss]
    while waiting:
        for cls in waiting.pop().__subclasses__():
            waiting.append(cls)
            if cls.__module__.startswith("rankproof.") and not inspect.isabstract(cls):
                found.append(cls)
    return found


def test_every_loss_is_registered_and_exported() -> None:
    concrete = concrete_losses()
    assert sorted(cls.name for cls in concrete) == sorted(LOSSES)
    assert all(LOSSES[cls.name] is cls for cls in concrete)
    assert all(getattr(rankproof.losses, cls.__name__) is cls for cls in concrete)
    assert {cls.__name__ for cls in concrete} <= set(rankproof.losses.__all__)


@over_registry
def test_every_loss_is_documented(name: str) -> None:
    cls = LOSSES[name]
    for text in (cls.summary, cls.definition, cls.reference):
        assert text.strip()
    assert cls.__doc__
    assert "**Definition.**" in cls.__doc__
    assert cls.needs in ("target", "nonnegative target", "labels")
    assert name == name.casefold() == cls.name


# Weights of items --------------------------------------------------------------------------------


@every_case("loss", EVERY, ids=identity)
def test_a_loss_that_takes_item_weights_says_whether_they_keep_its_order(loss: Loss) -> None:
    assert (loss.claims.value("weights_keep_order") is not None) == loss.takes_item_weights


@every_case("loss", claiming("weights_keep_order", True), ids=identity)
def test_weights_of_items_leave_the_minimum_or_its_order_where_it_is(loss: Loss) -> None:
    rng = seeded(loss, 7)
    for n in (2, 3, 4, 2, 3):
        law = draw_law(loss, rng, n, 4)
        weighted = replace(law, item_weights=rng.choice([0.2, 1.0, 3.0, 7.0], n))
        # An item that is always of the highest or lowest grade has its minimum at infinity.
        found, expected = (np.clip(minimiser(loss, one), -15.0, 15.0) for one in (weighted, law))
        if loss.claims["weights_keep_order"].reference == ITEM_BY_ITEM:
            np.testing.assert_allclose(found, expected, atol=1e-4)
        else:
            # The minimum moves, and sorts as before.
            assert np.argsort(found).tolist() == np.argsort(expected).tolist()


@every_case("loss", claiming("weights_keep_order", False), ids=identity)
def test_weights_of_items_turn_the_order_where_a_loss_says_so(loss: Loss) -> None:
    """Targets 2 and 1 with weights 1 and 3: weight times target is 2 and 3."""
    law = TargetLaw(np.array([[2.0, 1.0]]), np.ones(1))
    first, second = minimiser(loss, law)
    assert first > second
    first, second = minimiser(loss, replace(law, item_weights=np.array([1.0, 3.0])))
    assert first < second


@every_case("loss", claiming("weights_keep_order", False), ids=identity)
def test_weights_of_queries_keep_the_order_with_every_loss(loss: Loss) -> None:
    """A weight that all items of a query share: for it the loss is one that takes the weights of queries."""
    rng = seeded(loss, 8)
    data = one_query(loss, rng, 4)
    same = gradient_of(loss, data, data.scores, item_weights=np.full(4, 3.0))
    np.testing.assert_allclose(same, 3.0 * gradient_of(loss, data, data.scores), rtol=1e-12, atol=1e-300)


@every_case("loss", EVERY, ids=identity)
def test_every_claim_is_stated_with_a_reference(loss: Loss) -> None:
    assert set(loss.claims) - OPTIONAL == CLAIMS
    for claim in loss.claims.values():
        assert claim.reference.strip()
        if claim.name == "hessian":
            assert claim.value in ("exact", "bound", None)
        elif claim.name == "strongly_convex":
            assert claim.value is not None or loss in OWN_FUNCTIONS
        else:
            # None, for "not known", is for functions of a user alone.
            assert claim.value in (True, False) or (claim.value is None and loss in OWN_FUNCTIONS)


@every_case("loss", VARIANTS, ids=identity)
def test_the_printed_form_parses_back(loss: Loss) -> None:
    again = rankproof.losses.loss(str(loss))
    assert again == loss
    assert hash(again) == hash(loss)
    assert str(again) == str(loss)


@over_registry
def test_a_loss_shows_itself_by_the_string_that_parses_back(name: str) -> None:
    made = LOSSES[name]()
    assert repr(made) == str(made)


@over_registry
def test_losses_are_values(name: str) -> None:
    assert LOSSES[name]() == LOSSES[name]()
    assert hash(LOSSES[name]()) == hash(LOSSES[name]())
    with pytest.raises(AttributeError):
        LOSSES[name]().target = None


def test_variants_differ() -> None:
    assert len({identity(loss) for loss in EVERY}) == len(EVERY)


@over_registry
def test_parameters_are_by_keyword(name: str) -> None:
    assert all(field.kw_only for field in fields(LOSSES[name]))
