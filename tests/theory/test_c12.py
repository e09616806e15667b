"""Every statement of C12 (Calauzènes, Usunier & Gallinari, NIPS 2012), in the paper's order.

The paper's items 1, 2, 3 are 0, 1, 2 here, its losses are gains (more is better), and A_r(p) is
`optimal_rankings`. A_l(p) is exact for the squared loss, whose infimum over the scores that a ranking sorts
is their distance from E[u]. "Erratum" marks a printed statement that is refuted here. The proof of Theorem 2
is in `test_c12_section_6`.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations, pairwise, permutations, product
from typing import Any

import numpy as np
import pytest

import rankproof as rp
from properties.loss_minimum import TargetLaw, minimiser
from rankproof.feedback import Law, PreferenceGraph
from rankproof.feedback.spaces import Space, graded_space, graph_space
from rankproof.losses import OrderPreserving
from rankproof.metrics.ranked.ties import sorting_rankings
from rankproof.targets import target_for
from rankproof.theory.base.risk import optimal_rankings, regret, risk_of_scores, risks
from rankproof.theory.base.values import value_table
from rankproof.theory.existence.checks import assumption_of, can_tie
from rankproof.theory.existence.witness import find_split
from theory.whole_laws import (
    best,
    distance_when_sorted,
    draw,
    every,
    law,
    rankings,
    sorting,
    targets,
    values,
    weak_orders,
)

# The statements of the papers, on many drawn laws; what computes them has sharper tests elsewhere.
pytestmark = pytest.mark.exhaustive

F = Fraction
ERR = "ERR(max_grade=1)"
CHAIN, BACK = PreferenceGraph([(0, 1), (1, 2), (0, 2)]), PreferenceGraph([(2, 0)], 3)
Rankings = set[tuple[int, ...]]


def of_labels(a: Any) -> Law:
    """Table 2: (1 - a) [110] + a [001]."""
    return Law.point((1, 1, 0)).mix((0, 0, 1), a)


def of_graphs(a: Any) -> Law:
    """Table 2: (1 - a) [0→1, 1→2, 0→2] + a [2→0]."""
    return Law.point(CHAIN).mix(BACK, a)


def squared_best(mean: Any) -> Rankings:
    """A_l(p) of |s - u|^2: the rankings for which E[u] can be approached."""
    return {r for r in permutations(range(len(mean))) if distance_when_sorted(mean, r) == 0}


def inverted(found: Rankings, i: int, j: int) -> bool:
    """Whether i is above j in one of the rankings and below it in another."""
    return len({r.index(i) < r.index(j) for r in found}) == 2


def satisfies_2(found: Rankings, i: int, j: int) -> bool:
    """Theorem 3's (2): inverted items may be tied by scores of which all sorts are among the rankings."""
    tied = (s for s in weak_orders(len(next(iter(found)))) if s[i] == s[j])
    may_tie = any(set(sorting_rankings(s)) <= found for s in tied)
    assert can_tie(sorted(found), i, j) == may_tie
    return not inverted(found, i, j) or may_tie


def violations(found: Rankings) -> set[tuple[int, int]]:
    items = range(len(next(iter(found))))
    return {(i, j) for i, j in combinations(items, 2) if not satisfies_2(found, i, j)}


# Section 2: framework ---------------------------------------------------------------------------------


def dcg(y: Any, r: tuple[int, ...]) -> float:
    return sum((2 ** y[i] - 1) / math.log(1 + k) for k, i in enumerate(r, start=1))


def err(y: Any, r: tuple[int, ...], top: int) -> F:
    R = [F(2 ** y[i] - 1, 2**top) for i in r]
    return sum((R[k] / (k + 1) * math.prod(1 - x for x in R[:k]) for k in range(len(r))), F(0))


def ap(y: Any, r: tuple[int, ...]) -> F:
    rank = {i: k for k, i in enumerate(r, start=1)}
    inner = [F(sum(y[r[k]] for k in range(rank[i])), rank[i]) for i in r if y[i] == 1]
    return sum(inner, F(0)) / len(inner)


