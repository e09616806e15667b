"""What XGBoost's DMatrix holds, in our terms."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankproof.adapters.engine_data import as_written, mean_weights, offsets_from_sizes
from rankproof.arrays import Float64s, Int64s, as_weights
from rankproof.data.ranking import RankingData, ranking_data
from rankproof.errors import ArgumentError

__all__ = ["contents_of", "engine_data", "labels_of", "offsets_of", "query_weights", "refuse_arrays"]


def labels_of(data: Any) -> NDArray[Any]:
    """The labels, one per row."""
    labels: NDArray[Any] = data.get_label()
    if labels.size == 0 and data.num_row() > 0:
        raise ArgumentError("The DMatrix has no labels. Give label=.")
    return labels


def contents_of(data: Any) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """The arrays by which a change of the DMatrix is seen: labels, groups, weights."""
    return labels_of(data), data.get_uint_info("group_ptr"), data.get_weight()


def offsets_of(data: Any) -> Int64s:
    """Where queries start."""
    sizes = np.diff(data.get_uint_info("group_ptr").astype(np.int64))
    return offsets_from_sizes(sizes, data.num_row(), "The DMatrix")


def query_weights(data: Any, offsets: Int64s) -> Float64s | None:
    """One weight per query: what XGBoost asks for when there are groups; else it has one per row."""
    weights = data.get_weight()
    if weights.size == 0:
        return None
    if weights.size == offsets.size - 1:
        return as_weights("weight", as_written(weights), offsets.size - 1)
    return mean_weights(weights, offsets)


def engine_data(data: Any, labels: Any = None, group: Any = None) -> RankingData:
    """What a metric is evaluated on; labels and group sizes may be others than those of the DMatrix."""
    rows = data.num_row()
    offsets = offsets_of(data) if group is None else offsets_from_sizes(group, rows, "The DMatrix")
    grades = as_written(labels_of(data) if labels is None else labels)
    if grades.size != rows:
        raise ArgumentError(f"Argument labels must have one number per row ({rows}), got {grades.size}.")
    return ranking_data(grades, offsets, query_weights=query_weights(data, offsets))


def refuse_arrays(data: Any, sample_weight: Any) -> None:
    """Raise `ArgumentError` when an estimator of XGBoost calls, which leaves out the groups."""
    if sample_weight is not None or not hasattr(data, "get_uint_info"):
        raise ArgumentError(
            "XGBoost's scikit-learn estimators hand labels and scores to a custom function, but not "
            "which rows are the items of one query. Use xgboost.train(obj=..., custom_metric=...), or the "
            "plain-regression route: regression_target as the labels of XGBRegressor, with "
            "callbacks=[early_stopping(...)]."
        )
