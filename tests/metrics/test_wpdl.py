"""WPDL against visible arithmetic, sums over all pairs, and its two equations in L12."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from drawn import examples
from metrics.one_query import lists_of, value
from rankproof.errors import ArgumentError, DataError
from rankproof.feedback import Permutation, PreferenceGraph
from rankproof.metrics import PD, WPDL, metric, of_scores

WEIGHTS = ("one", "difference", "gain")
pools = st.sampled_from(
    ((0.0, 1.0, 2.0, 3.0, 4.0), (0.0, 1.0, 60.0, 63.0), (-2.0, 0.5, 1.0, 7.25), (0.0, 500.0))
)


@st.composite
def lists(draw: st.DrawFn) -> tuple[list[int], list[float], list[float]]:
    """Scores, labels, labels of items that were not retrieved."""
    grade = st.sampled_from(draw(pools))
    labels = draw(st.lists(grade, min_size=1, max_size=25))
    scores = draw(
        st.lists(
            st.integers(0, draw(st.sampled_from((1, 5, 100)))), min_size=len(labels), max_size=len(labels)
        )
    )
    return scores, labels, draw(st.lists(grade, max_size=4))


def pair_weight(weight: str, better: float, worse: float) -> Fraction:
    """D of L12, in exact arithmetic where the powers of two are."""
    if weight == "gain":
        return Fraction(2.0**better) - Fraction(2.0**worse)
    return Fraction(1) if weight == "one" else Fraction(better) - Fraction(worse)


def test_by_hand() -> None:
    # From the top: 1, 3, 0, 2. Lost: (3, 1), (2, 1), (2, 0).
    down = [4, 3, 2, 1]
    assert value(WPDL(), down, [1, 3, 0, 2]) == 1 + 1 + 1
    assert value(WPDL(weight="difference"), down, [1, 3, 0, 2]) == 2 + 1 + 2
    assert value(WPDL(weight="gain"), down, [1, 3, 0, 2]) == (8 - 2) + (4 - 2) + (4 - 1)
    # All pairs: differences 3 + 2 + 1 + 2 + 1 + 1.
    assert value(WPDL(weight="difference", normalize=True), down, [1, 3, 0, 2]) == 5 / 10
    assert WPDL(weight="difference", normalize=True).of_labels([1, 3, 0, 2]) == Fraction(5, 10)
    assert WPDL(weight="gain").of_labels([1, 3, 0, 2]) == 11


def test_a_tie_counts_half_or_as_l12_prints_it_wholly() -> None:
    # L12 eq. 2 pays D when f(x_i) - f(x_j) <= 0.
    tied, labels = [1, 1, 0], [0, 2, 1]
    assert value(WPDL(weight="gain"), tied, labels) == (4 - 1) / 2 + (2 - 1)
    assert value(WPDL(weight="gain", ties="full"), tied, labels) == (4 - 1) + (2 - 1)


def test_labels_below_zero_keep_their_weight() -> None:
    """D must be positive for different labels (L12 below eq. 2), so 2^y is not cut off at grade 0."""
    assert value(WPDL(weight="gain"), [2, 1], [-1, 0]) == 1 - 1 / 2
    assert WPDL(weight="gain").of_labels([-1, 0]) == Fraction(1, 2)


@examples(80)
@given(lists(), st.sampled_from(WEIGHTS), st.sampled_from(("half", "full")), st.booleans())
def test_sums_the_pairs_one_by_one(
    drawn: tuple[list[int], list[float], list[float]], weight: str, ties: str, normalize: bool
) -> None:
    scores, labels, missed = drawn
    every = [*zip(scores, labels, strict=True), *((-1, y) for y in missed)]
    tie = Fraction(1, 2) if ties == "half" else Fraction(1)
    pairs = [(s, t, pair_weight(weight, y, z)) for s, y in every for t, z in every if y > z]
    lost = sum((d * (tie if s == t else int(s < t)) for s, t, d in pairs), Fraction(0))
    total = sum((d for _, _, d in pairs), Fraction(0))
    ours = value(WPDL(weight=weight, ties=ties, normalize=normalize), scores, labels, missed)
    if not pairs:
        assert math.isnan(ours)
    else:
        # Relative to what is lost, however small beside the rest: no difference of large sums.
        assert ours == pytest.approx(float(lost / total if normalize else lost), rel=1e-13, abs=0)


@examples(40)
@given(lists())
def test_weight_one_is_pd(drawn: tuple[list[int], list[float], list[float]]) -> None:
    for ties in ("half", "full"):
        ours, plain = value(WPDL(ties=ties), *drawn), value(PD(ties=ties), *drawn)
        assert ours == plain or (math.isnan(ours) and math.isnan(plain))


@pytest.mark.parametrize("weight", ["difference", "gain"])
def test_additive_weights_are_a_sum_over_ranks(weight: str) -> None:
    """The form behind the claim: lost = (total + sum_i f(y_i) (2 rank_i - n - 1)) / 2."""
    labels = (0, 2, 1, 2, 3)
    f = [2**y if weight == "gain" else y for y in labels]
    total = sum(abs(a - b) for k, a in enumerate(f) for b in f[:k])
    for ranking in permutations(range(5)):
        ranks = {item: k for k, item in enumerate(ranking, 1)}
        form = Fraction(total + sum(f[i] * (2 * ranks[i] - 6) for i in range(5)), 2)
        assert WPDL(weight=weight).of_ranking(ranking, labels) == form
    assert WPDL(weight=weight).claims.value("positional") is True
    assert WPDL().claims.value("positional") is False


def test_graphs_bring_their_own_weights() -> None:
    graph = PreferenceGraph({(0, 1): 2, (1, 2): "1/2"})
    assert WPDL().of_ranking((2, 1, 0), graph) == Fraction(5, 2)
    assert WPDL(normalize=True).of_ranking((1, 0, 2), graph) == Fraction(4, 5)
    assert of_scores(WPDL(), [1, 1, 2], graph) == 2 / 2 + 1 / 2
    assert of_scores(WPDL(ties="full", normalize=True), [1, 1, 0], graph) == 2 / 2.5
    message = "takes the weights of the edges: argument weight of WPDL must be one, got gain"
    with pytest.raises(ArgumentError, match=message):
        of_scores(WPDL(weight="gain"), [1, 1, 2], graph)
    with pytest.raises(ArgumentError, match=message):
        WPDL(weight="gain").of_ranking((0, 1, 2), graph)
    with pytest.raises(
        ArgumentError, match="WPDL is defined on feedback of kind graded or preferences, got perm"
    ):
        of_scores(WPDL(), [1], Permutation((1,)))


def test_labels_whose_weights_overflow_are_refused() -> None:
    for weight, most in (("gain", 900.0), ("difference", 1e280)):
        found = WPDL(weight=weight)
        fine = np.array([most, -most, 0.0])
        found.check(fine)
        found.check(np.array([]))
        assert np.isfinite(value(found, [0, 1, 2], fine.tolist()))
        for bad in (most * 1.01, -most * 1.01):
            with pytest.raises(DataError, match=f"too large for weight={weight}"):
                found.check(np.array([0.0, bad]))
    WPDL().check(np.array([1e308, -1e308]))
    with pytest.raises(DataError, match="label 1000 is too large"):
        of_scores(WPDL(weight="gain"), [1, 2], (1000, 0))


@examples(60)
@given(lists(), st.sampled_from(WEIGHTS), st.sampled_from(("half", "full")), st.booleans())
def test_the_explanation_gives_the_value(
    drawn: tuple[list[int], list[float], list[float]], weight: str, ties: str, normalize: bool
) -> None:
    query = lists_of(*drawn)
    found = WPDL(weight=weight, ties=ties, normalize=normalize)
    told = found.explain(query)
    assert told.value == pytest.approx(found.per_query(query)[0], rel=1e-12, abs=0, nan_ok=True)


def test_the_explanation_by_hand() -> None:
    told = WPDL(weight="gain").explain(lists_of([3, 2, 2], [1, 3, 0]))
    # The 3 loses 8 - 2 to the item above and half of 8 - 1 to the tied one.
    assert told.rows == [(1, 0, 0, 0, 0), (3, 6, 7, 9.5, 9.5), (0, 0, 0, 0, 9.5)]
    assert told.steps[-1] == "WPDL(weight=gain) = 9.500000"


def test_printed_form_and_errors() -> None:
    found = WPDL(weight="gain", ties="full", normalize=True)
    assert str(found) == "WPDL(weight=gain,ties=full,normalize=true)"
    assert metric(str(found)) == found
    assert metric("wpd") == WPDL()
    with pytest.raises(ArgumentError, match="weight of WPDL must be one of one, difference, gain, got 'exp'"):
        WPDL(weight="exp")
    with pytest.raises(ArgumentError, match="normalize of WPDL must be one of false, true, got 1"):
        WPDL(normalize=1)  # type: ignore[arg-type]
