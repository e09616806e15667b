"""Means over draws of independent grades, and their variances."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rankproof.arrays import Float64s, Int64s
from rankproof.targets.base import Target

__all__ = ["drawn_labels", "drawn_means"]

# Labels that are drawn at a time: bounds the memory beside the data.
_AT_ONCE = 1 << 21


def drawn_labels(laws: Float64s, grades: Float64s, draws: int, seed: int) -> Iterator[Float64s]:
    """Draws of all labels, some at a time: matrices of draws × items; a seed gives the same everywhere."""
    rng = np.random.Generator(np.random.PCG64(seed))
    upto = np.cumsum(laws, axis=1)[:, :-1].T.copy()
    step = max(1, _AT_ONCE // max(1, laws.shape[0]))
    for start in range(0, draws, step):
        uniform = rng.random((min(step, draws - start), laws.shape[0]))
        place = np.zeros(uniform.shape, np.int64)
        for bound in upto:
            place += uniform >= bound
        yield grades[place]


def drawn_means(
    target: Target, laws: Float64s, offsets: Int64s, grades: Float64s, draws: int, seed: int
) -> tuple[Float64s, Float64s]:
    """The means of u over draws, and the variances of these means."""
    items = laws.shape[0]
    total, squares = np.zeros(items), np.zeros(items)
    centre: Float64s | None = None
    for labels in drawn_labels(laws, grades, draws, seed):
        many = labels.shape[0]
        starts = (offsets[:-1] + items * np.arange(many)[:, None]).reshape(-1)
        values = target.values(labels.reshape(-1), np.append(starts, many * items)).reshape(many, items)
        # Less the first draws' mean, so that the variance does not cancel away.
        centre = values.mean(axis=0) if centre is None else centre
        total += (values - centre).sum(axis=0)
        squares += np.square(values - centre).sum(axis=0)
    if centre is None:
        return total, squares
    off = total / draws
    return centre + off, np.maximum(squares / draws - off**2, 0.0) / max(draws - 1, 1)
