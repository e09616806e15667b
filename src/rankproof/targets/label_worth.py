"""label-worth: what the label of an item is worth, for a metric of the user's own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from fractions import Fraction
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from rankproof.arrays import Float64s, Int64s
from rankproof.claims import Claim
from rankproof.errors import ArgumentError, DataError
from rankproof.metrics.base import Metric, Number
from rankproof.metrics.own.lengths import Misfit, find_misfit
from rankproof.metrics.own.rule import LabelRule
from rankproof.metrics.own.standing import standing_of
from rankproof.metrics.own_metric import OwnMetric
from rankproof.metrics.parameters import choice, written
from rankproof.targets.base import TRIED_ONLY, Target
from rankproof.targets.count_form import CountForm, own_worths

__all__ = ["LabelWorth", "claimed_by_rule", "nearest_target", "reason_of"]

# Where it is proven that a rule whose exchanges all fit is a target.
BUBBLE = "all exchanges of neighbours tried: each gains a multiple >= 0 of u_i - u_j, so bubble sort is best"
# Lists of every length whose own labels are tried as well.
OWN_LISTS = 4
TRIED = "exchanges of neighbours that were drawn fit u_i - u_j, none does not"


@dataclass(frozen=True, kw_only=True, repr=False)
class LabelWorth(Target):
    r"""What a label is worth.

    **Definition.** :math:`u_i = g(y_i) f(y)` with a table g of worths for the labels 0, 1, ..., and a factor
    f(y) >= 0 that all items of a query share, 1 without one. The factor is read off the metric: it is how
    much it changes, beside a list with a single item of another worth, when the best and the worst item of
    the query change places at the two ends of the list.

    Parameters
    ----------
    worths : table
        What the labels 0, 1, 2, ... are worth.
    factor : "none" or "query"
        Whether queries have a factor.
    source : OwnMetric, optional
        The metric that it is the target of; the factor is read off it.
    factors : function of labels, optional
        The factor of a query with these labels, where it is read off something else than ``source``.

    Examples
    --------
    >>> LabelWorth(worths=(0, 1, Fraction(-3, 10))).of_labels([2, 0, 1])
    [Fraction(-3, 10), 0, 1]
    """

    name: ClassVar[str] = "label-worth"
    summary: ClassVar[str] = "what the label is worth to a metric of your own"
    definition: ClassVar[str] = r"u_i = g(y_i) f(y)"
    reference: ClassVar[str] = "found by rankproof.certify_metric"
    choices: ClassVar[dict[str, tuple[Any, ...]]] = {"factor": ("none", "query")}

    worths: tuple[Any, ...] = (0, 1)
    factor: str = "none"
    source: OwnMetric | None = field(default=None, compare=False)
    factors: Callable[[Sequence[Any]], Number] | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        if not isinstance(self.worths, (tuple, list)) or len(self.worths) < 2:
            raise ArgumentError(
                f"Argument worths of label-worth must list what the labels 0, 1, ... are worth, "
                f"got {self.worths!r}."
            )
        object.__setattr__(self, "worths", tuple(map(_plain, self.worths)))
        choice(self.name, "factor", self.factor, self.choices["factor"])

    @property
    def rule(self) -> LabelRule:
        """The worths by label."""
        return LabelRule(tuple(range(len(self.worths))), self.worths, self.factor == "query")

    @property
    def nonnegative(self) -> bool:
        return bool(min(self.worths) >= 0)

    def claims_for(self, metric: Metric) -> tuple[Claim, ...]:
        if not isinstance(metric, OwnMetric) or (metric.standing is None and metric.function is None):
            return ()
        return tuple(claim for target, claim in claimed_by_rule(metric) if target == self)

    @classmethod
    def for_metric(cls, metric: Metric) -> LabelWorth | None:  # noqa: ARG003 - see claimed_by_rule
        return None

    def check(self, labels: Float64s) -> None:
        is_known = np.isin(labels, np.arange(len(self.worths)))
        if not is_known.all():
            raise DataError(
                f"Target {self} has a worth for the labels 0 to {len(self.worths) - 1}, got the label "
                f"{labels[~is_known][0]:g}. Name all labels of the data: grades={int(max(labels)) + 1}."
            )

    def count_form(self, grades: Float64s) -> CountForm | None:
        if self.factor == "query":
            return None
        self.check(grades)
        return own_worths(np.array([float(self.worths[int(grade)]) for grade in grades]))

    def of_labels(self, labels: Sequence[Any]) -> list[Number]:
        factor = self._factor(labels)
        return [self.rule.worth(label) * factor for label in labels]

    def _factor(self, labels: Sequence[Any]) -> Number:
        if self.factor == "query" and self.factors is not None:
            return self.factors(labels)
        valued = None if self.source is None or self.source.function is None else self.source.valued
        factor: Number = self.rule.factor(valued, labels)
        return factor

    def _values(self, labels: Float64s, offsets: Int64s) -> Float64s:
        self._check_lengths(labels, offsets)
        if self.factor == "none":
            return np.array([float(worth) for worth in self.worths])[labels.astype(np.int64)]
        out, factors = np.empty(labels.size), {}
        for a, b in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True):
            own = [int(label) for label in labels[a:b].tolist()]
            key = tuple(sorted(own))
            if key not in factors:
                factors[key] = float(self._factor(own))
            out[a:b] = [float(self.worths[label]) * factors[key] for label in own]
        return out

    def _check_lengths(self, labels: Float64s, offsets: Int64s) -> None:
        """Refuse lists of a length on which the target is none of the metric's, as far as can be tried."""
        metric = self.source
        if metric is None or metric.function is None or standing_of(metric).rule != self.rule:
            return
        lists: dict[int, list[list[int]]] = {}
        for a, b in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True):
            if b - a > 1:
                some = lists.setdefault(b - a, [])
                if len(some) < OWN_LISTS:
                    some.append(labels[a:b].astype(np.int64).tolist())
        for n, own in lists.items():
            misfit = _misfit(metric, self.rule, n, tuple(map(tuple, own)))
            if misfit is not None:
                raise DataError(
                    f"The target {self.rule} of {metric} does not hold on lists of {n} items, as the data "
                    f"have: {misfit}. So nothing is known to optimise {metric} there."
                )

    def __str__(self) -> str:
        inner = [f"worths={written(self.worths)}"]
        inner += ["factor=query"] if self.factor == "query" else []
        return f"{self.name}({','.join(inner)})"

    __repr__ = __str__

    @classmethod
    def parameters(cls) -> list[Any]:
        return [one for one in fields(cls) if one.name not in ("source", "factors")]


