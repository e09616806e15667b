"""R11, "On NDCG Consistency of Listwise Ranking Methods", sections 2 and 3, statement by statement.

Where the printed text is wrong, a test proves that with an explicit law, and says what is right. Section 4,
the family of consistent losses, is in ``test_r11_family.py``; section 5, the excess risk, in
``test_r11_excess.py``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise, permutations, product
from typing import Any

import numpy as np
import pytest

from rankproof.feedback import Law
from rankproof.losses import Loss, loss
from rankproof.metrics import metric
from rankproof.metrics.dcg import DCG
from rankproof.metrics.ranked.ties import sorting_rankings
from rankproof.targets import target_for
from rankproof.theory.arithmetic.metric_fractions import in_fractions
from rankproof.theory.base.risk import optimal_rankings, regret, risks
from theory.drawn_laws import DrawnLaws, all_rankings, best_scores
from theory.order_maps import follows, order_map

# The statements of the papers, on many drawn laws; what computes them has sharper tests elsewhere.
pytestmark = pytest.mark.exhaustive

LOG3 = 1 / math.log2(3)
NDCG = metric("nDCG")
EXAMPLE = Law({(5, 4): "3/10", (1, 3): "7/10"})


def expected_loss(aimed: Loss, law: Law, scores: np.ndarray) -> tuple[float, np.ndarray]:
    """The expected loss under the law, and its gradient."""
    labels, probabilities = law.arrays()
    many, n = labels.shape
    u = aimed.targets(labels.reshape(-1), np.arange(many + 1) * n)
    found = aimed.evaluate(np.tile(scores, many), u, np.arange(many + 1) * n, weights=probabilities)
    return found.value, found.gradient.reshape(many, n).sum(axis=0)


def mean_of(law: Law, function: Callable[..., Any]) -> np.ndarray:
    return np.array([float(x) for x in law.expect(lambda y: function(np.array(y, dtype=float)).tolist())])


def gains(y: np.ndarray) -> np.ndarray:
    return 2**y - 1


def d_norm(x: np.ndarray, discounts: np.ndarray) -> np.ndarray:
    """max over rankings of sum |x_j| / F(rank of j), by its definition."""
    return (np.abs(x)[..., all_rankings(x.shape[-1])] @ discounts).max(axis=-1)


# 2 Preliminaries ----------------------------------------------------------------------------------


@pytest.mark.parametrize("discount", ["log2", "reciprocal", "letor", (1.0, 0.5)])
def test_lemma_1_the_normaliser_is_a_norm_of_the_gains(discount: Any) -> None:
    dcg = DCG(discount=discount)
    f = np.array([float(dcg.of_labels([0] * k + [1] + [0] * (3 - k))) for k in range(4)])
    x, y = np.random.default_rng(1).normal(size=(2, 3000, 4))
    np.testing.assert_allclose(d_norm(-2.5 * x, f), 2.5 * d_norm(x, f), rtol=1e-12)
    assert (d_norm(x + y, f) <= d_norm(x, f) + d_norm(y, f) + 1e-12).all()
    assert (d_norm(np.eye(4), f) == 1).all()
    for r in product(range(4), repeat=4):
        best = float(dcg.of_labels(sorted(r, reverse=True)) or 0)
        assert d_norm(gains(np.array(r)), f) == pytest.approx(best, rel=1e-12)


def test_lemma_2_what_follows_an_order_is_the_image_under_an_invertible_order_preserving_map() -> None:
    grid = list(product(range(-1, 4), repeat=3))
    for r, s in product(product(range(3), repeat=3), repeat=2):
        if follows(s, r):
            forth, back = order_map(s, r)
            assert forth(r) == s
            for x in grid:
                assert follows(forth(x), x)
                assert back(forth(x)) == x == forth(back(x))
        # The other direction is the definition: g(r) ~> r for an order preserving g.


# 3.1 Fisher optimal ranking functions -------------------------------------------------------------


def test_lemma_3_near_minimisers_are_optimal_from_some_point_on_or_the_loss_is_not_consistent() -> None:
    away = np.array([1.0, -1.0])
    last = {}
    for name in ("squared:nDCG", "squared:gain"):
        aimed = loss(name)
        best = mean_of(EXAMPLE, lambda y, u=aimed.target: np.array([float(x) for x in u.of_labels(y)]))
        near = [best + away / 2**k for k in range(12)]
        above = [expected_loss(aimed, EXAMPLE, s)[0] - expected_loss(aimed, EXAMPLE, best)[0] for s in near]
        assert all(a > b > 0 for a, b in pairwise(above))
        last[name] = [regret("nDCG", EXAMPLE, scores=s.tolist()) for s in near]
    assert last["squared:nDCG"][0] > 0
    assert set(last["squared:nDCG"][3:]) == {0}
    assert min(last["squared:gain"]) > 0


def small_laws(count: int) -> list[Law]:
    """Laws on three items with small fractions, some of them with two items that cannot be told apart."""
    rng = np.random.default_rng(4)
    laws = []
    for k in range(count):
        shares = rng.integers(1, 5, 3)
        law = Law(
            [
                (tuple(y), Fraction(int(p), int(shares.sum())))
                for y, p in zip(rng.integers(0, 4, (3, 3)).tolist(), shares, strict=True)
            ]
        )
        laws.append(law.mix(law.relabel((1, 0, 2)), "1/2") if k % 3 == 0 else law)
    return laws


@pytest.mark.parametrize("name", ["nDCG", "nDCG(discount=reciprocal)"])
def test_lemma_4_scores_are_optimal_iff_they_follow_the_mean_normalised_gain(name: str) -> None:
    target = in_fractions(target_for(name), 3, 30)
    ties = 0
    for law in small_laws(60):
        v = law.expect(lambda y: target.of_labels(list(y)))
        values = risks(name, law)
        best = max(values.values())
        ties += len(set(v)) < 3
        for s in product(range(3), repeat=3):
            sorting = list(sorting_rankings(s))
            optimal = sum(values[ranking] for ranking in sorting) == best * len(sorting)
            assert optimal == follows(s, v), (law, s, v)
    assert ties >= 10


def test_lemma_4_only_if_needs_discounts_that_fall_at_every_rank() -> None:
    """With the cutoff of section 6 the order below is free: (1, 0, 0) is optimal for E[u] = (1, 1/3, 0)."""
    law = Law.point((2, 1, 0))
    assert not follows((1, 0, 0), (1, Fraction(1, 3), 0))
    assert regret("nDCG@1", law, scores=(1, 0, 0)) == 0
    assert regret("nDCG", law, scores=(1, 0, 0)) > 0


def test_corollary_5_a_function_is_optimal_iff_it_is_at_almost_every_query() -> None:
    queries = [EXAMPLE, Law.point((2, 1))]
    scores = {"right": [(0, 1), (1, 0)], "wrong at the second": [(0, 1), (0, 1)]}
    for mu, expected in (
        (("1/2", "1/2"), {"right": True, "wrong at the second": False}),
        ((1, 0), dict.fromkeys(scores, True)),
    ):
        for which, f in scores.items():
            lost = sum(
                Fraction(p) * regret("nDCG", q, scores=s) for p, q, s in zip(mu, queries, f, strict=True)
            )
            assert (lost == 0) == expected[which]


# The scores of least expected loss, by the closed forms of section 3.2.2.
MINIMISERS = {
    "squared:nDCG": lambda drawn: drawn.means(target_for("nDCG")),
    "squared:gain": lambda drawn: drawn.over_outcomes(gains(drawn.labels)),
    "cosine(normalize=true):gain": lambda drawn: drawn.over_outcomes(
        gains(drawn.labels) / np.maximum(np.linalg.norm(gains(drawn.labels), axis=2, keepdims=True), 1e-300)
    ),
    "listnet": lambda drawn: np.log(
        drawn.over_outcomes(np.exp(drawn.labels) / np.exp(drawn.labels).sum(axis=2, keepdims=True))
    ),
}


@pytest.mark.parametrize("name", MINIMISERS)
def test_theorem_6_consistent_iff_the_minimiser_follows_the_mean_normalised_gain(name: str) -> None:
    drawn = DrawnLaws.draw(np.random.default_rng(6), 3000, 3, 3, 4)
    s, v = MINIMISERS[name](drawn), drawn.means(target_for("nDCG"))
    i, j = np.array(list(permutations(range(3), 2))).T
    clear = np.abs(v[:, i] - v[:, j]).min(axis=1) > 1e-9
    followed = ~((v[:, i] > v[:, j]) & (s[:, i] <= s[:, j])).any(axis=1)
    optimal = drawn.metric_regret(NDCG, s) <= 1e-12
    assert clear.sum() > 2000
    assert (followed[clear] == optimal[clear]).all()
    assert optimal.all() if name == "squared:nDCG" else not optimal.all()


# 3.2 Inconsistency of common surrogates -----------------------------------------------------------


def test_section_3_2_1_the_need_for_normalisation() -> None:
    z = 31 + 15 * LOG3, 7 + LOG3
    normalised = 0.3 * 31 / z[0] + 0.7 * 1 / z[1], 0.3 * 15 / z[0] + 0.7 * 7 / z[1]
    assert EXAMPLE.expect(lambda y: target_for("DCG").of_labels(y)) == (10, Fraction(94, 10))
    found = EXAMPLE.expect(lambda y: target_for("nDCG").of_labels(y))
    assert found == pytest.approx(normalised, rel=1e-12)
    assert [round(x, 4) for x in found] == [0.3216, 0.7533]
    assert [round(x, 5) for x in found] == [0.32157, 0.75333]
    assert optimal_rankings("DCG", EXAMPLE) == ((0, 1),)
    assert optimal_rankings("nDCG", EXAMPLE) == ((1, 0),)


def test_section_3_2_2_cosine_sorts_by_the_euclidean_norm_and_not_by_the_dcg_norm_as_printed() -> None:
    """Erratum. Law 1/3 (0, 1) + 2/3 (3, 2): E[G/|G|_D] puts item 1 first, the published cosine item 0."""
    law = Law({(0, 1): "1/3", (3, 2): "2/3"})
    published = loss("cosine(normalize=true):gain")
    euclidean = mean_of(law, lambda y: gains(y) / np.linalg.norm(gains(y)))
    printed = mean_of(law, lambda y: gains(y) / d_norm(gains(y), np.array([1, LOG3])))
    assert euclidean[0] > euclidean[1]
    assert printed[0] < printed[1]
    assert expected_loss(published, law, euclidean)[0] < expected_loss(published, law, printed)[0]


def test_proposition_7_least_squares() -> None:
    """1/2 (0, 1) + 1/2 (2, 1): the loss is least at E[G] = (3/2, 1), while nDCG wants item 1 first."""
    law = Law({(0, 1): "1/2", (2, 1): "1/2"})
    assert expected_loss(loss("squared:gain"), law, np.array([1.5, 1.0]))[1].tolist() == [0, 0]
    assert optimal_rankings("nDCG", law) == ((1, 0),)
    # E[G/Z] = 1/2 (0, 1) + 1/2 (3, 1) / (3 + 1/log2(3))
    lost = (1 - LOG3) * (1 / 2 - (3 - 1) / (2 * (3 + LOG3)))
    assert float(regret("nDCG", law, (0, 1))) == pytest.approx(lost)


def test_proposition_7_cosine() -> None:
    """1/3 (0, 1) + 2/3 (3, 2): least by Cauchy-Schwarz at w = E[G/|G|], which puts item 0 first."""
    law = Law({(0, 1): "1/3", (3, 2): "2/3"})
    w = np.array([2 / 3 * 7, 2 / 3 * 3]) / math.sqrt(7**2 + 3**2) + np.array([0, 1 / 3])
    assert w[0] > w[1]
    value = expected_loss(loss("cosine(normalize=true):gain"), law, w)[0]
    assert value == pytest.approx(1 - np.linalg.norm(w), rel=1e-12)
    angles = np.linspace(0, 2 * math.pi, 400)
    around = [
        expected_loss(loss("cosine(normalize=true):gain"), law, np.array([math.cos(a), math.sin(a)]))[0]
        for a in angles
    ]
    assert min(around) >= value
    assert optimal_rankings("nDCG", law) == ((1, 0),)
    assert regret("nDCG", law, (0, 1)) > 0


def test_proposition_7_cross_entropy() -> None:
    """2/5 (0, 1) + 3/5 (2, 1): listnet is least where softmax(s) = E[softmax(y)] = (0.546, 0.454)."""
    law = Law({(0, 1): "2/5", (2, 1): "3/5"})
    share = 2 / 5 / (1 + math.e) + 3 / 5 * math.e / (1 + math.e)
    s = np.array([math.log(share), math.log(1 - share)])
    assert s[0] > s[1]
    assert np.abs(expected_loss(loss("listnet"), law, s)[1]).max() < 1e-15
    assert optimal_rankings("nDCG", law) == ((1, 0),)
    assert regret("nDCG", law, (0, 1)) > 0


# 3.3 Restoring consistency ------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["cosine", "squared", "kl"])
def test_section_3_3_the_repaired_losses_are_consistent(name: str) -> None:
    aimed = loss(name, metric="nDCG")
    drawn = DrawnLaws.draw(np.random.default_rng(33), 4000, 3, 4, 4)
    best = best_scores(aimed, drawn.means(aimed.target))
    assert np.abs(drawn.loss_regret(aimed, best, best)).max() == 0
    assert drawn.metric_regret(NDCG, best).max() < 1e-12
    assert (
        drawn.loss_regret(aimed, best + 0.1 * np.random.default_rng(3).normal(size=best.shape), best) > 0
    ).all()


def test_section_3_3_only_the_last_two_are_convex() -> None:
    """u = (1, 0): 1 - <s, u>/|s| is 0 at (1, 0), 1 + 1/sqrt(5) at (-1, 2), and 1 halfway, above the chord."""
    halfway = [loss("cosine").evaluate(s, [1, 0], [0, 2]).value for s in ([1, 0], [-1, 2], [0, 1])]
    assert halfway == pytest.approx([0, 1 + 1 / math.sqrt(5), 1])
    assert halfway[2] > (halfway[0] + halfway[1]) / 2
    assert all(loss(name).claims.value("convex") for name in ("squared", "kl"))
    # Nor is its minimiser unique: the loss is constant on rays.
    assert (
        loss("cosine").evaluate([2, 4], [1, 1], [0, 2]).value
        == loss("cosine").evaluate([1, 2], [1, 1], [0, 2]).value
    )
