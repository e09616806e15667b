"""Labels, groups and weights as engines hand them back, and what is kept for a data set."""

from __future__ import annotations

import copy
import gc
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankproof.errors import ArgumentError, DataError, MissingDependencyError
from rankproof.fit.engines import missing
from rankproof.fit.engines.reading import as_written, offsets_of_sizes, supervised, weights_of_queries
from rankproof.fit.engines.remembered import Remembered
from rankproof.losses.parse import loss


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
    assert offsets_of_sizes(np.array([2, 0, 3], dtype=np.uint32), 5, "The data").tolist() == [0, 2, 2, 5]
    for nothing in (None, [], np.zeros(0, dtype=np.uint32)):
        with pytest.raises(ArgumentError, match=r"The data has no groups.*group=\[5\]"):
            offsets_of_sizes(nothing, 5, "The data")
    with pytest.raises(ArgumentError, match="The data has 5 rows, but its group sizes add up to 4"):
        offsets_of_sizes([2, 2], 5, "The data")


def test_a_query_counts_with_the_mean_of_its_rows() -> None:
    offsets = np.array([0, 3, 3, 5])
    assert weights_of_queries(None, offsets) is None
    weights = weights_of_queries([1, 2, 6, 5, 5], offsets)
    assert weights is not None
    assert weights.tolist() == [3.0, 0.0, 5.0]
    # 0.1 + 0.1 + 0.1 is not three times 0.1.
    same = weights_of_queries(np.full(5, 0.1, dtype=np.float32), offsets)
    assert same is not None
    assert same.tolist() == [0.1, 0.0, 0.1]


def test_row_weights_are_item_weights_where_the_loss_has_them() -> None:
    offsets = np.array([0, 2, 4])
    data = supervised(loss("squared"), [1, 0, 1, 0], offsets, row_weights=[1, 2, 3, 3])
    assert data.item_weights.tolist() == [1.0, 2.0, 3.0, 3.0]
    data = supervised(loss("centred-squared"), [1, 0, 1, 0], offsets, row_weights=[2, 2, 3, 3])
    assert data.query_weights is not None
    assert data.query_weights.tolist() == [2.0, 3.0]
    # A last query without rows has no weight.
    data = supervised(loss("centred-squared"), [1, 0, 1, 0], np.array([0, 2, 4, 4]), row_weights=[2, 2, 3, 3])
    assert data.query_weights is not None
    assert data.query_weights.tolist() == [2.0, 3.0, 0.0]
    with pytest.raises(
        ArgumentError, match=r"Row 3 has weight 4, other rows of its query 1 have 3; .*softmax, squared"
    ):
        supervised(loss("centred-squared"), [1, 0, 1, 0], offsets, row_weights=[2, 2, 3, 4])


def test_a_label_that_is_not_known_is_refused() -> None:
    with pytest.raises(DataError, match="NaN at row 1"):
        supervised(loss("squared"), np.array([1, np.nan], dtype=np.float32), np.array([0, 2]))


class Data:
    """Something that lives and dies."""


def test_what_is_kept_goes_with_its_data_set() -> None:
    kept: Remembered[int] = Remembered()
    first, second = Data(), Data()
    numbers = np.array([1.0, np.nan])
    assert kept.get(first, (numbers, None), lambda: 1) == 1
    assert kept.get(second, (numbers, None), lambda: 2) == 2
    assert kept.get(first, (numbers.copy(), None), lambda: 3) == 1
    numbers[0] = 5.0
    assert kept.get(first, (numbers, None), lambda: 4) == 4
    assert kept.get(first, (numbers, numbers), lambda: 5) == 5
    assert kept.get(first, (numbers.astype(np.float32), numbers), lambda: 6) == 6
    assert len(kept._kept) == 2
    del second
    gc.collect()
    assert len(kept._kept) == 1


def test_an_array_that_is_never_changed_is_not_read_again() -> None:
    kept: Remembered[int] = Remembered()
    owner, numbers = Data(), np.array([1.0])
    assert kept.get(owner, (numbers, None), lambda: 1, replaced=True) == 1
    numbers[0] = 2.0  # against the promise
    assert kept.get(owner, (numbers, None), lambda: 2, replaced=True) == 1
    assert kept.get(owner, (numbers.copy(), None), lambda: 3, replaced=True) == 3
    assert kept.get(owner, (numbers, numbers), lambda: 4, replaced=True) == 4
    assert kept.get(owner, (np.array([3.0]), None), lambda: 5) == 5


def test_an_owner_that_is_one_of_its_contents_is_let_go() -> None:
    kept: Remembered[int] = Remembered()
    labels = np.array([1.0, 0.0])
    kept.get(labels, (labels, None), lambda: 1)
    del labels
    gc.collect()
    assert not kept._kept


def test_copies_start_empty() -> None:
    kept: Remembered[object] = Remembered()
    owner = Data()
    kept.get(owner, (), lambda: lambda: None)
    assert copy.deepcopy(kept)._kept == pickle.loads(pickle.dumps(kept))._kept == {}  # noqa: S301


@pytest.mark.parametrize("name", ["lightgbm", "xgboost", "catboost"])
def test_an_engine_that_is_not_there_is_named(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # None in the table of modules is how Python says that a module cannot be imported.
    monkeypatch.setitem(missing.importlib.import_module("sys").modules, name, None)
    with pytest.raises(
        MissingDependencyError, match=rf"rankproof\.{name} needs .*pip install 'rankproof\[{name}\]'"
    ):
        missing.engine(name)
