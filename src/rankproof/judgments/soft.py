"""Soft labels: a matrix of P(grade), one row per item."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rankproof.arrays import Float64s, as_offsets, offsets_from_qid
from rankproof.errors import ArgumentError, DataError
from rankproof.ids import as_ids, as_text
from rankproof.judgments.container import Judgments

__all__ = ["from_probabilities", "is_soft", "probability_rows"]

_SUM = 1e-6


def is_soft(values: Any) -> bool:
    """Whether labels are a matrix with more than one column: P(grade), a row per item."""
    shape = getattr(values, "shape", None)
    return shape is not None and len(shape) == 2 and shape[1] > 1


def probability_rows(probabilities: ArrayLike, what: str = "Argument probabilities") -> Float64s:
    """A matrix of P(grade) with rows of sum 1."""
    try:
        rows = np.array(probabilities, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ArgumentError(f"{what} must be a matrix of numbers: {error}.") from None
    if rows.ndim != 2 or rows.shape[1] < 2:
        raise ArgumentError(
            f"{what} must have a row per item and a column per grade, got shape {rows.shape}."
        )
    bad = ~(np.isfinite(rows) & (rows >= 0))
    if bad.any():
        row, column = (int(part[0]) for part in np.nonzero(bad))
        raise DataError(
            f"{what} must hold numbers >= 0, got {rows[row, column]} at row {row}, column {column}."
        )
    total = rows.sum(axis=1)
    off = np.abs(total - 1) > _SUM
    if off.any():
        row = int(np.argmax(off))
        raise DataError(
            f"{what} must have rows of sum 1, got {total[row]:.9g} in row {row} ({int(off.sum())} such "
            "rows). "
            "Divide every row by its sum if these are shares, or pass grades in one column."
        )
    shares: Float64s = rows / total[:, None]
    return shares


def from_probabilities(
    probabilities: ArrayLike,
    *,
    offsets: ArrayLike | None = None,
    qid: ArrayLike | None = None,
    grades: ArrayLike | None = None,
    query_ids: ArrayLike | None = None,
    doc_ids: ArrayLike | None = None,
) -> Judgments:
    """See `Judgments.from_probabilities`."""
    rows = probability_rows(probabilities)
    items = rows.shape[0]
    if (offsets is None) == (qid is None):
        raise ArgumentError(
            "Soft labels need exactly one of offsets= (where queries start) and qid= (per item)."
        )
    starts = as_offsets(offsets, items) if offsets is not None else offsets_from_qid(qid)  # type: ignore[arg-type]
    if int(starts[-1]) != items:
        raise ArgumentError(f"Argument qid must have one id per row ({items}), got {int(starts[-1])}.")
    if query_ids is not None:
        names = as_ids(query_ids)
    else:
        names = np.arange(starts.size - 1) if qid is None else as_ids(qid)[starts[:-1]]
    levels = np.arange(rows.shape[1], dtype=np.float64) if grades is None else np.asarray(grades, np.float64)
    if levels.shape != rows.shape[1:] or not np.isfinite(levels).all() or (np.diff(levels) <= 0).any():
        raise ArgumentError(
            f"Argument grades must give {rows.shape[1]} rising numbers, one per column, got "
            f"{levels.tolist()}."
        )
    docs = as_text(np.arange(items) if doc_ids is None else as_ids(doc_ids))
    for name, ids, size in (("query_ids", names, starts.size - 1), ("doc_ids", docs, items)):
        if ids.shape != (size,):
            raise ArgumentError(f"Argument {name} must have {size} ids, got shape {ids.shape}.")
    none = np.zeros(0, np.int64)
    return Judgments(
        offsets=starts,
        grades=levels,
        item=none,
        judge=none,
        place=none,
        judge_ids=np.zeros(0, np.str_),
        query_ids=names,
        doc_ids=docs,
        probabilities=rows,
        reading="independent",
    )
