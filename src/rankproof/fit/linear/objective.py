r"""The objective of a linear ranker, as a function of its parameters, with its gradient.

.. math:: F(v, b) = \frac{1}{\sum_q \omega_q} \sum_q \omega_q \, \ell_q(s_q)
          + \frac{\lambda}{2} \|v\|^2, \qquad s_i = \langle v, (x_i - c) / d \rangle + b

:math:`\ell_q` is the loss of query q, :math:`\omega_q` its weight. The intercept b is there only when the
loss can tell scores from scores plus a number; it is not penalised. Centre c and divisor d belong to the
scaling and are applied to the weights, so that the features are never copied.

An evaluation walks over blocks of whole queries that fit in the processor's cache: scores, loss and gradient
of a block are done while its rows are at hand, so the features are read from memory once. Blocks and the
order in which their gradients are added depend on the data alone: any number of threads gives the same bits.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np

from rankproof.arrays import Float64s, Int64s, spans_by_items
from rankproof.fit.linear.preconditioner import Preconditioner, covariance
from rankproof.fit.matrix import FeatureMatrix
from rankproof.kernels.compiled import Kernel
from rankproof.losses.base import Loop, Loss
from rankproof.losses.supervision import Supervision
from rankproof.threads import run

__all__ = ["LinearObjective"]

_NOTHING = np.empty(0)
# Half of the second-level cache of a common processor.
_BLOCK_BYTES = 1 << 19
# Blocks are dealt to at most this many accumulators, each of one gradient's size.
_MOST_GROUPS = 32
# Below this many items a group costs more than it saves.
_LEAST_ITEMS = 20_000


@dataclass(frozen=True, eq=False)
class LinearObjective:
    """The objective on one data set; ``evaluate(parameters)`` gives value and gradient.

    ``parameters`` are the weights v, followed by the intercept b when ``intercept`` is True.
    """

    X: FeatureMatrix
    loss: Loss
    data: Supervision
    l2: float
    centre: Float64s
    divisor: Float64s
    intercept: bool

    @property
    def size(self) -> int:
        """How many parameters there are."""
        return self.X.shape[1] + self.intercept

    def with_l2(self, l2: float) -> LinearObjective:
        """The same with another penalty; working memory and the covariance are shared."""
        other = replace(self, l2=l2)
        for name in ("_work", "covariance"):
            other.__dict__[name] = getattr(self, name)
        return other

    def raw_weights(self, parameters: Float64s) -> tuple[Float64s, float]:
        """Weights of the features as they are, and the number to add: what the scores are made with."""
        weights = parameters[: self.X.shape[1]] / self.divisor
        # Without an intercept the loss does not see shifts, and the scores need not be centred.
        shift = float(parameters[-1] - np.sum(self.centre * weights)) if self.intercept else 0.0
        return weights, shift

    def evaluate(self, parameters: Float64s) -> tuple[float, Float64s]:
        """Value and gradient."""
        columns, total = self.X.shape[1], self.data.total_weight
        weights, shift = self.raw_weights(parameters)
        value, gradient, slope = self._work.loss_and_gradient(weights, shift)
        out = np.empty(self.size)
        if self.intercept:
            gradient -= slope * self.centre
            out[-1] = slope / total
        v = parameters[:columns]
        out[:columns] = gradient / (self.divisor * total) + self.l2 * v
        return value / total + 0.5 * self.l2 * float(np.sum(np.square(v))), out

    @cached_property
    def preconditioner(self) -> Preconditioner:
        """The variables to solve in."""
        return Preconditioner.from_covariance(
            self.covariance, self._work.pull, self.l2, intercept=self.intercept
        )

    @cached_property
    def covariance(self) -> Float64s:
        """Of the scaled features, as `rankproof.fit.linear.preconditioner` takes it."""
        return covariance(self.X, self.data.offsets, self.divisor, within=not self.intercept)

    @cached_property
    def _work(self) -> _Work:
        return _Work(self.X, self.loss, self.data, slopes=self.intercept)


class _Work:
    """Arrays that every evaluation uses again, and the walk over the blocks."""

    def __init__(self, X: FeatureMatrix, loss: Loss, data: Supervision, *, slopes: bool) -> None:
        items, columns = X.shape
        self.X, self.loss, self.data = X, loss, data
        self.slopes = slopes
        self.scores, self.gradient = np.zeros(items), np.zeros(items)
        self.values = np.zeros(data.queries)
        fill = loss.loop(self.scores, data.targets, data.offsets, data.item_weights)
        # A loop that is one compiled function costs nothing to call for every block. What prepares queries
        # for it (sorting) is better called for many at a time, even if rows must be fetched once more.
        self.by_block = isinstance(fill, partial)
        self.fill = self._settled(fill) if isinstance(fill, partial) else fill
        blocks = spans_by_items(data.offsets, max(1, _BLOCK_BYTES // X.row_bytes))
        self.groups = _deal(blocks, data.offsets)
        self.sums = np.zeros((len(self.groups), columns))
        self.weights = np.zeros(columns)
        self.score_rows = X.scores(self.weights, self.scores)
        self.add_rows = [X.gradient(self.gradient, into) for into in self.sums]

    def _settled(self, fill: partial[None]) -> Loop:
        """The loop of a loss without the look at the kinds of its arguments: they stay the same."""
        if not isinstance(fill.func, Kernel) or fill.keywords:
            return fill
        return partial(fill.func.entry(*fill.args, 0, 0, self.values, self.gradient, _NOTHING), *fill.args)

    def loss_and_gradient(self, weights: Float64s, shift: float) -> tuple[float, Float64s, float]:
        """Weighted sum of the losses, its gradient in ``weights``, its derivative in ``shift``."""

        offsets, per_item = self.data.offsets, self.data.weight_of_item
        self.weights[:] = weights

        def scores_of(low: int, high: int) -> None:
            a, b = int(offsets[low]), int(offsets[high])
            self.score_rows(a, b)
            if shift:
                self.scores[a:b] += shift

        def loss_of(low: int, high: int) -> None:
            a, b = int(offsets[low]), int(offsets[high])
            self.gradient[a:b] = 0.0
            self.values[low:high] = 0.0
            self.fill(low, high, self.values, self.gradient, _NOTHING)
            if per_item is not None:
                self.gradient[a:b] *= per_item[a:b]

        def work(first: int, last: int) -> None:
            for group in range(first, last):
                blocks, add_rows = self.groups[group], self.add_rows[group]
                self.sums[group] = 0.0
                # Either way the same sums in the same order.
                for part in [[block] for block in blocks] if self.by_block else [blocks]:
                    for low, high in part:
                        scores_of(low, high)
                    loss_of(part[0][0], part[-1][1])
                    for low, high in part:
                        add_rows(int(offsets[low]), int(offsets[high]))

        run(work, [(k, k + 1) for k in range(len(self.groups))])
        values = self.values
        if self.data.query_weights is not None:
            values = values * self.data.query_weights
        slope = float(self.gradient.sum()) if self.slopes else 0.0
        return float(values.sum()), self.sums.sum(axis=0), slope

    @cached_property
    def pull(self) -> float:
        """Mean over queries of the sum of second derivatives at scores of 0 (of slopes without them)."""
        at_zero = self.loss.fast(
            np.zeros(self.scores.size),
            self.data.targets,
            self.data.offsets,
            self.data.query_weights,
            self.data.item_weights,
            hessian=self.loss.claims.value("hessian") is not None,
        )
        slopes = at_zero.gradient if at_zero.hessian is None else at_zero.hessian
        pull = float(np.abs(slopes).sum()) / self.data.total_weight
        return pull if 0 < pull < np.inf else 1.0


def _deal(blocks: list[tuple[int, int]], offsets: Int64s) -> list[list[tuple[int, int]]]:
    """The blocks in a few runs of about equally many items."""
    items = int(offsets[-1])
    groups = max(1, min(len(blocks), _MOST_GROUPS, items // _LEAST_ITEMS))
    middles = np.array([(offsets[low] + offsets[high]) / 2 for low, high in blocks])
    which = np.minimum((middles * groups / max(items, 1)).astype(int), groups - 1)
    dealt: list[list[tuple[int, int]]] = [[] for _ in range(groups)]
    for block, group in zip(blocks, which.tolist(), strict=True):
        dealt[group].append(block)
    return [group for group in dealt if group]
