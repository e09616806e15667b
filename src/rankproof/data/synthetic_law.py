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

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice, permutations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankproof.arrays import Float64s, Int64s, as_scores, frozen
from rankproof.data.synthetic_metrics import Positional, QueryMetric, Ranked
from rankproof.errors import ArgumentError, DataError

__all__ = ["Best", "LabelLaw"]

MOST_ITEMS_BY_FORCE = 8
ROWS_AT_ONCE = 65_536


class Best(NamedTuple):
    """The best ranking: its expected value, and its items, best first."""

    value: float
    order: Int64s


@dataclass(frozen=True, init=False, repr=False, eq=False)
class LabelLaw:
    """Finitely many label vectors with their probabilities.

    Parameters
    ----------
    support : matrix of finite numbers, one label vector per row
    probabilities : one number per row, not negative, with sum 1
        When all are ints, Fractions or strings such as ``"8/13"``, the sum must be exactly 1 and they are
        kept in ``exact`` (else None); floats may miss 1 by 1e-9 and are divided by their sum.

    Notes
    -----
    `expect_exact` is exact. All else is float64 arithmetic on a finite sum over the support: correct to
    machine precision, with no sampling anywhere.
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
        """The law of ``{label vector: probability}``, or of any object that iterates over label vectors and
        gives their probabilities by ``[ ]``, as a `Law` on grades does."""
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
        return {_plain(row): p for row, p in zip(self.support.tolist(), weights, strict=True)}

    def expect(self, target: Callable[[Float64s], ArrayLike]) -> Float64s:
        """``E[u(Y)]`` per item; ``target`` maps a matrix of label vectors (rows) to targets of its shape."""
        return self.probabilities @ Positional(target, np.ones_like).targets(self.support)

    def expect_exact(
        self, function: Callable[[tuple[int | float, ...]], Iterable[Any]]
    ) -> tuple[Fraction, ...]:
        """``E[u(Y)]`` per item in Fractions; ``function`` maps one label vector to ints or Fractions."""
        if self.exact is None:
            raise ArgumentError("This LabelLaw has float probabilities, so it has no exact expectation.")
        rows = [tuple(function(_plain(row))) for row in self.support.tolist()]
        for value in (value for row in rows for value in row):
            if isinstance(value, float):
                raise ArgumentError(
                    f"expect_exact needs a function that gives ints or Fractions, got {value!r}."
                )
        return tuple(
            sum((p * Fraction(value) for p, value in zip(self.exact, column, strict=True)), start=Fraction(0))
            for column in zip(*rows, strict=True)
        )

    def value(self, metric: QueryMetric, scores: ArrayLike) -> float:
        """``E[metric(scores, Y)]``."""
        ranking = as_scores(scores, self.items)
        if isinstance(metric, Positional):
            return metric.at(ranking, self.expect(metric.target))
        if isinstance(metric, Ranked):
            return float(self.probabilities @ metric.at(ranking, self.support))
        return float(self.probabilities @ np.array([float(metric(ranking, row)) for row in self.support]))

    def best(self, metric: QueryMetric) -> Best:
        """The ranking of highest expected value.

        For a `Positional` metric by sorting the expected targets; for others by trying all rankings, which
        is refused above 8 items. Among rankings of equal value the first in lexicographic order is given.
        """
        if isinstance(metric, Positional):
            targets = self.expect(metric.target)
            order = np.argsort(-targets, kind="stable")
            return Best(float(metric.discounts(self.items) @ targets[order]), order)
        if self.items > MOST_ITEMS_BY_FORCE:
            raise ArgumentError(
                f"The best ranking of {self.items} items is found by trying all, which is refused above "
                f"{MOST_ITEMS_BY_FORCE}. Give a Positional metric, or a world with fewer items."
            )
        values: list[float] = []
        for orders in _chunks(self.items, max(1, ROWS_AT_ONCE // self.support.shape[0])):
            values.extend(self._values_of(metric, orders))
        place = int(np.argmax(values))
        order = np.array(next(islice(permutations(range(self.items)), place, None)))
        return Best(values[place], order)

    def regret(self, metric: QueryMetric, scores: ArrayLike) -> float:
        """What ``scores`` lose against the best ranking: not negative, up to rounding."""
        return self.best(metric).value - self.value(metric, scores)

    def draw(self, rng: np.random.Generator) -> Float64s:
        """One label vector."""
        drawn: Float64s = self.support[place_of(rng.random(), np.cumsum(self.probabilities))]
        return drawn

    def _values_of(
        self, metric: Ranked | Callable[[Float64s, Float64s], float], orders: Int64s
    ) -> list[float]:
        if isinstance(metric, Ranked):
            # labels[s, order] for all orders at once: (orders, label vectors, ranks).
            ranked = np.swapaxes(self.support[:, orders], 0, 1).reshape(-1, self.items)
            return (metric.rows(ranked).reshape(len(orders), -1) @ self.probabilities).tolist()  # type: ignore[no-any-return]
        scores = np.empty(orders.shape)
        np.put_along_axis(scores, orders, np.arange(self.items, 0, -1.0)[None, :], axis=1)
        return [self.value(metric, row) for row in scores]

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


def _chunks(items: int, size: int) -> Iterator[Int64s]:
    orders = permutations(range(items))
    while chunk := list(islice(orders, size)):
        yield np.array(chunk, dtype=np.int64)
