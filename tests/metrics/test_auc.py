"""AUC against visible arithmetic, scikit-learn, and the pairwise disagreement of binary labels."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from metrics.one_query import lists_of, value
from rankproof.errors import ArgumentError
from rankproof.metrics import AUC, PD, metric

scored = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3)), min_size=1, max_size=40)


def test_by_hand() -> None:
    # Relevant at ranks 1 and 4 of 4, so 2 x 2 pairs; the one at rank 4 stands below both others.
    assert AUC().of_labels([1, 0, 0, 2]) == Fraction(2, 4)
    assert value(AUC(), [4, 3, 2, 1], [1, 0, 0, 2]) == 2 / 4
    # A relevant item tied with one of two others: half a pair and a pair.
    assert value(AUC(), [1, 1, 0], [1, 0, 0]) == (0.5 + 1) / 2
    # Not retrieved items are tied below all: the relevant one loses to one and ties with the other.
    assert value(AUC(), [1], [0], missed=[1, 0]) == (0 + 0.5) / 2


@pytest.mark.parametrize(
    ("rel", "won", "pairs"), [(0.5, 3, 3), (1, 3, 3), (2, 2, 4), (2.5, 1, 3), (-1, 0, 0)]
)
def test_relevance_starts_at_rel(rel: float, won: int, pairs: int) -> None:
    expected = won / pairs if pairs else math.nan
    assert value(AUC(rel=rel), [4, 3, 2, 1], [1, 2, 3, 0]) == pytest.approx(
        expected, rel=0, abs=0, nan_ok=True
    )


@given(scored)
def test_is_roc_auc_score(drawn: list[tuple[int, int]]) -> None:
    scores, labels = [s for s, _ in drawn], [y for _, y in drawn]
    for rel in (1, 2):
        flags = [y >= rel for y in labels]
        ours = value(AUC(rel=rel), scores, labels)
        if len(set(flags)) == 2:
            assert ours == pytest.approx(roc_auc_score(flags, scores), rel=1e-12)
        else:
            assert math.isnan(ours)


@given(scored, st.lists(st.integers(0, 3), max_size=5))
def test_is_one_minus_the_normalised_binary_disagreement(
    drawn: list[tuple[int, int]], missed: list[int]
) -> None:
    scores = [s for s, _ in drawn]
    binary = [float(y >= 2) for _, y in drawn], [float(y >= 2) for y in missed]
    lost = value(PD(normalize=True), scores, *binary)
    ours = value(AUC(rel=2), scores, [y for _, y in drawn], missed)
    assert ours == pytest.approx(1 - lost, rel=1e-14, nan_ok=True)


@given(scored, st.lists(st.integers(0, 3), max_size=5))
def test_the_explanation_gives_the_value(drawn: list[tuple[int, int]], missed: list[int]) -> None:
    lists = lists_of([s for s, _ in drawn], [y for _, y in drawn], missed)
    told = AUC().explain(lists)
    assert told.value == pytest.approx(AUC().per_query(lists)[0], rel=1e-12, nan_ok=True)
    if not math.isnan(told.value):
        assert len(told.rows) == len(drawn)
        assert told.rows[-1][-1] == pytest.approx(sum(row[3] for row in told.rows), rel=1e-12)


def test_the_explanation_by_hand() -> None:
    told = AUC().explain(lists_of([2, 1, 1], [0, 1, 0]))
    assert told.columns == ("relevant", "above", "tied", "adds", "sum")
    assert told.rows == [(0, 0, 0, 0, 0), (1, 1, 1, 1 + 1 / 2, 1.5), (0, 0, 0, 0, 1.5)]
    assert told.steps == ["pairs: 1 relevant x 2 other = 2", "AUC = (2 - 1.5) / 2 = 0.250000"]


def test_printed_form_and_errors() -> None:
    assert str(metric("auc(rel=2)")) == "AUC(rel=2)"
    assert metric("AUC(rel=2.0)") == AUC(rel=2)
    with pytest.raises(ArgumentError, match="AUC has no cutoff"):
        metric("AUC@10")
    with pytest.raises(ArgumentError, match="AUC is defined on feedback of kind graded, got preferences"):
        AUC().of_ranking((0, 1), {(0, 1): 1})
