"""What an estimator is given beside features and labels: query ids and weights, brought into one form."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankproof.arrays import Float64s, Int64s, as_weights, offsets_from_qid
from rankproof.errors import ArgumentError, DataError
from rankproof.fit.objective import Supervision
from rankproof.losses.base import Loss

__all__ = ["per_query_weights", "query_offsets", "supervision"]


def query_offsets(qid: Any, rows: int) -> Int64s:
    """Where queries start; without ``qid`` all rows are one query."""
    if qid is None:
        return np.array([0, rows], dtype=np.int64)
    ids = np.asarray(qid)
    if ids.shape != (rows,):
        raise ArgumentError(
            f"Argument qid must have one query id per row of X ({rows}), got shape {ids.shape}."
        )
    return offsets_from_qid(ids if ids.dtype.kind != "O" else ids.astype(np.str_))


def per_query_weights(query_weight: Any, offsets: Int64s, name: str = "query_weight") -> Float64s | None:
    """One weight per query; from one per query, or one per row that is the same within each query.

    >>> per_query_weights([2, 2, 1], np.array([0, 2, 3])).tolist()
    [2.0, 1.0]
    """
    if query_weight is None:
        return None
    queries, rows = offsets.size - 1, int(offsets[-1])
    given = np.asarray(query_weight)
    if given.ndim == 1 and given.size == rows and rows != queries:
        per_row = as_weights(name, given, rows)
        found = per_row[offsets[:-1]]
        unequal = np.repeat(found, np.diff(offsets)) != per_row
        if unequal.any():
            raise ArgumentError(
                f"Argument {name} with one number per row must be the same within a query, "
                f"got another at row {int(np.argmax(unequal))}."
            )
    elif given.ndim == 1 and given.size == queries:
        found = as_weights(name, given, queries)
    else:
        raise ArgumentError(
            f"Argument {name} must have one number per query ({queries}) or per row ({rows}), "
            f"got shape {given.shape}."
        )
    if not found.any():
        raise ArgumentError(f"Argument {name} must have a weight that is not zero.")
    return found


def supervision(
    loss: Loss,
    labels: Float64s,
    offsets: Int64s,
    query_weight: Any,
    sample_weight: Any,
    *,
    threads: int | None = None,
) -> Supervision:
    """Targets and weights for a loss.

    A loss that is not a sum over items takes ``sample_weight`` only when it is the same within each query:
    then it multiplies the loss of the query, as it would for a sum.
    """
    if np.isnan(labels).any():
        raise DataError(
            f"Argument y holds NaN at row {int(np.argmax(np.isnan(labels)))}: an item without a judgment. "
            "Drop such items, or give them grade 0."
        )
    targets = loss.targets(labels, offsets, threads=threads)
    loss.check_targets(targets)
    by_query = per_query_weights(query_weight, offsets)
    total = float(offsets.size - 1 if by_query is None else by_query.sum())
    if sample_weight is None:
        return Supervision(targets, offsets, total, by_query)
    items = as_weights("sample_weight", sample_weight, labels.size)
    if not items.any():
        raise ArgumentError("Argument sample_weight must have a weight that is not zero.")
    if loss.takes_item_weights:
        return Supervision(targets, offsets, total, by_query, items)
    factor = items[offsets[:-1]]
    unequal = np.repeat(factor, np.diff(offsets)) != items
    if unequal.any():
        raise ArgumentError(
            f"Loss {loss.name} is not a sum over items, so sample_weight must be the same within a query, "
            f"got another at row {int(np.argmax(unequal))}. Use query_weight, or a loss with item weights: "
            "squared, softmax."
        )
    return Supervision(targets, offsets, total, factor if by_query is None else factor * by_query)
