"""A target of one's own: any Python function from the labels of a query to one number per item."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from rankproof.arrays import Float64s, Int64s
from rankproof.claims import Claim
from rankproof.errors import ArgumentError, DataError
from rankproof.metrics.base import Metric, Number
from rankproof.metrics.parse import metric as metric_of
from rankproof.targets.base import CONDITIONS, Target, always, as_condition, under

__all__ = ["UserTarget"]


@dataclass(frozen=True, kw_only=True, repr=False)
class UserTarget(Target):
    """A function of the labels of one query, as given.

    Parameters
    ----------
    function : labels -> numbers
        Called with the list of labels of one query; gives one finite number per item, in the same order.
    metric : Metric or str, optional
        The metric that the target standardises.
    why : str
        The reason why it does, on which the claim then rests; needed with ``metric``.
    condition : str, optional
        The condition under which it does, one of `CONDITIONS`; without it, always.

    Examples
    --------
    >>> clicks = UserTarget(function=lambda y: [2 * grade for grade in y], metric="DCG(gain=linear)",
    ...                     why="twice the gain")
    >>> clicks.of_labels([1, 0, 2])
    [2, 0, 4]
    >>> clicks.standardizes(metric_of("DCG(gain=linear)")).value
    True
    """

    name: ClassVar[str] = "user"
    summary: ClassVar[str] = "a function of the user's"
    definition: ClassVar[str] = r"u = f(y)"
    reference: ClassVar[str] = "the user"

    function: Callable[[list[Any]], Sequence[Any]]
    metric: Metric | str | None = None
    why: str = ""
    condition: str | None = None

    def __post_init__(self) -> None:
        if not callable(self.function):
            raise ArgumentError(
                f"Argument function of UserTarget must be a function of labels, got {self.function!r}."
            )
        if self.metric is not None:
            object.__setattr__(self, "metric", metric_of(self.metric))
            if not self.why:
                raise ArgumentError(
                    f"UserTarget says that it standardises {self.metric}, but not why. Give why=."
                )
        if self.condition is not None:
            object.__setattr__(self, "condition", as_condition(self.condition))

    @property
    def nonnegative(self) -> bool:
        return False

    def claims_for(self, metric: Metric) -> tuple[Claim, ...]:
        if metric != self.metric:
            return ()
        if self.condition is None:
            return (always(self.why),)
        return (under(self.condition, self.why, note=CONDITIONS[self.condition]),)

    @classmethod
    def for_metric(cls, metric: Metric) -> None:  # noqa: ARG003
        return None

    def of_labels(self, labels: Sequence[Any]) -> list[Number]:
        values = list(self.function(list(labels)))
        if len(values) != len(labels):
            raise DataError(
                f"Target {self} must give one number per item, got {len(values)} for {len(labels)} labels."
            )
        for i, value in enumerate(values):
            if not isinstance(value, (int, float, np.number)) and not hasattr(value, "numerator"):
                raise DataError(f"Target {self} must give numbers, got {value!r} at item {i} of {labels!r}.")
            if not math.isfinite(value):
                raise DataError(f"Target {self} must be finite, got {value} at item {i} of {labels!r}.")
        return values

    def _values(self, labels: Float64s, offsets: Int64s) -> Float64s:
        out = np.empty(labels.size)
        for a, b in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True):
            out[a:b] = [float(value) for value in self.of_labels(labels[a:b].tolist())]
        return out

    def __str__(self) -> str:
        return f"user:{getattr(self.function, '__name__', type(self.function).__name__)}"

    __repr__ = __str__
