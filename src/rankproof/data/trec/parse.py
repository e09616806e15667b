"""From the bytes of a TREC file to grouped, checked columns; the first bad line of the file is the error.

The file is cut at line ends, the parts are parsed on several threads, and the queries are put together
afterwards, so that the result and the error do not depend on the number of threads.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankproof.arrays import Float64s, Int64s
from rankproof.data.trec.layout import TrecLayout, bad_line
from rankproof.data.trec.packed_ids import PackedIds, hash_mask
from rankproof.errors import FileFormatError
from rankproof.files import StrPath, open_bytes
from rankproof.threads import chunks_by_items, run, thread_count

__all__ = ["TrecTable", "parse_trec"]

# Below this many bytes a part of a file is not worth a thread.
_LEAST_PART = 1 << 20
_LF = 10
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class TrecTable:
    """A parsed file: its queries by first appearance, the items of each in file order."""

    queries: PackedIds
    docs: PackedIds
    values: Float64s
    offsets: Int64s
    last_column: str


@dataclass
class _Rows:
    """Items in file order, before they are grouped, and the error that ended them (0 for none)."""

    docs: PackedIds
    values: Float64s
    names: PackedIds
    firsts: Int64s
    error: int
    error_at: int


def parse_trec(path: StrPath, layout: TrecLayout) -> TrecTable:
    """Read, parse, group and check one file."""
    text = np.frombuffer(open_bytes(path), dtype=np.uint8)
    text.flags.writeable = False
    start = len(_BYTE_ORDER_MARK) if text[:3].tobytes() == _BYTE_ORDER_MARK else 0
    rows = _parse(text, start, layout)
    queries, docs, values, offsets, places = _grouped(rows)
    _check_duplicates(path, text, start, queries, docs, offsets, places)
    if rows.error:
        from rankproof.kernels.text.trec import count_lines

        line = 1 + int(count_lines(text, 0, rows.error_at))
        raise FileFormatError(path, line, bad_line(rows.error, _line(text, rows.error_at), layout))
    if not values.size:
        raise FileFormatError(
            path, None, f"the file has no lines; a {layout.kind} has lines of '{' '.join(layout.columns)}'."
        )
    first = _first_item_line(text, start)
    return TrecTable(queries, docs, values, offsets, first.split()[len(layout.columns) - 1].decode())


def _parts(text: NDArray[np.uint8], start: int) -> list[tuple[int, int]]:
    from rankproof.kernels.text.trec import next_line

    threads = thread_count()
    pieces = 1 if threads == 1 else max(1, min(4 * threads, (text.size - start) // _LEAST_PART))
    aims = np.linspace(start, text.size, pieces + 1).astype(np.int64)[1:-1].tolist()
    edges = sorted({start, *(int(next_line(text, aim)) for aim in aims), text.size})
    return list(pairwise(edges))


def _parse(text: NDArray[np.uint8], start: int, layout: TrecLayout) -> _Rows:
    from rankproof.kernels.text.trec import count_lines, parse_lines

    parts = _parts(text, start)
    lines = run(lambda low, high: int(count_lines(text, low, high)) + int(text[high - 1] != _LF), parts)
    # An id of n bytes takes (n + 7) // 8 words and its line n + 7 bytes or more: an eighth of the bytes are
    # words enough, with one for a last line without an end and two for a bad one. What is not used is never
    # touched, so it takes no memory.
    words = [(high - low) // 8 + 3 for low, high in parts]
    item_base = np.concatenate(([0], np.cumsum(lines, dtype=np.int64))).tolist()
    word_base = np.concatenate(([0], np.cumsum(words, dtype=np.int64))).tolist()
    docs, names = _room(item_base[-1], word_base[-1]), _room(item_base[-1], word_base[-1])
    values, firsts = np.empty(item_base[-1]), np.empty(item_base[-1], np.int64)
    doubts = np.empty((item_base[-1], 3), np.int64)
    place = {low: (item_base[k], word_base[k]) for k, (low, _) in enumerate(parts)}

    def work(low: int, high: int) -> tuple[int, int, int, int, int]:
        return parse_lines(  # type: ignore[no-any-return]
            text, low, high, len(layout.columns), layout.more, layout.value, layout.finite, hash_mask(),
            docs, values, names, firsts, doubts, *place[low],
        )  # fmt: skip

    ends = run(work, parts)
    error, error_at = 0, -1
    item_parts: list[slice] = []
    name_parts: list[slice] = []
    for base, (items, segments, doubt, code, at) in zip(item_base[:-1], ends, strict=True):
        bad = _settle(text, doubts[base:doubt], values, layout)
        if bad is not None:
            # A bad number found late: the items from it on do not count, nor an error after it.
            items, code, at = bad
            segments = base + int(np.searchsorted(firsts[base:segments], items))
        item_parts.append(slice(base, items))
        name_parts.append(slice(base, segments))
        if code:
            error, error_at = code, at
            break
    # Where a part holds blank lines its items end before the next part's begin.
    shifts = np.cumsum([0] + [part.stop - part.start for part in item_parts])[:-1]
    first_items = [firsts[p] - p.start + shift for p, shift in zip(name_parts, shifts, strict=True)]
    return _Rows(
        docs=PackedIds(docs[0], *(_joined(column, item_parts) for column in docs[1:])),
        values=_joined(values, item_parts),
        names=PackedIds(names[0], *(_joined(column, name_parts) for column in names[1:])),
        firsts=np.concatenate([np.zeros(0, np.int64), *first_items]),
        error=error,
        error_at=error_at,
    )


def _room(items: int, words: int) -> tuple[NDArray[np.uint64], Int64s, NDArray[np.int32], NDArray[np.uint64]]:
    return (
        np.empty(words, np.uint64),
        np.empty(items, np.int64),
        np.empty(items, np.int32),
        np.empty(items, np.uint64),
    )


def _joined(column: Any, parts: list[slice]) -> Any:
    """The parts of a column, copied only when there are gaps between them."""
    if not parts:
        return column[:0]
    if all(a.stop == b.start for a, b in pairwise(parts)):
        return column[parts[0].start : parts[-1].stop]
    return np.concatenate([column[part] for part in parts])


def _settle(
    text: NDArray[np.uint8], doubts: NDArray[np.int64], values: Float64s, layout: TrecLayout
) -> tuple[int, int, int] | None:
    """Give the numbers in doubt their values; the item, error and line start of one that breaks the rule."""
    from rankproof.kernels.text.decimal import settle
    from rankproof.kernels.text.trec import BAD_NUMBER

    for item, low, high in doubts.tolist():
        values[item] = settle(text, low, high)
        if layout.finite and not np.isfinite(values[item]):
            before = text[:low].tobytes()
            return item, BAD_NUMBER, before.rfind(b"\n") + 1
    return None


def _grouped(rows: _Rows) -> tuple[PackedIds, PackedIds, Float64s, Int64s, Int64s]:
    """Queries, documents, values and offsets by query; and the items' places in the file if these changed."""
    from rankproof.kernels.text.trec_group import item_order, number_names

    names = rows.names
    numbers, firsts = np.empty(len(names), np.int64), np.empty(len(names), np.int64)
    queries = int(number_names(*names.parts, numbers, firsts))
    sizes = np.diff(np.append(rows.firsts, rows.values.size))
    totals = np.zeros(queries, np.int64)
    np.add.at(totals, numbers, sizes)
    offsets = np.concatenate(([0], np.cumsum(totals)))
    kept = names.take(firsts[:queries])
    if (np.diff(numbers) >= 0).all():
        return kept, rows.docs, rows.values, offsets, np.zeros(0, np.int64)
    order = np.empty(rows.values.size, np.int64)
    item_order(numbers, sizes, offsets, order)
    return kept, rows.docs.take(order), rows.values[order], offsets, order


