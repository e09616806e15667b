"""What an empty query counts: the ``empty`` parameter of a metric, applied."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankproof.arrays import Float64s
from rankproof.errors import EmptyQueryError
from rankproof.metrics.base import Metric

__all__ = ["without_empties"]


def without_empties(m: Metric, values: Float64s, query_ids: NDArray[Any]) -> Float64s:
    """Values with the NaN of empty queries kept (skip), replaced (0, 1), or refused (error)."""
    empty = np.isnan(values)
    if m.empty == "skip" or not empty.any():
        return values
    if m.empty == "error":
        raise EmptyQueryError(
            f"{m}: query {query_ids[np.argmax(empty)]} is empty: {m.empty_when} "
            f"({int(empty.sum())} such queries in all). Use empty=skip, empty=0 or empty=1."
        )
    return np.where(empty, float(m.empty), values)
