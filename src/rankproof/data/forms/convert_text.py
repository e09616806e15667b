"""Rows of tables as LETOR text, some at a time, and as TREC runs and judgments."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from rankproof.data.forms.assemble import whole_queries
from rankproof.data.forms.columns import TakenColumns
from rankproof.data.forms.values import Place, features_of, numbers_of, texts_of, whole_or_text
from rankproof.data.forms.write import Write
from rankproof.data.letor.write import letor_lines
from rankproof.data.ranking import RankingData
from rankproof.data.trec.write import write_qrels, write_run
from rankproof.errors import DataError
from rankproof.files import StrPath, create_bytes

__all__ = ["RowsApartError", "letor_writer", "write_trec"]


class RowsApartError(Exception):
    """Rows of a query stand apart, so that they cannot be written as they come."""


@contextmanager
def letor_writer(path: StrPath, taken: TakenColumns, file: str) -> Iterator[Write]:
    """What writes record batches with these columns as LETOR text; rows of a query must stand together."""
    seen: set[Any] = set()
    last: list[Any] = []
    row = 0
    with create_bytes(path) as out:

        def write(batch: Any) -> None:
            nonlocal row
            columns = dict(zip(batch.schema.names, batch.columns, strict=True))
            if batch.num_rows == 0:
                return
            data = _ranking(columns, taken, file, row)
            ids = data.query_ids.tolist()
            again = ids[1:] if last == ids[:1] else ids
            if not seen.isdisjoint(again):
                raise RowsApartError
            seen.update(ids)
            last[:] = ids[-1:]
            row += batch.num_rows
            out.writelines(letor_lines(data))

        yield write


def _ranking(columns: dict[str, Any], taken: TakenColumns, file: str, row: int) -> RankingData:
    offsets, ids, order = whole_queries([whole_or_text(columns[taken.query], Place(file, taken.query, row))])
    if order is not None:
        raise RowsApartError
    items = int(offsets[-1])
    X = np.empty((items, len(taken.features)), dtype=np.float32)
    for k, name in enumerate(taken.features):
        X[:, k] = features_of(columns[name], Place(file, name, row))
    label = taken.label
    return RankingData(
        labels=np.full(items, np.nan)
        if label is None
        else numbers_of(columns[label], Place(file, label, row), "a label"),
        offsets=offsets,
        X=X if taken.features else None,
        query_ids=ids,
        doc_ids=None
        if taken.doc is None
        else np.array(texts_of(columns[taken.doc], Place(file, taken.doc, row)), dtype=str),
    )


def write_trec(
    path: StrPath, form: str, batches: Iterator[Any], names: Sequence[str], file: str, tag: str
) -> int:
    """A run or judgments of the columns query, document and number; returns how many rows there were."""
    query, doc, number = names
    queries, docs, numbers, row = [], list[str](), [], 0
    for batch in batches:
        columns = dict(zip(batch.schema.names, batch.columns, strict=True))
        queries.append(whole_or_text(columns[query], Place(file, query, row)))
        docs += texts_of(columns[doc], Place(file, doc, row))
        what = "a score" if form == "run" else "a grade"
        values = numbers_of(columns[number], Place(file, number, row), what)
        bad = np.isnan(values) if form == "run" else ~np.isfinite(values)
        if bad.any():
            at = int(np.argmax(bad))
            raise Place(file, number, row).error(
                at, f"{what} must be a number, got {values[at]}. Drop the row."
            )
        numbers.append(values)
        row += batch.num_rows
    if row == 0:
        raise DataError(f"{file}: there are no rows, and a TREC file without lines cannot be read back.")
    offsets, ids, order = whole_queries(queries)
    values = np.concatenate(numbers)
    if order is not None:
        values, docs = values[order], [docs[k] for k in order.tolist()]
    if form == "run":
        write_run(path, ids, docs, values, offsets, tag=tag)
    else:
        write_qrels(path, ids, docs, values, offsets)
    return row
