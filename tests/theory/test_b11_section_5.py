"""Every statement of sections 5 and 6 of B11 (Buffoni et al., ICML 2011), in the paper's order.

Definitions 1-4 and Theorems 1 and 2 are in `test_b11`. Items are counted from 0.
"""

from __future__ import annotations

import math
import random
from fractions import Fraction
from itertools import combinations, pairwise, permutations, product
from typing import Any

import numpy as np
import pytest

import rankproof as rp
from properties.loss_minimum import TargetLaw, minimiser
from rankproof.feedback import Law, Permutation, PreferenceGraph
from rankproof.feedback.spaces import graded_space, permutation_space
from rankproof.losses import OrderPreserving
from rankproof.metrics.ranked.ties import sorting_rankings
from rankproof.targets import target_for
from rankproof.theory.base.risk import optimal_rankings, regret, risks
from rankproof.theory.noise import is_low_noise, is_order_preserving, mean_differences
from theory.whole_laws import best, draw, rankings, sorting, targets, values

# The statements of the papers, on many drawn laws; what computes them has sharper tests elsewhere.
pytestmark = pytest.mark.exhaustive

F = Fraction
ERR = "ERR(max_grade=1)"
CUTOFFS = ("@1", "@2", "@3", "")


# Section 5.1: DCG -------------------------------------------------------------------------------------


@pytest.mark.parametrize("metric", [f"{name}{k}" for name in ("DCG", "nDCG") for k in CUTOFFS])
@pytest.mark.parametrize(("items", "grades"), [(3, 3), (4, 2)])
def test_section_5_1_dcg_and_ndcg_have_targets_at_every_cutoff(metric: str, items: int, grades: int) -> None:
    """u = 2^y - 1 standardises DCG@K, u = (2^y - 1) / max DCG@K standardises nDCG@K (0 where that is 0)."""
    space, target = graded_space(items, grades), target_for(metric)
    cut = rp.metric(metric).cutoff or items  # type: ignore[attr-defined]
    for y in space.feedback:
        gains = [2**grade - 1 for grade in y]
        ideal = sum(g / math.log2(1 + k) for k, g in enumerate(sorted(gains, reverse=True)[:cut], start=1))
        norm = 1.0 if metric.startswith("DCG") else ideal or 1.0
        assert [float(u) for u in target.of_feedback(y)] == pytest.approx([g / norm for g in gains])
    weights = draw(np.random.default_rng(51), 400, len(space))
    sorts = sorting(weights @ targets(target, space))
    assert (sorts <= best(weights @ values(metric, space))).all()
    assert (sorts.sum(axis=1) > 1).any(), "ties were tried, too"


def test_section_5_1_the_weights_are_not_the_relevance_scores_themselves() -> None:
    """u = y fails for DCG: 3/10 (2, 0) + 7/10 (0, 1) has E[y] = (.6, .7), but E[2^y - 1] = (.9, .7)."""
    p = Law({(2, 0): "3/10", (0, 1): "7/10"})
    assert p.expect(tuple) == (F(3, 5), F(7, 10))
    assert optimal_rankings("DCG", p) == ((0, 1),)
    assert regret("DCG", p, (1, 0)) > 0


# Section 5.2: ERR and AP ------------------------------------------------------------------------------


def err(ranked: list[int], top: int) -> F:
    total = F(0)
    for k, y in enumerate(ranked, start=1):
        above = math.prod(1 - F(2**z - 1, 2**top) for z in ranked[: k - 1])
        total += F(2**y - 1, 2**top) / k * above
    return total


def test_equation_10_err_and_its_misprint() -> None:
    """ERR = Σ_k R_k / k Π_{j<k} (1 - R_j), R = (2^y - 1) / 2^gmax.

    Erratum: the printed 2^(y - 1) / 2^gmax lets an irrelevant item satisfy a reader (with 1/4 for gmax = 1).
    """
    for top, n in ((1, 4), (2, 3), (4, 2)):
        metric = rp.metric(f"ERR(max_grade={top})")
        for y in product(range(top + 1), repeat=n):
            if any(y):
                assert metric.of_labels(y) == err(list(y), top)
    assert F(2) ** (0 - 1) / 2 == F(1, 4)
    assert rp.metric(ERR).of_labels([0, 0, 1]) == F(1, 6)  # 1/3 x 1/2: nobody stopped before


