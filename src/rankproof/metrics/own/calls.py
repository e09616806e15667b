"""One call of a user's function, with everything that can go wrong said in terms of the user.

The function gets a ranking (items, best first) and the feedback (``feedback[item]`` is the label of an item).
It must look at labels, not at the numbers of items, so it is called on the items numbered from the top:
ranking 0, 1, 2, ..., and the labels in that order. Whether it really treats all items alike, and gives the
same value again, is tried once per query, with the items numbered the other way round.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from rankproof.errors import MetricCallError, RankproofError
from rankproof.feedback import Graded

__all__ = ["called", "check_alike", "value_of"]

# Sums of the same floats in another order differ by less, beside the larger of the two values, or at all.
ROUNDING, CANCELLED = 1e-9, 1e-12


def called(function: Callable[..., Any], name: str, ranking: tuple[int, ...], feedback: Graded) -> Any:
    """What the function gives: a finite number, or None for feedback that says nothing."""
    try:
        value = function(ranking, feedback)
    except RankproofError:
        raise
    except Exception as error:
        hint = (
            " Nothing was retrieved for the query: leave such queries out with missing='skip'."
            if not ranking
            else " It is called as function(ranking, feedback) and must give a number for every ranking."
        )
        raise MetricCallError(
            f"Metric {name} failed on {_call(ranking, feedback)}: {type(error).__name__}: {error}.{hint}"
        ) from error
    if value is None:
        return None
    if isinstance(value, (int, float)) and math.isfinite(value):
        return value
    try:
        number = float(value) if not isinstance(value, (str, bytes, complex)) else math.nan
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise MetricCallError(
            f"Metric {name} gave {value!r:.60} on {_call(ranking, feedback)}; it must give a finite number, "
            "or None on feedback that says nothing about any ranking."
        )
    return value if hasattr(value, "numerator") else number


def value_of(function: Callable[..., Any], name: str, labels: Sequence[Any] | Graded, ranked: int) -> Any:
    """The value of the ranking 0, 1, 2, ... of the first ``ranked`` items; labels stand in that order."""
    feedback = labels if isinstance(labels, Graded) else Graded(labels)
    return called(function, name, tuple(range(ranked)), feedback)


def check_alike(function: Callable[..., Any], name: str, labels: Graded, ranked: int, value: Any) -> None:
    """Raise `MetricCallError` unless the value is the same with the items numbered the other way round."""
    n = len(labels)
    ranking = tuple(range(n - 1, n - 1 - ranked, -1))
    turned = Graded(tuple(reversed(labels.labels)))
    other = called(function, name, ranking, turned)
    if _same(value, other):
        return
    again = value_of(function, name, labels, ranked)
    here = _call(tuple(range(ranked)), labels)
    if not _same(value, again):
        raise MetricCallError(
            f"Metric {name} is not deterministic: on {here} it gave {value}, then {again}. Take out what is "
            "random or remembered."
        )
    raise MetricCallError(
        f"Metric {name} does not treat all items alike: it gives {value} on {here}, but {other} on "
        f"{_call(ranking, turned)}, which is the same with the items renamed. A metric must look at the "
        "label of an item, feedback[item], not at its number."
    )


def _same(one: Any, other: Any) -> bool:
    if one is None or other is None:
        return one is other
    return bool(abs(one - other) <= ROUNDING * max(abs(one), abs(other)) + CANCELLED)


def _call(ranking: tuple[int, ...], feedback: Graded) -> str:
    shown = [f"{label}" for label in feedback.labels]
    some = f"{', '.join(shown[:12])}, ... ({len(shown)} in all)" if len(shown) > 12 else ", ".join(shown)
    first = f"{', '.join(map(str, ranking[:12]))}, ..." if len(ranking) > 12 else ", ".join(map(str, ranking))
    return f"ranking ({first}), labels ({some})"
