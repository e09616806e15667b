"""Tables put together into `RankingData`: a matrix of features, whole queries, checked labels and weights."""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankproof.arrays import Float64s, Int64s
from rankproof.data.forms.arrow import arrow, kind_of
from rankproof.data.forms.columns import ColumnRequest, TakenColumns
from rankproof.data.forms.tables import FormTable
from rankproof.data.forms.values import Place, features_of, numbers_of, texts_of, whole_or_text
from rankproof.data.ranking import RankingData
from rankproof.errors import DataError, DataWarning, FileFormatError
from rankproof.ids import text_ids
from rankproof.shown import quoted
from rankproof.threads import run, thread_count

__all__ = ["GROUPED", "assemble", "check_alike", "taken_of", "whole_queries"]

GROUPED = "Rows of a query stood apart"
# So many rows of so many columns are turned at a time: what is written then lies close together.
_COLUMNS_AT_ONCE, _ROWS_AT_ONCE = 32, 2048
_KINDS = {"label": "a label", "query_weight": "a query weight", "item_weight": "an item weight"}


def taken_of(
    tables: Sequence[FormTable],
    request: ColumnRequest,
    *,
    needs_label: bool = False,
    needs_features: bool = False,
) -> TakenColumns:
    """What is taken of the columns, which all tables must have, with values of the same kind."""
    first = tables[0]
    kinds = {name: kind_of(dtype) for name, dtype in first.types.items()}
    taken = request.taken(
        first.name, kinds, tuple(first.file.keys), needs_label=needs_label, needs_features=needs_features
    )
    check_alike(tables, taken.names)
    return taken


def check_alike(tables: Sequence[FormTable], names: Sequence[str]) -> None:
    """Raise `FileFormatError` for a table that lacks one of the columns, or has other values in it."""
    first, alike = tables[0], "Write all files of the data alike."
    for table in tables[1:]:
        for name in names:
            if name not in table.types:
                raise FileFormatError(
                    table.name,
                    None,
                    f"there is no column {name!r}, which {first.name} has. {alike}",
                )
            here, there = table.types[name], first.types[name]
            if kind_of(here) != kind_of(there) and "null" not in (str(here), str(there)):
                raise FileFormatError(
                    table.name,
                    None,
                    f"column {name!r} is of type {here}, in {first.name} it is of type {there}. {alike}",
                )


@dataclass(eq=False)
class _Parts:
    """The columns that are not features, piece by piece as they are read."""

    queries: list[Any] = field(default_factory=list)
    numbers: dict[str, list[Float64s]] = field(default_factory=dict)
    docs: list[str] = field(default_factory=list)

    def add(self, columns: dict[str, Any], taken: TakenColumns, file: str, row: int) -> None:
        self.queries.append(whole_or_text(columns[taken.query], Place(file, taken.query, row)))
        for role, what in _KINDS.items():
            name = getattr(taken, role)
            if name is not None:
                place = Place(file, name, row)
                values = numbers_of(columns[name], place, what)
                _check(values, place, role, what)
                self.numbers.setdefault(role, []).append(values)
        if taken.doc is not None:
            self.docs += texts_of(columns[taken.doc], Place(file, taken.doc, row))


def assemble(
    tables: Sequence[FormTable], taken: TakenColumns, *, judged: bool = False
) -> tuple[RankingData, Int64s | None]:
    """The data, and the row that every item was, when rows had to be moved to bring queries together.

    ``judged`` refuses rows without a label.
    """
    parts, width = _Parts(), len(taken.features)
    counts = [table.rows for table in tables]
    sized = [count for count in counts if count is not None]
    matrix = _Matrix(sum(sized) if len(sized) == len(counts) else None, width)
    for table in tables:
        row = 0
        for batch in table.batches(taken.names):
            columns = dict(zip(batch.schema.names, batch.columns, strict=True))
            parts.add(columns, taken, table.name, row)
            if judged and taken.label is not None:
                _check_judged(parts.numbers["label"][-1], Place(table.name, taken.label, row))
            matrix.add([(columns[name], Place(table.name, name, row)) for name in taken.features])
            row += batch.num_rows
    items = sum(len(one) for one in parts.queries)
    if items == 0:
        raise FileFormatError(tables[0].name, None, "there are no rows.")
    offsets, ids, order = whole_queries(parts.queries)
    labels: Any = (
        np.concatenate(parts.numbers["label"]) if taken.label is not None else np.full(items, np.nan)
    )
    X: Any = matrix.whole(items) if width else None
    item_weights = np.concatenate(parts.numbers["item_weight"]) if taken.item_weight is not None else None
    query_weights = np.concatenate(parts.numbers["query_weight"]) if taken.query_weight is not None else None
    docs = text_ids(parts.docs) if taken.doc is not None and any(parts.docs) else None
    if order is not None:
        pieces = int((order[1:] != order[:-1] + 1).sum()) + 1
        warnings.warn(
            f"{GROUPED} in {_named(tables)}: {items} rows in {pieces} pieces are now {len(ids)} queries, in "
            "the order of their first rows.",
            DataWarning,
            stacklevel=4,
        )
        labels, X, docs, item_weights, query_weights = (
            None if part is None else part[order] for part in (labels, X, docs, item_weights, query_weights)
        )
    data = RankingData(
        labels=labels,
        offsets=offsets,
        X=X,
        query_ids=ids,
        doc_ids=docs,
        query_weights=None
        if query_weights is None
        else _of_queries(query_weights, offsets, ids, taken, tables),
        item_weights=item_weights,
        feature_names=taken.features or None,
    )
    return data, order


