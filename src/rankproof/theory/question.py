"""A question to `certify`: which loss, which metric, what is known of the noise, and where to look.

A rule reads the question and answers or passes. What several rules need (the value table, whether a target
exists) is computed once, when it is first asked for.

Few items can mislead: on three items every query has as many pairs of a relevant and another item, so what
serves P@2 serves AUC too, and on four it does not. So what seems to hold by trying all cases is tried on one
item more (`larger`), and not concluded at all from lists that end before a cutoff (`past_cutoffs`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import factorial
from typing import Any

from rankproof.errors import ArgumentError
from rankproof.losses.base import LOSSES, Loss
from rankproof.metrics.base import Metric
from rankproof.theory.existence.decide import Existence, target_exists
from rankproof.theory.monotone import is_monotone
from rankproof.theory.sorting import Sorting, sorting_of
from rankproof.theory.spaces import MOST_ITEMS, Space, graded_space, permutation_space
from rankproof.theory.user.code import is_place
from rankproof.theory.user.loss import UserLoss
from rankproof.theory.user.metric import UserMetric
from rankproof.theory.values import AnyMetric, ValueTable, value_table
from rankproof.theory.verdict import FUNCTION

__all__ = ["Question"]

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

    @cached_property
    def table(self) -> ValueTable:
        """What the metric gives every ranking on the space."""
        return value_table(self.metric, self.space)

    @cached_property
    def existence(self) -> Existence:
        """Whether the metric has a target on the space."""
        return target_exists(self.metric, self.space)

    @cached_property
    def sorting(self) -> Sorting | None:
        """What the minimiser of the loss sorts by, where that is known."""
        return sorting_of(self.loss)

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

    @property
    def past_cutoffs(self) -> bool:
        """Whether the lists that are tried are long enough for every cutoff of the metric and of the target.

        It takes one relevant item more than the cutoff, and one that is not, to see what a cutoff does.
        """
        tried = self.space.items if self.larger is None else self.larger.space.items
        aim = None if self.sorting is None else self.sorting.target
        things = (self.metric, aim, getattr(aim, "metric", None))
        ends = [getattr(thing, "cutoff", None) for thing in things]
        tables = [getattr(thing, "discount", None) for thing in things]
        ends += [len(table) for table in tables if isinstance(table, tuple)]
        return all(end is None or end + 2 <= tried for end in ends)

    @cached_property
    def monotone(self) -> str | None:
        """Why no exchange that puts a better grade first hurts: the metric's claim, or all cases tried."""
        known = self.known_metric
        if known is not None:
            claim = known.claims.get("monotone")
            return claim.reference if claim is not None and claim.value is True else None
        return f"all cases {self.here}" if is_monotone(self.table) else None

    @property
    def granted(self) -> frozenset[str]:
        """The conditions on the law that hold: the one asked for, and what the space itself grants."""
        found = {self.noise} if self.noise is not None else set()
        if self.labels and set(self.labels) <= {0, 1}:
            found.add("binary")
        return frozenset(found)

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
        return self.space.words

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
