"""`Law`: a finite distribution over feedback, in exact arithmetic.

What a metric, a target or a loss does on average is decided by the law of the feedback, so every statement
on consistency is a statement on laws. The laws of Table 2 of Calauzènes, Usunier & Gallinari (NIPS 2012):

>>> p = Law({(1, 1, 0): "8/13", (0, 0, 1): "5/13"})
>>> print(p)
probability  y(0)  y(1)  y(2)
       8/13     1     1     0
       5/13     0     0     1
>>> p[1, 1, 0], p[1, 0, 0], p.items, len(p)
(Fraction(8, 13), Fraction(0, 1), 3, 2)
>>> Law.point((1, 1, 0)).mix((0, 0, 1), "5/13") == p
True

Average precision cannot tell the rankings 0, 1, 2 and 2, 0, 1 apart under it, but 0, 2, 1 is worse:

>>> def average_precision(order):
...     def value(y):
...         hits = [rank for rank, item in enumerate(order, start=1) if y[item]]
...         return sum(Fraction(seen, rank) for seen, rank in enumerate(hits, start=1)) / len(hits)
...     return value
>>> [p.expect(average_precision(order)) for order in ((0, 1, 2), (2, 0, 1), (0, 2, 1))]
[Fraction(29, 39), Fraction(29, 39), Fraction(55, 78)]

and the same for graphs, with the pairwise disagreement of the ranking 1, 2, 0:

>>> q = Law.point({(0, 1): 1, (1, 2): 1, (0, 2): 1}).mix({(2, 0): 1}, "3/4")
>>> print(q)
probability  preferences
        1/4  0→1, 0→2, 1→2
        3/4  2→0
>>> q.expect(lambda y: y.weight(0, 1) + y.weight(0, 2) + y.weight(2, 1))
Fraction(1, 2)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any, NoReturn

import numpy as np

from rankproof.arrays import Float64s, as_whole_number, flat_floats
from rankproof.errors import ArgumentError, DataError
from rankproof.feedback.expectation import exact_mean
from rankproof.feedback.graded import Graded
from rankproof.feedback.kinds import Feedback, as_feedback
from rankproof.feedback.law_text import (
    law_cells,
    law_frame,
    law_from_plain,
    law_repr,
    law_table,
    law_to_plain,
    read_law_text,
)
from rankproof.feedback.numbers import ExactLike, Number, NumberLike, as_fraction, as_number
from rankproof.feedback.preferences import PreferenceGraph
from rankproof.feedback.rounding import round_probabilities
from rankproof.feedback.sampling import draw_exactly
from rankproof.plain import html_table, json_text

__all__ = ["Law"]

MOST_PRODUCT_TERMS = 1_000_000


class Law:
    """A distribution over finitely many feedbacks, all of one kind and one number of items.

    Parameters
    ----------
    table : mapping from feedback to probability, or pairs (feedback, probability)
        Feedback is anything `as_feedback` takes. Probabilities are ints, Fractions or strings such as
        ``"8/13"`` or ``"0.3"``, not negative, with sum exactly 1; floats are refused (see `from_floats`).
        Zeros are dropped, and probabilities of equal feedback are added.
    items : int, optional
        The number of items, for preference graphs given as edges that leave out the last items.

    Notes
    -----
    Laws are immutable and hashable; two laws are equal when they give every feedback the same probability,
    in whatever order. The order of the support is the order given. ``law[y]`` is the probability of ``y``,
    0 outside the support.

    Examples
    --------
    >>> law = Law({(1, 1, 0): "8/13", (0, 0, 1): "5/13"})
    >>> law[1, 1, 0], law.expect(lambda y: y[2])
    (Fraction(8, 13), Fraction(5, 13))
    """

    __slots__ = ("_table",)
    _table: dict[Feedback, Fraction]

    def __init__(
        self,
        table: Mapping[Any, ExactLike] | Iterable[tuple[Any, ExactLike]] | Law,
        *,
        items: int | None = None,
    ) -> None:
        total: dict[Feedback, Fraction] = {}
        for thing, probability in _pairs(table):
            y = as_feedback(thing, items=items)
            p = (
                probability
                if type(probability) is Fraction
                else as_fraction(f"probability of {y!r}", probability)
            )
            if p < 0:
                raise ArgumentError(f"Probabilities of a Law must not be negative, got {p} for {y!r}.")
            if p:
                total[y] = total[y] + p if y in total else p
        _check_one_kind(total)
        mass = sum(total.values())
        if mass != 1:
            raise DataError(f"Probabilities of a Law must have sum exactly 1, got {mass}.")
        object.__setattr__(self, "_table", total)

    @classmethod
    def point(cls, y: Any, *, items: int | None = None) -> Law:
        """The law that gives ``y`` probability 1."""
        return cls([(as_feedback(y, items=items), 1)])

    @classmethod
    def product(cls, item_laws: Iterable[Mapping[NumberLike, ExactLike] | NumberLike]) -> Law:
        """The law of independent grades: one mapping from grade to probability per item (or a certain grade).

        >>> print(Law.product([{1: "2/3", 0: "1/3"}, {2: "1/4", 0: "3/4"}, 1]))
        probability  y(0)  y(1)  y(2)
                1/6     1     2     1
                1/2     1     0     1
               1/12     0     2     1
                1/4     0     0     1
        """
        laws = [_item_law(i, law) for i, law in enumerate(item_laws)]
        if not laws:
            raise ArgumentError("Law.product needs the law of at least one item, got none.")
        size = math.prod(map(len, laws))
        if size > MOST_PRODUCT_TERMS:
            raise ArgumentError(
                f"Law.product of these {len(laws)} items has {size} label vectors, more than "
                f"{MOST_PRODUCT_TERMS}. Take fewer items or fewer grades; or, for the mean of a target, "
                "rankproof.Judgments.from_probabilities, which lists no label vectors."
            )
        # Whole numbers over one divisor: a Fraction per label vector, and not one per factor.
        divisor = math.prod(math.lcm(*(p.denominator for p in law.values())) for law in laws)
        table: list[tuple[tuple[Number, ...], int]] = [((), 1)]
        for law in laws:
            own = math.lcm(*(p.denominator for p in law.values()))
            shares = [(grade, int(p * own)) for grade, p in law.items()]
            table = [((*y, grade), mass * share) for y, mass in table for grade, share in shares]
        # Products of laws are a law: nothing is left to check but the grades.
        whole = object.__new__(cls)
        law_of = {Graded(y): Fraction(mass, divisor) for y, mass in table}
        object.__setattr__(whole, "_table", law_of)
        return whole

    @classmethod
    def from_floats(
        cls,
        table: Mapping[Any, float] | Iterable[tuple[Any, float]],
        *,
        denominator: int,
        items: int | None = None,
    ) -> Law:
        """The law with probabilities in whole multiples of ``1/denominator``, near floats with sum 1.

        See `round_probabilities`: the sum is exactly 1, and a probability may become 0.

        >>> Law.from_floats({(1, 0): 0.3333, (0, 1): 0.6667}, denominator=3)
        Law({(1, 0): '1/3', (0, 1): '2/3'})
        """
        denominator = as_whole_number("denominator of Law.from_floats", denominator, 1)
        pairs = list(_pairs(table))
        rounded = round_probabilities(
            flat_floats("table of Law.from_floats", [p for _, p in pairs]).tolist(), denominator
        )
        return cls([(y, p) for (y, _), p in zip(pairs, rounded, strict=True)], items=items)

    @property
    def support(self) -> tuple[Feedback, ...]:
        """The feedback of positive probability."""
        return tuple(self._table)

    @property
    def probabilities(self) -> tuple[Fraction, ...]:
        """The probabilities, in the order of `support`."""
        return tuple(self._table.values())

    @property
    def items(self) -> int:
        """How many items there are."""
        return next(iter(self._table)).items

    @property
    def kind(self) -> str:
        """The kind of feedback: ``"graded"``, ``"preferences"`` or ``"permutation"``."""
        return next(iter(self._table)).kind

    @property
    def exact(self) -> bool:
        """Whether all feedback is exact (the probabilities always are)."""
        return all(y.exact for y in self._table)

    def __getitem__(self, y: Any) -> Fraction:
        return self._table.get(self._same_kind(y), Fraction(0))

    def __contains__(self, y: Any) -> bool:
        return self._same_kind(y) in self._table

    def __iter__(self) -> Iterator[Feedback]:
        return iter(self._table)

    def __len__(self) -> int:
        return len(self._table)

    def pairs(self) -> Iterator[tuple[Feedback, Fraction]]:
        """The pairs (feedback, probability)."""
        return iter(self._table.items())

    def expect(self, function: Callable[[Any], Any]) -> Any:
        """``E[function(Y)]``: a number, or a tuple when the function gives a sequence.

        Exact (a Fraction) for every component on which the function gives only ints and Fractions; else a
        float, correct to machine precision.

        >>> Law({(5, 4): "0.3", (1, 3): "0.7"}).expect(lambda y: [2**grade - 1 for grade in y])
        (Fraction(10, 1), Fraction(47, 5))
        """
        return exact_mean([(function(y), p) for y, p in self._table.items()])

    def marginal(self, item: int) -> dict[Number, Fraction]:
        """The law of the grade (or the rank) of one item, from the lowest up.

        >>> Law({(1, 0): "1/2", (1, 2): "1/2"}).marginal(0)
        {1: Fraction(1, 1)}
        """
        if not 0 <= item < self.items:
            raise ArgumentError(f"Items of this Law are 0..{self.items - 1}, got {item!r}.")
        law: dict[Number, Fraction] = {}
        for y, p in self._table.items():
            if isinstance(y, PreferenceGraph):
                raise ArgumentError("An item of a preference graph has no grade, so it has no marginal law.")
            law[y[item]] = law.get(y[item], Fraction(0)) + p
        return dict(sorted(law.items()))

    def mix(self, other: Any, a: ExactLike) -> Law:
        """The mixture ``(1 − a)·self + a·other``; ``other`` is a law, or feedback for its point law."""
        share = as_fraction("a of Law.mix", a)
        if not 0 <= share <= 1:
            raise ArgumentError(f"Argument a of Law.mix must lie in 0..1, got {share}.")
        law = other if isinstance(other, Law) else Law.point(other, items=self.items)
        return Law(
            [*((y, (1 - share) * p) for y, p in self.pairs()), *((y, share * p) for y, p in law.pairs())]
        )

    def relabel(self, permutation: Iterable[int]) -> Law:
        """The law of ``Y.relabel(permutation)``, where ``new[i] = old[permutation[i]]``."""
        listed = tuple(permutation)
        return Law([(y.relabel(listed), p) for y, p in self._table.items()])

    def sample(self, size: int, seed: int = 0) -> list[Feedback]:
        """``size`` independent draws with exactly these probabilities; a seed gives the same everywhere."""
        size = as_whole_number("size of Law.sample", size, 0)
        places = draw_exactly(self.probabilities, size, as_whole_number("seed of Law.sample", seed, 0))
        support = self.support
        return [support[place] for place in places]

    def arrays(self) -> tuple[Float64s, Float64s]:
        """Float64 labels (feedback × items) and probabilities, for laws on grades or ranks."""
        if self.kind == PreferenceGraph.kind:
            raise ArgumentError("A law on preference graphs has no label vectors.")
        labels = np.array([[float(value) for value in y] for y in self._table])  # type: ignore[union-attr]
        return labels, np.array([float(p) for p in self._table.values()])

    def to_dict(self) -> dict[str, Any]:
        """A versioned dict of strings, numbers and lists; `from_dict` reads it back."""
        return law_to_plain(self.support, self.probabilities)

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Law:
        """The law that `to_dict` wrote."""
        return cls(law_from_plain(plain), items=plain["items"])

    def to_json(self) -> str:
        """`to_dict` as JSON text; `from_json` reads it back."""
        return json_text(self.to_dict())

    @classmethod
    def from_json(cls, text: str) -> Law:
        """The law that `to_json` wrote.

        >>> Law.from_json(Law.point((1, 0)).to_json())
        Law({(1, 0): 1})
        """
        return cls.from_dict(read_law_text(text))

    def to_frame(self, backend: str = "pandas") -> Any:
        """A pandas, polars or pyarrow frame with one row per feedback.

        The columns are the probability as text and as a float, and then the grades (or the ranks) of the
        items, or the preferences as text.
        """
        return law_frame(self.support, self.probabilities, backend)

    def __eq__(self, other: object) -> bool:
        return self._table == other._table if isinstance(other, Law) else NotImplemented

    def __hash__(self) -> int:
        return hash(frozenset(self._table.items()))

    def __repr__(self) -> str:
        return law_repr(self.support, self.probabilities)

    def __str__(self) -> str:
        return law_table(self.support, self.probabilities)

    def _repr_html_(self) -> str:
        columns, rows = law_cells(self.support, self.probabilities)
        return html_table(columns, rows, left=())

    def __reduce__(self) -> tuple[type[Law], tuple[list[tuple[Feedback, Fraction]]]]:
        return Law, (list(self._table.items()),)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise ArgumentError(f"A Law cannot be changed: {name!r} cannot be set. Make a new Law.")

    def _same_kind(self, y: Any) -> Feedback:
        feedback = as_feedback(y, items=self.items)
        if feedback.kind != self.kind:
            raise ArgumentError(f"This Law is on {self.kind} feedback, got {feedback!r}.")
        return feedback


def _pairs(table: Any) -> Iterable[tuple[Any, Any]]:
    if isinstance(table, Law):
        return table.pairs()
    if isinstance(table, Mapping):
        return table.items()
    try:
        return [(y, p) for y, p in table]
    except (TypeError, ValueError):
        raise ArgumentError(
            "A Law is made from a mapping {feedback: probability} or from pairs (feedback, probability), "
            f"got {table!r:.80}."
        ) from None


def _check_one_kind(table: Iterable[Feedback]) -> None:
    support = list(table)
    for y in support[1:]:
        if y.kind != support[0].kind:
            raise DataError(f"A Law is on feedback of one kind, got {support[0]!r} and {y!r}.")
        if y.items != support[0].items:
            raise DataError(
                f"A Law is on feedback of one number of items, got {support[0].items} in {support[0]!r} "
                f"and {y.items} in {y!r}. For preference graphs, give items=."
            )


def _item_law(item: int, law: Mapping[NumberLike, ExactLike] | NumberLike) -> dict[Number, Fraction]:
    if not isinstance(law, Mapping):
        law = {law: 1}
    table: dict[Number, Fraction] = {}
    for grade, p in law.items():
        share = as_fraction(f"probability of grade {grade!r} of item {item}", p)
        if share < 0:
            raise ArgumentError(f"Probabilities of a Law must not be negative, got {share} for item {item}.")
        if share:
            key = as_number(f"grade of item {item}", grade)
            table[key] = table.get(key, Fraction(0)) + share
    mass = sum(table.values())
    if mass != 1:
        raise DataError(f"Probabilities of item {item} must have sum exactly 1, got {mass}.")
    return table
