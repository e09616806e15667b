"""Metrics of the library that a user's function may have the values of, and the targets that they bring.

A function that differs between rankings as a metric of the library does, up to a factor, has the same best
rankings under every law. What is known of that metric under a condition then holds for the function, on lists
on which all cases were tried.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rankproof.errors import RankproofError
from rankproof.metrics.base import METRICS, Metric
from rankproof.metrics.own.rule import LabelRule
from rankproof.targets.choose import candidates
from rankproof.theory.base.same_values import same_to_every_law
from rankproof.theory.base.values import ValueTable, value_table
from rankproof.theory.existence.label_rule import label_rule
from rankproof.theory.existence.target_table import target_table

__all__ = ["known_conditions", "library_metrics"]


def library_metrics(items: int) -> Iterator[Metric]:
    """The metrics of the library, with every cutoff that such lists show."""
    for kind in METRICS.values():
        yield kind()
        if "cutoff" in kind.__dataclass_fields__:
            for cutoff in range(1, items):
                yield kind(cutoff=cutoff)  # type: ignore[call-arg]


def known_conditions(tables: Sequence[ValueTable]) -> Iterator[tuple[str, LabelRule, Metric]]:
    """Conditions under which the metric of the library with these values has a target, and worths of labels.

    >>> from fractions import Fraction
    >>> from rankproof.feedback.spaces import graded_space
    >>> def first_hit(ranking, feedback):
    ...     ranks = [k for k, item in enumerate(ranking, start=1) if feedback[item]]
    ...     return Fraction(1, ranks[0]) if ranks else None
    >>> tables = [value_table(first_hit, graded_space(n, 2)) for n in (3, 4)]
    >>> [(condition, str(rule), str(metric)) for condition, rule, metric in known_conditions(tables)][:1]
    [('independent', '0 -> 0, 1 -> 1', 'RR')]
    """
    last = tables[-1]
    for metric in library_metrics(last.space.items):
        try:
            if not all(same_to_every_law(own, value_table(metric, own.space)) for own in tables):
                continue
        except (RankproofError, ValueError):
            # It is about other feedback, or not made for so many grades.
            continue
        for target, claim in candidates(metric):
            table = target_table(target, last.space) if isinstance(claim.value, str) else None
            rule = None if table is None else label_rule(last.space, table.rows)
            if rule is not None and not rule.factored:
                yield str(claim.value), rule, metric
        return
