"""Labels, groups and weights as engines hand them back."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankproof import optional as missing
from rankproof.adapters.engine_data import as_written, mean_weights, offsets_from_sizes, weighted_by_query
from rankproof.data.ranking import ranking_data
from rankproof.errors import ArgumentError, DataError, MissingDependencyError
from rankproof.losses.parse import loss
from rankproof.losses.supervision import Supervision, supervision


@given(st.integers(-999_999, 999_999), st.integers(0, 6))
def test_a_label_of_six_digits_comes_back_as_it_was_written(digits: int, places: int) -> None:
    label = float(f"{digits}e-{places}")
    assert as_written(np.array([label], dtype=np.float32)).tolist() == [label]


def test_a_grade_at_the_threshold_stays_relevant() -> None:
    kept = np.array([0.7, 0.69], dtype=np.float32)
    assert float(kept[0]) < 0.7
    assert (as_written(kept) >= 0.7).tolist() == [True, False]


def test_labels_that_are_not_float32_are_taken_as_they_are() -> None:
    assert as_written(np.array([0.1 + 0.2])).tolist() == [0.1 + 0.2]
    assert as_written([3, 0]).tolist() == [3.0, 0.0]


def test_sizes_become_offsets() -> None:
    # Unsigned, as XGBoost has them.
    assert offsets_from_sizes(np.array([2, 0, 3], dtype=np.uint32), 5, "The data").tolist() == [0, 2, 2, 5]
    nothing: Any
    for nothing in (None, [], np.zeros(0, dtype=np.uint32)):
        with pytest.raises(ArgumentError, match=r"The data has no groups.*group=\[5\]"):
            offsets_from_sizes(nothing, 5, "The data")
    with pytest.raises(ArgumentError, match="The data has 5 rows, but its group sizes add up to 4"):
        offsets_from_sizes([2, 2], 5, "The data")


def test_a_query_counts_with_the_mean_of_its_rows() -> None:
    offsets = np.array([0, 3, 3, 5])
    assert mean_weights([1, 2, 6, 5, 5], offsets).tolist() == [3.0, 0.0, 5.0]
    # 0.1 + 0.1 + 0.1 is not three times 0.1.
    assert mean_weights(np.full(5, 0.1, dtype=np.float32), offsets).tolist() == [0.1, 0.0, 0.1]


def test_weights_of_queries_and_of_rows_multiply_in_the_mean_of_a_metric() -> None:
    labels, offsets = np.array([1.0, 0.0, 2.0]), np.array([0, 2, 3])
    assert weighted_by_query(ranking_data(labels, offsets)).query_weights is None
    queries, rows = np.array([2.0, 3.0]), np.array([1.0, 3.0, 5.0])
    for by_query, by_row, expected in (
        (queries, None, [2.0, 3.0]),
        (None, rows, [2.0, 5.0]),
        (queries, rows, [4.0, 15.0]),
    ):
        weights = weighted_by_query(ranking_data(labels, offsets, None, by_query, by_row)).query_weights
        assert weights is not None
        assert weights.tolist() == expected


def supervised(name: str, labels: Any, offsets: np.ndarray, row_weights: Any = None) -> Supervision:
    data = ranking_data(as_written(labels), offsets, item_weights=row_weights)
    return supervision(loss(name), data, weight_name="weight")


def test_row_weights_are_item_weights_where_the_loss_has_them() -> None:
    offsets = np.array([0, 2, 4])
    data = supervised("squared", [1, 0, 1, 0], offsets, row_weights=[1, 2, 3, 3])
    assert data.item_weights.tolist() == [1.0, 2.0, 3.0, 3.0]
    data = supervised("centred-squared", [1, 0, 1, 0], offsets, row_weights=[2, 2, 3, 3])
    assert data.query_weights is not None
    assert data.query_weights.tolist() == [2.0, 3.0]
    # A last query without rows has no weight.
    data = supervised("centred-squared", [1, 0, 1, 0], np.array([0, 2, 4, 4]), row_weights=[2, 2, 3, 3])
    assert data.query_weights is not None
    assert data.query_weights.tolist() == [2.0, 3.0, 0.0]
    with pytest.raises(
        ArgumentError, match=r"Row 3 has weight 4, other rows of its query 1 have 3; .*softmax, squared"
    ):
        supervised("centred-squared", [1, 0, 1, 0], offsets, row_weights=[2, 2, 3, 4])


def test_a_label_that_is_not_known_is_refused() -> None:
    with pytest.raises(DataError, match="NaN at row 1"):
        supervised("squared", np.array([1, np.nan], dtype=np.float32), np.array([0, 2]))


@pytest.mark.parametrize("name", ["lightgbm", "xgboost", "catboost"])
def test_an_engine_that_is_not_there_is_named(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # None in the table of modules is how Python says that a module cannot be imported.
    monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(MissingDependencyError, match=rf"rankproof\.{name} needs .*pip install {name}"):
        missing.engine(name)
