"""Every claim of every loss is attacked: where it says yes nothing breaks it, where no, something does."""

from __future__ import annotations

import inspect
from dataclasses import fields

import numpy as np
import pytest

import rankproof.losses
from laws.loss_cases import (
    EVERY,
    OWN_FUNCTIONS,
    VARIANTS,
    claiming,
    gradient_of,
    identity,
    one_query,
    value_of,
)
from laws.test_loss_laws import LARGEST, seeded
from rankproof.losses import LOSSES, Loss

CLAIMS = {"convex", "smooth", "shift_invariant", "bounded_below", "order_preserving", "hessian"}
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


@pytest.mark.parametrize("loss", claiming("convex", True), ids=identity)
def test_a_convex_loss_stays_below_its_chords(loss: Loss) -> None:
    assert worst_bulge(loss, 200) <= 1e-12


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


@pytest.mark.parametrize("loss", claiming("smooth", True), ids=identity)
def test_the_gradient_of_a_smooth_loss_never_jumps(loss: Loss) -> None:
    assert worst_jump(loss) < 1e-4


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
            at = ray * min(far, LARGEST.get(loss.name, np.inf) / 10)
            found = min(found, value_of(loss, data, at) / scale)
    return found


@pytest.mark.parametrize("loss", EVERY, ids=identity)
def test_a_bounded_loss_never_falls_far_and_another_does(loss: Loss) -> None:
    bounded = loss.claims.value("bounded_below")
    if bounded is not None:
        assert lowest(loss) > -10.0 if bounded else lowest(loss) < -1e5


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


@pytest.mark.parametrize("loss", EVERY, ids=identity)
def test_every_claim_is_stated_with_a_reference(loss: Loss) -> None:
    assert set(loss.claims) == CLAIMS
    for claim in loss.claims.values():
        assert claim.reference.strip()
        if claim.name == "hessian":
            assert claim.value in ("exact", "bound", None)
        else:
            # None, for "not known", is for functions of a user alone.
            assert claim.value in (True, False) or (claim.value is None and loss in OWN_FUNCTIONS)


@pytest.mark.parametrize("loss", VARIANTS, ids=identity)
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