@pytest.mark.parametrize(("items", "top"), [(2, 3), (3, 2), (4, 1)])
def test_table_1_dcg_err_ap(items: int, top: int) -> None:
    """DCG = Σ (2^y - 1) / log(1 + k), ERR with R = (2^y - 1) / 2^Y, AP on binary labels: all y, all σ."""
    for y, r in product(product(range(top + 1), repeat=items), permutations(range(items))):
        if any(y):
            assert rp.metric("DCG(discount=ln)").of_ranking(r, y) == pytest.approx(dcg(y, r), rel=1e-14)
            assert rp.metric(f"ERR(max_grade={top})").of_ranking(r, y) == err(y, r, top)
            if max(y) == 1:
                assert rp.metric("AP").of_ranking(r, y) == ap(y, r)


@pytest.mark.parametrize("items", [2, 3, 4])
def test_table_1_pd(items: int) -> None:
    """PD = number of edges i → j with i ranked below j, on all directed acyclic graphs (3, 25, 543)."""
    space = graph_space(items)
    assert len(space) == {2: 3, 3: 25, 4: 543}[items]
    worth = values("PD", space)
    every_ranking = rankings(items).tolist()
    for y, row in zip(space.feedback, worth.tolist(), strict=True):
        below = [sum(r.index(i) > r.index(j) for i, j, _ in y.edges) for r in every_ranking]
        assert row == [-lost for lost in below]


def test_section_2_1_ties_are_broken_at_random() -> None:
    """r'(y, s) is the mean of r(y, σ) over arg sort(s) = {σ: s_σ(1) >= s_σ(2) >= ...}."""
    p = of_labels("5/13")
    for s in weak_orders(3):
        sorts = {r for r in permutations(range(3)) if all(s[i] >= s[j] for i, j in pairwise(r))}
        assert set(sorting_rankings(s)) == sorts
        assert risk_of_scores("AP", p, s) == sum(risks("AP", p)[r] for r in sorts) / len(sorts)


def feedback_of_a(name: str, items: int) -> tuple[Space, list[int]]:
    """For every item the feedback that (A) takes: it alone is relevant, or preferred to all others."""
    if name == "PD":
        space = graph_space(items)
        chosen: list[Any] = [
            PreferenceGraph([(i, j) for j in range(items) if j != i], items) for i in range(items)
        ]
    else:
        space = graded_space(items, 2)
        chosen = [rp.Graded([int(j == i) for j in range(items)]) for i in range(items)]
    return space, [space.index(y) for y in chosen]


WITH_A = ["DCG", "nDCG", "AP", ERR, "PD"]


@pytest.mark.parametrize("name", WITH_A)
@pytest.mark.parametrize("items", [3, 4])
def test_assumption_a_holds_for_dcg_ap_err_pd(name: str, items: int) -> None:
    """There are β_1 < ... < β_n (losses), and for every i a y with r(y, σ) = β of the rank of i."""
    space, chosen = feedback_of_a(name, items)
    worth, betas = values(name, space), set()
    for i, place in enumerate(chosen):
        by_rank: dict[int, set[int]] = {}
        for r, gain in zip(rankings(items).tolist(), worth[place], strict=True):
            by_rank.setdefault(r.index(i), set()).add(gain)
        assert all(len(gains) == 1 for gains in by_rank.values())
        betas.add(tuple(-by_rank[rank].pop() for rank in range(items)))
    (beta,) = betas
    assert all(a < b for a, b in pairwise(beta))
    assert assumption_of(value_table(name, space)).holds


# Section 3: calibration -------------------------------------------------------------------------------

HIGH_BUT_RARE = Law({(2, 0, 0): "3/10", (0, 1, 0): "7/10"})


