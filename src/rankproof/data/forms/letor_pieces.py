"""LETOR text as record batches, piece by piece, so that little of a large file is in memory at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankproof.data.forms.arrow import arrow
from rankproof.data.letor.errors import fault_of
from rankproof.data.letor.queries import QueryFinder
from rankproof.data.letor.rows import Counts, LetorText, count, parse
from rankproof.errors import FileFormatError
from rankproof.files import StrPath

__all__ = ["LetorPieces", "TextQueriesError"]

# Pieces are parsed together until they hold so many cells, or rows.
_CELLS_AT_ONCE, _ROWS_AT_ONCE = 1 << 23, 1 << 17


class TextQueriesError(Exception):
    """A query id that is no whole number came after others that are."""


@dataclass(frozen=True, eq=False)
class LetorPieces:
    """A file of LETOR text; its columns are query, doc (where lines have comments), label, f1, f2, ..."""

    text: LetorText
    counts: Counts

    @classmethod
    def open(cls, path: StrPath) -> LetorPieces:
        """The file, with its rows counted."""
        text = LetorText.open(path, 0)
        counts = count(list(text.pieces))
        if not counts.rows.sum():
            state = "holds no rows" if len(text.content) else "is empty"
            raise FileFormatError(text.name, None, f"the file {state}.")
        return cls(text, counts)

    @property
    def rows(self) -> int:
        """How many rows there are."""
        return int(self.counts.rows.sum())

    @property
    def width(self) -> int:
        """How many features there are."""
        return int(self.counts.greatest_last.max(initial=0))

    def schema(self, *, text_queries: bool) -> Any:
        """The types of the columns."""
        pa = arrow()
        docs = [("doc", pa.string())] if self.counts.comments.any() else []
        features = [(f"f{k + 1}", pa.float32()) for k in range(self.width)]
        query = pa.string() if text_queries else pa.int64()
        return pa.schema([("query", query), *docs, ("label", pa.float64()), *features])

    def batches(self, *, text_queries: bool) -> Iterator[Any]:
        """Record batches of whole pieces; `TextQueriesError` when query ids are text after all."""
        rows, low = self.counts.rows, 0
        most = max(1, min(_ROWS_AT_ONCE, _CELLS_AT_ONCE // max(1, self.width)))
        while low < rows.size:
            high = low + 1
            while high < rows.size and rows[low : high + 1].sum() <= most:
                high += 1
            if rows[low:high].sum():
                yield self._batch(low, high, text_queries)
            low = high

    def _batch(self, low: int, high: int, text_queries: bool) -> Any:
        pa = arrow()
        pieces = list(self.text.pieces[low:high])
        own = Counts(
            *(
                getattr(self.counts, name)[low:high]
                for name in ("rows", "values", "comments", "least_last", "greatest_last")
            )
        )
        parsed = parse(pieces, own, self.width, sparse=False)
        if parsed.bad is not None:
            bad = parsed.bad
            raise self.text.error(bad.place, fault_of(self.text.line(bad.place), None))
        finder = QueryFinder([self.text], pieces, own.first_row, parsed, [None], query_files_given=False)
        queries = finder.find(group=True)
        if finder.faults:
            raise min(finder.faults, key=lambda fault: fault.row).error
        ids = queries.ids
        if ids is None:
            raise FileFormatError(self.text.name, None, "the rows have no qid.")
        if not text_queries and ids.dtype.kind not in "iu":
            raise TextQueriesError
        places = np.repeat(np.arange(queries.offsets.size - 1), np.diff(queries.offsets))
        if queries.order is not None:
            by_row = np.empty_like(places)
            by_row[queries.order] = places
            places = by_row
        dictionary = pa.array([str(one) for one in ids.tolist()] if text_queries else ids)
        query = dictionary.take(pa.array(places))
        arrays = [query]
        if self.counts.comments.any():
            arrays.append(
                pa.nulls(parsed.labels.size, pa.string())
                if parsed.doc_ids is None
                else pa.array(parsed.doc_ids.tolist(), pa.string())
            )
        arrays.append(pa.array(parsed.labels))
        if self.width:
            columns = np.ascontiguousarray(np.asarray(parsed.X).T)
            arrays += [pa.array(column) for column in columns]
        return pa.record_batch(arrays, schema=self.schema(text_queries=text_queries))
