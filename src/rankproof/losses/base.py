"""What a loss is: a function of scores and targets, one query at a time, that declares its facts.

Queries, weights and the reduction are done here, once. A concrete loss is a frozen dataclass with its
definition and claims, and a kernel that fills value, gradient and diagonal of the Hessian for a range of
queries. The loss of a data set is the weighted sum over its queries.

A loss reads ``targets``, one number per item: the standardised supervision u(y) of `rankproof.targets`
for losses that aim at E[u(Y)], or the labels themselves for losses that are defined on labels. `needs` says
which.

What others need of a loss it declares: its claims, what boosting may make use of (`boosting`), a faster loop
for the gradient alone (`gradient_kernel`), its form in torch (`torch_form`). All but the claims have defaults
that hold for any loss. A declaration speaks of the class that makes it and of no class derived from it, which
may have another kernel: see `declared`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, fields
from types import FunctionType, MethodType
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
    frozen,
)
from rankproof.claims import Claim, Claims
from rankproof.errors import ArgumentError, DataError
from rankproof.losses.boosting import Boosting
from rankproof.metrics.parameters import written
from rankproof.plain import html_table, json_text, plain_number
from rankproof.registry import Registry
from rankproof.targets.base import Target
from rankproof.threads import chunks_by_items, run, using

__all__ = [
    "ITEM_BY_ITEM",
    "LOSSES",
    "TIMES_TARGET",
    "GradientKernel",
    "Loop",
    "Loss",
    "LossResult",
    "Needs",
    "linear",
    "not_linear",
    "registered",
]

# (low, high, values, gradient, hessian): fill for the queries low..high; an empty hessian is not wanted.
Loop = Callable[[int, int, Float64s, Float64s, Float64s], None]
# (low, high, factor, gradient): see `Loss.gradient_kernel`.
GradientKernel = Callable[[int, int, Float64s, NDArray[np.floating[Any]]], bool]
# "target": a number per item, u(y); "nonnegative target": the same, never below 0; "labels": the grades.
Needs = Literal["target", "nonnegative target", "labels"]

LOSSES: Registry[type[Loss]] = Registry("loss")
# Why weights of items leave the minimum of a loss alone, or do not; see `Loss`.
ITEM_BY_ITEM = "every item has a term of its own, times its weight, whose minimum is where it was"
TIMES_TARGET = "weights multiply targets, so it sorts by the weight times the mean of the target"
_NOTHING = np.empty(0)


@dataclass(frozen=True, eq=False)
class LossResult:
    """Value, per query and in all, and the derivatives with respect to every score."""

    value: float
    per_query: Float64s
    gradient: Float64s
    hessian: Float64s | None

    def to_dict(self) -> dict[str, Any]:
        """Plain data; None stands for numbers that are not finite, and for no second derivatives."""
        per_query, gradient = (list(map(plain_number, a.tolist())) for a in (self.per_query, self.gradient))
        hessian = None if self.hessian is None else list(map(plain_number, self.hessian.tolist()))
        value = plain_number(self.value)
        return {"value": value, "per_query": per_query, "gradient": gradient, "hessian": hessian}

    def to_json(self) -> str:
        """`to_dict` as JSON text."""
        return json_text(self.to_dict())

    def to_frame(self, backend: str = "pandas") -> Any:
        """A pandas, polars or pyarrow frame: one row per item, with the derivatives."""
        from rankproof.data.frames import frame_of

        second = {} if self.hessian is None else {"hessian": self.hessian}
        return frame_of({"gradient": self.gradient, **second}, backend)

    def _repr_html_(self) -> str:
        row = [f"{self.value:.6g}", str(self.per_query.size), str(self.gradient.size)]
        return html_table(["value", "queries", "items"], [row], left=(), title="LossResult")


@dataclass(frozen=True, kw_only=True)
class Loss(ABC):
    """Base of all losses: a function of scores and targets, summed over queries, with its claims.

    Claims (each with a reference, each with a test in ``tests/properties`` that tries to break it):
    ``convex``, ``smooth`` (continuously differentiable), ``shift_invariant`` (adding a number to all scores
    of a query changes nothing), ``bounded_below``, ``order_preserving`` (the minimiser of the expected loss
    sorts as E[targets] does), ``hessian`` ("exact" or "bound" when `hessian_diagonal` is there, else None).
    Losses that take item weights claim ``weights_keep_order``: weights that do not depend on the labels leave
    the minimiser of the expected loss where it is.
    Some losses also claim ``strongly_convex``, a pair (C, norm) or None: without item weights, the expected
    loss of scores s exceeds its least value by C/2 |E[targets] - b|^2 or more, for some b that is sorted by
    every ranking that sorts s. The norm is "l2", "l1.5", ..., or "l1 per mass": the square of the l1 norm
    over the sum of E[targets], which b has too.

    Of its parameters a class lists the words that they may be (``choices``), and values of the others that
    are worth a try (``examples``). Scores of up to ``finite_up_to`` have a value and derivatives that are
    floats; beyond, the true ones need not be. With a method ``formula(self, scores, targets)``, the
    definition for one query in any arithmetic, a loss from outside the library takes part in proofs.

    Parameters
    ----------
    target : Target, optional
        What turns labels into the numbers that the loss reads; without one it reads the labels.

    Examples
    --------
    >>> import rankproof as rp
    >>> squared = rp.loss("squared:nDCG@10")
    >>> squared.target, squared.claims.value("convex")
    (normalised-gain@10, True)
    >>> squared.evaluate([1.0, 3.0], [0.0, 1.0], [0, 2]).value  # (1 - 0)^2 + (3 - 1)^2
    5.0
    """

    name: ClassVar[str]
    aliases: ClassVar[tuple[str, ...]] = ()
    summary: ClassVar[str]
    definition: ClassVar[str]
    reference: ClassVar[str]
    needs: ClassVar[Needs]
    takes_item_weights: ClassVar[bool] = False
    choices: ClassVar[dict[str, tuple[Any, ...]]] = {}
    examples: ClassVar[dict[str, tuple[Any, ...]]] = {}
    finite_up_to: ClassVar[float] = 1e300
    boosting: ClassVar[Boosting] = Boosting()

    target: Target | None = None

    @property
    @abstractmethod
    def claims(self) -> Claims:
        """The facts this loss states about itself."""

    @abstractmethod
    def kernel(self, scores: Float64s, targets: Float64s, offsets: Int64s, item_weights: Float64s) -> Loop:
        """The compiled loop on these arrays; ``item_weights`` is empty when there are none."""

    def loop(self, scores: Float64s, targets: Float64s, offsets: Int64s, item_weights: Float64s) -> Loop:
        """`kernel` on read-only views, whatever the arrays are, so that it compiles for one kind only."""
        return self.kernel(frozen(scores), frozen(targets), frozen(offsets), frozen(item_weights))

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

    def torch_form(
        self,
        scores: Any,  # noqa: ARG002 - for losses that have one
        targets: Any,  # noqa: ARG002
        item_weights: Any,  # noqa: ARG002
        layout: Any,  # noqa: ARG002
    ) -> Any:
        """The loss of every query as a tensor that torch can differentiate, or None without such a form.

        Losses of the library have theirs in `rankproof.torch`. This is for those of others.

        Parameters
        ----------
        scores, targets : tensors of one type and shape
            A number per item: flat, or in padded rows with 0 where no item is.
        item_weights : tensor or None
            In the shape of ``scores``, with 0 where no item is; None when no weights were given.
        layout : BatchLayout
            Which items belong to a query: ``layout.total(x)`` sums over the items of every query,
            ``layout.spread(values)`` puts a number per query at each of its items, and ``layout.sizes`` are
            the numbers of items. It serves flat and padded batches.
        """
        return None

    def linearity(self) -> Claim | None:
        """The claim ``linear_in_target``: whether the loss is linear in what it reads, but for a term without
        scores.

        Then the mean of the loss over labels is, but for a number, the loss on the mean of what it reads, so
        that training on E[u] is training on the law. None: nothing is claimed.
        """
        return None

    @property
    def states_its_claims(self) -> bool:
        """Whether the claims are about this kernel: not those of a loss whose kernel the class replaced."""
        return _states_its_claims(type(self))

    def declared(self, name: str) -> Any:
        """What this very class declares by that name, or else the default of all losses.

        What another loss declares is not inherited: it is true of the kernel of that loss, and a class
        derived from it may have changed the kernel.

        >>> from rankproof.losses.squared import Squared
        >>> class Mine(Squared): ...
        >>> Squared().declared("boosting").constant_hessian, Mine().declared("boosting").constant_hessian
        (True, False)
        """
        value = getattr(type(self) if name in vars(type(self)) else Loss, name)
        return MethodType(value, self) if isinstance(value, FunctionType) else value

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
        with using(threads):
            return self.fast(s, u, starts, w, v, hessian=hessian)

    def fast(
        self,
        scores: Float64s,
        targets: Float64s,
        offsets: Int64s,
        weights: Float64s | None = None,
        item_weights: Float64s = _NOTHING,
        *,
        hessian: bool = False,
    ) -> LossResult:
        """`evaluate` for arrays that are known to be valid: what solvers call at every step."""

        values, gradient = np.zeros(offsets.size - 1), np.zeros(scores.size)
        second = np.zeros(scores.size) if hessian else _NOTHING
        fill = self.loop(scores, targets, offsets, item_weights)
        run(lambda a, b: fill(a, b, values, gradient, second), chunks_by_items(offsets))
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
        result = self.evaluate(scores, targets, offsets, weights=weights, **more)
        return result.value, result.gradient

    def hessian_diagonal(
        self,
        scores: ArrayLike,
        targets: ArrayLike,
        offsets: ArrayLike,
        weights: ArrayLike | None = None,
        **more: Any,
    ) -> Float64s:
        """The second derivative with respect to every single score."""
        second = self.evaluate(scores, targets, offsets, weights=weights, hessian=True, **more).hessian
        if second is None:
            raise ArgumentError(f"Loss {self.name} has no diagonal Hessian.")
        return second

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


def _states_its_claims(cls: type[Loss]) -> bool:
    stated, computed = (
        next(at for at, base in enumerate(cls.__mro__) if name in vars(base)) for name in ("claims", "kernel")
    )
    return stated <= computed


def _written(value: Any) -> str:
    return written(value) if isinstance(value, (str, bool, int, float, tuple)) else str(value)


L = TypeVar("L", bound=type[Loss])


def linear(reference: str) -> Claim:
    """The claim that a loss is linear in what it reads, but for a term without scores."""
    return Claim("linear_in_target", value=True, reference=reference)


def not_linear(reference: str) -> Claim:
    """The claim that it is not."""
    return Claim("linear_in_target", value=False, reference=reference)


def registered(cls: L) -> L:
    """Class decorator: put a loss into the registry.

    A class derived from another loss, with a kernel of its own, must state its own claims.
    """
    if not _states_its_claims(cls):
        raise ArgumentError(
            f"The class {cls.__name__} states no claims of its own: it has those of a loss whose kernel it "
            "replaces. Give it a property claims that is true of its kernel."
        )
    LOSSES.add(cls.name, cls, aliases=cls.aliases)
    return cls
