"""A question to `certify`: which loss, which metric, what is known of the noise, and where to look.

A rule reads the question and answers or passes. What several rules need (the value table; with `once`,
whether a target exists) is computed when it is first asked for.

Few items can mislead: on three items every query has as many pairs of a relevant and another item, so what
serves P@2 serves AUC too, and on four it does not. So can few grades: on two, the label is as good as any
gain. So what seems to hold by trying all cases is tried on one item more, on one grade more, and on both
(`beyond`), and not concluded at all from lists that end before a cutoff (`rankproof.theory.rules.cutoffs`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import factorial
from typing import Any, TypeVar

import numpy as np

from rankproof.errors import ArgumentError, DataError
from rankproof.feedback.spaces import MOST_ITEMS, Space, graded_space, one_grade_more, permutation_space
from rankproof.losses.base import LOSSES, Loss
from rankproof.metrics.base import Metric
from rankproof.theory.base.monotone import is_monotone
from rankproof.theory.base.rounding import FLOATS, spread_of
from rankproof.theory.base.values import AnyMetric, ValueTable, value_table
from rankproof.theory.base.verdict import FUNCTION
from rankproof.theory.custom.loss import UserLoss
from rankproof.theory.custom.metric import UserMetric
from rankproof.theory.shipped.objective import EngineObjective
from rankproof.user_code import is_place

__all__ = ["Question"]

A = TypeVar("A")

# On fewer items AUC is as good as P@2; see above.
LEAST_ITEMS = 4
# Values (rankings times feedback) that are looked at to try one item more: a second or two.
MOST_VALUES = 8_000


@dataclass(frozen=True, eq=False)
class Question:
    """See the module docstring. ``loss`` is None when the question is whether any convex loss will do.

    ``effort`` scales how long counterexamples are searched for. ``shipped`` is the objective of an engine
    that is asked about in place of a loss.
    """

    loss: Loss | UserLoss | None
    metric: AnyMetric
    noise: str | None
    space: Space
    grades: int
    seed: int = 0
    effort: float = 1.0
    shipped: EngineObjective | None = None
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
        return self._with(max(self.space.items + 1, LEAST_ITEMS), self.labels)

    @cached_property
    def wider(self) -> Question | None:
        """The same question with one grade more; None when there can be none, or it is too much to try."""
        if not self.labels or self.noise == "binary" or any(label != int(label) for label in self.labels):
            return None
        return self._with(self.space.items, one_grade_more([int(label) for label in self.labels]))

    @cached_property
    def beyond(self) -> tuple[Question, ...]:
        """With one item more, with one grade more, and with both, as far as that can be tried."""
        both = None if self.wider is None else self.wider.larger
        return tuple(more for more in (self.larger, self.wider, both) if more is not None)

    def _with(self, n: int, labels: tuple[Any, ...]) -> Question | None:
        feedback = len(labels) ** n if labels else factorial(n)
        if n > MOST_ITEMS or self.space.kind == "preferences" or feedback * factorial(n) > MOST_VALUES:
            return None
        if labels and not self._takes(labels):
            return None
        space = graded_space(n, labels) if labels else permutation_space(n)
        more = replace(self, space=space, grades=len(labels) if labels else self.grades)
        before = self.table.values
        try:
            more.table  # noqa: B018 - whether it can be computed
        except (ArgumentError, DataError):
            # A metric need not be made for more items or grades, but a function must be the one it was.
            if value_table(self.metric, self.space).values != before:
                raise
            return None
        return more

    def _takes(self, labels: tuple[Any, ...]) -> bool:
        """Whether the target of the loss is defined on the labels: one of a user's metric lists its own."""
        target = self.loss.target if isinstance(self.loss, Loss) else None
        try:
            if target is not None:
                target.check(np.array([float(label) for label in labels]))
        except DataError:
            return False
        return True

    @cached_property
    def binary(self) -> Question:
        """The same question on labels 0 and 1."""
        return (
            self
            if set(self.labels) <= {0, 1}
            else replace(self, space=graded_space(self.space.items, 2), grades=2)
        )

    @cached_property
    def constant(self) -> bool:
        """Whether every ranking has the same value on the space."""
        return not spread_of(self.table)

    @cached_property
    def monotone(self) -> str | None:
        """Why no exchange that puts a better grade first hurts: the metric's claim, or all cases tried."""
        metric = self.known_metric
        if metric is not None:
            claim = metric.claims.get("monotone")
            return claim.reference if claim is not None and claim.value is True else None
        every = (self, *self.beyond)
        return f"all cases {self.here}" if all(is_monotone(other.table) for other in every) else None

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
    def shown_here(self) -> tuple[str, ...]:
        """The conditions of what was shown by trying all cases."""
        return (self.space.shown, *([FLOATS] if self.table.slack else []))

    @property
    def known_metric(self) -> Metric | None:
        """The metric when it is one of the registry, which makes claims; None for a user's function."""
        return self.metric if isinstance(self.metric, Metric) else None

    def says(self, **more: Any) -> dict[str, Any]:
        """The fields that every verdict on this question shares."""
        loss_text = None if self.loss is None else _stated(self.loss)
        return {
            "loss": loss_text if self.shipped is None else str(self.shipped),
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
