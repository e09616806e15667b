"""Gradient and curvature of a loss on one data set, in buffers that every iteration uses again."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankproof.arrays import Float64s
from rankproof.errors import ArgumentError, DataError
from rankproof.fit.engines.steps import (
    aim_of,
    check_curvature,
    floor_of,
    is_limited,
    is_quadratic,
    safe,
    scale_for,
    times_curvature,
)
from rankproof.fit.objective import Supervision
from rankproof.losses.base import Loss

__all__ = ["Gradients"]

_NOTHING = np.empty(0)
# What engines hold gradients in.
_LARGEST = float(np.finfo(np.float32).max)


class Gradients:
    """First and second derivatives at any scores, scaled as `rankproof.fit.engines.steps` says.

    ``scale`` is the number that the derivatives of the loss were multiplied by. The arrays that `at` returns
    are written over by the next call.

    >>> from rankproof.losses.parse import loss
    >>> data = Supervision(np.array([1.0, 0.0]), np.array([0, 2]), 1.0)
    >>> gradient, hessian = Gradients(loss("squared"), data).at(np.array([0.5, 0.25]))
    >>> gradient.tolist(), hessian.tolist()  # s - u, 1
    ([-0.5, 0.25], [1.0, 1.0])
    """

    def __init__(self, loss: Loss, data: Supervision, *, threads: int | None = None) -> None:
        check_curvature(loss)
        self.loss, self.data, self.threads = loss, data, threads
        items = data.targets.size
        self._scores, self._gradient, self._hessian = np.zeros(items), np.zeros(items), np.zeros(items)
        self._values = np.zeros(data.queries)
        self._fill = loss.kernel(self._scores, data.targets, data.offsets, data.item_weights)
        self._limited, self._quadratic = is_limited(loss), is_quadratic(loss)
        self._times = times_curvature(loss)
        self.scale, steepest = self._at_zero()
        self._floor = floor_of(loss) * aim_of(loss) / self.scale
        if not steepest < _LARGEST:
            raise DataError(
                f"Loss {loss} has a gradient of {steepest:g} on these targets; engines hold gradients in "
                f"float32, up to {_LARGEST:.2g}. Use a metric that is normalised per query, or lower grades."
            )
        of_item = data.weight_of_item
        self._factor: Any = self.scale if of_item is None else self.scale * of_item
        self._derive(self._scores, second=True)

    def at(self, scores: Any) -> tuple[Float64s, Float64s]:
        """Gradient and curvature at these scores, one number per item each."""
        given = np.asarray(scores)
        if given.shape != self._scores.shape:
            raise ArgumentError(
                f"The engine predicts scores of shape {given.shape} for {self._scores.size} rows. A ranking "
                "loss takes one score per row: set no num_class."
            )
        if not self._derive(given, second=not self._quadratic):
            raise DataError(
                f"The engine predicts the score {given[~np.isfinite(given)][0]}: training has diverged. "
                "Use a lower learning rate."
            )
        return self._gradient, self._hessian

    def _at_zero(self) -> tuple[float, float]:
        """The scale, and the steepest gradient, at scores of 0.

        Both without weights: twice the weight is to be twice the curvature.
        """
        data = self.data
        found = self.loss.fast(
            np.zeros(self._scores.size), data.targets, data.offsets, hessian=True, threads=self.threads
        )
        hessian = np.zeros(0) if found.hessian is None else found.hessian
        safe(found.gradient, hessian, limited=self._limited, floor=0.0)
        scale = scale_for(hessian, aim_of(self.loss))
        return scale, scale * float(np.abs(found.gradient).max(initial=0.0))

    def _derive(self, scores: NDArray[Any], *, second: bool) -> bool:
        """Fill the buffers, unless scores are not finite; every range is finished while it is at hand."""
        from rankproof.kernels.pool import chunks_by_items, run, thread_count

        offsets, workers = self.data.offsets, thread_count(self.threads)
        factor = self._factor
        by_item = isinstance(factor, np.ndarray)

        def work(low: int, high: int) -> bool:
            here = slice(int(offsets[low]), int(offsets[high]))
            self._scores[here] = scores[here]
            if not np.isfinite(self._scores[here]).all():
                return False
            gradient, hessian = self._gradient[here], self._hessian[here]
            self._values[low:high] = 0.0
            gradient[:] = 0.0
            if second:
                hessian[:] = 0.0
            # Kernels count items from the start of the data, so they take whole arrays.
            self._fill(low, high, self._values, self._gradient, self._hessian if second else _NOTHING)
            if second:
                hessian *= self._times
                safe(gradient, hessian, limited=self._limited, floor=self._floor)
            times = factor[here] if by_item else factor
            gradient *= times
            if second:
                hessian *= times
            return True

        return all(run(work, chunks_by_items(offsets, workers), workers))
