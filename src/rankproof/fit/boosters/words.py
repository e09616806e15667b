"""The words that mean the same in every engine, and parameters of an engine's own beside them.

Each engine has a table: what we set, under its name there, and the other names it goes by. A parameter that
is given as a word of ours and again under a name of the engine is refused, since one of them would be lost.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Any

import numpy as np

from rankproof.arrays import as_whole_number
from rankproof.errors import ArgumentError

__all__ = ["Words", "combined", "given_as"]

# What engines hold a seed in.
_LARGEST_SEED = 2**31 - 1


@dataclass(frozen=True)
class Words:
    """Parameters that every engine has; None stands for the engine's own default."""

    trees: int
    learning_rate: float | None
    leaves: int | None
    l2: float | None
    min_data_in_leaf: int | None
    seed: int
    threads: int
    patience: int | None
    more: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, estimator: Any) -> Words:
        """The words that an estimator's parameters are, checked."""
        from rankproof.kernels.pool import thread_count

        name = type(estimator).__name__
        leaves, least, patience = (
            None if value is None else as_whole_number(f"{word} of {name}", value, smallest)
            for word, value, smallest in (
                ("num_leaves", estimator.num_leaves, 2),
                ("min_data_in_leaf", estimator.min_data_in_leaf, 1),
                ("early_stopping_rounds", estimator.early_stopping_rounds, 1),
            )
        )
        more = {} if estimator.parameters is None else estimator.parameters
        if not isinstance(more, Mapping) or not all(isinstance(key, str) for key in more):
            raise ArgumentError(
                f"Argument parameters of {name} must be a dict of the engine's parameters by name, "
                f"got {estimator.parameters!r}."
            )
        return cls(
            trees=as_whole_number(f"n_estimators of {name}", estimator.n_estimators, 1),
            learning_rate=_number(f"learning_rate of {name}", estimator.learning_rate, "> 0"),
            leaves=leaves,
            l2=_number(f"l2 of {name}", estimator.l2, ">= 0"),
            min_data_in_leaf=least,
            seed=_seed(f"random_state of {name}", estimator.random_state),
            threads=thread_count(estimator.threads),
            patience=patience,
            more=dict(more),
        )


def combined(
    engine: str,
    words: Words,
    ours: Mapping[str, Any],
    usual: Mapping[str, Any],
    *,
    elsewhere: tuple[str, ...] = (),
    aliases: Mapping[str, tuple[str, ...]],
    instead: Mapping[str, str],
) -> dict[str, Any]:
    """All parameters for an engine: what we set, what we set unless it is given, and what is given.

    ``elsewhere`` are those that we set by other ways. ``aliases`` has the other names of what we set,
    ``instead`` how to ask us for it. A value of None in ``ours`` is left to the engine.

    >>> words = Words(9, 0.1, None, None, None, 0, 1, None, {"eta": 0.2})
    >>> combined("lightgbm", words, {"learning_rate": 0.1}, {}, aliases={"learning_rate": ("eta",)},
    ...          instead={"learning_rate": "learning_rate="})
    Traceback (most recent call last):
        ...
    rankproof.errors.ArgumentError: Argument parameters of BoostedRanker has 'eta', lightgbm's learning_rate,
    which is set from another argument: use learning_rate=.
    """
    fixed = {name: value for name, value in ours.items() if value is not None}
    seen: dict[str, str] = {}
    for name in words.more:
        word = given_as(name, aliases)
        if word in fixed or word in elsewhere:
            known_as = f"{name!r}" if name == word else f"{name!r}, {engine}'s {word}"
            raise ArgumentError(
                f"Argument parameters of BoostedRanker has {known_as}, which is set from another argument: "
                f"use {instead[word]}."
            )
        if word in seen:
            raise ArgumentError(
                f"Argument parameters of BoostedRanker has {seen[word]!r} and {name!r}, which are two names "
                f"of one parameter of {engine}. Give one."
            )
        seen[word] = name
    rest = {name: value for name, value in usual.items() if name not in seen}
    return {**rest, **words.more, **fixed}


def given_as(name: str, aliases: Mapping[str, tuple[str, ...]]) -> str:
    """The parameter that a name stands for."""
    return next((word for word, others in aliases.items() if name in others), name)


def _number(name: str, value: Any, rule: str) -> float | None:
    if value is None:
        return None
    good = isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)
    if not good or value < 0 or (value == 0 and rule == "> 0"):
        raise ArgumentError(f"Argument {name} must be a finite number {rule} or None, got {value!r}.")
    return float(value)


def _seed(name: str, state: Any) -> int:
    if isinstance(state, np.random.Generator):
        return int(state.integers(_LARGEST_SEED))
    if isinstance(state, np.random.RandomState):
        return int(state.randint(_LARGEST_SEED))
    if state is None:
        return int(np.random.default_rng().integers(_LARGEST_SEED))
    if isinstance(state, Integral) and not isinstance(state, bool) and 0 <= int(state) <= _LARGEST_SEED:
        return int(state)
    raise ArgumentError(
        f"Argument {name} must be an int from 0 to {_LARGEST_SEED}, a numpy generator or None, got {state!r}."
    )