def test_equation_11_ap() -> None:
    """AP = 1/Σy Σ_{y_i = 1} 1/σ(i) #{k: y_k = 1, σ(k) <= σ(i)}, on all binary labels of four items."""
    for y in product((0, 1), repeat=4):
        relevant = [rank for rank, label in enumerate(y, start=1) if label]
        if relevant:
            terms = [F(sum(other <= rank for other in relevant), rank) for rank in relevant]
            assert rp.metric("AP").of_labels(y) == sum(terms) / len(relevant)


@pytest.mark.parametrize(("name", "mean", "best_of_24"), [(ERR, F(1, 48), 16), ("AP", F(-1, 24), 8)])
def test_theorem_3_err_and_ap_have_no_standardization_function(name: str, mean: F, best_of_24: int) -> None:
    """Under 1/2 [1100] + 1/2 [0011] all E[u_i] would be the same (Lemma 4), yet not all rankings are best.

    Erratum: the printed +1/24 (ERR) and -1/12 (AP) are sums over the two labels; the means are +1/48, -1/24.
    """
    p = Law({(1, 1, 0, 0): "1/2", (0, 0, 1, 1): "1/2"})
    every = risks(name, p)
    assert every[0, 2, 1, 3] - every[0, 1, 2, 3] == mean
    metric = rp.metric(name)
    parts = [metric.of_ranking((0, 2, 1, 3), y) - metric.of_ranking((0, 1, 2, 3), y) for y in p.support]
    assert sum(parts) == 2 * mean == {ERR: F(1, 24), "AP": F(-1, 12)}[name]
    assert len(optimal_rankings(name, p)) == best_of_24


@pytest.mark.parametrize("name", [ERR, "AP"])
def test_theorem_3_needs_three_items(name: str) -> None:
    """With two items u = y standardises both: tried on laws over all binary labels."""
    space = graded_space(2, 2)
    weights = draw(np.random.default_rng(52), 300, len(space))
    labels = np.array([list(y) for y in space.feedback], dtype=object)
    assert (sorting(weights @ labels) <= best(weights @ values(name, space))).all()


STRICT = [ERR, "AP", "DCG", "nDCG", "PD"]


def exchanged(ranking: tuple[int, ...], i: int, j: int) -> tuple[int, ...]:
    return tuple({i: j, j: i}.get(k, k) for k in ranking)


@pytest.mark.parametrize("name", STRICT)
@pytest.mark.parametrize("items", [3, 4])
def test_lemma_4_what_it_asks_for_holds(name: str, items: int) -> None:
    """Symmetry, and strict monotonicity: y_i > y_j and i above j is better than with the two exchanged."""
    space = graded_space(items, 2)
    every = [tuple(r) for r in rankings(items).tolist()]
    worth = {
        (r, y): w
        for y, row in zip(space.feedback, values(name, space), strict=True)
        for r, w in zip(every, row, strict=True)
    }
    for r, (i, j), y in product(every, permutations(range(items), 2), space.feedback):
        other = exchanged(r, i, j)
        order = [exchanged((k,), i, j)[0] for k in range(items)]
        assert worth[r, y] == worth[other, y.relabel(order)]
        if y[i] > y[j] and r.index(i) < r.index(j):
            assert worth[r, y] > worth[other, y]


