"""Parse the lines of a TREC run or qrels: bytes to packed ids and numbers, without a Python object per line.

A line is columns of visible bytes between blanks (space, tab, CR, VT, FF); LF ends it. A line whose first
visible byte is a hash is a comment. Column 0 names the query, column 2 the document, one later column holds
the number; the others are read over. Lines of one query that follow each other make a *segment*, and the
query is named once per segment.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankproof.kernels.compiled import kernel
from rankproof.kernels.text.decimal import EXACT, MALFORMED, UNSURE, parse_decimal
from rankproof.kernels.text.packed_ids import Counts, Starts, Words, finish, mix

__all__ = [
    "BAD_BYTE",
    "BAD_COLUMNS",
    "BAD_NUMBER",
    "BAD_UTF8",
    "LONG_ID",
    "MOST_ID_BYTES",
    "count_lines",
    "find_item",
    "next_line",
    "parse_lines",
]

Text = NDArray[np.uint8]

MOST_ID_BYTES = 4096
BAD_BYTE, BAD_UTF8, BAD_COLUMNS, LONG_ID, BAD_NUMBER = 1, 2, 3, 4, 5

_LF = 10
# Bytes that are looked at in one step, while they are in the processor's cache.
_PIECE, _LONG_PIECE = 1 << 15, 1 << 20
_BLANK = 32
_HASH = 35
_MINUS, _POINT = 45, 46
_TENS = np.array([float(10**k) for k in range(16)])
_ZERO = np.uint64(0)
_EIGHT = np.uint64(8)


# The next two are numpy's: as quick as compiled loops, and the first call ever does not wait for a compiler.
def count_lines(text: Text, low: int, high: int) -> int:
    """How many line ends stand in ``text[low:high]``."""
    # One mask for all steps, and long ones: threads wait for each other between two.
    is_end = np.empty(min(_LONG_PIECE, max(high - low, 0)), np.bool_)
    lines = 0
    for at in range(low, high, _LONG_PIECE):
        part = text[at : min(at + _LONG_PIECE, high)]
        lines += int(np.count_nonzero(np.equal(part, _LF, out=is_end[: part.size])))
    return lines


def next_line(text: Text, pos: int) -> int:
    """Where the first line that starts after ``pos`` starts; the end of the text when there is none."""
    for at in range(pos, text.size, _PIECE):
        ends = np.flatnonzero(text[at : at + _PIECE] == _LF)
        if ends.size:
            return at + int(ends[0]) + 1
    return text.size


@kernel
def find_item(text: Text, low: int, item: int) -> tuple[int, int]:
    """Start and number (from 1) of the line of item number ``item``; blank lines and comments hold none."""
    line, start, pos = 1, low, low
    while pos < text.size:
        if text[pos] == _LF:
            line += 1
            start = pos + 1
        elif text[pos] > _BLANK:
            if text[pos] != _HASH:
                if item == 0:
                    return start, line
                item -= 1
            while pos < text.size and text[pos] != _LF:
                pos += 1
            continue
        pos += 1
    return start, line


@kernel
def _is_utf8(text: Text, low: int, high: int) -> bool:
    pos = low
    while pos < high:
        byte = text[pos]
        pos += 1
        if byte < 0x80:
            continue
        # The second byte's range shuts out overlong forms, surrogates and what lies above U+10FFFF.
        least, most, more = 0x80, 0xBF, 0
        if 0xC2 <= byte <= 0xDF:
            more = 1
        elif 0xE0 <= byte <= 0xEF:
            more = 2
            least = 0xA0 if byte == 0xE0 else 0x80
            most = 0x9F if byte == 0xED else 0xBF
        elif 0xF0 <= byte <= 0xF4:
            more = 3
            least = 0x90 if byte == 0xF0 else 0x80
            most = 0x8F if byte == 0xF4 else 0xBF
        else:
            return False
        if pos + more > high:
            return False
        for _ in range(more):
            if not least <= text[pos] <= most:
                return False
            least, most = 0x80, 0xBF
            pos += 1
    return True


@kernel
def _token_end(text: Text, pos: int, high: int) -> tuple[int, int]:
    """Where the token at ``pos`` ends, and the bits its bytes have among them."""
    seen = 0
    while pos < high and text[pos] > _BLANK:
        seen |= text[pos]
        pos += 1
    return pos, seen


@kernel
def _pack_token(text: Text, pos: int, high: int, words: Words, at: int) -> tuple[int, int, np.uint64, int]:
    """Pack the token at ``pos`` into ``words`` from ``at``: where both end, the hash state, the bits seen."""
    word, state, filled, seen = _ZERO, _ZERO, 0, 0
    while pos < high and text[pos] > _BLANK:
        byte = text[pos]
        seen |= byte
        word = (word << _EIGHT) | np.uint64(byte)
        filled += 1
        pos += 1
        if filled == 8:
            words[at] = word
            at += 1
            state = mix(state, word)
            word, filled = _ZERO, 0
    if filled > 0:
        word <<= np.uint64(64 - 8 * filled)
        words[at] = word
        at += 1
        state = mix(state, word)
    return pos, at, state, seen


@kernel
def _short_number(text: Text, pos: int, high: int) -> tuple[int, int, float]:
    """Where the token at ``pos`` ends, the bits seen, and its value if it is a plain number of few digits.

    Up to 15 digits and the power of ten they are divided by are exact in a float64, so the quotient is the
    nearest one. NaN stands for all other tokens, which `parse_decimal` looks at.
    """
    start, seen = pos, 0
    negative = pos < high and text[pos] == _MINUS
    pos += negative
    whole, digits, places, after_point, plain = 0, 0, 0, 0, True
    while pos < high and text[pos] > _BLANK:
        byte = text[pos]
        seen |= byte
        digit = int(byte) - 48
        if 0 <= digit <= 9:
            whole = whole * 10 + digit
            digits += 1
            places += after_point
        elif byte == _POINT and after_point == 0:
            after_point = 1
        else:
            plain = False
        pos += 1
    if not plain or digits == 0 or pos - start > 15:
        return pos, seen, np.nan
    value = np.float64(whole) / _TENS[places]
    return pos, seen, -value if negative else value


@kernel
def _repeats(text: Text, pos: int, high: int, before: int, end: int) -> bool:
    """Whether the token at ``pos`` has the bytes ``before:end``."""
    size = end - before
    if pos + size > high or (pos + size < high and text[pos + size] > _BLANK):
        return False
    for k in range(size):  # noqa: SIM110 (numba compiles the loop, not all())
        if text[pos + k] != text[before + k]:
            return False
    return True


@kernel
def parse_lines(
    text: Text,
    low: int,
    high: int,
    columns: int,
    more_columns: bool,
    value_column: int,
    finite: bool,
    mask: np.uint64,
    docs: tuple[Words, Starts, Counts, Words],
    values: NDArray[np.float64],
    names: tuple[Words, Starts, Counts, Words],
    firsts: Starts,
    doubts: NDArray[np.int64],
    item: int,
    word: int,
) -> tuple[int, int, int, int, int]:
    """Parse the lines of ``text[low:high]``, which starts and ends where lines do.

    Items go to the arrays from ``item`` on, packed words from ``word`` on; segments likewise, with their
    first items in ``firsts``. A number that `parse_decimal` is unsure of leaves its item, start and end in
    ``doubts``. Returns the ends of items, segments and doubts, and at the first bad line its error and start
    (0 and -1 without one).
    """
    doc_words, doc_starts, doc_counts, doc_hashes = docs
    name_words, name_starts, name_counts, name_hashes = names
    # Seeing that no index is negative, the compiler leaves out the check for it: twice as fast a scan.
    low, item, word = max(low, 0), max(item, 0), max(word, 0)
    segment = doubt = item
    doc_at = name_at = word
    before = end = low
    pos = low
    while pos < high:
        start = pos
        column = 0
        seen = 0
        error = 0
        value_low = value_high = pos
        doc_size = 0
        value = np.nan
        is_new = False
        while True:
            while pos < high and text[pos] <= _BLANK and text[pos] != _LF:
                if text[pos] != _BLANK and (text[pos] < 9 or text[pos] > 13):
                    error = BAD_BYTE
                pos += 1
            if pos >= high or text[pos] == _LF:
                break
            if column == 0:
                if text[pos] == _HASH:
                    while pos < high and text[pos] != _LF:
                        pos += 1
                    break
                if end > before and _repeats(text, pos, high, before, end):
                    pos += end - before
                else:
                    is_new = True
                    before = pos
                    name_start = name_at
                    pos, name_at, state, seen = _pack_token(text, pos, high, name_words, name_at)
                    end = pos
                    name_starts[segment] = name_start
                    name_counts[segment] = name_at - name_start
                    name_hashes[segment] = finish(state, mask)
                    firsts[segment] = item
            elif column == 2:
                doc_start, doc_low = doc_at, pos
                pos, doc_at, state, bits = _pack_token(text, pos, high, doc_words, doc_at)
                doc_size = pos - doc_low
                seen |= bits
                doc_starts[item] = doc_start
                doc_counts[item] = doc_at - doc_start
                doc_hashes[item] = finish(state, mask)
            elif column == value_column:
                value_low = pos
                pos, bits, value = _short_number(text, pos, high)
                seen |= bits
                value_high = pos
            else:
                pos, bits = _token_end(text, pos, high)
                seen |= bits
            column += 1
        line_end = pos
        pos += 1
        if column == 0 and error == 0:
            continue
        if error == 0 and seen >= 0x80 and not _is_utf8(text, start, line_end):
            error = BAD_UTF8
        if error == 0 and column != columns and not (more_columns and column > columns):
            error = BAD_COLUMNS
        if error == 0 and max(end - before, doc_size) > MOST_ID_BYTES:
            error = LONG_ID
        if error == 0:
            status = EXACT
            if np.isnan(value):
                value, status = parse_decimal(text, value_low, value_high)
            values[item] = value
            if status == UNSURE:
                doubts[doubt, 0], doubts[doubt, 1], doubts[doubt, 2] = item, value_low, value_high
                doubt += 1
            elif status == MALFORMED or np.isnan(value) or (finite and np.isinf(value)):
                error = BAD_NUMBER
        if error != 0:
            return item, segment, doubt, error, start
        segment += is_new
        item += 1
    return item, segment, doubt, 0, -1
