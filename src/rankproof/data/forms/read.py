"""`read_data`: data to rank in any form.

>>> import pathlib, tempfile
>>> path = pathlib.Path(tempfile.mkdtemp()) / "train.csv"
>>> _ = path.write_text("session,clicks,bm25,title\\na,1,7.5,x\\na,0,2.5,y\\nb,2,4.0,z\\n")
>>> data = read_data(path, query="session", label="clicks")
>>> data, data.query_ids.tolist(), data.labels.tolist()
(RankingData(2 queries, 3 items, 1 features: bm25), ['a', 'b'], [1.0, 0.0, 2.0])
"""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal

from rankproof.data.answer_columns import warn_of_answers
from rankproof.data.forms.assemble import assemble, taken_of
from rankproof.data.forms.columns import ROLES, ColumnRequest, TakenColumns
from rankproof.data.forms.tables import open_tables
from rankproof.data.letor.read import read_letor_in_order
from rankproof.data.ranking import RankingData
from rankproof.errors import ArgumentError, DataError
from rankproof.files import StrPath, as_path
from rankproof.shown import listed
from rankproof.threads import using

if TYPE_CHECKING:
    from rankproof.arrays import Int64s

__all__ = ["columns_of_data", "read_data", "read_in_order"]


def read_data(
    path: StrPath | Sequence[StrPath],
    *,
    query: str | None = None,
    label: str | None = None,
    features: int | str | Sequence[str] | None = None,
    drop: str | Sequence[str] = (),
    doc: str | None = None,
    query_weight: str | None = None,
    item_weight: str | None = None,
    group: bool = False,
    query_file: StrPath | Sequence[StrPath] | Literal["auto"] | None = "auto",
    threads: int | None = None,
) -> RankingData:
    """Read data to rank: CSV or TSV, Parquet, Arrow, NumPy or LETOR text, told apart by their content.

    All but LETOR text need pyarrow: ``pip install 'rankproof[parquet]'``.

    Parameters
    ----------
    path : str, path, or list of these
        Files, or folders of Parquet, Arrow or CSV files, also partitioned (``fold=1/part-0.parquet``);
        several are read one after the other, as if they were one. CSV text (also with tabs, semicolons or
        bars, also packed) begins with the names of its columns.
    query : str, optional
        The column of query ids; by default ``query``, ``qid`` or ``query_id``, whichever is there. Nulls are
        refused. Rows of a query that lie apart are brought together, queries in the order of their first
        rows, with a `DataWarning`.
    label : str, optional
        The column of labels; by default ``label``, ``grade`` or ``relevance``. A null or NaN is an item that
        was not judged; without such a column none is.
    features : str or list of str, optional
        Names, or patterns such as ``"f*"``; by default every column of numbers that is nothing else and no
        key of a folder. ``feature_names`` of the result says which. Stored as float32; a null becomes NaN.
        Or the number that there must be, which LETOR text may not say.
    drop : str or list of str
        Names or patterns of columns that are not to be used.
    doc : str, optional
        The column of document ids; by default ``doc``, ``doc_id``, ``docid`` or ``docno``.
    query_weight, item_weight : str, optional
        Columns of weights, by default those of this name; a query weight must be the same on all rows of a
        query.
    group, query_file
        Of LETOR text, as for `read_letor`.
    threads : int, optional
        All cores otherwise.

    Returns
    -------
    RankingData

    Raises
    ------
    FileFormatError
        With the file, the column, the row (counted from 0) and the value that breaks a rule.
    DataError
        A file is missing, unreadable or damaged, or has no such column.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "train.tsv"
    >>> _ = path.write_text("qid\\tgrade\\tf1\\tf2\\tscore_old\\n7\\t2\\t0.5\\t1\\t0.9\\n")
    >>> read_data(path, drop="score_*")
    RankingData(1 queries, 1 items, 2 features: f1, f2)
    """
    request = ColumnRequest(
        query=query,
        label=label,
        doc=doc,
        query_weight=query_weight,
        item_weight=item_weight,
        features=None if features is None or isinstance(features, int) else _texts("features", features),
        drop=_texts("drop", drop),
    )
    with using(threads):
        data, _, _ = read_in_order(
            path,
            request,
            features=features if isinstance(features, int) else None,
            group=group,
            query_file=query_file,
        )
        return data


def read_in_order(
    path: StrPath | Sequence[StrPath],
    request: ColumnRequest,
    *,
    features: int | None = None,
    group: bool = False,
    query_file: StrPath | Sequence[StrPath] | Literal["auto"] | None = "auto",
    judged: bool = False,
    needs_label: bool = False,
) -> tuple[RankingData, Int64s | None, TakenColumns | None]:
    """What `read_data` gives; the row of the files that every item was, if some moved; the columns taken.

    ``judged`` refuses rows of tables without a label, ``needs_label`` tables without a column of labels.
    """
    paths = [path] if isinstance(path, (str, PathLike)) else list(path)
    if not paths:
        raise ArgumentError(f"Argument path must be a path or a list of paths, got {path!r}.")
    for one in paths:
        as_path(one)
    tables = open_tables(paths)
    if tables is None:
        _refuse_columns(request)
        data, order = read_letor_in_order(paths, group=group, features=features, query_file=query_file)
        return data, order, None
    taken = taken_of(tables, request, needs_label=needs_label or judged)
    if features is not None and len(taken.features) != features:
        raise DataError(
            f"{tables[0].name} has {len(taken.features)} feature columns ({listed(taken.features, 5)}), but "
            f"there must be {features}. Name them with features=."
        )
    data, order = assemble(tables, taken, judged=judged)
    if request.features is None:
        warn_of_answers(taken.features, what=tables[0].name, stacklevel=4)
    return data, order, taken


def columns_of_data(paths: Sequence[StrPath], request: ColumnRequest) -> TakenColumns | None:
    """What would be taken of the columns, without reading the values; None for LETOR text."""
    tables = open_tables(paths)
    return None if tables is None else taken_of(tables, request)


def _refuse_columns(request: ColumnRequest) -> None:
    for name in (*ROLES, "features", "drop"):
        if getattr(request, name):
            raise ArgumentError(
                f"Argument {name} names columns, but LETOR text has none: its features are called 1, 2, ... "
                "Leave it out."
            )


def _texts(name: str, value: Any) -> tuple[str, ...]:
    texts = (value,) if isinstance(value, str) else tuple(value)
    if not all(isinstance(one, str) for one in texts):
        raise ArgumentError(f"Argument {name} must be a name or a list of names, got {value!r}.")
    return texts
