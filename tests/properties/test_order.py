"""Sorting by score: exact on every float, stable, and grouped by equality alone."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from drawn import examples
from every_case import every_case
from properties.strategies import SCORES
from rankproof.metrics.ranked.lists import sort_by_score


def sorted_by_python(scores: list[float]) -> tuple[list[int], list[int]]:
    """Places and ends of groups, from the definition."""
    places = sorted(range(len(scores)), key=lambda i: -scores[i])
    ends = [sum(1 for s in scores if s >= scores[i]) for i in places]
    return places, ends


def neighbours(value: float) -> list[float]:
    """Floats that differ in the last bits only."""
    found = [value]
    for _ in range(3):
        found.append(math.nextafter(found[-1], math.inf))
    return found


any_score = st.one_of(
    st.sampled_from([s for pool in SCORES for s in pool]),
    st.floats(allow_nan=False),
    st.floats(-2, 2).flatmap(lambda v: st.sampled_from(neighbours(v))),
    st.integers(-3, 3).map(float),
)


@examples(200)
@given(st.lists(st.lists(any_score, max_size=40), min_size=1, max_size=5))
def test_places_and_groups(queries: list[list[float]]) -> None:
    offsets = np.concatenate(([0], np.cumsum([len(q) for q in queries]))).astype(np.int64)
    order = sort_by_score(np.array([s for q in queries for s in q], dtype=np.float64), offsets)
    for q, scores in enumerate(queries):
        mine = slice(offsets[q], offsets[q + 1])
        places, ends = sorted_by_python(scores)
        assert order.places[mine].tolist() == places
        assert order.ends[mine].tolist() == ends


@every_case("size", [23, 24, 25, 26, 63, 64, 65, 1000, 70_000])
@every_case("spread", ["normal", "last bits", "few values", "equal", "both zeros"])
def test_long_queries(size: int, spread: str) -> None:
    """Lengths round the switches between ways to sort, next to a short query."""
    rng = np.random.default_rng(size)
    scores = {
        "normal": rng.normal(size=size),
        "last bits": 1.0 + rng.integers(-40, 40, size) * 2.0**-52,
        "few values": rng.integers(0, 5, size).astype(float),
        "equal": np.full(size, 0.1),
        "both zeros": rng.choice([0.0, -0.0, 5e-324, -5e-324], size),
    }[spread]
    both = np.concatenate((scores, [1.0, 2.0]))
    order = sort_by_score(both, np.array([0, size, size + 2]))
    # numpy's stable sort of -scores; adding 0.0 makes both zeros one.
    assert np.array_equal(order.places[:size], np.argsort(-scores + 0.0, kind="stable"))
    _, counts = np.unique(-scores + 0.0, return_counts=True)
    assert np.array_equal(order.ends[:size], np.repeat(np.cumsum(counts), counts))
    assert order.places[size:].tolist() == [1, 0]


@examples(100)
@given(st.data())
def test_ties_are_broken_by_keys_then_by_place(data: st.DataObject) -> None:
    scores = data.draw(st.lists(st.sampled_from([0.0, 1.0, -0.0]), max_size=30))
    finite = st.one_of(st.integers(-2, 2).map(float), st.sampled_from([math.inf, -math.inf, -0.0, 0.0]))
    keys = data.draw(st.lists(finite, min_size=len(scores), max_size=len(scores)))
    depth = data.draw(st.integers(0, len(scores)))
    offsets, sizes = np.array([0, len(scores)]), np.array([depth])
    order = sort_by_score(np.array(scores, dtype=np.float64), offsets, sizes).broken_by(
        np.array(keys, dtype=np.float64)
    )
    wanted = sorted(range(depth), key=lambda i: (-scores[i], -keys[i]))
    assert order.places[:depth].tolist() == wanted
    assert order.ends[:depth].tolist() == list(range(1, depth + 1))
    # Items that were not retrieved stay behind, in their own order.
    assert order.places[depth:].tolist() == list(range(depth, len(scores)))
    assert not order.tied.any()


@examples(100)
@given(st.lists(st.lists(st.sampled_from([0.0, -0.0, 1.0, 2.0, 3.0]), max_size=4), max_size=5), st.data())
def test_tied_says_which_queries_have_equal_scores(queries: list[list[float]], data: st.DataObject) -> None:
    depth = [data.draw(st.integers(0, len(q))) for q in queries]
    offsets = np.concatenate(([0], np.cumsum([len(q) for q in queries]))).astype(np.int64)
    scores = np.array([s for q in queries for s in q], dtype=np.float64)
    order = sort_by_score(scores, offsets, np.array(depth, dtype=np.int64))
    assert order.tied.tolist() == [len(set(q[:d])) < d for q, d in zip(queries, depth, strict=True)]
    # Items that were not retrieved are one group behind all others.
    for start, d, end in zip(offsets[:-1], depth, offsets[1:], strict=True):
        assert set(order.ends[start + d : end].tolist()) <= {end - start}