@pytest.mark.parametrize("name", ["DCG", "nDCG", "PD"])
@pytest.mark.parametrize("items", [3, 4])
def test_lemma_4_what_it_says_of_every_standardization_function(name: str, items: int) -> None:
    """1. y_i > y_j gives u_i > u_j. 2. y_i = y_j gives u_i = u_j. 3. If y and y' have as many relevant items,
    y_i + y'_i = y_j + y'_j gives u_i(y) + u_i(y') = u_j(y) + u_j(y'). (PD has a target on binary labels.)"""
    space = graded_space(items, 2)
    target = target_for(name, noise="binary") if name == "PD" else target_for(name)
    u = dict(zip((tuple(y) for y in space.feedback), targets(target, space).tolist(), strict=True))
    weights = draw(np.random.default_rng(4), 200, len(space))
    assert (sorting(weights @ targets(target, space)) <= best(weights @ values(name, space))).all()
    for (y, a), (z, b) in product(u.items(), repeat=2):
        for i, j in permutations(range(items), 2):
            assert y[i] <= y[j] or a[i] > a[j]
            assert y[i] != y[j] or a[i] == a[j]
            if sum(y) == sum(z) and y[i] + z[i] == y[j] + z[j]:
                assert a[i] + b[i] == a[j] + b[j]


@pytest.mark.parametrize("name", STRICT)
@pytest.mark.parametrize("items", [3, 4])
def test_lemma_4_erratum_of_its_proof_and_what_proves_it(name: str, items: int) -> None:
    """Printed: y and y' of point 3 put no constraint on i, j. But items 1, 2 under [1100] + [0011] do matter.

    What proves it: mass on single relevant items, falling along σ but equal for its neighbours i, j, leaves
    exactly σ and σ with i, j exchanged as best; laws near it make every exchange d_σ a multiple of u_i - u_j.
    On one relevant item d_σ depends on the rank of the pair alone, so u_i - u_j sees of the others their sum.
    """
    if items == 4:
        every = risks(name, Law({(1, 1, 0, 0): "1/2", (0, 0, 1, 1): "1/2"}))
        assert (every[0, 1, 2, 3] == every[0, 2, 1, 3]) == (name in ("DCG", "nDCG", "PD"))
    space = graded_space(items, 2)
    single = [k for k, y in enumerate(space.feedback) if sum(y) == 1]
    worth = values(name, space)[single]
    relevant = [tuple(space.feedback[k]).index(1) for k in single]
    for sigma, k in product(permutations(range(items)), range(items - 1)):
        mass = {item: 2 * items - 2 * place for place, item in enumerate(sigma)}
        mass[sigma[k]] = mass[sigma[k + 1]]
        weights = np.array([[mass[item] for item in relevant]], dtype=object)
        found = rankings(items)[best(weights @ worth)[0]].tolist()
        assert {tuple(r) for r in found} == {sigma, exchanged(sigma, sigma[k], sigma[k + 1])}


# Section 5.3: pairwise disagreement with low noise ----------------------------------------------------

CYCLE = Law.point({(0, 1): 1, (1, 2): 1, (0, 2): 1}).mix({(2, 0): 1}, "3/4")


def drawn_graphs(rng: random.Random, n: int) -> Law:
    """A few acyclic graphs with weights in quarters, up to 1; one order is likelier than others."""
    law: list[tuple[PreferenceGraph, F]] = []
    for share in (F(1, 2), F(1, 4), F(1, 4)):
        order = list(range(n)) if rng.random() < 0.7 else rng.sample(range(n), n)
        law.append((PreferenceGraph({e: F(rng.randint(0, 4), 4) for e in combinations(order, 2)}, n), share))
    return Law(law)


def test_equation_12_erratum_the_indicator_is_the_wrong_way() -> None:
    """a_ij is paid when i → j and i is ranked below j: as printed, the graph 0 → 1 wants item 1 first.

    Its own target, 2 + (1, -1) for that graph, puts item 0 first.
    """
    y = PreferenceGraph([(0, 1)])
    printed = {r: sum(a for i, j, a in y.edges if r.index(j) > r.index(i)) for r in ((0, 1), (1, 0))}
    assert printed == {(0, 1): 1, (1, 0): 0}
    assert {r: rp.metric("WPD").of_ranking(r, y) for r in printed} == {(0, 1): 0, (1, 0): 1}
    assert target_for("PD", noise="low noise").of_feedback(y) == [3, 1]


