"""`read_judgments`: judgments of several judges, or soft labels, from files and data frames."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from rankproof.arrays import Int64s
from rankproof.errors import ArgumentError, DataError, FileFormatError
from rankproof.judgments.columns import Codes, RepeatedError, grouped_items
from rankproof.judgments.container import Judgments
from rankproof.judgments.pairs import PairJudgments
from rankproof.judgments.reading import Reading
from rankproof.judgments.soft import probability_rows
from rankproof.judgments.tables import ColumnTable, open_table, pick_column
from rankproof.shown import quoted

__all__ = ["LAYOUTS", "read_judgments"]

LAYOUTS = ("long", "wide", "soft", "pairs")
QUERY = ("query", "qid", "query_id", "queryid", "topic")
ITEM = ("item", "doc", "docno", "doc_id", "docid", "document", "item_id")
JUDGE = ("judge", "worker", "assessor", "annotator", "rater", "judge_id", "worker_id", "user")
GRADE = ("grade", "label", "rel", "relevance", "rating")
WINNER, LOSER = ("winner", "preferred", "better"), ("loser", "other", "worse")


def read_judgments(
    source: Any,
    *,
    layout: str | None = None,
    reading: Reading | None = None,
    query: str | int | None = None,
    item: str | int | None = None,
    judge: str | int | None = None,
    grade: str | int | None = None,
    judges: Sequence[str | int] | None = None,
    probabilities: Mapping[float, str | int] | Sequence[str | int] | None = None,
    winner: str | int | None = None,
    loser: str | int | None = None,
    form: str | None = None,
) -> Judgments | PairJudgments:
    """Read judgments of several judges, soft labels or preferences between pairs.

    Parameters
    ----------
    source : path or data frame
        A CSV or TSV file with a header, a Parquet file, or TREC judgments ``query judge item grade``, whose
        iteration column names the judge; plain or packed (``.gz``, ``.bz2``, ``.xz``, ``.zst``; Parquet
        brings its own). Or a pandas, polars or pyarrow frame. Rows may come in any order.
    layout : "long", "wide", "soft" or "pairs", optional
        *long*: a row per judgment with query, item, judge and grade. *wide*: a row per item and a column per
        judge (``judges``); an empty cell is no judgment. *soft*: a row per item and a column per grade with
        P(grade) (``probabilities``). *pairs*: a row per preference with query, winner, loser and judge.
        Without it: wide with ``judges``, soft with ``probabilities``, pairs when there are columns of winners
        and losers, else long.
    reading : "joint" or "independent", optional
        How grades of a judge go together; see `Judgments`. Soft labels are always independent.
    query, item, judge, grade, winner, loser : str or int, optional
        The names of columns; else the usual ones, such as qid, docno, worker, label.
    judges : list of columns
        With *wide*: the columns of the judges, named as these.
    probabilities : dict from grade to column, or list of columns
        With *soft*: the column of P(grade) of each grade; a list is for the grades 0, 1, 2, ...
    form : "csv", "tsv", "parquet" or "qrels", optional
        The form of the file, when its name does not tell; a name without such an ending is one of TREC
        judgments.

    Returns
    -------
    Judgments or PairJudgments

    Raises
    ------
    FileFormatError
        With file and line: an empty id, a grade that is no number, a row with too few cells, an item that one
        judge graded twice.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "judged.csv"
    >>> _ = path.write_text("qid,docno,worker,label\\nq1,d1,ann,2\\nq1,d1,bob,0\\nq1,d2,ann,1\\n")
    >>> read_judgments(path, reading="independent")
    Judgments(1 queries, 2 items, 2 judges, 3 grades from 0 to 2, independent reading)
    """
    table, kind = open_table(source, form)
    if not table.rows:
        raise DataError(
            f"{source if kind != 'frame' else 'The frame'} has no rows, so there are no judgments."
        )
    shape = _layout(table, layout, judges, probabilities, winner, loser)
    queries = table.ids(pick_column(table, "query", query, QUERY), "query")
    if shape == "pairs":
        return _pairs(table, queries, winner, loser, judge)
    docs = table.ids(pick_column(table, "item", item, ITEM), "item")
    if shape == "soft":
        if reading == "joint":
            raise ArgumentError("Argument reading must be 'independent' for soft labels: no draws are known.")
        return _soft(table, queries, docs, probabilities)
    if shape == "wide":
        return _wide(table, queries, docs, judges or (), reading)
    named = table.ids(pick_column(table, "judge", judge, JUDGE), "judge")
    grades = table.floats(pick_column(table, "grade", grade, GRADE), "grade")
    return _judgments(table, queries, docs, named, grades, np.arange(grades.size), reading)


def _layout(
    table: ColumnTable, layout: str | None, judges: Any, probabilities: Any, winner: Any, loser: Any
) -> str:
    if layout is not None and layout not in LAYOUTS:
        raise ArgumentError(
            f"Argument layout must be one of {', '.join(map(repr, LAYOUTS))}, got {layout!r}."
        )
    pairs = winner is not None or loser is not None
    plain = {name.casefold() for name in table.names}
    argued = [("wide", bool(judges)), ("soft", bool(probabilities)), ("pairs", pairs)]
    stated = [name for name, is_set in argued if is_set]
    if len(stated) > 1 or (layout is not None and stated and stated != [layout]):
        raise ArgumentError(
            "The arguments are those of the layouts "
            f"{' and '.join([*([layout] if layout else []), *stated])}, and a "
            "table has one: judges= is for wide, probabilities= for soft, winner= and loser= for pairs."
        )
    shape = layout or (stated[0] if stated else None)
    if shape is None:
        shape = "pairs" if plain & set(WINNER) and plain & set(LOSER) else "long"
    for name, argument, value in (("wide", "judges", judges), ("soft", "probabilities", probabilities)):
        if shape == name and not value:
            raise ArgumentError(
                f"The layout {name!r} needs {argument}=, the columns. Columns: {', '.join(table.names)}."
            )
    return shape


def _judgments(
    table: ColumnTable,
    queries: Codes,
    docs: Codes,
    judges: Codes,
    grades: Any,
    row: Int64s,
    reading: Reading | None,
) -> Judgments:
    """Of numbered columns; ``row`` is the row of the table of each judgment, for errors."""
    try:
        return Judgments.from_codes(queries, docs, judges, grades, reading=reading)
    except RepeatedError as error:
        first, second = (int(row[k]) for k in error.rows)
        message = str(error).replace(
            f", in rows {error.rows[0]} and {error.rows[1]} (counted from 0)",
            f", first in {_place(table, first)}",
        )
        raise table.error(second, message[0].lower() + message[1:]) from None


def _place(table: ColumnTable, row: int) -> str:
    error = table.error(row, "")
    return f"line {error.line}" if isinstance(error, FileFormatError) else f"row {row}"


def _wide(
    table: ColumnTable, queries: Codes, docs: Codes, judges: Sequence[str | int], reading: Reading | None
) -> Judgments:
    _refuse_repeated_items(table, queries, docs)
    columns = [pick_column(table, "judges", name, ()) for name in judges]
    grades = np.concatenate([table.floats(place, f"grade of {table.names[place]}") for place in columns])
    many = len(columns)
    row = np.tile(np.arange(table.rows), many)
    named = Codes(np.array([table.names[place] for place in columns]), np.repeat(np.arange(many), table.rows))
    wide_queries, wide_docs = (Codes(codes.names, np.tile(codes.numbers, many)) for codes in (queries, docs))
    return _judgments(table, wide_queries, wide_docs, named, grades, row, reading)


def _soft(table: ColumnTable, queries: Codes, docs: Codes, probabilities: Any) -> Judgments:
    _refuse_repeated_items(table, queries, docs)
    listed = probabilities if isinstance(probabilities, Mapping) else dict(enumerate(probabilities))
    try:
        columns = sorted((float(grade), name) for grade, name in listed.items())
    except (TypeError, ValueError):
        raise ArgumentError(
            f"Argument probabilities must map grades (numbers) to columns, got {listed!r:.80}."
        ) from None
    places = [pick_column(table, "probabilities", name, ()) for _, name in columns]
    rows = np.column_stack([table.floats(place, f"P(grade) in {table.names[place]}") for place in places])
    off = np.isnan(rows).any(axis=1) | (rows < 0).any(axis=1) | ~(np.abs(rows.sum(axis=1) - 1) <= 1e-6)
    if off.any():
        row = int(np.argmax(off))
        raise table.error(
            row,
            f"the probabilities of grades must be numbers >= 0 with sum 1, got {rows[row].tolist()} with sum "
            f"{rows[row].sum():.9g}. Divide every row by its sum if these are shares.",
        )
    layout = grouped_items(queries, docs)
    order = np.argsort(layout.item, kind="stable")
    return Judgments.from_probabilities(
        probability_rows(rows)[order],
        offsets=layout.offsets,
        grades=np.array([grade for grade, _ in columns]),
        query_ids=queries.names,
        doc_ids=docs.names[layout.doc],
    )


def _refuse_repeated_items(table: ColumnTable, queries: Codes, docs: Codes) -> None:
    item = grouped_items(queries, docs).item
    _, first = np.unique(item, return_index=True)
    if first.size < item.size:
        row = int(np.setdiff1d(np.arange(item.size), first)[0])
        query, doc = queries.names[queries.numbers[row]], docs.names[docs.numbers[row]]
        raise table.error(
            row,
            f"item {quoted(doc)} of query {quoted(query)} has another row already. This layout has one row "
            "per "
            "item; for one row per judgment use layout='long'.",
        )


def _pairs(table: ColumnTable, queries: Codes, winner: Any, loser: Any, judge: Any) -> PairJudgments:
    winners = table.ids(pick_column(table, "winner", winner, WINNER), "winner")
    losers = table.ids(pick_column(table, "loser", loser, LOSER), "loser")
    judges = table.ids(pick_column(table, "judge", judge, JUDGE), "judge")
    same = winners.names[winners.numbers] == losers.names[losers.numbers]
    if same.any():
        row = int(np.argmax(same))
        raise table.error(row, f"{quoted(winners.names[winners.numbers[row]])} is winner and loser in one.")
    return PairJudgments.from_codes(queries, winners, losers, judges)
