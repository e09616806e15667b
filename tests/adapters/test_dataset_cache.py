"""What was computed for a data set is there as long as the data set lives and stays the same."""

from __future__ import annotations

import copy
import gc
import pickle

import numpy as np

from rankproof.adapters.dataset_cache import DatasetCache


class Data:
    """Something that lives and dies."""


def test_what_is_computed_goes_with_its_data_set() -> None:
    cache: DatasetCache[int] = DatasetCache()
    first, second = Data(), Data()
    numbers = np.array([1.0, np.nan])
    assert cache.get(first, (numbers, None), lambda: 1) == 1
    assert cache.get(second, (numbers, None), lambda: 2) == 2
    assert cache.get(first, (numbers.copy(), None), lambda: 3) == 1
    numbers[0] = 5.0
    assert cache.get(first, (numbers, None), lambda: 4) == 4
    assert cache.get(first, (numbers, numbers), lambda: 5) == 5
    assert cache.get(first, (numbers.astype(np.float32), numbers), lambda: 6) == 6
    assert len(cache._entries) == 2
    del second
    gc.collect()
    assert len(cache._entries) == 1


def test_an_array_that_is_never_changed_is_not_read_again() -> None:
    cache: DatasetCache[int] = DatasetCache()
    owner, numbers = Data(), np.array([1.0])
    assert cache.get(owner, (numbers, None), lambda: 1, replaced=True) == 1
    numbers[0] = 2.0  # against the promise
    assert cache.get(owner, (numbers, None), lambda: 2, replaced=True) == 1
    assert cache.get(owner, (numbers.copy(), None), lambda: 3, replaced=True) == 3
    assert cache.get(owner, (numbers, numbers), lambda: 4, replaced=True) == 4
    assert cache.get(owner, (np.array([3.0]), None), lambda: 5) == 5


def test_an_owner_that_is_one_of_its_contents_is_let_go() -> None:
    cache: DatasetCache[int] = DatasetCache()
    labels = np.array([1.0, 0.0])
    cache.get(labels, (labels, None), lambda: 1)
    del labels
    gc.collect()
    assert not cache._entries


def test_copies_start_empty() -> None:
    cache: DatasetCache[object] = DatasetCache()
    owner = Data()
    cache.get(owner, (), lambda: lambda: None)
    assert copy.deepcopy(cache)._entries == pickle.loads(pickle.dumps(cache))._entries == {}  # noqa: S301