def test_definition_1_calibration_on_one_law() -> None:
    """For every ε some δ: L(p, s) < inf L + δ gives R within ε. |s - (2^y - 1)|^2 has it, |s - y|^2 not.

    p = 3/10 [200] + 7/10 [010]: E[2^y - 1] = (.9, .7, 0). Below δ = (.2)^2 / 2 no near-minimiser is wrong;
    but the minimiser E[y] = (.6, .7, 0) itself is wrong for every δ.
    """
    mean = HIGH_BUT_RARE.expect(target_for("DCG").of_feedback)
    wrong = [r for r in permutations(range(3)) if r not in optimal_rankings("DCG", HIGH_BUT_RARE)]
    assert min(distance_when_sorted(mean, r) for r in wrong) == F(1, 50)
    assert regret("DCG", HIGH_BUT_RARE, scores=HIGH_BUT_RARE.expect(tuple)) > F(1, 20)


@pytest.mark.parametrize("metric", ["DCG", "nDCG"])
def test_theorem_2_near_minimisers_sort_to_exactly_the_best_rankings(metric: str) -> None:
    """With (A): calibrated iff for every p some δ has arg sort {L < inf L + δ} = A_r(p). Squared loss, exact.

    {|s - E[u]|^2 < δ} meets the scores that σ sorts iff their distance from E[u] is below δ: for small δ, 0.
    """
    space, rng = graded_space(3, 3), np.random.default_rng(2)
    weights = np.vstack([draw(rng, 500, len(space)), np.ones((1, len(space)), dtype=object)])
    means = weights @ targets(target_for(metric), space)
    found = sorting(means)
    assert (found == best(weights @ values(metric, space))).all()
    assert len({tuple(row) for row in found}) == 13, "all ways to order three items with ties"
    for mean, row in zip(means[:60], found[:60], strict=True):
        assert squared_best(mean) == {tuple(r) for r in rankings(3)[row].tolist()}


def test_theorem_2_for_a_pairwise_loss() -> None:
    """The order-preserving loss of B11 with DCG's target: points around its minimiser sort to A_r(p)."""
    loss, rng, space = OrderPreserving(), np.random.default_rng(22), graded_space(3, 3)
    sizes = set()
    for weights in draw(rng, 16, len(space)):
        p = law(weights, space)
        mean = np.array([[float(u) for u in p.expect(target_for("DCG").of_feedback)]])
        # An item of weight 0 is free to move down, so a ball is not what is near.
        if mean.min() > 0:
            found = minimiser(loss, TargetLaw(mean, np.ones(1)))
            near = {tuple(np.argsort(-s)) for s in found + rng.uniform(-1e-4, 1e-4, (200, 3))}
            assert near == set(optimal_rankings("DCG", p))
            sizes.add(len(near))
    assert sizes >= {1, 2}


def test_theorem_2_needs_assumption_a() -> None:
    """DCG@1 lacks (A): |s - (2^y - 1)|^2 is calibrated, but A_l(p) is less than A_r(p) for p = [210]."""
    assert not assumption_of(value_table("DCG@1", graded_space(3, 3))).holds
    p = Law.point((2, 1, 0))
    assert squared_best(p.expect(target_for("DCG@1").of_feedback)) == {(0, 1, 2)}
    assert set(optimal_rankings("DCG@1", p)) == {(0, 1, 2), (0, 2, 1)}


@pytest.mark.parametrize("name", ["DCG", "nDCG"])
@pytest.mark.parametrize(("items", "total", "walls"), [(3, 4, 13), (4, 2, 75)])
def test_theorem_3_holds_where_a_calibrated_convex_loss_exists(
    name: str, items: int, total: int, walls: int
) -> None:
    """(2): i, j inverted in A_r(p) can be tied by s with arg sort(s) ⊆ A_r(p). On every wall.

    All laws in steps of 1/4 (1/2 for four items), and drawn ones: A_r(p) comes as all 13 (75) weak orders.
    """
    space = graded_space(items, 2)
    laws = np.vstack([every(len(space), total), draw(np.random.default_rng(3), 3000, len(space))])
    assert len(every(len(space), total)) == math.comb(len(space) + total - 1, total)
    cases = {tuple(row) for row in best(laws @ values(name, space))}
    assert len(cases) == walls == len(weak_orders(items))
    for row in cases:
        assert not violations({tuple(r) for r in rankings(items)[np.array(row)].tolist()})


