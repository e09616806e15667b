"""`Judgments`: several grades per item, or probabilities of grades, and how they are to be read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankproof.arrays import Float64s, Int64s, frozen, items_of_queries
from rankproof.errors import ArgumentError, DataError
from rankproof.ids import TextIds, as_ids, as_text, places_of
from rankproof.judgments.columns import Codes, codes_of, grade_places, grouped_items, refuse_repeated
from rankproof.judgments.reading import READINGS, Reading, check_reading
from rankproof.judgments.sheets import Sheets, sheets_of
from rankproof.judgments.smoothing import DirichletPrior, estimate_prior
from rankproof.plain import html_table
from rankproof.shown import listed, quoted

if TYPE_CHECKING:
    from rankproof.data.ranking import RankingData
    from rankproof.judgments.dependence import Dependence
    from rankproof.judgments.expected import ExpectedTarget

__all__ = ["Judgments"]


@dataclass(frozen=True, eq=False, repr=False)
class Judgments:
    """Several judgments per item, in flat arrays, or probabilities of grades; and how they are read.

    Made by `rankproof.read_judgments`, `from_columns`, `from_probabilities` or `from_labels`. Missing
    judgments are normal: a judge may have graded some of the items of a query only.

    Parameters
    ----------
    offsets : array of int64, one more than there are queries
        Query q owns the items ``offsets[q]:offsets[q + 1]``.
    grades : array of float64
        The different grades, rising.
    item, judge, place : arrays of int64, one entry per judgment
        Judgment k is the grade ``grades[place[k]]`` that judge ``judge[k]`` gave to item ``item[k]``. Items
        are numbered through all queries. Empty with soft labels.
    judge_ids : array, one per judge
        The ids of the judges, as they were read.
    query_ids : array, one per query
        All different.
    doc_ids : array of text, one per item
        Different within a query.
    probabilities : array of float64 (items × grades), or None
        Soft labels: P(grade) of every item, which are then all there is.
    reading : "joint", "independent" or None
        ``"joint"``: the grades of one judge over the items of a query are one draw of the labels (people who
        mean different things). ``"independent"``: the grade of every item is a draw of its own (people who
        err). None: not said; whatever depends on it is then refused, and `dependence` tests it.

    Examples
    --------
    >>> import rankproof as rp
    >>> judged = rp.Judgments.from_columns(
    ...     query=["q", "q", "q", "q"], item=["a", "b", "a", "b"], judge=["ann", "ann", "bob", "bob"],
    ...     grade=[2, 0, 1, 1], reading="joint")
    >>> judged
    Judgments(1 queries, 2 items, 2 judges, 4 grades from 0 to 2, joint reading)
    >>> judged.counts.tolist()  # of the grades 0, 1, 2 for items a and b
    [[0, 1, 1], [1, 1, 0]]
    >>> judged.expected_target("nDCG").values  # the mean over the judges of (2^y - 1) / Z(y)
    array([0.8065..., 0.3065...])
    """

    offsets: Int64s
    grades: Float64s
    item: Int64s
    judge: Int64s
    place: Int64s
    judge_ids: NDArray[Any]
    query_ids: NDArray[Any]
    doc_ids: TextIds
    probabilities: Float64s | None = None
    reading: Reading | None = None

    def __post_init__(self) -> None:
        for name in ("offsets", "grades", "item", "judge", "place", "judge_ids", "query_ids", "doc_ids"):
            object.__setattr__(self, name, frozen(getattr(self, name)))
        if self.probabilities is not None:
            object.__setattr__(self, "probabilities", frozen(self.probabilities))
        check_reading(self.reading, soft=self.probabilities is not None)

    @classmethod
    def from_columns(
        cls,
        query: ArrayLike,
        item: ArrayLike,
        judge: ArrayLike,
        grade: ArrayLike,
        *,
        reading: Reading | None = None,
    ) -> Judgments:
        """Judgments of columns with one entry per judgment, in any order.

        A grade that is NaN is no judgment, but its item is one of the query all the same. Queries, and the
        items of a query, come in the order of their first row. The same judge must not grade an item twice.

        Parameters
        ----------
        query, item, judge : arrays of ids
            Whole numbers or text.
        grade : array of numbers
            Finite, or NaN where there is none.
        reading : "joint" or "independent", optional
            See the class.
        """
        number = np.asarray(grade, dtype=np.float64)
        columns = {name: as_ids(ids) for name, ids in (("query", query), ("item", item), ("judge", judge))}
        for name, ids in columns.items():
            if ids.shape != number.shape or number.ndim != 1:
                raise ArgumentError(
                    f"Arguments query, item, judge and grade of Judgments.from_columns must be "
                    f"one-dimensional and of one length, got {name} of shape {ids.shape} and grade of shape "
                    f"{number.shape}."
                )
        if not number.size:
            raise DataError("Judgments need at least one row, got none.")
        if np.isinf(number).any():
            row = int(np.argmax(np.isinf(number)))
            raise DataError(f"The grade of row {row} must be a finite number, got {number[row]}.")
        queries, docs, judges = (codes_of(columns[name]) for name in ("query", "item", "judge"))
        return cls.from_codes(queries, docs, judges, number, reading=reading)

    @classmethod
    def from_codes(
        cls, queries: Codes, docs: Codes, judges: Codes, number: Float64s, *, reading: Reading | None = None
    ) -> Judgments:
        """The same of columns whose ids are numbered already."""
        layout = grouped_items(queries, docs)
        judged = ~np.isnan(number)
        refuse_repeated(layout.item, judges, judged, (queries, docs))
        if not judged.any():
            raise DataError("Judgments need at least one grade, got only rows without one.")
        grades, place = grade_places(number[judged])
        order = np.lexsort((judges.numbers[judged], layout.item[judged]))
        return cls(
            offsets=layout.offsets,
            grades=grades,
            item=layout.item[judged][order],
            judge=judges.numbers[judged][order],
            place=place[order],
            judge_ids=judges.names,
            query_ids=queries.names,
            doc_ids=as_text(docs.names)[layout.doc],
            reading=reading,
        )

    @classmethod
    def from_probabilities(
        cls,
        probabilities: ArrayLike,
        *,
        offsets: ArrayLike | None = None,
        qid: ArrayLike | None = None,
        grades: ArrayLike | None = None,
        query_ids: ArrayLike | None = None,
        doc_ids: ArrayLike | None = None,
    ) -> Judgments:
        """Soft labels: P(grade) of every item, one row per item, as graders that are models give them.

        They say nothing about how the grades of two items go together, so they are read as independent.

        Parameters
        ----------
        probabilities : matrix of numbers >= 0 (items × grades)
            Rows with sum 1 (within 1e-6; they are divided by their sum).
        offsets, qid : array, one of the two
            Where queries start, or the query id of every row.
        grades : array of rising numbers, optional
            What the columns stand for; 0, 1, 2, ... without it.
        query_ids, doc_ids : arrays, optional
            0, 1, 2, ... without them.

        Examples
        --------
        >>> soft = Judgments.from_probabilities([[0.1, 0.9], [0.5, 0.5]], offsets=[0, 2])
        >>> soft.expected_target("nDCG").values  # .9 (.5 + .5 / 1.6309...), .5 (.1 + .9 / 1.6309...)
        array([0.7259..., 0.3259...])
        """
        from rankproof.judgments.soft import from_probabilities

        return from_probabilities(
            probabilities, offsets=offsets, qid=qid, grades=grades, query_ids=query_ids, doc_ids=doc_ids
        )

    @property
    def queries(self) -> int:
        """How many queries there are."""
        return self.offsets.size - 1

    @property
    def items(self) -> int:
        """How many items there are in all."""
        return int(self.offsets[-1])

    @property
    def judges(self) -> int:
        """How many judges there are; 0 with soft labels."""
        return self.judge_ids.size

    @property
    def size(self) -> int:
        """How many grades were given."""
        return self.item.size

    @property
    def sizes(self) -> Int64s:
        """The number of items of every query."""
        return np.diff(self.offsets)

    @property
    def soft(self) -> bool:
        """Whether these are probabilities of grades, not grades."""
        return self.probabilities is not None

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """How often every item got every grade (items × grades)."""
        cells = self.item * self.grades.size + self.place
        many = np.bincount(cells, minlength=self.items * self.grades.size).reshape(self.items, -1)
        return frozen(many.astype(np.int64))

    @cached_property
    def sheets(self) -> Sheets:
        """The grades as sheets: one per query and judge, with gaps where the judge gave none."""
        return sheets_of(self.offsets, self.item, self.judge, self.place, self.grades)

    @cached_property
    def prior(self) -> DirichletPrior:
        """The Dirichlet prior that few grades are smoothed with, its strength estimated from the data."""
        return estimate_prior(self.counts)

    def marginals(self, *, smooth: bool = True) -> Float64s:
        """P(grade) of every item (items × grades).

        Parameters
        ----------
        smooth : bool
            Shrink items with few grades to the pool, by `prior`. Without it they are the shares of the grades
            as they are, and an item without a grade is an error. Soft labels are always as they are.
        """
        if self.probabilities is not None:
            return self.probabilities
        if smooth:
            return self.prior.smoothed(self.counts)
        total = self.counts.sum(axis=1, keepdims=True)
        if not total.all():
            raise DataError(
                f"{self.name_of(int(np.argmin(total[:, 0] > 0)))} has no grade, so it has no shares "
                "of grades. Smooth them (smooth=True), or leave the item out."
            )
        shares: Float64s = self.counts / total
        return shares

    def with_reading(self, reading: Reading) -> Judgments:
        """The same judgments, read as ``"joint"`` or ``"independent"``."""
        return replace(self, reading=reading)

    def need_reading(self, what: str) -> Reading:
        """The reading; raises `ArgumentError` when it was not said."""
        if self.reading is None:
            raise ArgumentError(
                f"{what} depends on how the judgments are read, and these do not say it. Give "
                f"reading='joint' ({READINGS['joint']}) or reading='independent' "
                f"({READINGS['independent']}), as in judgments.with_reading('joint'); judgments.dependence() "
                "tests which one the data support."
            )
        return self.reading

    def dependence(self, *, permutations: int = 999, seed: int = 0) -> Dependence:
        """Test whether the grades of one judge depend on each other beyond what the items explain.

        See `rankproof.judgments.dependence`.
        """
        from rankproof.judgments.dependence import dependence_of

        return dependence_of(self, permutations=permutations, seed=seed)

    def expected_target(
        self,
        aim: Any,
        *,
        smooth: bool = True,
        gaps: str = "marginal",
        draws: int | None = None,
        seed: int = 0,
    ) -> ExpectedTarget:
        """``E[u(Y)]`` of every item, for a target or the target of a metric.

        See `rankproof.judgments.expected`.
        """
        from rankproof.judgments.expected import expected_target

        return expected_target(self, aim, smooth=smooth, gaps=gaps, draws=draws, seed=seed)

    def name_of(self, item: int) -> str:
        """``item 'd7' of query 'q1'``, for messages."""
        q = int(np.searchsorted(self.offsets, item, side="right")) - 1
        return f"item {quoted(self.doc_ids[item])} of query {quoted(self.query_ids[q])}"

    def query(self, query_id: Any) -> Judgments:
        """The judgments of the query with this id."""
        places = places_of(self.query_ids, query_id)
        if not places.size:
            raise DataError(
                f"There is no query {quoted(query_id)}; the {self.queries} ids start with "
                f"{listed(self.query_ids[:5].tolist(), 5)}."
            )
        return self.take(places[:1])

    def take(self, queries: ArrayLike) -> Judgments:
        """The judgments of some queries by number, in this order; judges and grades keep their numbers."""
        chosen = np.asarray(queries, dtype=np.int64).reshape(-1)
        offsets, items = items_of_queries(self.offsets, chosen)
        return self.rearranged(items, offsets, self.query_ids[chosen], self.doc_ids[items])

    def of_judges(self, judges: ArrayLike) -> Judgments:
        """The judgments of some judges alone, a mask or numbers; queries and items stay as they are."""
        chosen = np.asarray(judges)
        mask = np.zeros(self.judges, np.bool_)
        mask[chosen] = True
        kept = mask[self.judge]
        return replace(self, item=self.item[kept], judge=self.judge[kept], place=self.place[kept])

    def for_data(self, data: RankingData, *, unjudged: str = "error") -> Judgments:
        """The judgments of the items of ``data``, in its order.

        Queries and items are found by their ids, whole numbers also by their digits; items of data without
        document ids are numbered from 0 in each query. Judgments of other items are left out.

        Parameters
        ----------
        data : RankingData
            The data to train on or to evaluate.
        unjudged : "error" or "pool"
            What an item without a judgment is: an error, or one that has the grades of the pool.
        """
        from rankproof.judgments.labels import for_data

        return for_data(self, data, unjudged)

    def rearranged(
        self, items: Int64s, offsets: Int64s, query_ids: NDArray[Any], doc_ids: TextIds
    ) -> Judgments:
        """The judgments of items by number, each at most once, in a new order; -1 is an item without any."""
        bounds = np.append(np.searchsorted(self.item, np.arange(self.items + 1)), 0)
        # An item without judgments has the rows 0:0.
        sizes = np.where(items < 0, 0, bounds[items + 1] - bounds[items])
        item = np.repeat(np.arange(items.size), sizes)
        starts = np.concatenate(([0], np.cumsum(sizes)))
        rows = np.arange(starts[-1]) + np.repeat(bounds[items] - starts[:-1], sizes)
        return replace(
            self,
            offsets=offsets.astype(np.int64),
            item=item,
            judge=self.judge[rows],
            place=self.place[rows],
            query_ids=query_ids,
            doc_ids=doc_ids,
            probabilities=None if self.probabilities is None else self.probabilities[items],
        )

    def __len__(self) -> int:
        return self.queries

    def __iter__(self) -> Iterator[Judgments]:
        return (self.take([q]) for q in range(self.queries))

    def _repr_html_(self) -> str:
        rows = [
            [str(one.query_ids[0]), str(one.items), str(np.unique(one.judge).size), str(one.size)]
            for one in map(self.take, range(min(self.queries, 5)))
        ]
        return html_table(["query", "items", "judges", "grades"], rows, title=repr(self), notes=[])

    def __repr__(self) -> str:
        low, high = self.grades[0], self.grades[-1]
        span = f"from {low:g} to {high:g}"
        what = f"soft labels {span}" if self.soft else f"{self.judges} judges, {self.size} grades {span}"
        reading = "reading not said" if self.reading is None else f"{self.reading} reading"
        return f"Judgments({self.queries} queries, {self.items} items, {what}, {reading})"
