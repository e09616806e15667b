"""`convert`: data from one form into another, some rows at a time.

>>> import pathlib, tempfile
>>> place = pathlib.Path(tempfile.mkdtemp())
>>> _ = (place / "train.txt").write_text("2 qid:7 1:0.5 2:1 #docid = a\\n0 qid:7 1:0.25 2:3 #docid = b\\n")
>>> convert(place / "train.txt", place / "train.csv")
Conversion(rows=2, columns=['query', 'doc', 'label', 'f1', 'f2'], taken=None)
>>> print((place / "train.csv").read_text(), end="")
"query","doc","label","f1","f2"
7,"a",2,0.5,1
7,"b",0,0.25,3
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np

from rankproof.arrays import query_of_item
from rankproof.data.forms.arrow import arrow, kind_of
from rankproof.data.forms.assemble import assemble, check_alike, taken_of
from rankproof.data.forms.columns import ROLES, ColumnRequest, TakenColumns, matched, missing_column
from rankproof.data.forms.content import files_of, head_of, is_table
from rankproof.data.forms.convert_text import RowsApartError, letor_writer, write_trec
from rankproof.data.forms.letor_pieces import LetorPieces, TextQueriesError
from rankproof.data.forms.tables import FormTable
from rankproof.data.forms.write import WRITTEN, form_by_name, table_writer, write_columns, write_data
from rankproof.data.letor.queries import side_file
from rankproof.data.letor.read import read_letor, write_letor
from rankproof.data.ranking import RankingData
from rankproof.data.trec.read import read_qrels, read_run
from rankproof.data.trec.write import write_qrels
from rankproof.errors import ArgumentError, DataError, FileFormatError
from rankproof.files import StrPath
from rankproof.ids import spread

__all__ = ["Conversion", "convert"]

# (rows that are done, of how many when that is told, what is going on)
Progress = Callable[[int, int | None, str], None]


@dataclass(frozen=True)
class Conversion:
    """What was written: how many rows, with which columns, and what was taken for what where that matters."""

    rows: int
    columns: list[str]
    taken: TakenColumns | None = None


def convert(
    source: StrPath,
    out: StrPath,
    *,
    to: str | None = None,
    query: str | None = None,
    label: str | None = None,
    doc: str | None = None,
    score: str | None = None,
    features: str | Sequence[str] | None = None,
    drop: str | Sequence[str] = (),
    tag: str = "rankproof",
    progress: Progress | None = None,
) -> Conversion:
    """Write data in another form: tables (CSV, Parquet, Arrow, NumPy), LETOR text, TREC runs and judgments.

    Rows are read and written some at a time, in their order, so that little memory is needed; only TREC files
    and packed text are read whole.

    Parameters
    ----------
    source : str or path
        A file in any of the forms, told by its content, or a folder of tables.
    out : str or path
        The file appears under this name once it is complete, packed if its suffix says so.
    to : str, optional
        ``"parquet"``, ``"arrow"``, ``"csv"``, ``"tsv"``, ``"npz"``, ``"letor"``, ``"run"`` or ``"qrels"``; by
        default as the name of ``out`` says.
    query, label, doc : str, optional
        Columns of a table, as for `read_data`; a table becomes a table with all its columns, so that they
        only matter for LETOR text and TREC files.
    score : str, optional
        The column of scores for a TREC run, by default ``score``.
    features, drop : str or list of str, optional
        Names or patterns of columns: those that become features of LETOR text, and those that are left out.
    tag : str
        The name of a TREC run.
    progress : function, optional
        Called with the rows that are done, how many there are (None when that is not told), and a word.

    Returns
    -------
    Conversion
        The number of rows, the columns, and what was taken for what.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> place = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (place / "scores.csv").write_text("query,doc,score\\nq1,a,0.5\\nq1,b,2.0\\n")
    >>> convert(place / "scores.csv", place / "run.trec").rows
    2
    >>> print((place / "run.trec").read_text(), end="")
    q1 Q0 a 2 0.5 rankproof
    q1 Q0 b 1 2.0 rankproof
    """
    form = to or form_by_name(out)
    if form not in WRITTEN:
        names = ", ".join(suffix for suffixes in WRITTEN.values() for suffix in suffixes)
        what = f"got {to!r}" if to is not None else f"and the name {str(out)!r} says none ({names})"
        raise ArgumentError(f"Argument to of convert must be one of {', '.join(WRITTEN)}, {what}.")
    request = ColumnRequest(
        query=query,
        label=label,
        doc=doc,
        features=None if features is None else _texts(features),
        drop=_texts(drop),
    )
    progress = progress or _nothing
    files = files_of(source)
    if is_table(files[0].form):
        return _from_tables([FormTable(one) for one in files], out, form, request, score, tag, progress)
    if request != ColumnRequest() or score is not None:
        raise ArgumentError(f"{files[0].name!r} has no named columns, so none can be named. Leave that out.")
    if files[0].form == "letor":
        return _from_letor(source, out, form, progress)
    return _from_trec(source, files[0].form, out, form)


def _nothing(done: int, of: int | None, what: str) -> None:
    """No progress is shown."""


def _from_tables(
    tables: list[FormTable],
    out: StrPath,
    form: str,
    request: ColumnRequest,
    score: str | None,
    tag: str,
    progress: Progress,
) -> Conversion:
    first = tables[0]
    kinds = {name: kind_of(dtype) for name, dtype in first.types.items()}
    taken = None
    if form in ("run", "qrels"):
        unread = ("query_weight", "item_weight", *(("label",) if form == "run" else ()))
        taken = taken_of(tables, replace(request, unread=unread, features=()), needs_label=form == "qrels")
        number = taken.label if form == "qrels" else _score_column(first, score)
        if taken.doc is None:
            raise DataError(
                f"{first.name}: no column is called {' or '.join(ROLES['doc'][1])}. Say which one holds the "
                "document ids with doc=."
            )
        names = [taken.query, taken.doc, str(number)]
        check_alike(tables, names)
        return Conversion(
            write_trec(out, form, _streamed(tables, names, widened=False), names, first.name, tag), names
        )
    if form == "letor":
        taken = taken_of(tables, replace(request, unread=("query_weight", "item_weight")))
        names = taken.names
    else:
        names = _kept(first, kinds, request)
        check_alike(tables, names)
    for widened in (False, True):
        try:
            rows = _copied(tables, names, out, form, taken, widened, progress)
            break
        except FileFormatError as error:
            if widened or "CSV conversion error" not in error.message:
                raise
        except RowsApartError:
            # Rows have to be brought together, so all are needed.
            data, _ = assemble(
                tables, taken_of(tables, replace(request, unread=("query_weight", "item_weight")))
            )
            write_letor(data, out)
            rows = data.items
            break
    return Conversion(rows, names, taken)


def _copied(
    tables: list[FormTable],
    names: list[str],
    out: StrPath,
    form: str,
    taken: TakenColumns | None,
    widened: bool,
    progress: Progress,
) -> int:
    counts = [table.rows for table in tables]
    total = None if None in counts else sum(count for count in counts if count is not None)
    rows = 0
    if taken is not None:
        with letor_writer(out, taken, tables[0].name) as write:
            for batch in _streamed(tables, names, widened=widened):
                write(batch)
                rows += batch.num_rows
                progress(rows, total, "rows")
        return rows
    batches = _streamed(tables, names, widened=widened)
    first = next(batches, None)
    if first is None:
        raise FileFormatError(tables[0].name, None, "there are no rows.")
    with _writing(out), table_writer(out, first.schema, form) as write:
        for batch in chain([first], batches):
            write(_as_schema(batch, first.schema))
            rows += batch.num_rows
            progress(rows, total, "rows")
    return rows


def _as_schema(batch: Any, schema: Any) -> Any:
    if batch.schema.equals(schema):
        return batch
    arrays = [column.cast(field.type) for column, field in zip(batch.columns, schema, strict=True)]
    return arrow().record_batch(arrays, names=schema.names)


@contextmanager
def _writing(out: StrPath) -> Iterator[None]:
    try:
        yield
    except arrow().ArrowException as error:
        text = " ".join(str(error).split()).rstrip(".")
        raise DataError(f"{str(out)!r} cannot be written in this form: {text}. Drop the column.") from None


def _streamed(tables: Sequence[FormTable], names: Sequence[str], *, widened: bool) -> Iterator[Any]:
    for table in tables:
        yield from table.batches(names, streamed=True, widened=widened)


def _kept(table: FormTable, kinds: dict[str, str], request: ColumnRequest) -> list[str]:
    """The columns of a table that stays one: all but those that are dropped, or the features and roles."""
    if request == ColumnRequest():
        return list(kinds)
    if request.features is None and request.drop and replace(request, drop=()) == ColumnRequest():
        dropped = matched(table.name, "drop", request.drop, list(kinds))
        left = [name for name in kinds if name not in dropped]
        if not left:
            raise DataError(f"{table.name}: all columns are dropped. Keep one.")
        return left
    return request.taken(table.name, kinds, tuple(table.file.keys)).names


def _score_column(table: FormTable, score: str | None) -> str:
    name = score or "score"
    if name not in table.types:
        raise missing_column(table.name, "score", name, list(table.types))
    return name


def _from_letor(source: StrPath, out: StrPath, form: str, progress: Progress) -> Conversion:
    if form == "run":
        raise ArgumentError(
            f"{str(source)!r} has labels and no scores, which a run consists of. Write qrels, or score "
            "the data with rankproof predict."
        )
    if form == "letor":
        raise ArgumentError(f"{str(source)!r} is LETOR text already. Copy it.")
    if form == "qrels":
        data = read_letor(source, group=True)
        docs = numbered_documents(data)
        write_qrels(out, data.query_ids, docs, data.labels, data.offsets)
        return Conversion(data.items, ["query", "doc", "label"])
    if b"qid:" not in head_of(source) and side_file(source).is_file():
        # The sizes of queries are in another file, as LightGBM has it.
        data = read_letor(source)
        write_data(out, data, form)
        progress(data.items, data.items, "rows")
        return Conversion(data.items, ["query", "label", *(f"f{k + 1}" for k in range(data.features))])
    letor = LetorPieces.open(source)
    for text_queries in (False, True):
        schema, rows = letor.schema(text_queries=text_queries), 0
        try:
            with _writing(out), table_writer(out, schema, form) as write:
                for batch in letor.batches(text_queries=text_queries):
                    write(batch)
                    rows += batch.num_rows
                    progress(rows, letor.rows, "rows")
            break
        except TextQueriesError:
            continue
    return Conversion(rows, list(schema.names))


def _from_trec(source: StrPath, kind: str, out: StrPath, form: str) -> Conversion:
    one: Any = read_run(source) if kind == "run" else read_qrels(source)
    values, name = (one.scores, "score") if kind == "run" else (one.grades, "label")
    if form == kind:
        raise ArgumentError(f"{str(source)!r} is in this form already. Copy it.")
    if form in ("run", "qrels", "letor"):
        raise ArgumentError(
            f"A TREC file of {name}s cannot be written as {form}: what that needs is not in it."
        )
    queries = spread(one.query_ids, query_of_item(one.offsets))
    write_columns(out, {"query": queries, "doc": one.doc_ids, name: values}, form)
    return Conversion(values.size, ["query", "doc", name])


def numbered_documents(data: RankingData) -> list[str]:
    """The ids of the documents; the number in its query where an item has none.

    >>> numbered_documents(RankingData(labels=[1, 0, 2], offsets=[0, 2, 3]))
    ['0', '1', '0']
    """
    numbers = (np.arange(data.items) - np.repeat(data.offsets[:-1], data.sizes)).tolist()
    ids = [""] * data.items if data.doc_ids is None else data.doc_ids.tolist()
    return [str(one) or str(number) for one, number in zip(ids, numbers, strict=True)]


def _texts(value: str | Sequence[str]) -> tuple[str, ...]:
    return (value,) if isinstance(value, str) else tuple(value)