@pytest.mark.parametrize("name", ["AP", ERR, "PD", "DCG", "nDCG"])
def test_theorem_3_decides_by_a_law_that_is_found(name: str) -> None:
    """`find_split` finds a law that violates (2) for AP, ERR and PD, and none for DCG and nDCG."""
    space = graph_space(3) if name == "PD" else graded_space(3, 2)
    split = find_split(value_table(name, space))
    assert (split is None) == (name in ("DCG", "nDCG"))
    if split is not None:
        found = set(optimal_rankings(name, split.law))
        assert found == set(split.best)
        assert tuple(sorted(split.pair)) in violations(found)


# Table 2 ----------------------------------------------------------------------------------------------

TINY = F(1, 10**6)
FIRST_TWO: Rankings = {(0, 1, 2), (1, 0, 2)}
SPLIT: Rankings = {(0, 2, 1), (1, 2, 0)}
LAST_FIRST: Rankings = {(2, 0, 1), (2, 1, 0)}
ROUND: Rankings = {(1, 2, 0), (2, 0, 1)}


@pytest.mark.parametrize(
    ("a", "wanted"),
    [
        (F(0), FIRST_TWO),
        (F(1, 3) - TINY, FIRST_TWO),
        (F(1, 3), FIRST_TWO | SPLIT),
        (F(1, 3) + TINY, SPLIT),
        (F(2, 5), SPLIT),
        (F(1, 2) - TINY, SPLIT),
        (F(1, 2), SPLIT | LAST_FIRST),
        (F(1, 2) + TINY, LAST_FIRST),
        (F(1), LAST_FIRST),
    ],
)
def test_table_2_err(a: F, wanted: Rankings) -> None:
    """A_r = {1 > 3 > 2, 2 > 3 > 1} exactly for a in (1/3, 1/2); at either end (2) holds again."""
    assert set(optimal_rankings(ERR, of_labels(a))) == wanted
    assert violations(wanted) == ({(0, 1), (0, 2), (1, 2)} if wanted == SPLIT else set())


@pytest.mark.parametrize("top", [1, 2, 4])
def test_table_2_err_with_more_grades(top: int) -> None:
    """Beyond the paper: labels 0 and Y, so R = (2^Y - 1) / 2^Y, give the interval ((1 - R)/(2 - R), 1/2)."""
    R = F(2**top - 1, 2**top)
    low = (1 - R) / (2 - R)
    assert low == {1: F(1, 3), 2: F(1, 5), 4: F(1, 17)}[top]
    for a, split in (
        (low - TINY, False),
        (low + TINY, True),
        (F(1, 2) - TINY, True),
        (F(1, 2) + TINY, False),
    ):
        p = Law.point((top, top, 0)).mix((0, 0, top), a)
        assert (set(optimal_rankings(f"ERR(max_grade={top})", p)) == SPLIT) == split


@pytest.mark.parametrize(
    ("a", "wanted"),
    [
        (F(0), FIRST_TWO),
        (F(5, 13) - TINY, FIRST_TWO),
        (F(5, 13), FIRST_TWO | LAST_FIRST),
        (F(5, 13) + TINY, LAST_FIRST),
        (F(1), LAST_FIRST),
    ],
)
def test_table_2_ap(a: F, wanted: Rankings) -> None:
    """A_r = {1 > 2 > 3, 2 > 1 > 3, 3 > 1 > 2, 3 > 2 > 1} at a = 5/13, and only there."""
    assert set(optimal_rankings("AP", of_labels(a))) == wanted
    assert violations(wanted) == ({(0, 2), (1, 2)} if a == F(5, 13) else set())