@lru_cache(maxsize=4096)
def _misfit(metric: OwnMetric, rule: LabelRule, n: int, own: tuple[tuple[int, ...], ...]) -> Misfit | None:
    """An exchange on lists of n items, drawn or of the data, that does not fit; found out once."""
    valued = metric.valued
    return find_misfit(valued, lambda labels: rule.values(valued, labels), rule.grades, n, own)


def _plain(value: Any) -> Any:
    """A worth as it prints: whole numbers as ints, fractions as they are unless long."""
    if isinstance(value, (int, Fraction)) or float(value).is_integer():
        exact = Fraction(value)
        if exact.denominator == 1:
            return int(exact)
        return exact if exact.denominator <= 10_000 else float(exact)
    return float(value)


def as_target(rule: LabelRule, metric: OwnMetric) -> LabelWorth:
    """The rule as a target of the metric."""
    return LabelWorth(worths=rule.worths, factor="query" if rule.factored else "none", source=metric)


def claimed_by_rule(metric: OwnMetric) -> Iterator[tuple[Target, Claim]]:
    """The targets of a metric of a user's own, with what is known of them: without a condition first."""
    standing = standing_of(metric)
    if standing.rule is not None:
        why = BUBBLE if standing.proven else TRIED
        note = "" if standing.proven else TRIED_ONLY
        claim = Claim("standardizes", value=True, reference=why, note=note, limits=standing.limits)
        yield as_target(standing.rule, metric), claim
    for conditional in standing.conditions:
        limits = f"proven {conditional.proven}; longer lists were not tried"
        yield (
            as_target(conditional.rule, metric),
            Claim("standardizes", value=conditional.condition, reference=BUBBLE, limits=limits),
        )


def nearest_target(metric: Metric) -> LabelWorth | None:
    """What is trained on in place of a metric without a target, if that was asked for."""
    if not isinstance(metric, OwnMetric) or not metric.nearest:
        return None
    standing = standing_of(metric)
    if standing.rule is not None or standing.nearest is None:
        return None
    return as_target(standing.nearest.rule, metric)


def reason_of(metric: Metric) -> str:
    """Why a metric of a user's own has no target, and what is nearest to it."""
    if not isinstance(metric, OwnMetric):
        return ""
    standing = standing_of(metric)
    if standing.nearest is None:
        return standing.reason
    how = "" if metric.nearest else " Ask for it with nearest=True of rankproof.own_metric."
    return f"{standing.reason} There is {standing.nearest}.{how}"
