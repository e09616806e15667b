"""Write runs and judgments in the formats of TREC.

The file appears under its name when all of it is written, packed if its suffix says so. Numbers are written
with the digits that read back as the same float64.

>>> import pathlib, tempfile
>>> path = pathlib.Path(tempfile.mkdtemp()) / "run.trec"
>>> write_run(path, ["q1"], ["a", "b"], [0.5, 2.0], [0, 2], tag="mine")
>>> print(path.read_text(), end="")
q1 Q0 a 2 0.5 mine
q1 Q0 b 1 2.0 mine
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rankproof.arrays import Float64s, Int64s, as_offsets, as_scores, flat_floats, query_of_item
from rankproof.errors import ArgumentError, DataError
from rankproof.files import StrPath, create_bytes
from rankproof.shown import quoted

__all__ = ["write_qrels", "write_run"]

# As the readers have it (`rankproof.kernels.text.trec`, which would load numba).
_MOST_ID_BYTES = 4096
# Blanks of any script (other tools split lines at them too) and control characters.
_BLANK = re.compile(r"[\s\x00-\x1f]")


def write_run(
    path: StrPath,
    query_ids: ArrayLike,
    doc_ids: ArrayLike,
    scores: ArrayLike,
    offsets: ArrayLike,
    tag: str = "rankproof",
) -> None:
    """Write ``qid Q0 docno rank score tag`` for every item, in the order given.

    The rank is that of the score in its query, from 1, ties in the order given. A query without items has no
    line, so it does not come back when the file is read.

    Parameters
    ----------
    path : str or path
        The file appears under this name once it is complete, packed if its suffix says so.
    query_ids : array of str, one per query
        Unique, not empty and without blanks; whole numbers are written as digits.
    doc_ids : array of str, one per item
        Not empty and without blanks; a document comes at most once in a query.
    scores : array of float, one per item
        Higher is better; NaN is refused.
    offsets : array of int, one more than there are queries
        Query q owns the items ``offsets[q]:offsets[q + 1]``.
    tag : str
        The name of the run.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "run.trec"
    >>> write_run(path, ["q1"], ["a", "b"], [0.5, 2.0], [0, 2], tag="mine")
    >>> print(path.read_text(), end="")
    q1 Q0 a 2 0.5 mine
    q1 Q0 b 1 2.0 mine
    """
    numbers = as_scores(scores)
    edges = as_offsets(offsets, numbers.size)
    end = _checked_ids("tag", [tag])[0]
    tails = [
        f"{rank} {score!r} {end}\n"
        for rank, score in zip(_ranks(numbers, edges), numbers.tolist(), strict=True)
    ]
    _write(path, query_ids, " Q0 ", doc_ids, tails, edges)


def write_qrels(
    path: StrPath, query_ids: ArrayLike, doc_ids: ArrayLike, grades: ArrayLike, offsets: ArrayLike
) -> None:
    """Write ``qid 0 docno grade`` for every item, in the order given.

    Parameters
    ----------
    path : str or path
        The file appears under this name once it is complete, packed if its suffix says so.
    query_ids : array of str, one per query
        Unique, not empty and without blanks; whole numbers are written as digits.
    doc_ids : array of str, one per item
        Not empty and without blanks; a document comes at most once in a query.
    grades : array of float, one per item
        Finite.
    offsets : array of int, one more than there are queries
        Query q owns the items ``offsets[q]:offsets[q + 1]``.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "qrels.txt"
    >>> write_qrels(path, ["q1"], ["a", "b"], [0, 2], [0, 2])
    >>> print(path.read_text(), end="")
    q1 0 a 0
    q1 0 b 2
    """
    numbers = flat_floats("grades", grades)
    edges = as_offsets(offsets, numbers.size)
    if not np.isfinite(numbers).all():
        item = int(np.argmin(np.isfinite(numbers)))
        raise DataError(f"Argument grades must be finite, got {numbers[item]} at item {item}.")
    tails = [f"{_grade(grade)}\n" for grade in numbers.tolist()]
    _write(path, query_ids, " 0 ", doc_ids, tails, edges)


def _write(
    path: StrPath, query_ids: ArrayLike, between: str, doc_ids: ArrayLike, tails: list[str], edges: Int64s
) -> None:
    queries, docs = _checked_ids("query id", query_ids), _checked_ids("document id", doc_ids)
    comment = next((query for query in queries if query.startswith("#")), None)
    if comment is not None:
        raise DataError(
            f"The query id {quoted(comment)} starts with '#', as a comment does, so its lines would not be "
            "read. Rename it."
        )
    if len(queries) != edges.size - 1 or len(docs) != len(tails):
        raise ArgumentError(
            f"There must be {edges.size - 1} query ids and {len(tails)} document ids, "
            f"got {len(queries)} and {len(docs)}."
        )
    if not tails:
        raise DataError("There are no items, and a TREC file without lines cannot be read back.")
    twice = _first_twice(queries)
    if twice is not None:
        raise DataError(f"Query id {quoted(twice)} is given to more than one query.")
    blocks = []
    for query, low, high in zip(queries, edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        twice = _first_twice(docs[low:high])
        if twice is not None:
            raise DataError(
                f"Document {quoted(twice)} comes more than once in query {quoted(query)}; allowed is once."
            )
        head = query + between
        rows = zip(docs[low:high], tails[low:high], strict=True)
        blocks.append("".join([f"{head}{doc} {tail}" for doc, tail in rows]))
    with create_bytes(path) as file:
        for block in blocks:
            file.write(block.encode())


def _first_twice(ids: list[str]) -> str | None:
    seen: set[str] = set()
    for one in ids:
        if one in seen:
            return one
        seen.add(one)
    return None


def _checked_ids(kind: str, ids: Any) -> list[str]:
    # As objects: an array of str would lose nulls at the end of an id.
    array = np.asarray(ids, dtype=object)
    if array.ndim != 1:
        raise ArgumentError(f"The {kind}s must be one-dimensional, got shape {array.shape}.")
    texts: list[str] = array.tolist()
    if not set(map(type, texts)) <= {str}:
        texts = [str(one) if isinstance(one, (int, np.integer)) else one for one in texts]
        for one in texts:
            if not isinstance(one, str):
                raise DataError(f"A {kind} in a TREC file must be text or a whole number, got {quoted(one)}.")
    # One look at all of them; only if something is wrong are they looked at one by one.
    whole = "".join(texts)
    longest = max(map(len, texts), default=0)
    if all(texts) and whole.isascii() and longest <= _MOST_ID_BYTES and not _BLANK.search(whole):
        return texts
    for one in texts:
        _check_id(kind, one)
    return texts


def _check_id(kind: str, one: str) -> None:
    if not one or _BLANK.search(one):
        raise DataError(f"A {kind} in a TREC file must be text without blanks, got {quoted(one)}.")
    try:
        size = len(one.encode())
    except UnicodeEncodeError:
        raise DataError(
            f"The {kind} {quoted(one)} holds half of a surrogate pair, which UTF-8 cannot write."
        ) from None
    if size > _MOST_ID_BYTES:
        raise DataError(f"The {kind} {one[:40]!r}... has {size} bytes; {_MOST_ID_BYTES} is the maximum.")


def _ranks(scores: Float64s, edges: Int64s) -> list[int]:
    query = query_of_item(edges)
    order = np.lexsort((-scores, query))
    ranks = np.empty(scores.size, np.int64)
    ranks[order] = np.arange(1, scores.size + 1) - edges[query]
    ranked: list[int] = ranks.tolist()
    return ranked


def _grade(grade: float) -> str:
    # Whole grades as other tools expect them; beyond 2^53 the digits of repr are shorter.
    return f"{grade:.0f}" if grade.is_integer() and abs(grade) < 2**53 else repr(grade)
