"""Margins: what a pair costs as a function of how far it is apart, phi(s_i - s_j).

A margin is three functions of one number (value, first and second derivative) and the facts it claims. At a
kink the derivatives are those of the right-hand side. `MARGINS` holds the named ones; a margin of your own
takes plain Python functions, which are compiled into the pairwise loops:

>>> import math
>>> own = Margin(lambda t: math.exp(-t), lambda t: -math.exp(-t), lambda t: math.exp(-t), name="mine")
>>> own.value(0.0), own.claims.value("convex")
(1.0, None)
>>> margin("huber", width=0.5).value(1.0)  # (1.5 - 1)^2 / 2
0.125
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from rankproof.claims import Claim, Claims
from rankproof.errors import ArgumentError
from rankproof.losses.parameters import number
from rankproof.registry import Registry

__all__ = ["FACTS", "MARGINS", "WIDTH", "Margin", "huber", "margin", "theorem_1"]

Function: TypeAlias = Callable[[float], float]

# What a margin may claim (theory of pairwise losses), by the name of the claim.
FACTS = {
    "convex": "phi is convex",
    "non_increasing": "phi never rises",
    "differentiable": "phi has a derivative everywhere",
    "nonnegative": "phi >= 0",
    "falls_at_zero": "phi'(0) < 0",
    "prefers_right": "phi(t) < phi(-t) for all t > 0",
    "flat_point": "a t0 > 0 with phi'(t0) = 0, or None when there is none",
}
# The width of the Huber hinge unless another is asked for.
WIDTH = 0.5


@dataclass(frozen=True, init=False, repr=False)
class Margin:
    """A margin: what a pair of items costs, as a function of the difference of their scores.

    At a kink the derivatives are those of the right-hand side. Functions of your own are compiled into the
    pairwise loops.

    Parameters
    ----------
    value, derivative, second : functions of one number
        phi, phi' and phi''. For use in a loss numba must be able to compile them: arithmetic, ``if``,
        functions of `math` and `numpy` on one float.
    name : str
        What the margin is called in the printed form of a loss.
    claims : claims, optional
        The facts that hold: ``convex``, ``non_increasing``, ``differentiable``, ``nonnegative``,
        ``falls_at_zero`` (phi'(0) < 0), ``prefers_right`` (phi(t) < phi(-t) for all t > 0) and ``flat_point``
        (a t > 0 with phi'(t) = 0). A fact that is not claimed is unknown.
    pieces : five numbers, optional
        For margins of a line, a parabola and zero: where the line ends, where zero starts, the factor of the
        parabola, and the line's slope and level at its end. They make the loss O(n log n).

    Examples
    --------
    >>> import math
    >>> own = Margin(lambda t: math.exp(-t), lambda t: -math.exp(-t), lambda t: math.exp(-t), name="mine")
    >>> own.value(0.0), own.claims.value("convex")
    (1.0, None)
    """

    value: Function
    derivative: Function
    second: Function
    name: str = "custom"
    claims: Claims = field(default_factory=Claims)
    pieces: tuple[float, float, float, float, float] | None = None

    def __init__(
        self,
        value: Function,
        derivative: Function,
        second: Function,
        *,
        name: str = "custom",
        claims: Claims | Iterable[Claim] = (),
        pieces: tuple[float, float, float, float, float] | None = None,
    ) -> None:
        stated = claims if isinstance(claims, Claims) else Claims(*claims)
        for fact in stated:
            if fact not in FACTS:
                raise ArgumentError(f"Margin {name!r} claims {fact!r}; margins claim: {', '.join(FACTS)}.")
        for role, function in (("value", value), ("derivative", derivative), ("second", second)):
            if not callable(function):
                raise ArgumentError(
                    f"Argument {role} of margin {name!r} must be a function of one number, got {function!r}."
                )
        if pieces is not None:
            _check_pieces(name, value, pieces)
        for key, thing in (
            ("value", value),
            ("derivative", derivative),
            ("second", second),
            ("name", name),
            ("claims", stated),
            ("pieces", pieces),
        ):
            object.__setattr__(self, key, thing)

    def __hash__(self) -> int:
        return hash((self.value, self.derivative, self.second, self.name))

    def __str__(self) -> str:
        return self.name

    __repr__ = __str__


def _check_pieces(name: str, value: Function, pieces: tuple[float, float, float, float, float]) -> None:
    """The pieces must be those of the value, which is tried at points of each."""
    line, flat, bend, slope, level = pieces
    start = line if slope > 0 else flat - 4.0
    points = [start - 2.0, start - 0.5, start, 0.5 * (start + flat), flat, flat + 1.0]
    for t in points:
        by_pieces = level + slope * (line - t) if t < line else bend * (flat - t) ** 2 if t < flat else 0.0
        if not line <= flat or not math.isclose(by_pieces, value(t), rel_tol=1e-9, abs_tol=1e-12):
            raise ArgumentError(
                f"The pieces {pieces} of margin {name!r} give {by_pieces:g} at t = {t:g}, but its value "
                f"there is {value(t):g}. Correct them, or leave them out."
            )


def _facts(*, differentiable: bool, flat_point: float | None, reference: str) -> Claims:
    """The claims of a named margin: all are convex, fall at 0 and prefer the right order."""
    facts = ("convex", "non_increasing", "nonnegative", "falls_at_zero", "prefers_right")
    return Claims(
        *(Claim(fact, value=True, reference=reference) for fact in facts),
        Claim("differentiable", value=differentiable, reference=reference),
        Claim("flat_point", value=flat_point, reference=reference),
    )


def _hinge(t: float) -> float:
    return 1.0 - t if t < 1.0 else 0.0


def _hinge_derivative(t: float) -> float:
    return -1.0 if t < 1.0 else 0.0


def _hinge_second(t: float) -> float:
    return 0.0 * t


def _squared(t: float) -> float:
    return (1.0 - t) ** 2 if t < 1.0 else 0.0


def _squared_derivative(t: float) -> float:
    return 2.0 * (t - 1.0) if t < 1.0 else 0.0


def _squared_second(t: float) -> float:
    return 2.0 if t < 1.0 else 0.0


def _logistic(t: float) -> float:
    return math.log1p(math.exp(-t)) if t > 0.0 else math.log1p(math.exp(t)) - t


def _logistic_derivative(t: float) -> float:
    return -math.exp(-t) / (1.0 + math.exp(-t)) if t > 0.0 else -1.0 / (1.0 + math.exp(t))


def _logistic_second(t: float) -> float:
    e = math.exp(-abs(t))
    return e / (1.0 + e) ** 2


def _exponential(t: float) -> float:
    return math.exp(-t)


def _exponential_derivative(t: float) -> float:
    return -math.exp(-t)


@dataclass(frozen=True)
class HuberHinge:
    """The Huber hinge of a width, or its first or second derivative: a value, which can be pickled."""

    width: float
    order: int = 0

    def __call__(self, t: float) -> float:
        h = self.width
        if t < 1.0 - h:
            return (1.0 - t, -1.0, 0.0)[self.order]
        if t < 1.0 + h:
            return ((1.0 + h - t) ** 2 / (4.0 * h), (t - 1.0 - h) / (2.0 * h), 1.0 / (2.0 * h))[self.order]
        return 0.0


def huber(width: float = WIDTH) -> Margin:
    """The Huber hinge: 0 for t > 1 + h, (1 + h - t)^2 / 4h within h of 1, 1 - t below."""
    h = float(number("huber", "width", width, "above 0", lambda x: x > 0))
    reference = "Chapelle, Neural Computation 19, 2007: a hinge with a parabola in place of the kink"
    facts = _facts(differentiable=True, flat_point=1.0 + h, reference=reference)
    pieces = (1.0 - h, 1.0 + h, 1.0 / (4.0 * h), 1.0, h)
    value, derivative, second = (HuberHinge(h, order) for order in range(3))
    return Margin(value, derivative, second, name="huber", claims=facts, pieces=pieces)


MARGINS: Registry[Margin] = Registry("margin")
MARGINS.add(
    "hinge",
    Margin(
        _hinge,
        _hinge_derivative,
        _hinge_second,
        name="hinge",
        claims=_facts(differentiable=False, flat_point=2.0, reference="max(0, 1 - t): a kink at 1, 0 beyond"),
        pieces=(1.0, 1.0, 0.0, 1.0, 0.0),
    ),
)
MARGINS.add(
    "squared-hinge",
    Margin(
        _squared,
        _squared_derivative,
        _squared_second,
        name="squared-hinge",
        claims=_facts(differentiable=True, flat_point=1.0, reference="max(0, 1 - t)^2, slope 0 from 1 on"),
        pieces=(-math.inf, 1.0, 1.0, 0.0, 0.0),
    ),
)
MARGINS.add("huber", huber())
MARGINS.add(
    "logistic",
    Margin(
        _logistic,
        _logistic_derivative,
        _logistic_second,
        name="logistic",
        claims=_facts(differentiable=True, flat_point=None, reference="log(1 + e^-t): the slope is never 0"),
    ),
)
MARGINS.add(
    "exponential",
    Margin(
        _exponential,
        _exponential_derivative,
        _exponential,
        name="exponential",
        claims=_facts(differentiable=True, flat_point=None, reference="e^-t: the slope is never 0"),
    ),
)


def margin(name: str, *, width: float = WIDTH) -> Margin:
    """The margin of that name; ``width`` is that of the Huber hinge."""
    named = MARGINS[name]
    if named.name == "huber":
        return named if width == WIDTH else huber(width)
    if width != WIDTH:
        raise ArgumentError(f"Margin {named.name} has no width, got width={width!r}; margin=huber has one.")
    return named


def theorem_1(claims: Claims) -> bool | None:
    """Whether the claims meet condition 1 of B11's Theorem 1 and what stands before it; None when unknown."""
    facts = ("convex", "non_increasing", "differentiable", "falls_at_zero", "prefers_right")
    values: list[Any] = [claims.value(fact) for fact in facts]
    return True if all(values) else False if False in values else None
