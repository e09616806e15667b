"""The closed form of a target: which target of the registry a table of numbers is.

Two targets are the same when their differences between items agree up to one positive factor for all
feedback; what is added to all items of a feedback does not matter.

>>> from rankproof.feedback.spaces import graded_space
>>> relevance = tuple(tuple(Fraction(label) for label in y) for y in graded_space(3, 2).feedback)
>>> closed_form("P@2", TargetTable(graded_space(3, 2), relevance))
'relevance'
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import Any

from rankproof.errors import RankproofError
from rankproof.feedback import Graded
from rankproof.feedback.spaces import Space
from rankproof.metrics.base import Metric
from rankproof.targets.base import TARGETS, Target
from rankproof.targets.choose import candidates
from rankproof.theory.arithmetic.metric_fractions import PRECISIONS, in_fractions, root_fraction
from rankproof.theory.base.proofs import TargetTable
from rankproof.theory.base.values import AnyMetric, as_any_metric

__all__ = ["closed_form"]

DISCOUNTS = ("log2", "reciprocal", "ln", "letor")
GAINS = ("exp", "linear")
# Targets in the order in which a reader will recognise them.
SIMPLE_FIRST = ("relevance", "gain", "relevance-share", "normalised-gain", "pair-share")


def closed_form(metric: str | AnyMetric, table: TargetTable, tolerance: Fraction = Fraction(0)) -> str | None:
    """The string of the target that the table is, or None.

    Targets that the metric itself names are tried first, then all of the registry with many parameters.
    Numbers that differ by less than ``tolerance``, where the largest is 1, are the same.
    """
    wanted = _differences(table.rows)
    largest = max((abs(value) for row in wanted for value in row), default=Fraction(0))
    if not largest:
        return None
    wanted = [[value / largest for value in row] for row in wanted]
    for target in _candidates(as_any_metric(metric), table.space):
        if _same(target, table.space, wanted, tolerance):
            return str(target)
    return None


def _candidates(metric: AnyMetric, space: Space) -> Iterator[Target]:
    seen = set()
    named = candidates(metric) if isinstance(metric, Metric) else []
    for target in (*(t for t, claim in named if claim.value is True), *(t for t, _ in named), *_all(space)):
        if target not in seen and space.kind in target.feedback_kinds:
            seen.add(target)
            yield target


def _all(space: Space) -> Iterator[Target]:
    """Every target of the registry, with the parameters that can matter on the space."""
    grades = sorted({grade for y in space.feedback if isinstance(y, Graded) for grade in y})
    values: dict[str, tuple[Any, ...]] = {
        "cutoff": (None, *range(1, space.items)),
        "rel": tuple(grade for grade in grades[1:] if grade > 0) or (1,),
        "gain": GAINS,
        "discount": DISCOUNTS,
        # The highest grade there can be is a factor that all labels share.
        "max_grade": (max(4, *grades),) if grades else (4,),
    }
    names = (*SIMPLE_FIRST, *(name for name in TARGETS if name not in SIMPLE_FIRST))
    for cls in (TARGETS[name] for name in names):
        names_of = [field.name for field in cls.parameters()]
        lists = [
            cls.choices.get(field.name) or values.get(field.name, (field.default,))
            for field in cls.parameters()
        ]
        for chosen in product(*lists):
            yield cls(**dict(zip(names_of, chosen, strict=True)))


def _same(target: Target, space: Space, wanted: list[list[Fraction]], tolerance: Fraction) -> bool:
    scale = Fraction(0)
    try:
        for y, row in zip(space.feedback, wanted, strict=True):
            for difference, want in zip(_ahead(target, space.items, y), row, strict=True):
                if not scale and abs(want) > tolerance:
                    scale = Fraction(difference) / want
                    if scale <= 0:
                        return False
                if abs(difference - scale * want) > tolerance * scale:
                    return False
    except RankproofError:
        return False
    return scale > 0


@lru_cache(maxsize=10_000)
def _ahead(target: Target, items: int, feedback: Any) -> tuple[Fraction, ...]:
    """What the items after the first have more than it."""
    digits = PRECISIONS[0]
    values = _exact(target, items).of_feedback(feedback)
    differences = (value - values[0] for value in values[1:])
    # A share of a root: its square is a fraction.
    return tuple(root_fraction(a, digits) if isinstance(a, float) else Fraction(a) for a in differences)


@lru_cache(maxsize=1_000)
def _exact(target: Target, items: int) -> Target:
    return in_fractions(target, items, PRECISIONS[0])


def _differences(rows: tuple[tuple[Fraction, ...], ...]) -> list[list[Fraction]]:
    return [[value - row[0] for value in row[1:]] for row in rows]
