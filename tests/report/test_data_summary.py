"""Counts of data agree with counting by hand; duplicates with comparing every pair."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from rankproof.data.duplicates import Duplicates, duplicates
from rankproof.data.ranking import RankingData
from rankproof.evaluation.data_summary import summarise
from rankproof.evaluation.evaluate import empty_queries
from rankproof.metrics.parse import metric
from rankproof.report.content import DataTable
from rankproof.report.pages.data_summary import data_blocks


def by_pairs(data: RankingData) -> Duplicates:
    """Every pair of items of every query."""
    same, other = set(), set()
    X = data.X if isinstance(data.X, np.ndarray) else data.X.toarray()  # type: ignore[union-attr]
    groups: dict[int, set[int]] = {}
    for q in range(data.queries):
        items = range(int(data.offsets[q]), int(data.offsets[q + 1]))
        for i, j in combinations(items, 2):
            if np.array_equal(X[i], X[j], equal_nan=True):
                same |= {i, j}
                for a, b in ((i, j), (j, i)):
                    groups.setdefault(a, {a}).add(b)
    for group in groups.values():
        labels = data.labels[list(group)]
        if np.unique(labels[~np.isnan(labels)]).size > 1:
            other |= group
    return Duplicates(len(same), len(other))


@given(
    st.lists(
        st.lists(
            st.tuples(*[st.sampled_from([0.0, -0.0, 1.0, 2.5])] * 2, st.sampled_from([0, 1, np.nan])),
            max_size=6,
        ),
        max_size=4,
    ),
    st.booleans(),
)
def test_duplicates(queries: list[list[tuple[float, float, float]]], sparse: bool) -> None:
    rows = [row for query in queries for row in query]
    X = np.array([row[:2] for row in rows], dtype=np.float32).reshape(-1, 2)
    data = RankingData(
        labels=np.array([row[2] for row in rows], dtype=float),
        offsets=np.cumsum([0, *map(len, queries)]),
        X=csr_array(X) if sparse else X,
    )
    assert duplicates(data) == by_pairs(data)


def test_missing_features_are_alike() -> None:
    X = np.array([[np.nan, 1], [np.nan, 1], [2, np.nan]], dtype=np.float32)
    assert duplicates(RankingData(labels=[0, 1, 1], offsets=[0, 3], X=X)) == Duplicates(2, 2)


def test_without_features_there_are_no_duplicates() -> None:
    assert duplicates(RankingData(labels=[0, 1], offsets=[0, 2])) == Duplicates(0, 0)


def blocks_of(parts: dict[str, RankingData], name: str, tied: dict[str, int]) -> list[DataTable]:
    empty = {part: empty_queries(metric(name), data) for part, data in parts.items()}
    blocks = data_blocks(summarise(parts, name, empty), tied)
    return [block for block in blocks if isinstance(block, DataTable)]


def summary(parts: dict[str, RankingData]) -> dict[str, list[str]]:
    counts, _ = blocks_of(parts, "nDCG", {"test": 1})
    return {row[0]: list(row[1:]) for row in counts.table.rows}


TRAIN = RankingData(
    labels=[2, 0, 0, 0, 1], offsets=[0, 2, 4, 5], X=np.zeros((5, 1)), query_ids=["a", "b", "c"]
)
TEST = RankingData(labels=[1, np.nan], offsets=[0, 2], X=np.eye(2), query_ids=["b"])


def test_counts() -> None:
    found = summary({"train": TRAIN, "test": TEST})
    assert found["queries"] == ["3", "1"]
    assert found["items"] == ["5", "2"]
    assert found["items in the shortest query"] == ["1", "2"]
    assert found["items in the median query"] == ["2", "2"]
    assert found["items in the longest query"] == ["2", "2"]
    assert found["queries without a relevant item (empty for nDCG)"] == ["1", "0"]  # b, of grades 0, 0
    assert found["queries whose items all have the same grade"] == ["2", "1"]  # b and c
    assert found["items without a judgment"] == ["0", "1"]
    assert found["items with the same features as another of their query"] == ["4", "0"]
    assert found["of these, with a different grade"] == ["2", "0"]
    assert found["queries with tied scores"] == ["-", "1"]


def test_grades_and_shared_queries() -> None:
    counts, grades = (block.table for block in blocks_of({"train": TRAIN, "test": TEST}, "nDCG", {}))
    # Where no scores are known there is nothing to say of their ties.
    assert "queries with tied scores" not in [row[0] for row in counts.rows]
    assert counts.notes == ["1 query ids of test are also in train."]
    assert [list(row) for row in grades.rows] == [
        ["0", "3 (60.0%)", "0 (0.0%)"],
        ["1", "1 (20.0%)", "1 (50.0%)"],
        ["2", "1 (20.0%)", "0 (0.0%)"],
    ]


def test_labels_of_many_values_are_summed_up() -> None:
    data = RankingData(labels=np.arange(101) / 10, offsets=[0, 101], X=np.zeros((101, 1)))
    _, grades = (block.table for block in blocks_of({"train": data}, "DCG", {}))
    assert [list(row) for row in grades.rows][:3] == [
        ["minimum", "0"],
        ["lower quartile", "2.5"],
        ["median", "5"],
    ]


@pytest.mark.parametrize("labels", [[], [0.0]])
def test_little_data(labels: list[float]) -> None:
    offsets = [0, len(labels)] if labels else [0]
    data = RankingData(labels=np.array(labels), offsets=offsets, X=np.zeros((len(labels), 1)))
    assert summary({"test": data})["items"] == [str(len(labels))]