def test_section_5_3_erratum_low_noise_for_all_triples_would_be_additivity() -> None:
    """With d_ij = E[a_ij - a_ji], "d_ij <= d_ik + d_kj for all i, j, k" is d_ij = d_ik + d_kj; so is ">=".

    For exchanging i and j turns one into the other. Duchi et al. ask for >= only where d_ik, d_kj > 0; along
    such chains alone, <= holds for the law CYCLE, where the target is not optimal.
    """
    rng = random.Random(53)
    adds_up = Law.point({(0, 1): "1/2", (1, 2): "1/4", (0, 2): "3/4"})
    more_than = Law.point({(0, 1): "1/4", (1, 2): "1/4", (0, 2): 1})
    assert is_low_noise(more_than).holds
    for p in (adds_up, more_than, *(drawn_graphs(rng, 3) for _ in range(100))):
        d = mean_differences(p)
        triples = list(permutations(range(3), 3))
        below = all(d[i][j] <= d[i][k] + d[k][j] for i, j, k in triples)
        above = all(d[i][j] >= d[i][k] + d[k][j] for i, j, k in triples)
        assert below == above == all(d[i][j] == d[i][k] + d[k][j] for i, j, k in triples)
        assert below == {adds_up: True, more_than: False}.get(p, below)
    d = mean_differences(CYCLE)
    assert (d[0][1], d[1][2], d[2][0]) == (F(1, 4), F(1, 4), F(1, 2))
    chains = [(i, k, j) for i, k, j in permutations(range(3), 3) if d[i][k] > 0 and d[k][j] > 0]
    assert chains
    assert all(d[i][j] <= d[i][k] + d[k][j] for i, k, j in chains)
    assert not is_low_noise(CYCLE).holds


@pytest.mark.parametrize("items", [3, 4])
def test_section_5_3_under_low_noise_wpd_has_a_target(items: int) -> None:
    """u_i = nC + Σ_k (a_ik - a_ki) >= 0, weights up to C = 1: what sorts E[u] is WPD-optimal."""
    rng, target, seen = random.Random(items), target_for("PD", noise="low noise"), 0
    while seen < 60 // items:
        p = drawn_graphs(rng, items)
        d = mean_differences(p)
        triples = permutations(range(items), 3)
        low = all(d[i][j] >= d[i][k] + d[k][j] for i, k, j in triples if d[i][k] > 0 and d[k][j] > 0)
        assert is_low_noise(p).holds == low
        if not low or len({x for row in d for x in row}) < 4:
            continue
        seen += 1
        u = p.expect(target.of_feedback)
        assert u == tuple(items + sum(row) for row in d)
        assert min(min(target.of_feedback(y)) for y in p.support) >= 0
        assert set(sorting_rankings(u)) <= set(optimal_rankings("WPD", p))


def test_section_5_3_without_low_noise_the_target_fails() -> None:
    """1/4 [0→1, 1→2, 0→2] + 3/4 [2→0] (C12 Table 2): E[u] - 3 = (-1/4, 0, 1/4) sorts (2, 1, 0), not best."""
    u = CYCLE.expect(target_for("PD", noise="low noise").of_feedback)
    assert u == (F(11, 4), F(3), F(13, 4))
    assert optimal_rankings("PD", CYCLE) == ((1, 2, 0), (2, 0, 1))
    assert regret("PD", CYCLE, scores=u) == F(1, 4)
    s = minimiser(OrderPreserving(), TargetLaw(np.array([u], dtype=float), np.ones(1)))
    assert list(sorting_rankings(s)) == [(2, 1, 0)]


# Section 5.4: the 0/1 error on permutations -----------------------------------------------------------


def preserves(p: Law, i: int, j: int) -> bool:
    """Definition 5: with i above j a permutation is likelier than with them exchanged, or both are at 0."""
    for y in permutation_space(p.items).feedback:
        ranks = list(y.ranks)
        ranks[i], ranks[j] = ranks[j], ranks[i]
        if y[i] < y[j] and not (p[y] > p[Permutation(ranks)] or p[y] == p[Permutation(ranks)] == 0):
            return False
    return True


