"""Fitted models of LightGBM."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankproof.arrays import Float64s
from rankproof.fit.matrix import sparse_as_matrix
from rankproof.forks import fork_safe
from rankproof.optional import engine
from rankproof.threads import thread_count

__all__ = ["FILE", "dump", "load", "scores"]

FILE = "booster.txt"


@fork_safe
def scores(model: Any, X: Any, categorical: tuple[int, ...]) -> Float64s:  # noqa: ARG001
    """The score of every row."""
    return np.asarray(
        model.predict(sparse_as_matrix(X), raw_score=True, num_threads=thread_count()), dtype=np.float64
    )


@fork_safe
def dump(model: Any) -> bytes:
    """LightGBM's model text."""
    return str(model.model_to_string()).encode()


@fork_safe
def load(raw: bytes) -> Any:
    """A booster from its text."""
    return engine("lightgbm").Booster(model_str=raw.decode())
