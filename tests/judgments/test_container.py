"""The container: how rows become numbers, and what is refused."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from rankproof.errors import ArgumentError, DataError
from rankproof.judgments.container import Judgments
from rankproof.judgments.numbered import numbered

ROWS = [
    ("q2", "d1", "ann", 1),
    ("q1", "d7", "ann", 0),
    ("q2", "d3", "bob", 2),
    ("q2", "d1", "bob", 4),
    ("q1", "d7", "cid", 2),
]


def judged(rows: Any = ROWS, **more: Any) -> Judgments:
    query, item, judge, grade = zip(*rows, strict=True)
    return Judgments.from_columns(query, item, judge, grade, **more)


def test_queries_and_items_come_in_the_order_of_their_first_row() -> None:
    j = judged()
    assert j.query_ids.tolist() == ["q2", "q1"]
    assert j.doc_ids.tolist() == ["d1", "d3", "d7"]
    assert j.offsets.tolist() == [0, 2, 3]
    assert j.judge_ids.tolist() == ["ann", "bob", "cid"]
    assert j.grades.tolist() == [0, 1, 2, 4]
    # Rows are grades 0, 1, 2, 4 of d1, d3 of q2 and d7 of q1.
    assert j.counts.tolist() == [[0, 1, 0, 1], [0, 0, 1, 0], [1, 0, 1, 0]]
    assert (j.queries, j.items, j.judges, j.size) == (2, 3, 3, 5)


def test_sheets_are_matrices_of_judges_and_items_with_gaps() -> None:
    sheets = judged().sheets
    assert sheets.of(0).tolist() == [[1, -1], [3, 2]]  # ann gave d1 a 1, bob 4 and 2
    assert sheets.of(1).tolist() == [[0], [2]]
    assert sheets.complete.tolist() == [False, True, True, True]
    assert sheets.judge.tolist() == [0, 1, 0, 2]


def test_the_order_of_rows_changes_nothing_but_the_order_of_ids() -> None:
    one, other = judged(), judged(ROWS[::-1])
    for query in ("q1", "q2"):
        a, b = one.query(query), other.query(query)
        order = [a.doc_ids.tolist().index(doc) for doc in b.doc_ids.tolist()]
        assert a.counts[order].tolist() == b.counts.tolist()


def test_a_row_without_a_grade_is_an_item_without_a_judgment() -> None:
    j = judged([*ROWS, ("q1", "d9", "ann", np.nan)])
    assert j.doc_ids.tolist() == ["d1", "d3", "d7", "d9"]
    assert j.counts[3].tolist() == [0, 0, 0, 0]
    with pytest.raises(DataError, match="item 'd9' of query 'q1' has no grade"):
        j.marginals(smooth=False)
    assert np.allclose(j.marginals()[3], j.prior.pool)


def test_take_and_of_judges_keep_numbers_of_judges_and_grades() -> None:
    j = judged()
    part = j.take([1])
    assert part.counts.tolist() == [[1, 0, 1, 0]]
    assert part.judge_ids.tolist() == ["ann", "bob", "cid"]
    assert j.of_judges([1]).counts.tolist() == [[0, 0, 0, 1], [0, 0, 1, 0], [0, 0, 0, 0]]
    assert j.of_judges(np.array([True, False, True])).size == 3
    assert [one.items for one in j] == [2, 1]


def test_a_judge_grades_an_item_once() -> None:
    with pytest.raises(DataError, match="Judge 'ann' grades item 'd1' of query 'q2' twice, in rows 0 and 5"):
        judged([*ROWS, ("q2", "d1", "ann", 2)])


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (([1], [1], [1], [[1]]), "one-dimensional"),
        (([1, 2], [1], [1], [1]), "one length"),
        (([], [], [], []), "at least one row"),
        (([1], [1], [1], [np.inf]), "row 0 must be a finite number"),
        (([1], [1], [1], [np.nan]), "at least one grade"),
    ],
)
def test_columns_that_break_a_rule(columns: Any, message: str) -> None:
    with pytest.raises((ArgumentError, DataError), match=message):
        Judgments.from_columns(*columns)


def test_grades_that_are_measurements_are_refused() -> None:
    many = np.arange(1001)
    with pytest.raises(DataError, match="1001 different grades"):
        Judgments.from_columns(np.zeros(1001), many, many, many / 7)


def test_a_reading_is_never_guessed() -> None:
    j = judged()
    with pytest.raises(ArgumentError, match=r"reading='joint' .* or reading='independent'"):
        j.expected_target("nDCG")
    assert j.with_reading("joint").reading == "joint"
    with pytest.raises(ArgumentError, match="'joint' or 'independent', got 'both'"):
        j.with_reading("both")  # type: ignore[arg-type]


def test_soft_labels_are_independent_and_nothing_else() -> None:
    soft = Judgments.from_probabilities([[0.2, 0.8], [1.0, 0.0]], qid=["a", "b"], grades=[0, 3])
    assert soft.reading == "independent"
    assert soft.grades.tolist() == [0, 3]
    assert soft.marginals().tolist() == [[0.2, 0.8], [1, 0]]
    with pytest.raises(ArgumentError, match="cannot be read as joint"):
        soft.with_reading("joint")
    assert soft.take([1]).marginals().tolist() == [[1, 0]]


@pytest.mark.parametrize(
    ("rows", "more", "message"),
    [
        ([[0.2, 0.9]], {"offsets": [0, 1]}, "rows of sum 1, got 1.1 in row 0"),
        ([[-0.2, 1.2]], {"offsets": [0, 1]}, ">= 0, got -0.2 at row 0, column 0"),
        ([[1.0]], {"offsets": [0, 1]}, "a column per grade"),
        ([[0.5, 0.5]], {}, "exactly one of offsets= .* and qid="),
        ([[0.5, 0.5]], {"offsets": [0, 1], "grades": [1, 0]}, "2 rising numbers"),
        ([[0.5, 0.5]], {"offsets": [0, 1], "doc_ids": ["a", "b"]}, "doc_ids must have 1 ids"),
    ],
)
def test_soft_labels_that_break_a_rule(rows: Any, more: Any, message: str) -> None:
    with pytest.raises((ArgumentError, DataError), match=message):
        Judgments.from_probabilities(rows, **more)


def test_pickle_keeps_everything() -> None:
    j = judged(reading="joint")
    again = pickle.loads(pickle.dumps(j))  # noqa: S301
    assert again.counts.tolist() == j.counts.tolist()
    assert repr(again) == repr(j)


def test_ids_with_equal_hashes_stay_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rankproof.judgments.numbered._hashes", lambda ids: np.zeros(ids.size, np.uint64))
    names, numbers = numbered(np.array(["b", "a", "b"]))
    assert names.tolist() == ["b", "a"]
    assert numbers.tolist() == [0, 1, 0]
