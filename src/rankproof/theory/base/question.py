"""A question to `certify`: which loss, which metric, what is known of the noise, and where to look.

A rule reads the question and answers or passes. What several rules need (the value table; with `once`,
whether a target exists) is computed when it is first asked for.

Few items can mislead: on three items every query has as many pairs of a relevant and another item, so what
serves P@2 serves AUC too, and on four it does not. So what seems to hold by trying all cases is tried on one
item more (`larger`), and not concluded at all from lists that end before a cutoff
(`rankproof.theory.rules.cutoffs`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import factorial
from typing import Any, TypeVar

from rankproof.errors import ArgumentError
from rankproof.feedback.spaces import MOST_ITEMS, Space, graded_space, permutation_space
from rankproof.losses.base import LOSSES, Loss
from rankproof.metrics.base import Metric
from rankproof.theory.base.monotone import is_monotone
from rankproof.theory.base.values import AnyMetric, ValueTable, value_table
from rankproof.theory.base.verdict import FUNCTION
from rankproof.theory.custom.code import is_place
from rankproof.theory.custom.loss import UserLoss
from rankproof.theory.custom.metric import UserMetric

__all__ = ["Question"]

A = TypeVar("A")

# On fewer items AUC is as good as P@2; see above.
LEAST_ITEMS = 4
# Values (rankings times feedback) that are looked at to try one item more: a second or two.
MOST_VALUES = 8_000


@dataclass(frozen=True, eq=False)
class Question:
    """See the module docstring. ``loss`` is None when the question is whether any convex loss will do.

    ``effort`` scales how long counterexamples are searched for.
    """

    loss: Loss | UserLoss | None
    metric: AnyMetric
    noise: str | None
    space: Space
    grades: int
    seed: int = 0
    effort: float = 1.0
    _answers: dict[Any, Any] = field(default_factory=dict, init=False, repr=False)

    @cached_property
    def table(self) -> ValueTable:
        """What the metric gives every ranking on the space."""
        return value_table(self.metric, self.space)

    def once(self, compute: Callable[[Question], A]) -> A:
        """What a function makes of the question, computed when it is first asked for."""
        if compute not in self._answers:
            self._answers[compute] = compute(self)
        answer: A = self._answers[compute]
        return answer

    @cached_property
    def larger(self) -> Question | None:
        """The same question with one item more (at least `LEAST_ITEMS`); None when it is too much to try."""
        n = max(self.space.items + 1, LEAST_ITEMS)
        feedback = len(self.labels) ** n if self.labels else factorial(n)
        if n > MOST_ITEMS or self.space.kind == "preferences" or feedback * factorial(n) > MOST_VALUES:
            return None
        more = replace(self, space=graded_space(n, self.labels) if self.labels else permutation_space(n))
        if isinstance(self.metric, UserMetric):
            before = self.table.values
            try:
                more.table  # noqa: B018 - whether it can be computed
            except ArgumentError:
                # A user's function need not be made for more items, but it must be the one it was.
                if value_table(self.metric, self.space).values != before:
                    raise
                return None
        return more

    @cached_property
    def constant(self) -> bool:
        """Whether every ranking has the same value on the space."""
        first, *others = self.table.values
        pairs = ((a, b) for row in others for a, b in zip(row, first, strict=True))
        return all(abs(a - b) <= 2 * self.table.slack for a, b in pairs)

    @cached_property
    def monotone(self) -> str | None:
        """Why no exchange that puts a better grade first hurts: the metric's claim, or all cases tried."""
        metric = self.known_metric
        if metric is not None:
            claim = metric.claims.get("monotone")
            return claim.reference if claim is not None and claim.value is True else None
        return f"all cases {self.here}" if is_monotone(self.table) else None

    @property
    def granted(self) -> frozenset[str]:
        """The conditions on the law that hold: the one asked for, and what the space itself grants."""
        conditions = {self.noise} if self.noise is not None else set()
        if self.labels and set(self.labels) <= {0, 1}:
            conditions.add("binary")
        return frozenset(conditions)

    @cached_property
    def labels(self) -> tuple[Any, ...]:
        """The grades that occur in the space; none on graphs and permutations."""
        return self.space.labels

    @property
    def scope(self) -> dict[str, Any]:
        """Where facts are decided by trying everything; and whether a user's loss was said to be convex."""
        said = {"convex": self.loss.convex} if isinstance(self.loss, UserLoss) else {}
        return {"items": self.space.items, "grades": self.grades, "feedback": self.space.kind, **said}

    @property
    def here(self) -> str:
        """The space in words."""
        return self.space.description

    @property
    def shown_here(self) -> str:
        """The condition of what was shown by trying all cases."""
        return self.space.shown

    @property
    def known_metric(self) -> Metric | None:
        """The metric when it is one of the registry, which makes claims; None for a user's function."""
        return self.metric if isinstance(self.metric, Metric) else None

    def says(self, **more: Any) -> dict[str, Any]:
        """The fields that every verdict on this question shares."""
        return {
            "loss": None if self.loss is None else _stated(self.loss),
            "metric": _stated(self.metric),
            "noise": self.noise,
            "scope": self.scope,
            **more,
        }


def _stated(thing: Loss | UserLoss | AnyMetric) -> str:
    """What is asked about, as text that names nothing else."""
    own = isinstance(thing, (UserLoss, UserMetric)) and not is_place(str(thing))
    # A class of the user's own under the name of another loss.
    borrowed = isinstance(thing, Loss) and thing.name in LOSSES and not LOSSES.has_class_of(thing)
    return f"{FUNCTION}{thing}" if own or borrowed else str(thing)
