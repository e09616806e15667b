"""Gradient and curvature of a loss on one data set, in buffers that every iteration uses again."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rankproof.adapters.curvature import Curvature, as_scale, hessian_at_zero
from rankproof.adapters.newton import check_hessian, safe
from rankproof.arrays import Float32s, Float64s, frozen
from rankproof.errors import ArgumentError, DataError
from rankproof.losses.base import GradientKernel, Loss
from rankproof.losses.boosting import Boosting
from rankproof.losses.supervision import Supervision
from rankproof.threads import chunks_by_items, run

__all__ = ["Gradients"]

_NOTHING = np.empty(0)
# What engines hold gradients in.
_LARGEST = float(np.finfo(np.float32).max)


class Gradients:
    """First and second derivatives at any scores, scaled as `rankproof.adapters.newton` says.

    ``scale`` is the number that the derivatives of the loss are multiplied by: that of all rows, which is to
    be given when these are only some of them. The arrays that `at` and `float32_at` return are written over
    by the next call.

    >>> from rankproof.losses.parse import loss
    >>> data = Supervision(np.array([1.0, 0.0]), np.array([0, 2]), 1.0)
    >>> gradient, hessian = Gradients(loss("squared"), data).at(np.array([0.5, 0.25]))
    >>> gradient.tolist(), hessian.tolist()  # s - u, 1
    ([-0.5, 0.25], [1.0, 1.0])
    """

    def __init__(self, loss: Loss, data: Supervision, scale: float | Curvature | None = None) -> None:
        check_hessian(loss)
        self.loss, self.data = loss, data
        items = data.targets.size
        self._gradient, self._hessian, self._values = np.zeros(items), np.zeros(items), np.zeros(data.queries)
        self._float32 = np.zeros(items, np.float32), np.zeros(items, np.float32)
        self._facts: Boosting = loss.declared("boosting")
        hessian, steepest = hessian_at_zero(loss, data.targets, data.offsets)
        self.scale = as_scale(scale, loss) or Curvature.of_hessian(loss, hessian).scale
        self._floor = self._facts.floor * self._facts.aim / self.scale
        if not self.scale * steepest < _LARGEST:
            raise DataError(
                f"Loss {loss} has a gradient of {self.scale * steepest:g} on these targets; engines hold "
                f"gradients in float32, up to {_LARGEST:.2g}. Use a metric that is normalised per query, or "
                "lower grades."
            )
        weights = np.ones(data.queries) if data.query_weights is None else data.query_weights
        self._factor = self.scale * weights
        self._derive(np.zeros(items), second=True)

    def at(self, scores: Any) -> tuple[Float64s, Float64s]:
        """Gradient and curvature at these scores, one number per item each."""
        self._derive(self._checked(scores), second=not self._facts.constant_hessian)
        return self._gradient, self._hessian

    def float32_at(self, scores: Any) -> tuple[Float32s, Float32s]:
        """The same, rounded to what engines hold: they need not do it again."""
        checked = self._checked(scores)
        fill = self._alone(checked)
        if fill is None:
            self._derive(checked, second=not self._facts.constant_hessian)
        else:
            self._run(checked, lambda low, high: fill(low, high, self._factor, self._float32[0]))
        return self._float32

    def _checked(self, scores: Any) -> Float64s:
        """The scores as the kernels read them; those of LightGBM are, and are not copied."""
        checked = np.ascontiguousarray(scores, np.float64)
        if checked.shape != self._gradient.shape:
            raise ArgumentError(
                f"The engine predicts scores of shape {checked.shape} for {self._gradient.size} rows. A "
                "ranking loss takes one score per row: set no num_class."
            )
        return checked

    def _alone(self, scores: Float64s) -> GradientKernel | None:
        """The kernel of the gradient alone, when nothing else changes with the scores."""
        if not self._facts.constant_hessian:
            return None
        data = self.data
        kernel: GradientKernel | None = self.loss.declared("gradient_kernel")(
            *map(frozen, (scores, data.targets, data.offsets, data.item_weights))
        )
        return kernel

    def _derive(self, scores: Float64s, *, second: bool) -> None:
        """Fill all buffers; the second derivatives only when they are asked for."""
        from rankproof.kernels.losses.float32 import hold

        data, factor, facts = self.data, self._factor, self._facts
        fill = self.loss.loop(scores, data.targets, data.offsets, data.item_weights)

        def work(low: int, high: int) -> bool:
            here = slice(int(data.offsets[low]), int(data.offsets[high]))
            # Before anything else: not every kernel bears a NaN.
            if not np.isfinite(scores[here]).all():
                return False
            self._values[low:high] = 0.0
            self._gradient[here] = 0.0
            if second:
                self._hessian[here] = 0.0
            # Kernels count items from the start of the data, so they take whole arrays.
            fill(low, high, self._values, self._gradient, self._hessian if second else _NOTHING)
            if second:
                self._hessian[here] *= facts.bound
                safe(self._gradient[here], self._hessian[here], limited=facts.own_unit, floor=self._floor)
                hold(self._hessian, data.offsets, low, high, factor, self._float32[1])
            hold(self._gradient, data.offsets, low, high, factor, self._float32[0])
            return True

        self._run(scores, work)

    def _run(self, scores: Float64s, work: Callable[[int, int], bool]) -> None:
        """Work on all queries; where it cannot say that all scores are finite, see whether they are."""
        offsets = self.data.offsets

        def checked(low: int, high: int) -> bool:
            return work(low, high) or bool(np.isfinite(scores[offsets[low] : offsets[high]]).all())

        if not all(run(checked, chunks_by_items(offsets))):
            raise DataError(
                f"The engine predicts the score {scores[~np.isfinite(scores)][0]}: training has diverged. "
                "Use a lower learning rate."
            )
