"""`LabelLaw`: the law of one query's label vector given its features, with finitely many outcomes.

It answers what a metric, a target or a scorer is worth *in expectation*, so that nothing about a scorer on
synthetic data needs to be estimated:

>>> law = LabelLaw.from_table({(5, 4): "0.3", (1, 3): "0.7"})
>>> law.expect_exact(lambda y: [2**grade - 1 for grade in y])
(Fraction(10, 1), Fraction(47, 5))
>>> law.expect(lambda labels: 2.0**labels - 1)
array([10. ,  9.4])
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankproof.arrays import Float64s, as_scores, frozen
from rankproof.errors import ArgumentError, DataError
from rankproof.feedback import Law
from rankproof.feedback.expectation import exact_mean
from rankproof.targets.base import Target
from rankproof.targets.parse import target as target_of
from rankproof.worlds.best_ranking import Best, best_ranking, expected_value
from rankproof.worlds.metric_forms import QueryMetric, as_metric_form, higher_is_better, matrix_targets
from rankproof.worlds.metric_values import target_values

__all__ = ["LabelLaw", "TargetLike"]

TargetLike: TypeAlias = str | Target | Callable[[Float64s], ArrayLike]
"""What the methods of a law take for a target; a function maps a matrix of label vectors (rows) to targets
of its shape."""


@dataclass(frozen=True, init=False, repr=False, eq=False)
class LabelLaw:
    """Finitely many label vectors with their probabilities, in float64.

    Parameters
    ----------
    support : matrix of finite numbers, one label vector per row
        The label vectors that can occur; column j holds the labels of item j.
    probabilities : one number per row, not negative, with sum 1
        When all are ints, Fractions or strings such as ``"8/13"``, the sum must be exactly 1 and they are
        kept in ``exact`` (else None); floats may miss 1 by 1e-9 and are divided by their sum.

    Attributes
    ----------
    support, probabilities : float64 arrays
        As given, but read-only; probabilities that were floats are divided by their sum.
    exact : tuple of Fractions, or None
        The probabilities as they were given, when they were exact.

    Notes
    -----
    `expect_exact` is exact. All else is float64 arithmetic on a finite sum over the support: correct to
    machine precision, with no sampling anywhere. A `rankproof.Law` is the exact counterpart, for few items
    and with rational probabilities only; the laws of most worlds are not of that kind, since their
    probabilities are powers of e. `to_law` and `from_table` go from one to the other.

    Examples
    --------
    >>> law = LabelLaw([[5, 4], [1, 3]], ["0.3", "0.7"])
    >>> law.expect("gain"), law.best("nDCG").order, round(law.regret("nDCG", law.expect("gain")), 5)
    (array([10. ,  9.4]), array([1, 0]), 0.15935)
    """

    support: Float64s
    probabilities: Float64s
    exact: tuple[Fraction, ...] | None

    def __init__(self, support: ArrayLike, probabilities: Sequence[Any] | NDArray[Any]) -> None:
        try:
            labels = np.asarray(support, dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise ArgumentError(
                f"Argument support of LabelLaw must be a matrix of numbers: {error}."
            ) from None
        if labels.ndim != 2 or 0 in labels.shape or not np.isfinite(labels).all():
            raise ArgumentError(
                "Argument support of LabelLaw must be a matrix of finite numbers with one label vector "
                f"per row, got shape {labels.shape}."
            )
        floats, exact = _read(probabilities)
        if floats.shape != labels.shape[:1]:
            raise ArgumentError(
                f"A LabelLaw of {labels.shape[0]} label vectors got {floats.size} probabilities."
            )
        mass = floats.sum() if exact is None else sum(exact)
        # Written so that a NaN fails too.
        if not ((floats >= 0).all() and (abs(mass - 1) <= 1e-9 if exact is None else mass == 1)):
            raise DataError(
                f"Probabilities of a LabelLaw must not be negative and have sum 1, got sum {mass}."
            )
        object.__setattr__(self, "support", frozen(labels))
        object.__setattr__(
            self, "probabilities", frozen(floats if exact is not None else floats / floats.sum())
        )
        object.__setattr__(self, "exact", exact)

    @classmethod
    def from_table(cls, table: Mapping[Any, Any] | Iterable[Any]) -> LabelLaw:
        """The law of a table, or of a `Law` on grades.

        Parameters
        ----------
        table : mapping of label vector to probability
            Or any object that iterates over label vectors and gives their probabilities by ``[ ]``, as a
            `Law` does.

        Examples
        --------
        >>> LabelLaw.from_table(Law({(1, 0): "1/3", (0, 1): "2/3"}))
        LabelLaw(2 label vectors of 2 items)
        """
        try:
            pairs = [(tuple(y), table[y]) for y in table]  # type: ignore[index]
        except TypeError:
            raise ArgumentError(
                f"A LabelLaw is made from a mapping of label vectors to probabilities, got {table!r:.80}."
            ) from None
        return cls([y for y, _ in pairs], [p for _, p in pairs])

    @property
    def items(self) -> int:
        """How many items the query has."""
        return int(self.support.shape[1])

    def table(self) -> dict[tuple[int | float, ...], Fraction | float]:
        """``{label vector: probability}``; exact probabilities where known. Whole labels are ints."""
        weights: Sequence[Fraction | float] = self.exact or self.probabilities.tolist()
        table: dict[tuple[int | float, ...], Fraction | float] = {}
        for row, p in zip(self.support.tolist(), weights, strict=True):
            labels = _plain(row)
            table[labels] = table[labels] + p if labels in table else p
        return table

    def to_law(self) -> Law:
        """The same as a `Law`, for the exact questions that `rankproof.theory` answers.

        Examples
        --------
        >>> LabelLaw([[1, 0], [0, 1]], ["1/3", "2/3"]).to_law()
        Law({(1, 0): '1/3', (0, 1): '2/3'})
        """
        if self.exact is None:
            raise ArgumentError(
                "This LabelLaw has float probabilities, and a Law has exact ones. Round them with "
                "Law.from_floats(law.table(), denominator=...)."
            )
        return Law([(_plain(row), p) for row, p in zip(self.support.tolist(), self.exact, strict=True)])

    def expect(self, target: TargetLike) -> Float64s:
        """``E[u(Y)]`` per item, in float64.

        Parameters
        ----------
        target : Target, str or callable
            A target of `rankproof.targets`, its string, or a function that maps a matrix of label vectors
            (rows) to targets of its shape.

        Examples
        --------
        >>> LabelLaw([[1, 0], [1, 1]], ["1/4", "3/4"]).expect("relevance")
        array([1.  , 0.75])
        """
        if isinstance(target, str):
            target = target_of(target)
        if isinstance(target, Target):
            return self.probabilities @ target_values(target, self.support)
        return self.probabilities @ matrix_targets(target, self.support)

    def expect_exact(
        self, function: str | Target | Callable[[tuple[int | float, ...]], Iterable[Any]]
    ) -> tuple[Fraction, ...]:
        """``E[u(Y)]`` per item in Fractions.

        Parameters
        ----------
        function : Target, str or callable
            A target with exact values, its string, or a function that maps one label vector to ints or
            Fractions.

        Examples
        --------
        >>> LabelLaw([[1, 0], [1, 1]], ["1/4", "3/4"]).expect_exact("relevance")
        (Fraction(1, 1), Fraction(3, 4))
        """
        if self.exact is None:
            raise ArgumentError("This LabelLaw has float probabilities, so it has no exact expectation.")
        if isinstance(function, str):
            function = target_of(function)
        definition = function.of_labels if isinstance(function, Target) else function
        rows = [tuple(definition(_plain(row))) for row in self.support.tolist()]
        for value in (value for row in rows for value in row):
            if isinstance(value, float):
                raise ArgumentError(
                    f"expect_exact needs a function that gives ints or Fractions, got {value!r}."
                )
        mean: tuple[Fraction, ...] = exact_mean(list(zip(rows, self.exact, strict=True)))
        return mean

    def value(self, metric: QueryMetric, scores: ArrayLike) -> float:
        """``E[metric(scores, Y)]``.

        Parameters
        ----------
        metric : Metric, str, Positional, Ranked or callable
            A metric of `rankproof.metrics`, its string, or one of the forms of plain functions. A label
            vector that is empty for a `Metric` counts what its ``empty`` says, and 0 with ``empty="skip"``,
            as in `rankproof.regret`.
        scores : array of one number per item
            Higher is better; NaN is refused.

        Examples
        --------
        >>> LabelLaw([[1, 0], [0, 2]], ["1/4", "3/4"]).value("P@1", [2.0, 1.0])
        0.25
        """
        ranking = as_scores(scores, self.items)
        return expected_value(as_metric_form(metric), ranking, self.support, self.probabilities)

    def best(self, metric: QueryMetric) -> Best:
        """The ranking of best expected value.

        It is found by sorting the expected targets for a `Positional`, and for a `Metric` that a target
        standardises under every law; for others by trying all rankings, which is refused above 8 items.
        Among rankings of equal value the first in lexicographic order is given.

        Parameters
        ----------
        metric : Metric, str, Positional, Ranked or callable
            As in `value`.

        Examples
        --------
        >>> LabelLaw([[1, 0], [0, 2]], ["1/4", "3/4"]).best("P@1")
        Best(value=0.75, order=array([1, 0]))
        """
        return best_ranking(as_metric_form(metric), self.support, self.probabilities)

    def regret(self, metric: QueryMetric, scores: ArrayLike) -> float:
        """What ``scores`` lose against the best ranking: not negative, up to rounding.

        For a metric that is better when lower it is the value of the scores minus that of the best ranking.
        Only ``tau(ties=b)``, which rewards ties of scores where labels tie, can be above every ranking.

        Parameters
        ----------
        metric : Metric, str, Positional, Ranked or callable
            As in `value`.
        scores : array of one number per item
            Higher is better; NaN is refused.

        Examples
        --------
        >>> LabelLaw([[1, 0], [0, 2]], ["1/4", "3/4"]).regret("P@1", [2.0, 1.0])
        0.5
        """
        form = as_metric_form(metric)
        gain = self.best(form).value - self.value(form, scores)
        return gain if higher_is_better(form) else 0.0 - gain

    def draw(self, rng: np.random.Generator) -> Float64s:
        """One label vector."""
        chosen: Float64s = self.support[place_of(rng.random(), np.cumsum(self.probabilities))]
        return chosen

    def __repr__(self) -> str:
        return f"LabelLaw({self.support.shape[0]} label vectors of {self.items} items)"


def place_of(draw: float, cumulative: Float64s) -> int:
    """The outcome of a uniform draw; rounding in the last sum cannot lead past the end."""
    return min(int(np.searchsorted(cumulative, draw, side="right")), cumulative.size - 1)


def _read(probabilities: Sequence[Any] | NDArray[Any]) -> tuple[Float64s, tuple[Fraction, ...] | None]:
    """As floats, and exactly when none is a float."""
    if isinstance(probabilities, np.ndarray) and probabilities.dtype.kind == "f":
        return probabilities.astype(np.float64), None
    try:
        if any(isinstance(p, float | np.floating) for p in probabilities):
            return np.array([float(p) for p in probabilities]), None
        exact = tuple(Fraction(int(p) if isinstance(p, np.integer) else p) for p in probabilities)
        return np.array([float(p) for p in exact]), exact
    except (TypeError, ValueError, ZeroDivisionError):
        raise ArgumentError(
            "Probabilities of a LabelLaw must be numbers or strings such as '8/13', "
            f"got {probabilities!r:.80}."
        ) from None


def _plain(row: list[float]) -> tuple[int | float, ...]:
    return tuple(int(label) if label.is_integer() else label for label in row)