def _check_duplicates(
    path: StrPath,
    text: NDArray[np.uint8],
    start: int,
    queries: PackedIds,
    docs: PackedIds,
    offsets: Int64s,
    places: Int64s,
) -> None:
    from rankproof.kernels.text.trec_group import first_duplicate

    def work(low: int, high: int) -> tuple[int, int]:
        return first_duplicate(*docs.parts, places, offsets, low, high)  # type: ignore[no-any-return]

    def place(item: int) -> int:
        return int(places[item]) if places.size else item

    pairs = [pair for pair in run(work, chunks_by_items(offsets)) if pair[0] >= 0]
    if not pairs:
        return
    one, two = min(pairs, key=lambda pair: place(pair[1]))
    query = queries.take(np.searchsorted(offsets, [two], side="right") - 1).texts()[0]
    doc = docs.take(np.array([two])).texts()[0]
    before, line = (_item_line(text, start, place(item))[1] for item in (one, two))
    raise FileFormatError(
        path,
        line,
        f"document {str(doc)!r} of query {str(query)!r} is on line {before} and again on line "
        f"{line}; a document may come once per query. Take one of the lines out.",
    )


def _item_line(text: NDArray[np.uint8], start: int, item: int) -> tuple[int, int]:
    from rankproof.kernels.text.trec import find_item

    return find_item(text, start, item)  # type: ignore[no-any-return]


def _first_item_line(text: NDArray[np.uint8], start: int) -> bytes:
    """The first line that is neither blank nor a comment; the text has one."""
    at = start
    while not (line := _line(text, at)).strip() or line.lstrip().startswith(b"#"):
        at += len(line)
    return line


def _line(text: NDArray[np.uint8], start: int) -> bytes:
    from rankproof.kernels.text.trec import next_line

    return text[start : next_line(text, start)].tobytes()
