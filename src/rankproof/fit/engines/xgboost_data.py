"""What XGBoost's DMatrix holds, in our terms."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankproof.arrays import Float64s, Int64s, as_weights
from rankproof.errors import ArgumentError
from rankproof.fit.engines.reading import Judged, as_written, offsets_of_sizes, weights_of_queries

__all__ = ["judged_matrix", "labels_of", "offsets_of", "query_weights", "refuse_arrays"]


def labels_of(data: Any) -> NDArray[Any]:
    """The labels, one per row."""
    labels: NDArray[Any] = data.get_label()
    if labels.size == 0 and data.num_row() > 0:
        raise ArgumentError("The DMatrix has no labels. Give label=.")
    return labels


def offsets_of(data: Any) -> Int64s:
    """Where queries start."""
    sizes = np.diff(data.get_uint_info("group_ptr").astype(np.int64))
    return offsets_of_sizes(sizes, data.num_row(), "The DMatrix")


def query_weights(data: Any, offsets: Int64s) -> Float64s | None:
    """One weight per query: what XGBoost asks for when there are groups; else it has one per row."""
    given = data.get_weight()
    if given.size == 0:
        return None
    if given.size == offsets.size - 1:
        return as_weights("weight", as_written(given), offsets.size - 1)
    return weights_of_queries(given, offsets)


def judged_matrix(data: Any, labels: Any = None, group: Any = None) -> Judged:
    """What a metric is evaluated on; labels and group sizes may be others than those of the DMatrix."""
    rows = data.num_row()
    offsets = offsets_of(data) if group is None else offsets_of_sizes(group, rows, "The DMatrix")
    known = as_written(labels_of(data) if labels is None else labels)
    if known.size != rows:
        raise ArgumentError(f"Argument labels must have one number per row ({rows}), got {known.size}.")
    return Judged(known, offsets, query_weights(data, offsets))


def refuse_arrays(data: Any, sample_weight: Any) -> None:
    """Raise `ArgumentError` when an estimator of XGBoost calls, which leaves out the groups."""
    if sample_weight is not None or not hasattr(data, "get_uint_info"):
        raise ArgumentError(
            "XGBoost's scikit-learn estimators hand labels and scores to a function of one's own, but not "
            "which rows are the items of one query. Use xgboost.train(obj=..., custom_metric=...), or the "
            "plain-regression route: regression_target as the labels of XGBRegressor, with "
            "callbacks=[early_stopping(...)]."
        )
