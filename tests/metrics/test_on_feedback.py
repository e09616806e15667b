"""The value of scores for one piece of feedback, whatever its kind."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drawn import examples
from metrics.one_query import mean_over, sorting
from rankproof.arrays import Float64s
from rankproof.claims import Claims
from rankproof.errors import ArgumentError, DataError
from rankproof.feedback import Graded, Permutation, PreferenceGraph
from rankproof.metrics import AP, METRICS, NDCG, PD, Explanation, Metric, Tau, metric, of_scores
from rankproof.metrics.ranked.lists import RankedLists
from rankproof.metrics.ranked.ties import sorting_rankings


@dataclass(frozen=True, kw_only=True, repr=False)
class SourceFirst(Metric):
    """A metric of a user: 1 when the first item is one that nothing is preferred to; no closed form."""

    name: ClassVar[str] = "SourceFirst"
    feedback_kinds: ClassVar[tuple[str, ...]] = ("preferences",)

    @property
    def claims(self) -> Claims:
        return Claims()

    def of_labels(self, labels: Sequence[Any]) -> int | None:
        return len(labels)

    def _of_graph(self, ranking: tuple[int, ...], graph: PreferenceGraph) -> int | None:
        return int(all(j != ranking[0] for _, j, _ in graph.edges)) if graph.edges else None

    def per_query(self, lists: RankedLists) -> Float64s:
        return lists.labels

    def explain(self, lists: RankedLists) -> Explanation:
        return Explanation((), [], [], float(lists.queries))


@pytest.mark.parametrize("name", [name for name in METRICS if not METRICS[name].sees_unjudged])
@examples(25)
@given(data=st.data())
def test_grades_by_listing_every_ranking(name: str, data: st.DataObject) -> None:
    found = METRICS[name]()
    labels = data.draw(st.lists(st.integers(0, 3), min_size=1, max_size=5))
    scores = data.draw(st.lists(st.integers(0, 2), min_size=len(labels), max_size=len(labels)))
    got = of_scores(found, scores, labels)
    if found.of_ranking(tuple(range(len(labels))), labels) is None:
        assert got is None
    else:
        expected = mean_over(scores, lambda r: found.of_ranking(r, labels))
        assert got == pytest.approx(float(expected), rel=1e-12, abs=1e-14)


@given(st.lists(st.integers(0, 2), max_size=6))
def test_rankings_of_scores(scores: list[int]) -> None:
    assert sorted(sorting_rankings(scores)) == sorted(sorting(scores))


def test_exact_grades_are_read_as_floats() -> None:
    assert of_scores(NDCG(gain="linear"), [2, 1], Graded((0, Fraction(1, 2)))) == pytest.approx(
        NDCG(gain="linear").of_labels([0, 1])
    )


def test_a_metric_without_a_closed_form_is_averaged_ranking_by_ranking() -> None:
    graph = PreferenceGraph([(0, 1), (2, 1)], items=4)
    # Items 0, 2 and 3 have nothing above them; three items tie for the first place, 1 among them.
    assert of_scores(SourceFirst(), [1, 1, 1, 0], graph) == pytest.approx(2 / 3, rel=1e-15)
    assert of_scores(SourceFirst(), [1, 1, 1, 0], PreferenceGraph([], items=4)) is None
    assert of_scores(SourceFirst(), [0] * 8, PreferenceGraph([(0, 1)], items=8)) == pytest.approx(7 / 8)
    with pytest.raises(ArgumentError, match="362880 rankings sort these scores, more than the 50000"):
        of_scores(SourceFirst(), [0] * 9, PreferenceGraph([(0, 1)], items=9))


def test_errors_name_the_rule() -> None:
    with pytest.raises(ArgumentError, match="AP is defined on feedback of kind graded, got permutation"):
        of_scores(AP(), [1, 2], Permutation((1, 2)))
    with pytest.raises(ArgumentError, match="one number per item \\(3\\), got 2"):
        of_scores(AP(), [1, 2], (1, 0, 0))
    with pytest.raises(DataError, match="NaN"):
        of_scores(PD(), [1, float("nan")], {(0, 1): 1})
    with pytest.raises(DataError, match="gain table"):
        of_scores(metric("nDCG(gain=[0,1])"), [1, 2], (2, 0))
    with pytest.raises(ArgumentError, match="A ranking lists each of the 2 items once"):
        Tau().of_ranking((0, 0), Permutation((1, 2)))


def test_infinite_scores_and_signed_zeros() -> None:
    graph = PreferenceGraph({(0, 1): 1, (1, 2): 1})
    assert of_scores(PD(), [0.0, -0.0, float("inf")], graph) == 1 / 2 + 1
    assert of_scores(PD(), [float("inf"), float("inf"), float("-inf")], graph) == 1 / 2
