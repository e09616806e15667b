"""What is known of a user's metric: its target as a function of labels, where it holds, or why there is none.

All cases are tried on short lists (`rankproof.theory.existence`), and there the answer is a proof. The table
of the target that comes out is read as worths of labels (times a factor of the query), and that rule is
checked again as a target on every one of these spaces. On longer lists exchanges of neighbours are drawn
(`rankproof.metrics.own.lengths`): what they contradict is refused, what they do not is called checked.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import factorial
from typing import Any

from rankproof.errors import ArgumentError, MetricCallError, PrecisionError, RankproofError
from rankproof.feedback import Graded
from rankproof.feedback.spaces import Space, graded_space
from rankproof.metrics.own.lengths import LENGTHS, find_misfit
from rankproof.metrics.own.rule import LabelRule
from rankproof.metrics.own.standing import Conditional, Nearest, Standing
from rankproof.metrics.own_metric import OwnMetric
from rankproof.theory.base.proofs import TargetTable
from rankproof.theory.base.rounding import spread_of
from rankproof.theory.base.values import AnyMetric, ValueTable, as_any_metric, value_table
from rankproof.theory.custom.metric import UserMetric
from rankproof.theory.existence.checks import check_target
from rankproof.theory.existence.decide import Existence, existence_on
from rankproof.theory.existence.label_rule import ROUNDED, label_rule, simple
from rankproof.theory.existence.like_library import known_conditions
from rankproof.theory.existence.nearest import nearest_rule
from rankproof.theory.existence.symmetry import rounded

__all__ = ["decide_standing", "standing_of_function"]

# Labels 0, 1, ..., 4 are those of most data sets; a function that does not take them is asked about fewer.
MOST_GRADES = 5
# On four items, more grades take long; they are tried where fewer items say nothing.
FEW_GRADES = 3
# Values (rankings times feedback) of a space on which all cases are tried.
MOST_VALUES = 16_000
# Floats that differ by less, beside the largest, are sums of the same numbers in another order.
EQUAL = Fraction(1, 10**12)


@lru_cache(maxsize=64)
def decide_standing(metric: OwnMetric) -> Standing:
    """What is known of the metric; see the module docstring.

    >>> from rankproof.metrics.own_metric import own_metric
    >>> def revenue_at_3(ranking, feedback):
    ...     return sum((0, 1, 5)[feedback[item]] for item in ranking[:3])
    >>> standing = decide_standing(own_metric(revenue_at_3))
    >>> str(standing.rule), standing.proven
    ('0 -> 0, 1 -> 1, 2 -> 5', 'on all lists of 2, 3, 4 items with grades 0, 1, 2')
    """
    user = as_any_metric(metric)
    grades = _grades(metric, user)
    tried: list[tuple[ValueTable, Existence]] = []
    for n, many in _sizes(grades):
        if (n, many) not in _sizes(grades)[:3] and any(_tells(existence, grades) for _, existence in tried):
            continue
        table = value_table(user, graded_space(n, many))
        try:
            existence = existence_on(table)
        except PrecisionError as error:
            if spread_of(table) <= EQUAL * table.size:
                # All rankings have one value but for the last digits: such lists say and prove nothing.
                continue
            return Standing(None, reason=f"Whether {metric} has a target is not decided: {error}")
        tried.append((table, existence))
        if existence.outcome in ("none", "undecided"):
            return _without(metric, user, table, existence, grades)
    return _with_rule(metric, tried, grades)


def standing_of_function(user: AnyMetric, grades: int) -> Standing | None:
    """What is known of a function that is asked about with so many grades; None when that cannot be found."""
    if not isinstance(user, UserMetric):
        return None
    metric = OwnMetric(function=user.function, label=user.name, direction=user.direction, grades=grades)
    try:
        return decide_standing(metric)
    except RankproofError:
        return None


def _sizes(grades: int) -> list[tuple[int, int]]:
    """Numbers of items and of grades, the least work first."""
    first = [(2, grades), (3, grades), (4, min(grades, FEW_GRADES))]
    more = [(4, grades), (5, grades)]
    return [*first, *(size for size in more if size not in first and _values(*size) <= MOST_VALUES)]


def _values(items: int, grades: int) -> int:
    """Rankings times feedback."""
    return int(grades**items) * factorial(items)


def _tells(existence: Existence, grades: int) -> bool:
    """Whether the answer says what every label is worth."""
    return (
        existence.outcome == "target" and existence.space.items > 2 and len(existence.space.labels) == grades
    )


def _grades(metric: OwnMetric, user: AnyMetric) -> int:
    """How many grades to look at: as said, or as many as the function takes."""
    if metric.grades is not None:
        value_table(user, graded_space(2, metric.grades))
        return int(metric.grades)
    for grades in range(MOST_GRADES, 2, -1):
        try:
            value_table(user, graded_space(2, grades))
        except ArgumentError:
            continue
        return grades
    value_table(user, graded_space(2, 2))
    return 2


def _with_rule(metric: OwnMetric, tried: list[tuple[ValueTable, Existence]], grades: int) -> Standing:
    """The rule of the longest lists, checked on all of them and tried on longer ones."""
    proven = _words([table.space for table, _ in tried])
    if any(table.slack for table, _ in tried):
        proven += " (up to the rounding of its floats)"
    decided = [(table, existence) for table, existence in tried if existence.target is not None]
    telling = [(table, existence) for table, existence in decided if _tells(existence, grades)]
    if not telling:
        return _read_off(metric, grades, 4)
    table, existence = telling[-1]
    rule = (
        None
        if existence.target is None
        else label_rule(table.space, existence.target.rows, _tolerance(table))
    )
    if rule is None:
        return Standing(
            None,
            reason=f"{metric} has a target {proven}, but what an item is worth there is not a number for its "
            "label times a factor of the query, so it is not known how it goes on for longer lists.",
        )
    for small, smaller in decided:
        wrong = _wrong(small, smaller, rule)
        if wrong is not None:
            reason = f"{metric} has a target {proven}, but not one rule for all of them: {wrong}."
            return Standing(None, reason=reason)
    return _on_longer(metric, rule, proven, tried[-1][0].space.items)


def _on_longer(metric: OwnMetric, rule: LabelRule, proven: str, longest: int) -> Standing:
    valued, lengths, stopped = metric.valued, [], ""
    for n in (n for n in LENGTHS if n > longest):
        try:
            misfit = find_misfit(valued, lambda labels: rule.values(valued, labels), rule.grades, n)
        except MetricCallError as error:
            stopped = f"; on lists of {n} it fails ({error.__cause__ or error})"
            break
        if misfit is not None:
            where = f"the target {rule} {proven}" if proven else f"the target {rule} on shorter lists"
            reason = f"{metric} has {where}, but not on lists of {n} items: {misfit}."
            return Standing(None, reason=reason)
        lengths.append(n)
    if lengths:
        listed = ", ".join(map(str, lengths))
        checked = f"on lists of {listed} items checked on drawn exchanges, not proven{stopped}"
    else:
        checked = f"not tried on longer lists{stopped}"
    return Standing(rule, proven, checked)


def _read_off(metric: OwnMetric, grades: int, longest: int) -> Standing:
    """A rule for a metric that short lists say nothing about, such as one on the first ten places."""
    valued = metric.valued
    for n in (n for n in (*range(longest + 1, 13), 15, 20, 21, 30, 50, 51, 100, 101)):
        labels = [0] * (n - 1)
        try:
            gains = [valued.exchange([grade, *labels], 0, n - 1) for grade in range(grades)]
        except MetricCallError:
            break
        if any(gains):
            break
    else:
        gains = []
    if not any(gains):
        raise ArgumentError(
            f"{metric} gives every ranking of up to 101 items the same value where one label differs from "
            "the others, so there is nothing to decide. Certify it with fewer places or other labels."
        )
    largest = next(gain for gain in gains if gain)
    worths = tuple(simple(gain / abs(largest)) for gain in gains)
    return _on_longer(metric, LabelRule(tuple(range(grades)), worths), "", n - 1)


def _wrong(table: ValueTable, existence: Existence, rule: LabelRule) -> str | None:
    """Why the rule is no target on a space, from a check that knows nothing of how it was found."""
    if existence.target is None:
        return None
    rows = []
    for y, row in zip(table.space.feedback, existence.target.rows, strict=True):
        worths = [Fraction(rule.worth(label)) for label in y]  # type: ignore[union-attr]
        best, least = worths.index(max(worths)), worths.index(min(worths))
        apart = worths[best] - worths[least]
        factor = (row[best] - row[least]) / apart if rule.factored and apart else Fraction(1)
        rows.append(tuple(max(factor, Fraction(0)) * worth for worth in worths))
    return check_target(table, TargetTable(table.space, tuple(rows)))


def _without(
    metric: OwnMetric, user: AnyMetric, table: ValueTable, existence: Existence, grades: int
) -> Standing:
    """Why there is no target, the conditions under which there is one, and what is nearest."""
    conditions = tuple(_conditions(user, grades))
    if existence.outcome == "undecided":
        return Standing(None, reason=existence.reason, conditions=conditions)
    reason = (
        f"No target standardises {metric}: {existence.clash} ({existence.here}); so no convex loss on scores "
        "is consistent with it under every law (Calauzènes & Usunier 2020)."
    )
    exact = rounded(table)
    near = nearest_rule(exact)
    law = " + ".join(f"{p:.3g} {''.join(map(str, y))}" for y, p in near.law)
    nearest = Nearest(
        LabelRule(table.space.labels, near.worths),
        _upwards(near.regret),
        float(spread_of(exact)),
        table.space.description.replace("on ", "on lists of ", 1),
        law,
    )
    return Standing(None, reason=reason, conditions=conditions, nearest=nearest)


def _conditions(user: AnyMetric, grades: int) -> list[Conditional]:
    """Conditions on the law that leave a space on which the decision says that a target exists."""
    conditions = []
    for condition, spaces in {
        "binary": [graded_space(n, 2) for n in (2, 3, 4)] if grades > 2 else [],
        "one relevant": [_one_hot(n) for n in (2, 3, 4, 5)],
    }.items():
        try:
            tables = [value_table(user, space) for space in spaces]
            answers = [(table, existence_on(table)) for table in tables]
        except (ArgumentError, PrecisionError):
            continue
        decided = [(table, existence) for table, existence in answers if existence.target is not None]
        if not decided or any(existence.outcome not in ("target", "trivial") for _, existence in answers):
            continue
        last, answer = decided[-1]
        if answer.target is None:
            continue
        rule = label_rule(last.space, answer.target.rows, _tolerance(last))
        if rule is None or any(_wrong(table, existence, rule) is not None for table, existence in decided):
            continue
        proven = _words(spaces)
        conditions.append(Conditional(condition, rule, proven))
    return [*conditions, *_of_the_library(user, grades, {one.condition for one in conditions})]


def _of_the_library(user: AnyMetric, grades: int, before: set[str]) -> list[Conditional]:
    """Conditions of a metric of the library that has the same values on short lists."""
    try:
        tables = [value_table(user, graded_space(n, min(grades, FEW_GRADES))) for n in (3, 4)]
    except ArgumentError:
        return []
    by_condition: dict[str, Conditional] = {}
    for condition, rule, metric in known_conditions(tables):
        if condition not in before and len(rule.grades) == grades:
            where = f"{_words([table.space for table in tables])}, where it has the values of {metric}"
            by_condition.setdefault(condition, Conditional(condition, rule, where))
    return list(by_condition.values())


def _one_hot(n: int) -> Space:
    """One item of label 1, the others of label 0."""
    return Space("graded", n, tuple(Graded(int(i == k) for i in range(n)) for k in range(n)))


def _tolerance(table: ValueTable) -> Fraction:
    return ROUNDED if table.slack else Fraction(0)


def _upwards(value: Fraction) -> float:
    """A number of five digits that is not below the value."""
    return float(Fraction(-((-value * 10**5) // 1), 10**5))


def _words(spaces: list[Space]) -> str:
    """Spaces in words: ``on all lists of 2, 3 items with grades 0, 1, 2``."""
    sizes: dict[tuple[Any, ...], list[int]] = {}
    for space in spaces:
        sizes.setdefault(space.labels, []).append(space.items)
    parts = [
        f"{', '.join(map(str, items))} items with grades {', '.join(map(str, labels))}"
        for labels, items in sizes.items()
    ]
    return f"on all lists of {' and of '.join(parts)}"
