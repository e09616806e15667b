"""`RankingData`: queries with their items, labels and features, validated once and frozen."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankproof.arrays import (
    Float64s,
    Int64s,
    as_labels,
    as_offsets,
    as_weights,
    frozen,
    items_of_queries,
    offsets_from_qid,
    query_of_item,
)
from rankproof.errors import ArgumentError, DataError
from rankproof.ids import TextIds, as_ids, as_text, places_of, spread
from rankproof.plain import html_table
from rankproof.shown import listed, quoted

if TYPE_CHECKING:
    from scipy.sparse import csr_array

__all__ = ["Features", "RankingData", "ranking_data"]

QUERIES_SHOWN, NAMES_SHOWN = 5, 5

Features = Union[NDArray[np.float32], "csr_array[np.float32]"]


@dataclass(frozen=True, eq=False, repr=False)
class RankingData:
    """Queries, each with its items: features, labels, ids and weights.

    Parameters
    ----------
    labels : array of float64, one per item
        Any finite number; NaN marks an item that was not judged.
    offsets : array of int64, one more than there are queries
        Query q owns the items ``offsets[q]:offsets[q + 1]``.
    X : float32 array or CSR array of shape (items, features), optional
        Other numbers are converted to float32. Needed for training, not for evaluation.
    query_ids : array of str or int, one per query, optional
        Unique; 0, 1, 2, ... when not given.
    doc_ids : array of str, one per item, optional
        Names of the items: `rankproof.explain` shows them, and some conventions, such as trec_eval, break
        ties by them. Fixed-width text, or numpy's ``StringDType`` where a long id would make that wasteful.
    query_weights, item_weights : array of float64, optional
        Finite and not negative.
    feature_names : tuple of str, one per feature, optional
        All different. `rankproof.to_frame` names its columns by them.
    expected : Target, optional
        Set where the labels are no grades but the mean of this target under a law of the grades, as
        `rankproof.Judgments` gives it.

    Examples
    --------
    >>> data = RankingData(labels=[2, 0, 1], offsets=[0, 2, 3], query_ids=["q7", "q9"])
    >>> data
    RankingData(2 queries, 3 items, no features)
    >>> data.qids.tolist()
    ['q7', 'q7', 'q9']
    >>> data[1:].labels.tolist()
    [1.0]
    >>> data.query("q7").labels.tolist()
    [2.0, 0.0]
    """

    labels: Float64s
    offsets: Int64s
    X: Features | None = None
    query_ids: NDArray[Any] = None  # type: ignore[assignment]  # filled in when not given
    doc_ids: TextIds | None = None
    query_weights: Float64s | None = None
    item_weights: Float64s | None = None
    feature_names: tuple[str, ...] | None = None
    expected: Any = None

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "labels", frozen(as_labels(self.labels)))
        put(self, "offsets", frozen(as_offsets(self.offsets, self.labels.size)))
        put(self, "query_ids", frozen(_as_query_ids(self.query_ids, self.queries)))
        put(self, "X", _as_features(self.X, self.items))
        if self.doc_ids is not None:
            ids = as_ids(self.doc_ids)
            if ids.shape != (self.items,):
                raise ArgumentError(
                    f"Argument doc_ids must have one id per item ({self.items}), got {ids.shape}."
                )
            put(self, "doc_ids", frozen(as_text(ids)))
        if self.query_weights is not None:
            put(self, "query_weights", frozen(as_weights("query_weights", self.query_weights, self.queries)))
        if self.item_weights is not None:
            put(self, "item_weights", frozen(as_weights("item_weights", self.item_weights, self.items)))
        if self.feature_names is not None:
            put(self, "feature_names", _as_feature_names(self.feature_names, self.features))

    @classmethod
    def from_qid(cls, X: Any, labels: ArrayLike, qid: ArrayLike, **more: Any) -> RankingData:
        """Data from a per-item query column; the items of a query must stand together."""
        offsets = offsets_from_qid(qid)
        return cls(labels=labels, offsets=offsets, X=X, query_ids=as_ids(qid)[offsets[:-1]], **more)  # type: ignore[arg-type]

    @property
    def queries(self) -> int:
        """How many queries there are."""
        return self.offsets.size - 1

    @property
    def items(self) -> int:
        """How many items there are in all."""
        return self.labels.size

    @property
    def features(self) -> int:
        """How many features an item has (0 without X)."""
        return 0 if self.X is None else int(self.X.shape[1])

    @property
    def sizes(self) -> Int64s:
        """The number of items of every query."""
        return np.diff(self.offsets)

    @property
    def qids(self) -> NDArray[Any]:
        """The query id of every item: the ``qid=`` of estimators."""
        return spread(self.query_ids, query_of_item(self.offsets))

    def __len__(self) -> int:
        return self.queries

    def __iter__(self) -> Iterator[RankingData]:
        return (self[q] for q in range(self.queries))

    def __getitem__(self, which: int | slice | ArrayLike) -> RankingData:
        """The data of some queries: a number, a slice (no copy), a mask or a list of numbers."""
        if isinstance(which, (int, np.integer)):
            if not -self.queries <= which < self.queries:
                raise ArgumentError(
                    f"Query number {which} is out of range: there are {self.queries} queries."
                )
            start = int(which) % self.queries
            which = slice(start, start + 1)
        if isinstance(which, slice):
            low, high, step = which.indices(self.queries)
            if step == 1:
                return self._take(slice(low, max(low, high)))
            which = np.arange(low, high, step)
        chosen = np.asarray(which)
        if chosen.dtype == np.bool_:
            if chosen.shape != (self.queries,):
                raise ArgumentError(
                    f"A mask of queries must have {self.queries} entries, got {chosen.shape}."
                )
            chosen = np.flatnonzero(chosen)
        if chosen.size == 0:
            return self._take(slice(0, 0))
        if not np.issubdtype(chosen.dtype, np.integer) or chosen.ndim != 1:
            raise ArgumentError(
                f"Queries are chosen by whole numbers, a slice or a mask, got {chosen.dtype}."
            )
        if chosen.min() < -self.queries or chosen.max() >= self.queries:
            raise ArgumentError(
                f"Query numbers must lie in 0..{self.queries - 1}, got {chosen.min()}..{chosen.max()}."
            )
        return self._take(chosen % self.queries)

    def query(self, query_id: Any) -> RankingData:
        """The data of the query with this id (``"301"`` also finds the whole number 301)."""
        places = np.flatnonzero(self.query_ids == query_id)
        if not places.size:
            places = places_of(self.query_ids, query_id)
        if not places.size:
            raise DataError(
                f"There is no query {quoted(query_id)}; the {self.queries} ids start with "
                f"{listed(self.query_ids[:5].tolist(), 5)}."
            )
        return self[int(places[0])]

    def _take(self, queries: slice | Int64s) -> RankingData:
        """Already validated: cut without checking again."""
        if isinstance(queries, slice):
            low, high = int(self.offsets[queries.start]), int(self.offsets[queries.stop])
            items: slice | Int64s = slice(low, high)
            offsets = self.offsets[queries.start : queries.stop + 1] - low
        else:
            offsets, items = items_of_queries(self.offsets, queries)
        part = object.__new__(RankingData)
        for name, index in (
            ("labels", items),
            ("X", items),
            ("doc_ids", items),
            ("item_weights", items),
            ("query_ids", queries),
            ("query_weights", queries),
        ):
            whole = getattr(self, name)
            cut = None if whole is None else whole[index]
            if isinstance(cut, np.ndarray) and not whole.flags.writeable:
                cut = frozen(cut)
            object.__setattr__(part, name, cut)
        object.__setattr__(part, "offsets", frozen(offsets.astype(np.int64)))
        object.__setattr__(part, "feature_names", self.feature_names)
        object.__setattr__(part, "expected", self.expected)
        return part

    def to_frame(self, backend: Literal["pandas", "polars", "pyarrow"] = "pandas") -> Any:
        """A data frame with one row per item; see `rankproof.to_frame`.

        >>> RankingData(labels=[2, 0], offsets=[0, 2], query_ids=["q7"]).to_frame()
          query  label
        0    q7    2.0
        1    q7    0.0
        """
        from rankproof.data.frames import to_frame

        return to_frame(self, backend)

    def _repr_html_(self) -> str:
        shown = min(self.queries, QUERIES_SHOWN)
        rows = [
            [str(query), str(part.items), str(int(np.isfinite(part.labels).sum())), _range_text(part.labels)]
            for query, part in zip(self.query_ids[:shown].tolist(), self[:shown], strict=True)
        ]
        rest = [f"and {self.queries - shown} queries more"] if shown < self.queries else []
        columns = ["query", "items", "judged", "labels"]
        return html_table(columns, rows, title=repr(self), notes=rest)

    def __repr__(self) -> str:
        if self.X is None:
            features = "no features"
        else:
            features = f"{self.features} features" + ("" if isinstance(self.X, np.ndarray) else " (sparse)")
            if self.feature_names:
                features += f": {_few_names(self.feature_names)}"
        return f"RankingData({self.queries} queries, {self.items} items, {features})"


def ranking_data(
    labels: Float64s,
    offsets: Int64s,
    X: Any = None,
    query_weights: Float64s | None = None,
    item_weights: Float64s | None = None,
    expected: Any = None,
) -> RankingData:
    """`RankingData` of arrays that are known to be valid: nothing is checked, converted, copied or frozen.

    So features keep their type, which may be double precision, or columns of an engine.

    >>> ranking_data(np.array([2.0, 0.0, 1.0]), np.array([0, 2, 3]), np.eye(3))[1].X
    array([[0., 0., 1.]])
    """
    data = object.__new__(RankingData)
    for name, value in (
        *(("labels", labels), ("offsets", offsets), ("X", X), ("query_ids", np.arange(offsets.size - 1))),
        *(("doc_ids", None), ("query_weights", query_weights), ("item_weights", item_weights)),
        *(("feature_names", None), ("expected", expected)),
    ):
        object.__setattr__(data, name, value)
    return data


def _range_text(labels: Float64s) -> str:
    """The lowest and the highest label."""
    judged = labels[np.isfinite(labels)]
    if not judged.size:
        return "none"
    low, high = judged.min(), judged.max()
    return f"{low:g}" if low == high else f"{low:g} to {high:g}"


def _few_names(names: tuple[str, ...]) -> str:
    shown = names if len(names) <= NAMES_SHOWN else (*names[: NAMES_SHOWN - 2], "...", names[-1])
    return ", ".join(shown)


def _as_query_ids(query_ids: Any, queries: int) -> NDArray[Any]:
    if query_ids is None:
        return np.arange(queries)
    ids = as_ids(query_ids)
    if ids.shape != (queries,):
        raise ArgumentError(
            f"Argument query_ids must have one id per query ({queries}), got shape {ids.shape}."
        )
    if ids.dtype.kind not in "iu":
        ids = as_text(ids)
    names, counts = np.unique(ids, return_counts=True)
    if (counts > 1).any():
        raise DataError(f"Query id {quoted(names[np.argmax(counts > 1)])} is given to more than one query.")
    return ids


def _as_feature_names(names: Any, features: int) -> tuple[str, ...]:
    texts = tuple(map(str, names))
    if len(texts) != features or len(set(texts)) != features:
        raise ArgumentError(f"Argument feature_names must give {features} different names, got {len(texts)}.")
    return texts


def _as_features(X: Any, items: int) -> Features | None:
    if X is None:
        return None
    if hasattr(X, "tocsr"):
        from scipy.sparse import csr_array

        matrix: Any = csr_array(X, dtype=np.float32)
        if matrix.shape[0] != items:
            raise ArgumentError(f"X must have one row per item ({items}), got {matrix.shape[0]}.")
        # Views: freezing the arrays themselves would freeze what the caller still holds.
        matrix.data, matrix.indices, matrix.indptr = map(frozen, (matrix.data, matrix.indices, matrix.indptr))
        return matrix  # type: ignore[no-any-return]
    dense = np.asarray(X, dtype=np.float32)
    if dense.ndim != 2 or dense.shape[0] != items:
        raise ArgumentError(
            f"X must be two-dimensional with one row per item ({items}), got shape {dense.shape}."
        )
    return frozen(dense)