def whole_queries(parts: Sequence[Any]) -> tuple[Int64s, NDArray[Any], Int64s | None]:
    """Where queries start, their ids, and the order that brings the rows of a query together (None: as is).

    ``parts`` are pyarrow arrays of whole numbers, or of text; where both occur all become text.
    """
    pa = arrow()
    if len({str(one.type) for one in parts}) > 1:
        parts = [one.cast(pa.string()) for one in parts]
    column = pa.chunked_array(parts).combine_chunks()
    if isinstance(column, pa.ChunkedArray):
        column = pa.concat_arrays(column.chunks)
    whole = pa.types.is_integer(column.type)
    if whole:
        codes = np.asarray(column.to_numpy(zero_copy_only=False), dtype=np.int64)
    else:
        encoded = column.dictionary_encode()
        codes = np.asarray(encoded.indices.to_numpy(zero_copy_only=False), dtype=np.int64)
    starts = np.concatenate(([0], np.flatnonzero(codes[1:] != codes[:-1]) + 1)).astype(np.int64)
    sizes = np.diff(np.append(starts, codes.size))
    _, first, which = np.unique(codes[starts], return_index=True, return_inverse=True)
    place = np.empty(first.size, dtype=np.int64)
    by_first = np.argsort(first, kind="stable")
    place[by_first] = np.arange(first.size)
    number = place[which]
    names = codes[starts[first[by_first]]]
    order = None
    if first.size < starts.size:
        # Queries in the order of their first row, the rows of a query in the order of the files.
        order = np.argsort(np.repeat(number, sizes), kind="stable").astype(np.int64)
        sizes = np.bincount(number, weights=sizes).astype(np.int64)
    offsets = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
    ids: NDArray[Any] = names if whole else text_ids(encoded.dictionary.take(pa.array(names)).to_pylist())
    return offsets, ids, order


class _Matrix:
    """Rows of features: written where they will stay when their number is known, else kept until it is."""

    def __init__(self, rows: int | None, width: int) -> None:
        self.width, self.row = width, 0
        self.values = None if rows is None else room(rows, width)
        self.kept: list[NDArray[np.float32]] = []

    def add(self, columns: Sequence[tuple[Any, Place]]) -> None:
        if not columns:
            return
        size = len(columns[0][0])
        if self.values is None:
            out = np.empty((size, self.width), dtype=np.float32)
            self.kept.append(out)
        else:
            out = self.values[self.row : self.row + size]
            if len(out) != size:
                raise DataError(f"File {columns[0][1].file!r} was changed while it was read. Read it again.")
        self.row += size

        def work(low: int, high: int) -> None:
            arrays = [features_of(values, place) for values, place in columns[low:high]]
            for start in range(0, size, _ROWS_AT_ONCE):
                rows = slice(start, start + _ROWS_AT_ONCE)
                for k, array in enumerate(arrays, start=low):
                    out[rows, k] = array[rows]

        # As many columns as share a line of the cache are written by one thread.
        step = max(_COLUMNS_AT_ONCE, -(-self.width // (_COLUMNS_AT_ONCE * thread_count())) * _COLUMNS_AT_ONCE)
        run(work, [(low, min(low + step, self.width)) for low in range(0, self.width, step)])

    def whole(self, items: int) -> NDArray[np.float32]:
        if self.values is not None:
            if self.row != len(self.values):
                raise DataError("A file was changed while it was read. Read it again.")
            return self.values
        whole = room(items, self.width)
        row = 0
        while self.kept:
            part = self.kept.pop(0)
            whole[row : row + len(part)] = part
            row += len(part)
        return whole


def room(rows: int, width: int) -> NDArray[np.float32]:
    """An empty matrix; one that no machine of this size can hold is refused."""
    size = 4 * rows * width
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") if hasattr(os, "sysconf") else size
    try:
        if size <= memory:
            return np.empty((rows, width), dtype=np.float32)
    except MemoryError:
        pass
    raise DataError(
        f"A matrix of {rows} rows and {width} features would take {size / 1e9:.3g} GB, more than this "
        "machine has. Take fewer features, or split the data by query and read the parts."
    )


def _check(values: Float64s, place: Place, role: str, what: str) -> None:
    if role == "label":
        bad = np.isinf(values)
        rule = "a label must be finite, or missing where an item was not judged"
    else:
        bad = ~(np.isfinite(values) & (values >= 0))
        rule = f"{what} must be a finite number >= 0"
    if bad.any():
        at = int(np.argmax(bad))
        raise place.error(at, f"{rule}, got {values[at]}. Correct it.")


def _check_judged(labels: Float64s, place: Place) -> None:
    missing = np.isnan(labels)
    if missing.any():
        at = int(np.argmax(missing))
        raise place.error(
            at, "there is no label (null or NaN). Drop items without a judgment, or give them grade 0."
        )


def _of_queries(
    weights: Float64s, offsets: Int64s, ids: NDArray[Any], taken: TakenColumns, tables: Sequence[FormTable]
) -> Float64s:
    first = weights[offsets[:-1]]
    apart = weights != np.repeat(first, np.diff(offsets))
    if apart.any():
        item = int(np.argmax(apart))
        query = int(np.searchsorted(offsets, item, side="right")) - 1
        raise DataError(
            f"{_named(tables)}: column {taken.query_weight!r} must have one weight per query, but query "
            f"{quoted(ids[query])} has {first[query]:g} and {weights[item]:g}."
        )
    return first


def _named(tables: Sequence[FormTable]) -> str:
    return tables[0].name if len(tables) == 1 else f"{tables[0].name} and {len(tables) - 1} more"
