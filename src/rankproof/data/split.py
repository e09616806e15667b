"""Splits by query: items of one query never land on both sides.

All splits are drawn with numpy's PCG64 from a seed, so a seed gives the same split on every platform.

>>> data = RankingData(labels=[0] * 10, offsets=range(11))
>>> parts = split_queries(data, seed=1)
>>> parts.train, parts.valid.queries, parts.test.queries
(RankingData(6 queries, 6 items, no features), 2, 2)
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, overload

import numpy as np
from numpy.typing import ArrayLike

from rankproof.arrays import Int64s, as_whole_number
from rankproof.data.ranking import RankingData
from rankproof.errors import ArgumentError, DataError

__all__ = ["QueryKFold", "Split", "query_folds", "split_queries"]


class Split(NamedTuple):
    """Three parts of one data set, by query.

    Attributes
    ----------
    train, valid, test : RankingData
    """

    train: RankingData
    valid: RankingData
    test: RankingData


def split_queries(
    data: RankingData, *, train: float = 0.6, valid: float = 0.2, test: float = 0.2, seed: int = 0
) -> Split:
    """Three random parts of the queries, each in the order of the data.

    The shares have sum 1; numbers of queries are rounded down, and queries left over go to the parts with
    the largest remainders (the earlier one among equals).

    Parameters
    ----------
    data : RankingData
        The queries to split; all items of a query go to the same part.
    train, valid, test : float
        The shares of the queries. A share of 0 gives a part without queries; a positive share that would
        get no query is an error.
    seed : int
        The same seed gives the same parts, on any machine.

    Returns
    -------
    Split
        With the fields ``train``, ``valid`` and ``test``.

    Examples
    --------
    >>> data = RankingData(labels=[0] * 5, offsets=range(6))
    >>> [part.queries for part in split_queries(data)]
    [3, 1, 1]
    """
    shares = {"train": train, "valid": valid, "test": test}
    for name, share in shares.items():
        if not (isinstance(share, int | float | np.number) and math.isfinite(share) and share >= 0):
            raise ArgumentError(
                f"Argument {name} of split_queries must be a share from 0 to 1, got {share!r}."
            )
    if abs(math.fsum(shares.values()) - 1) > 1e-9:
        raise ArgumentError(
            f"Shares of split_queries must have sum 1, got train={train}, valid={valid}, test={test}."
        )
    exact = [float(share) * data.queries for share in shares.values()]
    sizes = [math.floor(size) for size in exact]
    for k in sorted(range(3), key=lambda k: sizes[k] - exact[k])[: data.queries - sum(sizes)]:
        sizes[k] += 1
    for (name, share), size in zip(shares.items(), sizes, strict=True):
        if share > 0 and size == 0:
            raise DataError(
                f"The {name} part of split_queries would get no query: {share} of {data.queries} queries. "
                f"Give more queries, a larger share, or {name}=0."
            )
    order = _shuffled(data.queries, seed)
    cuts = np.split(order, np.cumsum(sizes)[:-1])
    return Split(*(data[np.sort(cut)] for cut in cuts))


@overload
def query_folds(
    data: RankingData, folds: int = 5, seed: int = 0, *, index: Literal[False] = False
) -> list[tuple[RankingData, RankingData]]: ...
@overload
def query_folds(
    data: RankingData, folds: int = 5, seed: int = 0, *, index: Literal[True]
) -> list[tuple[Int64s, Int64s]]: ...
def query_folds(
    data: RankingData, folds: int = 5, seed: int = 0, *, index: bool = False
) -> list[tuple[RankingData, RankingData]] | list[tuple[Int64s, Int64s]]:
    """Cross-validation by query: pairs (train, test); every query is in one test part.

    Parameters
    ----------
    data : RankingData
        The queries to split; all items of a query go to the same part.
    folds : int
        How many pairs, at least 2. Sizes of the test parts differ by at most one.
    seed : int
        The same seed gives the same folds, on any machine.
    index : bool
        With True the parts are the numbers of their queries (for ``data[numbers]``), which costs no copy of
        the data.

    Returns
    -------
    list of (train, test)

    Examples
    --------
    >>> data = RankingData(labels=[0] * 5, offsets=range(6))
    >>> [test.tolist() for _, test in query_folds(data, folds=2, index=True)]
    [[2, 3, 4], [0, 1]]
    """
    numbers = _fold_numbers(data.queries, folds, seed)
    if index:
        return numbers
    return [(data[train], data[test]) for train, test in numbers]


@dataclass(frozen=True)
class QueryKFold:
    """Cross-validation by query for scikit-learn: give it as ``cv=`` and the query ids as ``groups=``.

    The same folds as `query_folds`, queries numbered in the order of their first item. Items of a query may
    lie apart. Parts are arrays of item numbers, in increasing order.

    Parameters
    ----------
    folds : int
        How many pairs of parts, at least 2.
    seed : int
        The same seed gives the same folds, on any machine.

    Examples
    --------
    >>> splitter = QueryKFold(folds=2)
    >>> [test.tolist() for _, test in splitter.split(None, groups=["a", "a", "b", "c", "c"])]
    [[0, 1, 3, 4], [2]]
    """

    folds: int = 5
    seed: int = 0

    def __post_init__(self) -> None:
        as_whole_number("folds of QueryKFold", self.folds, 2)
        as_whole_number("seed of QueryKFold", self.seed, 0)

    def split(
        self, X: Any = None, y: Any = None, groups: ArrayLike | None = None
    ) -> Iterator[tuple[Int64s, Int64s]]:
        """Pairs of item numbers (train, test).

        Parameters
        ----------
        X, y : optional
            Looked at for their numbers of rows alone.
        groups : array of one query id per item
            Required; items with the same id are always in the same part.
        """
        if groups is None:
            raise ArgumentError("QueryKFold.split needs groups=, the query id of every item, got None.")
        qid = np.asarray(groups)
        if qid.ndim != 1:
            raise ArgumentError(
                f"Argument groups of QueryKFold.split must be one-dimensional, got {qid.shape}."
            )
        for name, array in (("X", X), ("y", y)):
            rows = None if array is None else array.shape[0] if hasattr(array, "shape") else len(array)
            if rows is not None and rows != qid.size:
                raise ArgumentError(
                    f"Argument groups of QueryKFold.split must have one query id per row of {name} ({rows}), "
                    f"got {qid.size}."
                )
        _, first, which = np.unique(qid, return_index=True, return_inverse=True)
        number = np.argsort(np.argsort(first))[which]
        for _, test in _fold_numbers(first.size, self.folds, self.seed):
            inside = np.isin(number, test)
            yield np.flatnonzero(~inside), np.flatnonzero(inside)

    def get_metadata_routing(self) -> Any:
        """For scikit-learn's metadata routing: ``groups`` is what estimators call ``qid``."""
        from sklearn.utils.metadata_routing import MetadataRequest

        request = MetadataRequest(owner="QueryKFold")
        request.split.add_request(param="groups", alias="qid")
        return request

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:  # noqa: ARG002
        """How many pairs `split` gives."""
        return self.folds


def _shuffled(queries: int, seed: int) -> Int64s:
    seed = as_whole_number("seed", seed, 0)
    return np.random.Generator(np.random.PCG64(seed)).permutation(queries).astype(np.int64)


def _fold_numbers(queries: int, folds: int, seed: int) -> list[tuple[Int64s, Int64s]]:
    folds = as_whole_number("folds", folds, 2)
    if queries < folds:
        raise DataError(f"{folds} folds need at least {folds} queries, got {queries}. Ask for fewer folds.")
    parts = [np.sort(part) for part in np.array_split(_shuffled(queries, seed), folds)]
    everything = np.arange(queries, dtype=np.int64)
    return [(np.setdiff1d(everything, part, assume_unique=True), part) for part in parts]