def drawn_permutations(rng: random.Random, n: int) -> tuple[Law, tuple[int, ...]]:
    """A law that preserves the neighbours of a ranking, and that ranking; else as free as can be."""
    ranks = sorted(permutations(range(1, n + 1)), key=lambda y: sum(a > b for a, b in combinations(y, 2)))
    mass: dict[tuple[int, ...], F] = {}
    for y in ranks:
        wrong = [k for k, (a, b) in enumerate(pairwise(y)) if a > b]
        likelier = [mass[(*y[:k], y[k + 1], y[k], *y[k + 2 :])] for k in wrong]
        mass[y] = min(likelier, default=F(1)) * (
            1 if not wrong else rng.choice([F(0), F(1, 3), F(2, 3), F(9, 10)])
        )
    names = rng.sample(range(n), n)
    p = Law([(Permutation(y), m / sum(mass.values())) for y, m in mass.items()])
    return p.relabel(names), tuple(names.index(k) for k in range(n))


def test_equation_13_erratum_an_error_is_paid_when_the_ranking_differs() -> None:
    """The printed 1[σ = y] is largest at the observed ranking itself; ZeroOne is 1[σ ≠ y]."""
    for y, r in product(permutation_space(3).feedback, permutations(range(3))):
        assert rp.metric("ZeroOne").of_ranking(r, y) == int(r != y.order)


@pytest.mark.parametrize("items", [3, 4])
def test_definition_5_and_section_5_4_under_such_laws_01_has_a_target(items: int) -> None:
    """u_i = Σ_k 1[y(i) <= k] = n - y(i) + 1. If the law preserves j_1, ..., j_n, that is the best ranking,
    P(Y(j_a) <= k) >= P(Y(j_b) <= k) for a < b and all k, strictly for k = a, and E[u] sorts so."""
    rng, target = random.Random(54), target_for("ZeroOne", noise="order-preserving")
    for _ in range(25):
        p, chain = drawn_permutations(rng, items)
        assert all(preserves(p, i, j) for i, j in pairwise(chain))
        assert is_order_preserving(p).holds
        assert optimal_rankings("ZeroOne", p) == (chain,)
        for (a, i), (_, j) in combinations(enumerate(chain, start=1), 2):
            for k in range(1, items + 1):
                first, second = (sum((q for y, q in p.pairs() if y[item] <= k), F(0)) for item in (i, j))
                assert first >= second
                assert k != a or first > second
        u = p.expect(target.of_feedback)
        assert u == p.expect(lambda y: [sum(rank <= k for k in range(1, items + 1)) for rank in y])
        assert list(sorting_rankings(u)) == [chain]


def test_section_5_4_without_the_condition_the_target_fails() -> None:
    """2/5 (0, 1, 2) + 3/10 (2, 1, 0) + 3/10 (2, 0, 1): E[u] = (2.1, 1.7, 2.2), but (0, 1, 2) is likeliest."""
    orders = {(0, 1, 2): "4/10", (2, 1, 0): "3/10", (2, 0, 1): "3/10"}
    p = Law([(Permutation.from_order(order), share) for order, share in orders.items()])
    u = p.expect(target_for("ZeroOne", noise="order-preserving").of_feedback)
    assert u == (F(21, 10), F(17, 10), F(22, 10))
    assert optimal_rankings("ZeroOne", p) == ((0, 1, 2),)
    assert regret("ZeroOne", p, scores=u) == F(1, 10)
    assert not is_order_preserving(p).holds
    assert not any(all(preserves(p, i, j) for i, j in pairwise(chain)) for chain in orders)


# Section 6: experiments -------------------------------------------------------------------------------


def test_section_6_the_query_normalisation_does_not_affect_consistency() -> None:
    """1 / (n (n - 1)) is one factor for all label vectors of a query: the minimiser stays where it is."""
    u = TargetLaw(np.array([[2.0, 0.5, 1.0], [0.0, 1.0, 3.0]]), np.array([0.25, 0.75]))
    plain, scaled = OrderPreserving(), OrderPreserving(normalize=True)
    s: Any = np.array([0.3, -0.2, 0.9])
    assert u.risk(scaled, s)[0] == pytest.approx(u.risk(plain, s)[0] / 6)
    assert minimiser(scaled, u) == pytest.approx(minimiser(plain, u), abs=1e-5)
