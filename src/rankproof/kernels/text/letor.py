"""LETOR text, compiled: count a range of lines, then parse it straight into the final arrays.

Every range starts at the start of a line and ends with a newline, so that no loop needs to look where the
bytes end. A line that breaks a rule ends the parse: only its place is told, and the reader, which has all
the time in the world by then, says in words what is wrong with it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankproof.kernels.compiled import kernel
from rankproof.kernels.text.decimal import EXACT, MALFORMED, UNSURE, parse_decimal, scale
from rankproof.kernels.text.letor_words import (
    COLON,
    HASH,
    NEWLINE,
    doc_id,
    ends_word,
    first_visible,
    is_null,
    is_qid,
    no_row,
    same,
    usable_id,
    whole_number,
    word_end,
)

__all__ = ["COUNTS", "GREATEST_INDEX", "count_lines", "fill_ids", "parse_lines", "row_place"]

# What `count_lines` counts, in this order.
COUNTS = ("rows", "values", "comments", "least_last", "greatest_last")
# SciPy counts columns in 32 bits.
GREATEST_INDEX = 2**31 - 2

_TAB, _SPACE, _MINUS, _POINT = 9, 32, 45, 46
_TEN = np.array([float(10**k) for k in range(23)])
_U0, _U1, _U9, _U10, _U19, _U48 = (np.uint64(k) for k in (0, 1, 9, 10, 19, 48))
_LARGEST_EXACT = np.uint64(1 << 53)
_BLOCK = np.uint64(64)


@kernel
def _plain_blocks(data: NDArray[np.uint8], start: int, stop: int) -> tuple[int, int]:
    """Pass over blocks without newline and hash: where the first other one starts, and the colons passed.

    Counters of one byte let the compiler compare a whole block with a few vector instructions.
    """
    i, end, colons = np.uint64(start), np.uint64(stop), 0
    while i + _BLOCK <= end:
        count = ends = np.uint8(0)
        for k in range(_BLOCK):
            byte = data[i + np.uint64(k)]
            count = np.uint8(count + np.uint8(byte == COLON))
            ends = np.uint8(ends | np.uint8((byte == NEWLINE) | (byte == HASH)))
        if ends:
            break
        colons += int(np.int64(count))
        i += _BLOCK
    return int(np.int64(i)), colons


@kernel
def count_lines(data: NDArray[np.uint8], start: int, stop: int) -> NDArray[np.int64]:
    """The `COUNTS` of the lines ``data[start:stop]``; exact for lines that break no rule."""
    rows = values = comments = greatest = 0
    least = GREATEST_INDEX + 1
    i = start
    while i < stop:
        i = first_visible(data, i)
        if not no_row(data, i):
            rows += 1
            i = first_visible(data, word_end(data, i))
            if is_qid(data, i):
                i = word_end(data, i)
            body = i
            i, colons = _plain_blocks(data, i, stop)
            while data[i] != NEWLINE and data[i] != HASH:
                colons += data[i] == COLON
                i += 1
            values += colons
            comments += data[i] == HASH
            # Indices increase, so the last one is the greatest.
            k = i - 1
            while k >= body and data[k] != COLON:
                k -= 1
            k -= 1
            last, unit = 0, 1
            while k >= body and 48 <= data[k] <= 57 and last <= GREATEST_INDEX:
                last += unit * (int(data[k]) - 48)
                unit *= 10
                k -= 1
            if last <= GREATEST_INDEX:
                least = min(least, last)
                greatest = max(greatest, last)
        while data[i] != NEWLINE:
            i += 1
        i += 1
    return np.array([rows, values, comments, least, greatest])


@kernel
def row_place(data: NDArray[np.uint8], start: int, stop: int, row: int) -> int:
    """Where the line of row number ``row`` of the lines ``data[start:stop]`` starts."""
    i = start
    while i < stop:
        line = i
        i = first_visible(data, i)
        if not no_row(data, i):
            if row == 0:
                return line
            row -= 1
        while data[i] != NEWLINE:
            i += 1
        i += 1
    return -1


@kernel
def parse_lines(
    data: NDArray[np.uint8],
    start: int,
    stop: int,
    row: int,
    rows: int,
    cell: int,
    cells: int,
    width: int,
    sparse: bool,
    labels: NDArray[np.float64],
    values: NDArray[np.float32],
    indices: NDArray[np.signedinteger],
    indptr: NDArray[np.signedinteger],
    docs: NDArray[np.int64],
    queries: NDArray[np.int64],
    unsure: NDArray[np.int64],
) -> tuple[int, int, int, int]:
    """Parse the lines ``data[start:stop]`` into the rows ``row:rows``.

    ``values`` is the dense matrix row by row, or the stored values of the sparse one, of which this range
    fills ``cell:cells``. Numbers that only Python can settle are noted in ``unsure`` as (place in ``values``
    or -1 - row for a label, start, stop).

    Returns
    -------
    tuple of int
        Rows parsed, queries noted, numbers unsure, and the start of the first bad line (or -1).
    """
    first_row, noted, doubts = row, 0, 0
    query_start, query_size = 0, -1
    i = start
    while i < stop:
        line = i
        i = first_visible(data, i)
        if not no_row(data, i):
            end = word_end(data, i)
            label, code = parse_decimal(data, i, end)
            # More rows or values than were counted: the file is being changed under our hands.
            if code == MALFORMED or (code == EXACT and np.isinf(label)) or row == rows:
                return row - first_row, noted, doubts, line
            if code == UNSURE:
                if doubts < unsure.shape[0]:
                    unsure[doubts, 0], unsure[doubts, 1], unsure[doubts, 2] = -1 - row, i, end
                doubts += 1
            labels[row] = label

            i = first_visible(data, end)
            size = 0
            if is_qid(data, i):
                i += 4
                end = word_end(data, i)
                size = end - i
                if size == 0 or not usable_id(data, i, size):
                    return row - first_row, noted, doubts, line
            if size != query_size or not same(data, i, query_start, size):
                query_start, query_size = i, size
                spelt, is_number = whole_number(data, i, size) if size else (0, 0)
                queries[noted, 0], queries[noted, 1], queries[noted, 2] = row, i, size
                queries[noted, 3], queries[noted, 4] = spelt, is_number
                noted += 1
            i += size

            last = 0
            base = row * width - 1
            # Unsigned: the compiler then need not ask whether a place counts from the end.
            p = np.uint64(i)
            while True:
                while data[p] == _SPACE or data[p] == _TAB:
                    p += _U1
                digit = np.uint64(data[p]) - _U48
                if digit > _U9:
                    break
                number = _U0
                while digit <= _U9:
                    number = number * _U10 + digit
                    if number > np.uint64(GREATEST_INDEX):
                        return row - first_row, noted, doubts, line
                    p += _U1
                    digit = np.uint64(data[p]) - _U48
                index = int(np.int64(number))
                if data[p] != COLON or index <= last or index > width or cell == cells:
                    return row - first_row, noted, doubts, line
                last = index
                p += _U1
                place = cell if sparse else base + index

                # The common form, digits with a point among them, is read here; all others are left
                # to the general parser.
                begin = p
                negative = data[p] == _MINUS
                if negative:
                    p += _U1
                digits_begin = p
                mantissa = _U0
                digit = np.uint64(data[p]) - _U48
                while digit <= _U9:
                    mantissa = mantissa * _U10 + digit
                    p += _U1
                    digit = np.uint64(data[p]) - _U48
                digits = p - digits_begin
                decimals = _U0
                if data[p] == _POINT:
                    p += _U1
                    digits_begin = p
                    digit = np.uint64(data[p]) - _U48
                    while digit <= _U9:
                        mantissa = mantissa * _U10 + digit
                        p += _U1
                        digit = np.uint64(data[p]) - _U48
                    decimals = p - digits_begin
                    digits += decimals
                sure = True
                if _U0 < digits <= _U19 and ends_word(data[p]):
                    if mantissa <= _LARGEST_EXACT:
                        value = np.float64(np.int64(mantissa)) / _TEN[decimals]
                    else:
                        value, sure = scale(mantissa, -int(np.int64(decimals)))
                    if negative:
                        value = -value
                else:
                    end = word_end(data, int(np.int64(p)))
                    value, code = parse_decimal(data, int(np.int64(begin)), end)
                    if code == MALFORMED and is_null(data, int(np.int64(begin)), end):
                        value, code = np.nan, EXACT
                    if code == MALFORMED:
                        return row - first_row, noted, doubts, line
                    sure = code == EXACT
                    p = np.uint64(end)
                if not sure:
                    if doubts < unsure.shape[0]:
                        unsure[doubts, 0], unsure[doubts, 1], unsure[doubts, 2] = place, begin, p
                    doubts += 1
                values[place] = value
                if sparse:
                    indices[cell] = index - 1
                    cell += 1
            i = int(np.int64(p))

            if data[i] == HASH:
                if docs.shape[0]:
                    doc, size = doc_id(data, i + 1)
                    if not usable_id(data, doc, size):
                        return row - first_row, noted, doubts, line
                    docs[row, 0], docs[row, 1] = doc, size
            elif not no_row(data, i):
                return row - first_row, noted, doubts, line
            row += 1
            if sparse:
                indptr[row] = cell
        while data[i] != NEWLINE:
            i += 1
        i += 1
    return row - first_row, noted, doubts, -1


@kernel
def fill_ids(
    data: NDArray[np.uint8],
    spans: NDArray[np.int64],
    first: int,
    stop: int,
    letters: NDArray[np.uint32],
    foreign: NDArray[np.bool_],
) -> None:
    """Spread the ids ``spans[first:stop]`` (start, length) over ``letters``; mark those beyond ASCII."""
    for row in range(first, stop):
        for k in range(spans[row, 1]):
            byte = data[spans[row, 0] + k]
            letters[row, k] = byte
            if byte > 127:
                foreign[row] = True
