"""Losses with all their parameters, and the data that try to break their claims, read off the registry.

A new loss is drawn by itself; a parameter for which its class lists no values to try fails.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import MISSING, dataclass, fields
from typing import Any

import numpy as np
from scipy.special import expit

from rankproof.losses import LOSSES, Bregman, Loss

# What a parameter needs beside it: only the Huber hinge has a width.
BESIDE: dict[str, dict[str, Any]] = {"width": {"margin": "huber"}}
# Functions of a user have no printed form; a loss with them is tried below.
NOT_FOR_VALUES = ("conjugate", "conjugate_gradient", "target")


def softplus_sum(scores: np.ndarray) -> float:
    """Sum of log(1 + exp(s)): the conjugate of the sum of u log u + (1 - u) log(1 - u)."""
    return float(np.logaddexp(0.0, scores).sum())


OWN_FUNCTIONS = [Bregman(conjugate=softplus_sum, conjugate_gradient=expit)]


def options_of(cls: type[Loss], name: str) -> tuple[Any, ...]:
    """The values to try for one parameter, the default first; the class lists them."""
    listed = cls.choices.get(name) or cls.examples[name]
    default = next(f.default for f in fields(cls) if f.name == name)
    if default is MISSING or default is None:
        return tuple(listed)
    return (default, *(value for value in listed if value != default))


def variants(cls: type[Loss]) -> list[Loss]:
    """The loss with all defaults, then with every other value of one parameter."""
    free = [f.name for f in fields(cls) if f.name not in NOT_FOR_VALUES]
    return [cls()] + [
        cls(**BESIDE.get(name, {}), **{name: value}) for name in free for value in options_of(cls, name)[1:]
    ]


VARIANTS = [loss for name in LOSSES for loss in variants(LOSSES[name])]
EVERY = VARIANTS + OWN_FUNCTIONS


def claiming(name: str, value: Any) -> list[Loss]:
    """The losses that claim just this."""
    return [loss for loss in EVERY if loss.claims.value(name) == value]


def identity(loss: Loss) -> str:
    """A readable test id."""
    return "own-function" if loss in OWN_FUNCTIONS else str(loss)


# Data ---------------------------------------------------------------------------------------------


def highest_grade(loss: Loss) -> int:
    """The highest grade within the loss's domain, at most 4."""
    return min(4, len(getattr(loss, "thresholds", range(4))))


def depends_on_rows(loss: Loss) -> bool:
    """Whether the loss breaks ties of the labels by the order of the rows."""
    return getattr(loss, "ties", None) == "order"


def draw_targets(loss: Loss, rng: np.random.Generator, n: int) -> np.ndarray:
    """Targets of one query within the loss's domain; different ones where ties have no meaning."""
    if loss.needs == "labels":
        if depends_on_rows(loss):
            return rng.permutation(n).astype(float)
        return rng.integers(0, highest_grade(loss) + 1, n).astype(float)
    if loss.needs == "nonnegative target":
        return rng.exponential(size=n) * (rng.random(n) < 0.7)
    return rng.normal(size=n)


@dataclass(frozen=True)
class Ragged:
    """Scores and targets of some queries."""

    scores: np.ndarray
    targets: np.ndarray
    offsets: np.ndarray

    @classmethod
    def draw(cls, loss: Loss, rng: np.random.Generator, sizes: Any) -> Ragged:
        """Random scores without ties and targets in the loss's domain."""
        offsets = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
        targets = [draw_targets(loss, rng, int(n)) for n in sizes]
        return cls(rng.normal(size=offsets[-1]), np.concatenate([*targets, np.empty(0)]), offsets)

    def queries(self) -> Iterator[tuple[int, int]]:
        """The bounds of every query."""
        yield from zip(self.offsets[:-1].tolist(), self.offsets[1:].tolist(), strict=True)


def one_query(loss: Loss, rng: np.random.Generator, n: int) -> Ragged:
    """A single query of n items."""
    return Ragged.draw(loss, rng, [n])


def smooth_query(loss: Loss, rng: np.random.Generator, n: int) -> Ragged:
    """A single query whose scores are apart by no multiple of 1/2: there, margins may have their corners."""
    while True:
        data = one_query(loss, rng, n)
        apart = 2.0 * np.abs(np.subtract.outer(data.scores, data.scores))[np.triu_indices(n, 1)]
        if (np.abs(apart - np.round(apart)) > 0.02).all():
            return data


def value_of(loss: Loss, data: Ragged, scores: np.ndarray, **more: Any) -> float:
    """The loss of the whole data at other scores."""
    return loss.evaluate(scores, data.targets, data.offsets, threads=1, **more).value


def gradient_of(loss: Loss, data: Ragged, scores: np.ndarray, **more: Any) -> np.ndarray:
    """The gradient of the whole data at other scores."""
    return loss.evaluate(scores, data.targets, data.offsets, threads=1, **more).gradient
