"""The words of a LETOR line: where they end, and what an id may be.

Every function trusts that a newline stands somewhere behind the place it is given.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankproof.kernels.compiled import kernel

__all__ = [
    "COLON",
    "HASH",
    "LONGEST_ID",
    "NEWLINE",
    "doc_id",
    "ends_word",
    "first_visible",
    "is_null",
    "is_qid",
    "no_row",
    "same",
    "usable_id",
    "whole_number",
    "word_end",
]

_TAB, NEWLINE, _RETURN, _SPACE, HASH, COLON, _EQUALS = 9, 10, 13, 32, 35, 58, 61
LONGEST_ID = 4096


@kernel
def first_visible(data: NDArray[np.uint8], i: int) -> int:
    """The first place from ``i`` on that holds no space or tab."""
    while data[i] == _SPACE or data[i] == _TAB:
        i += 1
    return i


@kernel
def ends_word(byte: int) -> bool:
    return byte in (_SPACE, NEWLINE, _TAB, _RETURN, HASH)


@kernel
def word_end(data: NDArray[np.uint8], i: int) -> int:
    while not ends_word(data[i]):
        i += 1
    return i


@kernel
def is_qid(data: NDArray[np.uint8], i: int) -> bool:
    # Left to right, because a newline may stand anywhere and nothing may be read beyond it.
    return bool(data[i] == 113 and data[i + 1] == 105 and data[i + 2] == 100 and data[i + 3] == COLON)


@kernel
def is_null(data: NDArray[np.uint8], start: int, end: int) -> bool:
    """Whether a word is ``NULL``, which LETOR 3.0 writes for a missing value, in capitals or not."""
    return bool(
        end - start == 4
        and data[start] | 32 == 110
        and data[start + 1] | 32 == 117
        and data[start + 2] | 32 == 108
        and data[start + 3] | 32 == 108
    )


@kernel
def no_row(data: NDArray[np.uint8], i: int) -> bool:
    """Whether the line whose first visible byte is at ``i`` is blank or a comment."""
    return data[i] in (NEWLINE, HASH) or bool(data[i] == _RETURN and data[i + 1] == NEWLINE)


@kernel
def doc_id(data: NDArray[np.uint8], i: int) -> tuple[int, int]:
    """Start and length of the document id in a comment (``i`` is behind the ``#``).

    It is the word after ``docid =``, or else the only word of the comment.
    """
    i = first_visible(data, i)
    first = i
    if (
        data[i] | 32 == 100
        and data[i + 1] | 32 == 111
        and data[i + 2] | 32 == 99
        and data[i + 3] | 32 == 105
        and data[i + 4] | 32 == 100
    ):
        j = first_visible(data, i + 5)
        if data[j] == _EQUALS or data[j] == COLON:
            j = first_visible(data, j + 1)
            i = j
            while data[i] != _SPACE and data[i] != _TAB and data[i] != NEWLINE and data[i] != _RETURN:
                i += 1
            return j, i - j
    while data[i] != _SPACE and data[i] != _TAB and data[i] != NEWLINE and data[i] != _RETURN:
        i += 1
    size = i - first
    i = first_visible(data, i)
    if data[i] == _RETURN:
        i += 1
    return first, size if data[i] == NEWLINE else 0


@kernel
def usable_id(data: NDArray[np.uint8], start: int, size: int) -> bool:
    """Whether an id is short enough to keep and holds no NUL (which the end of a text would swallow)."""
    for k in range(start, start + size):
        if data[k] == 0:
            return False
    return size <= LONGEST_ID


@kernel
def same(data: NDArray[np.uint8], a: int, b: int, size: int) -> bool:
    k = 0
    while k < size and data[a + k] == data[b + k]:
        k += 1
    return k == size


@kernel
def whole_number(data: NDArray[np.uint8], start: int, size: int) -> tuple[int, int]:
    """The whole number that an id of up to 18 digits spells without a spare sign or zero, and 1; or 0, 0."""
    negative = data[start] == 45
    first = start + 1 if negative else start
    digits = start + size - first
    if digits < 1 or digits > 18 or (data[first] == 48 and (digits > 1 or negative)):
        return 0, 0
    number = 0
    for k in range(first, start + size):
        digit = int(data[k]) - 48
        if digit < 0 or digit > 9:
            return 0, 0
        number = number * 10 + digit
    return (-number if negative else number), 1
