"""`RankingData`: validated once, frozen, cut by query."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from rankproof.data.ranking import RankingData
from rankproof.errors import ArgumentError, DataError

X = np.arange(12, dtype=np.float32).reshape(6, 2)


def make(**more: Any) -> RankingData:
    known: dict[str, Any] = {
        "labels": [2, 0, 1, np.nan, 0.5, -1],
        "offsets": [0, 3, 3, 6],
        "X": X,
        "query_ids": ["a", "b", "c"],
        "doc_ids": [f"d{i}" for i in range(6)],
        "query_weights": [1, 2, 3],
        "item_weights": np.arange(6),
    }
    return RankingData(**{**known, **more})


def test_what_it_says_of_itself() -> None:
    data = make()
    assert (data.queries, data.items, data.features, len(data)) == (3, 6, 2, 3)
    assert data.sizes.tolist() == [3, 0, 3]
    assert data.qids.tolist() == ["a"] * 3 + ["c"] * 3
    assert repr(data) == "RankingData(3 queries, 6 items, 2 features)"
    assert [part.items for part in data] == [3, 0, 3]


def test_everything_is_frozen_and_the_callers_arrays_are_not() -> None:
    mine = {"labels": np.ones(6), "X": X.copy(), "item_weights": np.ones(6)}
    data = make(**mine)
    for name in ("labels", "offsets", "X", "query_ids", "doc_ids", "query_weights", "item_weights"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(data, name)[0] = 0
    for array in mine.values():
        array[0] = 7
    sparse = csr_array(X)
    kept = make(X=sparse).X
    assert kept is not None
    sparse.data[0] = 7.0
    with pytest.raises(ValueError, match="read-only"):
        kept.data[0] = 1.0


@given(st.data())
def test_a_part_holds_the_chosen_queries_in_the_chosen_order(draw: st.DataObject) -> None:
    data = make(X=draw.draw(st.sampled_from([X, csr_array(X)])))
    chosen = draw.draw(st.lists(st.integers(-3, 2), max_size=4, unique_by=lambda q: q % 3))
    part = data[np.array(chosen, dtype=int)]
    items = [i for q in chosen for i in range(data.offsets[q % 3], data.offsets[q % 3 + 1])]
    np.testing.assert_array_equal(part.labels, data.labels[items])
    assert part.doc_ids is not None
    assert part.doc_ids.tolist() == [f"d{i}" for i in items]
    assert part.query_ids.tolist() == [data.query_ids[q] for q in chosen]
    assert part.query_weights is not None
    assert part.query_weights.tolist() == [[1, 2, 3][q] for q in chosen]
    dense = part.X if isinstance(part.X, np.ndarray) else part.X.toarray()  # type: ignore[union-attr]
    np.testing.assert_array_equal(dense, X[items])


def test_slices_masks_numbers_and_ids_agree() -> None:
    data = make()
    for part in (
        data[2],
        data[-1],
        data[2:],
        data[[2]],
        data[np.array([False, False, True])],
        data.query("c"),
    ):
        assert part.query_ids.tolist() == ["c"]
        assert part.labels[1:].tolist() == [0.5, -1]
        assert part.offsets.tolist() == [0, 3]
    assert data[::2].query_ids.tolist() == ["a", "c"]
    assert data[2:1].queries == 0
    assert data[[]].queries == 0
    assert np.shares_memory(data[1:].labels, data.labels)


def test_a_query_is_found_by_number_or_text() -> None:
    data = RankingData(labels=[1, 0], offsets=[0, 1, 2], query_ids=[7, 301])
    assert data.query(301).labels.tolist() == data.query("301").labels.tolist() == [0.0]
    with pytest.raises(DataError, match="no query 8; the 2 ids start with 7, 301"):
        data.query(8)


def test_from_qid() -> None:
    data = RankingData.from_qid(X, range(6), [5, 5, 5, 2, 2, 9])
    assert data.query_ids.tolist() == [5, 2, 9]
    assert data.offsets.tolist() == [0, 3, 5, 6]
    with pytest.raises(DataError, match="query 5 comes back at item 2"):
        RankingData.from_qid(None, [1, 1, 1], [5, 2, 5])


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"labels": [1, 2, np.inf, 0, 0, 0]}, "labels holds inf at item 2"),
        ({"labels": ["x"] * 6}, "labels must be a sequence of numbers"),
        ({"labels": np.ones((2, 3))}, r"one-dimensional, got shape \(2, 3\)"),
        ({"offsets": [0, 3, 5]}, r"end at the number of items \(6\), got 0 ... 5"),
        ({"offsets": [1, 3, 6]}, "start at 0"),
        ({"offsets": [0, 4, 3, 6]}, "must not fall, got 4 then 3 at 1"),
        ({"offsets": [0.0, 3.0, 3.0, 6.0]}, "array of integers"),
        ({"X": X[:5]}, r"one row per item \(6\), got shape \(5, 2\)"),
        ({"X": csr_array(X[:5])}, r"one row per item \(6\), got 5"),
        ({"X": X[:, 0]}, "two-dimensional"),
        ({"query_ids": ["a", "a", "b"]}, "Query id 'a' is given to more than one query"),
        ({"query_ids": ["a"]}, r"one id per query \(3\)"),
        ({"doc_ids": ["d"]}, r"one id per item \(6\)"),
        ({"query_weights": [1, 2]}, "query_weights must have 3 numbers, got 2"),
        ({"query_weights": [1, -2, 3]}, "not negative, got -2.0 at 1"),
        ({"item_weights": [np.nan] * 6}, "item_weights must be finite"),
        ({"feature_names": ["a", "a"]}, "2 different names"),
    ],
)
def test_what_breaks_a_rule_is_named(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises((ArgumentError, DataError), match=message):
        make(**wrong)


@pytest.mark.parametrize("which", [3, -4, [0, 3], np.array([True]), ["a"], np.array([0.5])])
def test_what_is_no_choice_of_queries_is_refused(which: Any) -> None:
    with pytest.raises(ArgumentError):
        make()[which]
