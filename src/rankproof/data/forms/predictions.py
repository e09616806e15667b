"""Scores for the rows of data: one number per line, or a column of a table."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankproof.arrays import Float64s, Int64s
from rankproof.data.forms.assemble import whole_queries
from rankproof.data.forms.columns import ROLES, missing_column
from rankproof.data.forms.content import files_of, is_table
from rankproof.data.forms.tables import FormTable
from rankproof.data.forms.values import Place, numbers_of, whole_or_text
from rankproof.data.forms.write import write_columns
from rankproof.data.ranking import RankingData
from rankproof.data.scores import in_rows, read_scores
from rankproof.errors import DataError
from rankproof.files import StrPath
from rankproof.ids import spread
from rankproof.shown import quoted

__all__ = ["read_predictions", "write_predictions"]

_SCORE = "score"


def read_predictions(
    path: StrPath, data: RankingData, order: Int64s | None = None, name: str = "the data file"
) -> Float64s:
    """The scores of the items of data, from a file with one for every row.

    Of a table it is the column ``score``, or the only one; a column of query ids must be that of the data.
    ``order`` has the row of every item, when some were moved; ``name`` is what the data are called.
    """
    files = files_of(path)
    if not is_table(files[0].form):
        scores = read_scores(path)
        _check_size(path, scores.size, data, name)
    else:
        scores = _of_tables([FormTable(one) for one in files], data, order, name)
    return scores if order is None else scores[order]


def _of_tables(tables: list[FormTable], data: RankingData, order: Int64s | None, judged: str) -> Float64s:
    first = tables[0]
    only = list(first.types) if len(first.types) == 1 else []
    name = only[0] if only else _SCORE
    if name not in first.types:
        raise missing_column(first.name, "score", name, list(first.types))
    query = next((one for one in ROLES["query"][1] if one in first.types and one != name), None)
    parts, queries = [], []
    for table in tables:
        row = 0
        for batch in table.batches([name] if query is None else [query, name]):
            columns = dict(zip(batch.schema.names, batch.columns, strict=True))
            place = Place(table.name, name, row)
            scores = numbers_of(columns[name], place, "a score")
            if np.isnan(scores).any():
                at = int(np.argmax(np.isnan(scores)))
                raise place.error(at, "there is no score (null or NaN). Score every row.")
            parts.append(scores)
            if query is not None:
                queries.append(whole_or_text(columns[query], Place(table.name, query, row)))
            row += batch.num_rows
    scores = np.concatenate(parts) if parts else np.empty(0)
    _check_size(first.name, scores.size, data, judged)
    if query is not None:
        _check_queries(first.name, query, queries, data, order)
    return scores


def _check_size(path: StrPath, scores: int, data: RankingData, name: str) -> None:
    if scores != data.items:
        raise DataError(f"{path} has {scores} scores, but {name} has {data.items} items.")


def _check_queries(file: str, column: str, parts: list[Any], data: RankingData, order: Int64s | None) -> None:
    offsets, ids, own = whole_queries(parts)
    here = spread(ids, np.repeat(np.arange(ids.size), np.diff(offsets)))
    of_rows = here if own is None else _in_rows(here, own)
    expected = data.qids if order is None else _in_rows(data.qids, order)
    if of_rows.dtype.kind != expected.dtype.kind:
        of_rows, expected = of_rows.astype(str), expected.astype(str)
    if not np.array_equal(of_rows, expected):
        row = int(np.argmax(of_rows != expected))
        raise DataError(
            f"{file}: column {column!r}, row {row} (counted from 0): the score is for query "
            f"{quoted(of_rows[row])}, but this row of the data is of query {quoted(expected[row])}. Scores "
            "must stand in the order of the data."
        )


def _in_rows(values: Any, order: Int64s) -> Any:
    rows = np.empty_like(values)
    rows[order] = values
    return rows


def write_predictions(
    path: StrPath, data: RankingData, scores: Float64s, order: Int64s | None, form: str
) -> None:
    """A table with the query, the document where it has an id, and the score, in the order of the rows."""
    columns: dict[str, Any] = {"query": data.qids}
    if data.doc_ids is not None:
        columns["doc"] = data.doc_ids
    if order is not None:
        columns = {name: _in_rows(column, order) for name, column in columns.items()}
    write_columns(path, {**columns, _SCORE: in_rows(scores, order)}, form)
