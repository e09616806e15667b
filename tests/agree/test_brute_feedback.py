"""Values for one piece of feedback, of every kind, equal the definition listed over all rankings."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agree.brute import Oracle, rankings, tie_groups
from drawn import examples
from properties.strategies import metrics_named
from rankproof import Graded, Permutation, PreferenceGraph
from rankproof.errors import ArgumentError
from rankproof.metrics import METRICS, Metric, of_scores

KINDS = {
    "graded": Graded((1, 0)),
    "preferences": PreferenceGraph([(0, 1)]),
    "permutation": Permutation((1, 2)),
}
ON_GRAPHS = [name for name in METRICS if "preferences" in METRICS[name].feedback_kinds]
ON_PERMUTATIONS = [name for name in METRICS if "permutation" in METRICS[name].feedback_kinds]
GRADED = [name for name in METRICS if "graded" in METRICS[name].feedback_kinds]

grades = st.lists(st.integers(0, 3), min_size=1, max_size=5)
scores_for = {n: st.lists(st.sampled_from([0.0, 1.0, 2.0]), min_size=n, max_size=n) for n in range(1, 6)}


def on_graph(found: Metric, edges: list[tuple[int, int, Any]], scores: list[float]) -> Any:
    """B11 eq. 12, corrected: a_ij is paid when i is below j, half of it (or all) when they are tied."""
    tied = {"half": Fraction(1, 2), "full": Fraction(1)}[found.ties]  # type: ignore[attr-defined]
    paid = sum(
        a * (1 if scores[i] < scores[j] else tied if scores[i] == scores[j] else 0) for i, j, a in edges
    )
    everything = sum(a for _, _, a in edges)
    if not everything:
        return None
    return Fraction(paid) / Fraction(everything) if found.normalize else paid  # type: ignore[attr-defined]


@st.composite
def graphs(draw: st.DrawFn) -> tuple[list[tuple[int, int, Any]], int]:
    """Edges without a cycle, with rational weights, and the number of items."""
    n = draw(st.integers(1, 5))
    order = draw(st.permutations(range(n)))
    pairs = [(order[i], order[j]) for i in range(n) for j in range(i + 1, n)]
    kept = [pair for pair in pairs if draw(st.booleans())]
    weights = st.sampled_from([1, 2, Fraction(1, 3), 0])
    return [(i, j, draw(weights)) for i, j in kept], n


def as_ranking(scores: list[float]) -> tuple[int, ...]:
    """The ranking of strict scores."""
    return tuple(sorted(range(len(scores)), key=lambda i: -scores[i]))


@pytest.mark.parametrize("name", METRICS)
def test_other_kinds_are_refused(name: str) -> None:
    assert set(METRICS[name].feedback_kinds) <= set(KINDS)
    for kind, feedback in KINDS.items():
        if kind in METRICS[name].feedback_kinds:
            METRICS[name]().of_ranking((1, 0), feedback)
        else:
            with pytest.raises(ArgumentError, match=kind):
                METRICS[name]().of_ranking((1, 0), feedback)


@pytest.mark.parametrize("name", GRADED)
@examples(60)
@given(data=st.data())
def test_grades(name: str, data: st.DataObject) -> None:
    found = data.draw(metrics_named(name))
    labels = data.draw(grades)
    ranking = data.draw(st.permutations(range(len(labels))))
    got = found.of_ranking(tuple(ranking), tuple(labels))
    wanted = Oracle.of(found).strict([labels[i] for i in ranking])
    assert got == wanted if isinstance(got, (int, Fraction)) else matches(got, wanted)
    scores = data.draw(scores_for[len(labels)])
    assert matches(of_scores(found, scores, Graded(labels)), Oracle.of(found).mean(scores, labels))


@pytest.mark.parametrize("name", ON_GRAPHS)
@given(data=st.data())
def test_graphs(name: str, data: st.DataObject) -> None:
    found = data.draw(metrics_named(name).filter(lambda m: getattr(m, "weight", "one") == "one"))
    edges, n = data.draw(graphs())
    graph = PreferenceGraph(edges, items=n)
    scores = data.draw(scores_for[n])
    assert matches(of_scores(found, scores, graph), on_graph(found, edges, scores))
    strict = [float(s) for s in data.draw(st.permutations(range(n)))]
    assert found.of_ranking(as_ranking(strict), graph) == on_graph(found, edges, strict)


@pytest.mark.parametrize("name", ON_PERMUTATIONS)
@given(data=st.data())
def test_permutations(name: str, data: st.DataObject) -> None:
    """For a permutation the labels n - y(i) + 1 are all different: the value of these labels."""
    found = data.draw(metrics_named(name))
    ranks = data.draw(st.integers(1, 5).flatmap(lambda n: st.permutations(range(1, n + 1))))
    n = len(ranks)
    labels = [n - r + 1 for r in ranks]
    feedback, oracle = Permutation(ranks), Oracle.of(found)
    scores = data.draw(scores_for[n])
    if name == "ZeroOne":
        right = tuple(sorted(range(n), key=lambda i: ranks[i]))
        for ranking in permutations(range(n)):
            assert found.of_ranking(ranking, feedback) == int(ranking != right)
        listed = list(rankings(tie_groups(scores)))
        wanted: Any = 1 - Fraction(listed.count(right), len(listed))
    else:
        wanted = oracle.mean(scores, labels)
    assert matches(of_scores(found, scores, feedback), wanted)


def matches(got: Any, wanted: Any) -> bool:
    """Equal to 1e-12, or both None."""
    if got is None or wanted is None:
        return got is wanted
    return math.isclose(got, wanted, rel_tol=1e-12, abs_tol=1e-12)
