"""What a loss is: a function of scores and targets, one query at a time, that declares its facts.

Queries, weights and the reduction are done here, once. A concrete loss is a frozen dataclass with its
definition and claims, and a kernel that fills value, gradient and diagonal of the Hessian for a range of
queries. The loss of a data set is the weighted sum over its queries.

A loss reads ``targets``, one number per item: the standardised supervision u(y) of `rankproof.standardize`
for losses that aim at E[u(Y)], or the labels themselves for losses that are defined on labels. `needs` says
which.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Literal, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankproof.arrays import (
    Float64s,
    Int64s,
    as_labels,
    as_offsets,
    as_scores,
    as_weights,
    flat_floats,
)
from rankproof.claims import Claims
from rankproof.errors import ArgumentError, DataError
from rankproof.metrics.parameters import written
from rankproof.registry import Registry
from rankproof.standardize.base import Target

__all__ = ["LOSSES", "GradientKernel", "Kernel", "Loss", "LossResult", "Needs", "registered"]

# (low, high, values, gradient, hessian): fill for the queries low..high; an empty hessian is not wanted.
Kernel = Callable[[int, int, Float64s, Float64s, Float64s], None]
# (low, high, factor, gradient): see `Loss.gradient_kernel`.
GradientKernel = Callable[[int, int, Float64s, NDArray[np.floating[Any]]], bool]
# "target": a number per item, u(y); "nonnegative target": the same, never below 0; "labels": the grades.
Needs = Literal["target", "nonnegative target", "labels"]

LOSSES: Registry[type[Loss]] = Registry("loss")
_NOTHING = np.empty(0)


@dataclass(frozen=True, eq=False)
class LossResult:
    """Value, per query and in all, and the derivatives with respect to every score."""

    value: float
    per_query: Float64s
    gradient: Float64s
    hessian: Float64s | None


@dataclass(frozen=True, kw_only=True)
class Loss(ABC):
    """Base of all losses; see the module docstring.

    Claims (each with a reference, each attacked by a law in ``tests/laws``):
    ``convex``, ``smooth`` (continuously differentiable), ``shift_invariant`` (adding a number to all scores
    of a query changes nothing), ``bounded_below``, ``order_preserving`` (the minimiser of the expected loss
    sorts as E[targets] does), ``hessian`` ("exact" or "bound" when `hessian_diagonal` is there, else None).
    Some losses also claim ``strongly_convex``, a pair (C, norm) or None: without item weights, the expected
    loss of scores s exceeds its least value by C/2 |E[targets] - b|^2 or more, for some b that is sorted by
    every ranking that sorts s. The norm is "l2", "l1.5", ..., or "l1 per mass": the square of the l1 norm
    over the sum of E[targets], which b has too.

    Parameters
    ----------
    target : Target, optional
        The standardisation that turns labels into what the loss reads; without one it reads the labels.
    """

    name: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]] = ()
    summary: ClassVar[str]
    definition: ClassVar[str]
    reference: ClassVar[str]
    needs: ClassVar[Needs]
    takes_item_weights: ClassVar[bool] = False

    target: Target | None = None

    @property
    @abstractmethod
    def claims(self) -> Claims:
        """The facts this loss states about itself."""

    @abstractmethod
    def kernel(self, scores: Float64s, targets: Float64s, offsets: Int64s, item_weights: Float64s) -> Kernel:
        """The compiled loop on these arrays; ``item_weights`` is empty when there are none."""

    def gradient_kernel(
        self,
        scores: Float64s,  # noqa: ARG002 - for losses that have one
        targets: Float64s,  # noqa: ARG002
        offsets: Int64s,  # noqa: ARG002
        item_weights: Float64s,  # noqa: ARG002
    ) -> GradientKernel | None:
        """A loop that writes the gradient alone, in float64 or float32, or None when `kernel` has to do.

        It multiplies by a factor, one per query or one for all. It leaves alone what the loss does not
        depend on, and says whether all scores are known to be finite.
        """
        return None

    def targets(self, labels: ArrayLike, offsets: ArrayLike, *, threads: int | None = None) -> Float64s:
        """What the loss reads for these labels: its target of them, or the labels themselves without one."""
        return (
            as_labels(labels) if self.target is None else self.target.values(labels, offsets, threads=threads)
        )

    def check_targets(self, targets: Float64s) -> None:
        """Raise `DataError` when a target is outside what the loss is defined on."""
        if self.needs == "nonnegative target" and (targets < 0).any():
            at = int(np.argmax(targets < 0))
            raise DataError(
                f"Loss {self.name} needs targets of at least 0, got {targets[at]:g} at item {at}."
            )

    def evaluate(
        self,
        scores: ArrayLike,
        targets: ArrayLike,
        offsets: ArrayLike,
        *,
        weights: ArrayLike | None = None,
        item_weights: ArrayLike | None = None,
        hessian: bool = False,
        threads: int | None = None,
    ) -> LossResult:
        """Value, gradient and, when asked for, the diagonal of the Hessian."""
        s = as_scores(scores)
        if np.isinf(s).any():
            at = int(np.argmax(np.isinf(s)))
            raise DataError(f"Loss {self.name} needs finite scores, got {s[at]} at item {at}.")
        u = flat_floats("targets", targets)
        if u.size != s.size:
            raise ArgumentError(f"Argument targets must have one number per score ({s.size}), got {u.size}.")
        if not np.isfinite(u).all():
            at = int(np.argmax(~np.isfinite(u)))
            raise DataError(f"Argument targets must be finite, got {u[at]} at item {at}.")
        self.check_targets(u)
        starts = as_offsets(offsets, s.size)
        w = None if weights is None else as_weights("weights", weights, starts.size - 1)
        v = _NOTHING
        if item_weights is not None:
            if not self.takes_item_weights:
                raise ArgumentError(f"Loss {self.name} is not a sum over items and takes no item weights.")
            v = as_weights("item_weights", item_weights, s.size)
        if hessian and self.claims.value("hessian") is None:
            raise ArgumentError(f"Loss {self.name} has no diagonal Hessian.")
        return self.fast(s, u, starts, w, v, hessian=hessian, threads=threads)

    def fast(
        self,
        scores: Float64s,
        targets: Float64s,
        offsets: Int64s,
        weights: Float64s | None = None,
        item_weights: Float64s = _NOTHING,
        *,
        hessian: bool = False,
        threads: int | None = None,
    ) -> LossResult:
        """`evaluate` for arrays that are known to be valid: what solvers call at every step."""
        from rankproof.kernels.pool import chunks_by_items, run, thread_count

        workers = thread_count(threads)
        values, gradient = np.zeros(offsets.size - 1), np.zeros(scores.size)
        second = np.zeros(scores.size) if hessian else _NOTHING
        fill = self.kernel(scores, targets, offsets, item_weights)
        run(lambda a, b: fill(a, b, values, gradient, second), chunks_by_items(offsets, workers), workers)
        if weights is not None:
            values = values * weights
            per_item = np.repeat(weights, np.diff(offsets))
            gradient *= per_item
            if hessian:
                second *= per_item
        return LossResult(float(values.sum()), values, gradient, second if hessian else None)

    def value_and_gradient(
        self,
        scores: ArrayLike,
        targets: ArrayLike,
        offsets: ArrayLike,
        weights: ArrayLike | None = None,
        **more: Any,
    ) -> tuple[float, Float64s]:
        """The loss and its gradient with respect to the scores."""
        found = self.evaluate(scores, targets, offsets, weights=weights, **more)
        return found.value, found.gradient

    def hessian_diagonal(
        self,
        scores: ArrayLike,
        targets: ArrayLike,
        offsets: ArrayLike,
        weights: ArrayLike | None = None,
        **more: Any,
    ) -> Float64s:
        """The second derivative with respect to every single score."""
        found = self.evaluate(scores, targets, offsets, weights=weights, hessian=True, **more)
        if found.hessian is None:
            raise ArgumentError(f"Loss {self.name} has no diagonal Hessian.")
        return found.hessian

    def __str__(self) -> str:
        """``NAME(parameter=value,...):TARGET``, which `rankproof.losses.loss` reads back."""
        inner = [
            f"{field.name}={_written(getattr(self, field.name))}"
            for field in fields(self)
            if field.name != "target" and getattr(self, field.name) != field.default
        ]
        aim = "" if self.target is None else f":{self.target}"
        return self.name + (f"({','.join(inner)})" if inner else "") + aim

    __repr__ = __str__


def _written(value: Any) -> str:
    return written(value) if isinstance(value, (str, bool, int, float, tuple)) else str(value)


L = TypeVar("L", bound=type[Loss])


def registered(cls: L) -> L:
    """Class decorator: put a loss into the registry."""
    LOSSES.add(cls.name, cls, aliases=cls.aliases)
    return cls