@pytest.mark.parametrize(
    ("a", "wanted", "violated"),
    [
        (F(0), {(0, 1, 2)}, set()),
        (F(2, 3) - TINY, {(0, 1, 2)}, set()),
        (F(2, 3), {(0, 1, 2), *ROUND}, {(0, 1), (0, 2), (1, 2)}),
        (F(2, 3) + TINY, ROUND, {(0, 1), (1, 2)}),
        (F(3, 4), ROUND, {(0, 1), (1, 2)}),
        (1 - TINY, ROUND, {(0, 1), (1, 2)}),
        (F(1), {*ROUND, (2, 1, 0)}, set()),
    ],
)
def test_table_2_pd(a: F, wanted: Rankings, violated: set[tuple[int, int]]) -> None:
    """A_r = {2 > 3 > 1, 3 > 1 > 2} for a in (2/3, 1); (2) fails at 2/3, too, and holds at 1."""
    assert set(optimal_rankings("PD", of_graphs(a))) == wanted
    assert violations(wanted) == violated


def test_remark_1_the_best_rankings_of_dcg_are_those_that_sort_the_mean() -> None:
    """A_r(p) = arg sort(E[2^y]): all laws in steps of 1/4 on binary labels, drawn ones on three grades."""
    for grades, rows in ((2, every(8, 4)), (3, draw(np.random.default_rng(1), 1500, 27))):
        space = graded_space(3, grades)
        powers = np.array([[2**grade for grade in y] for y in space.feedback], dtype=object)
        assert (sorting(rows @ powers) == best(rows @ values("DCG", space))).all()


# Section 4: nonexistence ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "p", "pairs"),
    [
        (ERR, of_labels("2/5"), {(0, 1)}),
        ("AP", of_labels("5/13"), {(0, 2)}),
        ("PD", of_graphs("3/4"), {(0, 1), (1, 2)}),
    ],
)
def test_corollary_4_no_convex_loss_is_calibrated(name: str, p: Law, pairs: set[tuple[int, int]]) -> None:
    """Of inverted items i, j, with the third item k, either {ijk, jik} or {kij, kji} would have to be best.

    With (A), see above, this contradicts Theorem 3 for the named items.
    """
    found = set(optimal_rankings(name, p))
    for i, j in pairs:
        (k,) = {0, 1, 2} - {i, j}
        assert inverted(found, i, j)
        assert not {(i, j, k), (j, i, k)} <= found
        assert not {(k, i, j), (k, j, i)} <= found
        assert not satisfies_2(found, i, j)


def test_corollary_4_erratum_for_pd_not_every_two_items_lead_to_the_result() -> None:
    """Printed: "taking any two items". But 3 is above 1 in both best rankings: that pair is not inverted."""
    found = set(optimal_rankings("PD", of_graphs("3/4")))
    assert found == ROUND
    assert not inverted(found, 0, 2)
    assert satisfies_2(found, 0, 2)


@pytest.mark.parametrize(
    ("name", "p"),
    [
        (ERR, Law({(1, 1, 0, 0): "3/5", (0, 0, 1, 0): "2/5"})),
        ("AP", Law({(1, 1, 0, 0): "8/13", (0, 0, 1, 0): "5/13"})),
        ("PD", Law.point(PreferenceGraph(CHAIN.edges, 4)).mix(PreferenceGraph(BACK.edges, 4), "3/4")),
    ],
)
def test_corollary_4_with_a_fourth_item(name: str, p: Law) -> None:
    """n >= 3: a fourth item that is never relevant, or never compared, changes nothing."""
    assert violations(set(optimal_rankings(name, p)))


@pytest.mark.parametrize(("name", "p"), [(ERR, of_labels("2/5")), ("AP", of_labels("2/5"))])
def test_corollary_4_what_regression_does_there(name: str, p: Law) -> None:
    """E[y] = (3/5, 3/5, 2/5) sorts to {1 > 2 > 3, 2 > 1 > 3}, of which none is best."""
    sorts = squared_best(p.expect(tuple))
    assert sorts == FIRST_TWO
    assert not sorts & set(optimal_rankings(name, p))
