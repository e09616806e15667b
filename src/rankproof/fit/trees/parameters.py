"""`TreeParameters`: those that mean the same in every engine, and an engine's own beside them.

Each engine has a table: what we set, under its name there, and the other names it goes by. A parameter that
is given as one of ours and again under a name of the engine is refused, since one would have no effect.
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

__all__ = ["TreeParameters", "canonical_name", "combined"]

# What engines hold a seed in.
_LARGEST_SEED = 2**31 - 1


@dataclass(frozen=True)
class TreeParameters:
    """Parameters that every engine has; None stands for the engine's own default."""

    trees: int
    learning_rate: float | None
    leaves: int | None
    l2: float | None
    min_data_in_leaf: int | None
    seed: int
    patience: int | None
    # Parameters of the engine, by its names.
    extra: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def from_ranker(cls, ranker: Any) -> TreeParameters:
        """The parameters of a ranker, checked."""
        name = type(ranker).__name__
        leaves, least, patience = (
            None if value is None else as_whole_number(f"{argument} of {name}", value, smallest)
            for argument, value, smallest in (
                ("num_leaves", ranker.num_leaves, 2),
                ("min_data_in_leaf", ranker.min_data_in_leaf, 1),
                ("early_stopping_rounds", ranker.early_stopping_rounds, 1),
            )
        )
        extra = {} if ranker.parameters is None else ranker.parameters
        if not isinstance(extra, Mapping) or not all(isinstance(key, str) for key in extra):
            raise ArgumentError(
                f"Argument parameters of {name} must be a dict of the engine's parameters by name, "
                f"got {ranker.parameters!r}."
            )
        return cls(
            trees=as_whole_number(f"n_estimators of {name}", ranker.n_estimators, 1),
            learning_rate=_number(f"learning_rate of {name}", ranker.learning_rate, "> 0"),
            leaves=leaves,
            l2=_number(f"l2 of {name}", ranker.l2, ">= 0"),
            min_data_in_leaf=least,
            seed=_seed(f"random_state of {name}", ranker.random_state),
            patience=patience,
            extra=dict(extra),
        )


def combined(
    engine: str,
    parameters: TreeParameters,
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

    >>> parameters = TreeParameters(9, 0.1, None, None, None, 0, None, {"eta": 0.2})
    >>> combined("lightgbm", parameters, {"learning_rate": 0.1}, {}, aliases={"learning_rate": ("eta",)},
    ...          instead={"learning_rate": "learning_rate="})
    Traceback (most recent call last):
        ...
    rankproof.errors.ArgumentError: Argument parameters of BoostedRanker has 'eta', lightgbm's learning_rate,
    which is set from another argument: use learning_rate=.
    """
    fixed = {name: value for name, value in ours.items() if value is not None}
    seen: dict[str, str] = {}
    for name in parameters.extra:
        word = canonical_name(name, aliases)
        if word in fixed or word in elsewhere:
            described = f"{name!r}" if name == word else f"{name!r}, {engine}'s {word}"
            raise ArgumentError(
                f"Argument parameters of BoostedRanker has {described}, which is set from another argument: "
                f"use {instead[word]}."
            )
        if word in seen:
            raise ArgumentError(
                f"Argument parameters of BoostedRanker has {seen[word]!r} and {name!r}, which are two names "
                f"of one parameter of {engine}. Give one."
            )
        seen[word] = name
    rest = {name: value for name, value in usual.items() if name not in seen}
    return {**rest, **parameters.extra, **fixed}


def canonical_name(name: str, aliases: Mapping[str, tuple[str, ...]]) -> str:
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
