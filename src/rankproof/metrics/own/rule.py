"""`LabelRule`: a target that is what the label of an item is worth, times a factor that its query shares.

Say a metric has a target u. Then, on lists of one length, its value is const(y) + sum_k c_k u_(item at k)(y)
with weights c_1 >= c_2 >= ... that no label changes (an exchange of neighbours at ranks k and k + 1 gains
lambda_k (u_i - u_j), and lambda_k is the same for all items, since the metric treats them alike). A label
rule says u_i(y) = g(y_i) f(y): a table of worths g, and a factor f(y) >= 0 such as the 1 / max DCG of nDCG.

The factor is read off the metric. Put an item of the best worth first and one of the least worth last, then
exchange the two: the value changes by (c_1 - c_n) f(y) (g_best - g_least). The same change on a list with one
item of another worth than the rest has the same c_1 - c_n, and f is their ratio.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from rankproof.errors import ArgumentError
from rankproof.feedback import Graded
from rankproof.metrics.own.calls import value_of

__all__ = ["LabelRule", "Valued"]


@dataclass(frozen=True)
class Valued:
    """A user's function in gain form: more is better, and feedback that says nothing counts 0."""

    function: Callable[..., Any]
    name: str
    direction: str = "higher"

    def __call__(self, labels: Sequence[Any]) -> Any:
        """The value of a ranking, given the labels from the top down."""
        value = value_of(self.function, self.name, Graded(labels), len(labels))
        if value is None:
            return 0
        return value if self.direction == "higher" else -value

    def exchange(self, labels: Sequence[Any], k: int, m: int) -> Any:
        """What the labels in this order gain over those at places k and m exchanged."""
        other = list(labels)
        other[k], other[m] = other[m], other[k]
        return self(labels) - self(other)


@dataclass(frozen=True)
class LabelRule:
    """What labels are worth: see the module docstring.

    Attributes
    ----------
    grades : the labels, in rising order
    worths : what each of them is worth
    factored : whether a query has a factor; else the factor is 1
    """

    grades: tuple[Any, ...]
    worths: tuple[Any, ...]
    factored: bool = False

    def worth(self, label: Any) -> Any:
        """What one label is worth."""
        try:
            return self.worths[self.grades.index(label)]
        except ValueError:
            labels_text, more = ", ".join(map(str, self.grades)), int(label) + 1 if label >= 0 else "..."
            raise ArgumentError(
                f"The label {label} is not among the labels {labels_text} that the target was found for. "
                f"Name all labels of the data: grades={more}."
            ) from None

    def factor(self, valued: Valued | None, labels: Sequence[Any]) -> Any:
        """f(y) of a query, read off the metric; 1 when there is none."""
        if not self.factored:
            return 1
        if valued is None:
            raise ArgumentError(
                "The target has a factor per query that is read off the metric, and the function of the "
                "metric is not at hand. Give the metric as a function, or as own_metric('file.py:name')."
            )
        own = self._first_to_last(valued, labels)
        if own is None:
            return 0
        reference = self._first_to_last(valued, self.reference(len(labels)))
        if not reference:
            return own
        return own / reference if not isinstance(own, int) else Fraction(own) / reference

    def reference(self, n: int) -> list[Any]:
        """Labels of which one is worth something else than the others."""
        base = self.worths[0]
        other = next(grade for grade, worth in zip(self.grades, self.worths, strict=True) if worth != base)
        return [other, *[self.grades[0]] * (n - 1)]

    def _first_to_last(self, valued: Valued, labels: Sequence[Any]) -> Any:
        """(c_1 - c_n) f(y); None where all labels are worth the same."""
        order = sorted(labels, key=self.worth, reverse=True)
        apart = self.worth(order[0]) - self.worth(order[-1])
        if len(order) < 2 or not apart:
            return None
        return valued.exchange(order, 0, len(order) - 1) / apart

    def values(self, valued: Valued | None, labels: Sequence[Any]) -> list[Any]:
        """u of every item."""
        factor = self.factor(valued, labels)
        return [self.worth(label) * factor for label in labels]

    def __str__(self) -> str:
        table = ", ".join(f"{g} -> {_short(w)}" for g, w in zip(self.grades, self.worths, strict=True))
        return f"{table}, times a factor per query" if self.factored else table


def _short(value: Any) -> str:
    """A worth as one writes it: a fraction with a short decimal form as that."""
    number = float(value)
    text = f"{number:.6g}"
    exact = Fraction(value)
    return text if Fraction(text) == exact or exact.denominator > 10_000 else str(exact)
