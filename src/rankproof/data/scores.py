"""Score files: one number per line, in the order of the items of a data file."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from rankproof.arrays import Float64s, Int64s, as_scores
from rankproof.errors import FileFormatError
from rankproof.files import StrPath, create_bytes, open_bytes

__all__ = ["in_rows", "read_scores", "write_scores"]


def read_scores(path: StrPath) -> Float64s:
    """The scores of a file with one number per line.

    Raises
    ------
    FileFormatError
        With the line of the first thing that is not a score: a word, NaN, an empty line, two numbers.
    """
    lines = bytes(open_bytes(path)).split(b"\n")
    if lines and not lines[-1].strip():
        lines.pop()
    if not lines:
        raise FileFormatError(path, None, "the file is empty; it should hold one score per line.")
    try:
        scores = np.array([float(line) for line in lines])
    except ValueError:
        scores = np.array([np.nan])
    if np.isnan(scores).any():
        raise _first_problem(path, lines)
    return scores


def _first_problem(path: StrPath, lines: list[bytes]) -> FileFormatError:
    for at, line in enumerate(lines, start=1):
        shown = line.decode("utf-8", "replace").strip()
        try:
            good = not np.isnan(float(line))
        except ValueError:
            good = False
        if not good:
            what = f"{shown[:60]!r} is not a score" if shown else "the line is empty"
            return FileFormatError(path, at, f"{what}; a score file holds one number per line, never NaN.")
    raise AssertionError("called for a file without a problem")


def write_scores(scores: ArrayLike, path: StrPath) -> None:
    """One score per line, shortest text that reads back to the same bits; written whole or not at all."""
    with create_bytes(path) as file:
        file.writelines(f"{score!r}\n".encode() for score in as_scores(scores).tolist())


def in_rows(scores: Float64s, order: Int64s | None) -> Float64s:
    """Scores of items in the order of the rows of their file; ``order`` has the row of every item.

    >>> in_rows(np.array([1.0, 2.0, 3.0]), np.array([0, 2, 1])).tolist()
    [1.0, 3.0, 2.0]
    """
    if order is None:
        return scores
    rows = np.empty_like(scores)
    rows[order] = scores
    return rows
