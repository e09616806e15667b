"""The number of threads changes no bit of any value."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from every_case import every_case
from properties.strategies import ALL_VARIANTS, Ragged, values
from rankproof.metrics import METRICS, Metric
from rankproof.threads import chunks_by_items, using

THREADS = (2, 4)


@cache
def many_queries() -> Ragged:
    """120,000 items in queries of very different lengths: enough for the work to be cut into pieces."""
    rng = np.random.default_rng(2011)
    sizes = np.concatenate((rng.integers(0, 60, 4000), [9000, 1, 0, 300]))
    rng.shuffle(sizes)
    items = int(sizes.sum())
    # Half of the queries have many ties.
    scores = rng.normal(size=items)
    coarse = np.repeat(rng.random(sizes.size) < 0.5, sizes)
    labels = rng.choice([0.0, 0.0, 0.0, 1.0, 2.0, 3.0], size=items)
    labels[rng.random(items) < 0.1] = np.nan
    depth = np.where(rng.random(sizes.size) < 0.3, sizes * 3 // 4, sizes)
    offsets = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
    tail = np.arange(items) - np.repeat(offsets[:-1], sizes) >= np.repeat(depth, sizes)
    labels[tail & np.isnan(labels)] = 0.0
    return Ragged(np.where(coarse, np.round(scores), scores), labels, offsets, depth.astype(np.int64))


def test_the_work_is_cut_into_pieces() -> None:
    """Otherwise the laws below would compare one thread with itself."""
    offsets = many_queries().offsets
    with using(1):
        assert len(chunks_by_items(offsets)) == 1
    for threads in THREADS:
        with using(threads):
            assert len(chunks_by_items(offsets)) > threads


@pytest.mark.parametrize("threads", THREADS)
def test_the_order_is_the_same(threads: int) -> None:
    with using(1):
        alone = many_queries().order()
    with using(threads):
        shared = many_queries().order()
    assert np.array_equal(alone.places, shared.places)
    assert np.array_equal(alone.ends, shared.ends)


@pytest.mark.parametrize("threads", THREADS)
def test_breaking_ties_is_the_same(threads: int) -> None:
    keys = np.nan_to_num(many_queries().labels)
    with using(1):
        alone = many_queries().order().broken_by(keys)
    with using(threads):
        shared = many_queries().order().broken_by(keys)
    assert np.array_equal(alone.places, shared.places)
    assert np.array_equal(alone.ends, shared.ends)


@every_case("found", [m for m in ALL_VARIANTS if m.unjudged == "drop" or m == type(m)()], ids=str)
def test_values_are_the_same_bits(found: Metric) -> None:
    with using(1):
        one = values(found, many_queries())
    assert not np.isnan(one).all()
    for threads in THREADS:
        with using(threads):
            assert one.tobytes() == values(found, many_queries()).tobytes()


def test_every_metric_is_compared() -> None:
    assert {m.name for m in ALL_VARIANTS if m == type(m)()} == set(METRICS)
