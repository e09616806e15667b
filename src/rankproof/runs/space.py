"""What a search draws beside learning rate, leaves, penalty and loss: more parameters of each engine.

A parameter that the user gives is not drawn. Those left out are either the same thing under another name
(depth and leaves, ``l2_leaf_reg`` and ``l2``) or do nothing without another
(LightGBM's ``bagging_fraction``).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankproof.runs.models import with_values

__all__ = ["LEAST", "Range", "drawn", "log_uniform", "rounded", "space_of"]

# The one that is a parameter of the ranker, and means about the same in two engines.
LEAST = "min_data_in_leaf"


@dataclass(frozen=True)
class Range:
    """A parameter, the ends that it is drawn between (evenly, or in its logarithm), and its other names."""

    name: str
    low: float
    high: float
    log: bool = False
    whole: bool = False
    others: tuple[str, ...] = ()


# All ends have at most two digits, as what is drawn between them.
_SPACES = {
    "lightgbm": (
        Range(
            *(LEAST, 5, 100),
            log=True,
            whole=True,
            others=("min_data_per_leaf", "min_data", "min_child_samples", "min_samples_leaf"),
        ),
        Range("feature_fraction", 0.4, 1.0, others=("sub_feature", "colsample_bytree")),
    ),
    "xgboost": (
        Range(LEAST, 1, 100, log=True, whole=True, others=("min_child_weight",)),
        Range("colsample_bytree", 0.4, 1.0),
        # Of rows, after the gradients of whole queries.
        Range("subsample", 0.5, 1.0),
    ),
    # Its symmetric trees have no least number of rows of a leaf.
    "catboost": (
        Range("random_strength", 0.1, 10.0, log=True),
        Range("rsm", 0.4, 1.0, others=("colsample_bylevel",)),
    ),
}


def space_of(model: str, settings: Mapping[str, Any]) -> tuple[Range, ...]:
    """What is drawn for an engine, without what these settings fix.

    >>> [one.name for one in space_of("xgboost", {"min_data_in_leaf": None, "parameter": ["subsample=0.8"]})]
    ['min_data_in_leaf', 'colsample_bytree']
    """
    names = {*with_values(settings["parameter"]), *([LEAST] if settings[LEAST] is not None else [])}
    return tuple(one for one in _SPACES[model] if not names & {one.name, *one.others})


def drawn(random: np.random.Generator, space: Sequence[Range]) -> dict[str, Any]:
    """A value for every parameter of a space."""
    return {
        one.name: rounded(
            one, log_uniform(random, one.low, one.high) if one.log else random.uniform(one.low, one.high)
        )
        for one in space
    }


def rounded(one: Range, value: float) -> float | int:
    """With two digits: more would not matter, and it is to be written into a command.

    >>> rounded(Range("subsample", 0.5, 1.0), 0.7342), rounded(Range("rows", 5, 100, whole=True), 17.8)
    (0.73, 18)
    """
    return round(value) if one.whole else float(f"{value:.2g}")


def log_uniform(random: np.random.Generator, low: float, high: float) -> float:
    """A number that is even in its logarithm."""
    return math.exp(random.uniform(math.log(low), math.log(high)))
