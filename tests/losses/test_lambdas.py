"""LambdaRank and LambdaLoss: by hand over all rankings that sort the scores, derivatives, edge cases."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankproof as rp
from rankproof.arrays import Float64s
from rankproof.errors import ArgumentError, DataError
from rankproof.losses.lambdas import LambdaLoss, LambdaRank
from rankproof.metrics.discounted import discount_of, gain_of

Lambda = LambdaRank | LambdaLoss
ALL: list[Lambda] = [
    LambdaRank(),
    LambdaRank(cutoff=2, sigma=2),
    LambdaRank(cutoff=3, gain="linear", discount="reciprocal"),
    LambdaRank(gain=[0, 1, 5, 6], sigma=0.5),
    LambdaLoss(),
    LambdaLoss(scheme="loss2", discount="letor"),
    LambdaLoss(mu=0.5, gain="linear", sigma=3),
]


def name_of(loss: Lambda) -> str:
    return f"{loss.name}-{getattr(loss, 'cutoff', None)}-{loss.gain}-{loss.discount}-{loss.sigma}"


every_loss = pytest.mark.parametrize("loss", ALL, ids=name_of)


def discount(loss: Lambda, rank: int) -> float:
    cutoff = loss.cutoff if isinstance(loss, LambdaRank) else None
    return float(discount_of(loss.discount, rank)) if cutoff is None or rank <= cutoff else 0.0


def weight_of_ranks(loss: Lambda, i: int, j: int) -> float:
    apart = abs(discount(loss, i) - discount(loss, j))
    if isinstance(loss, LambdaRank):
        return apart
    step = discount(loss, abs(i - j)) - discount(loss, abs(i - j) + 1)
    return step if loss.scheme == "loss2" else apart + loss.mu * step


def pair_weights(loss: Lambda, scores: Float64s, labels: Float64s) -> Float64s:
    """The mean weight of every pair over the rankings that sort the scores, one by one."""
    n = scores.size
    gains = [float(gain_of(loss.gain, y)) for y in labels.tolist()]
    best = sum(discount(loss, k + 1) * g for k, g in enumerate(sorted(gains, reverse=True)))
    weights = np.zeros((n, n))
    if best == 0:
        return weights
    sorts = [p for p in permutations(range(n)) if all(scores[a] >= scores[b] for a, b in zip(p, p[1:]))]  # noqa: B905, RUF007
    for ranking in sorts:
        rank = {item: k + 1 for k, item in enumerate(ranking)}
        for i in range(n):
            for j in range(n):
                if labels[i] > labels[j]:
                    share = (gains[i] - gains[j]) / best / len(sorts)
                    weights[i, j] += weight_of_ranks(loss, rank[i], rank[j]) * share
    return weights


def by_hand(loss: Lambda, scores: Float64s, labels: Float64s) -> tuple[float, Float64s, Float64s]:
    weights = pair_weights(loss, scores, labels)
    t = loss.sigma * (scores[:, None] - scores)
    small = np.exp(-np.abs(t))
    p = np.where(t > 0, small, 1) / (1 + small)
    value = np.where(weights > 0, weights * np.logaddexp(0, -t), 0)
    slope = -loss.sigma * weights * p
    bend = loss.sigma**2 * weights * small / (1 + small) ** 2
    return value.sum(), slope.sum(1) - slope.sum(0), bend.sum(1) + bend.sum(0)


def check(loss: Lambda, scores: Float64s, labels: Float64s) -> None:
    found = loss.evaluate(scores, labels, [0, scores.size], hessian=True)
    value, gradient, hessian = by_hand(loss, scores, labels)
    assert found.value == pytest.approx(value, rel=1e-12, abs=1e-300)
    np.testing.assert_allclose(found.gradient, gradient, rtol=1e-11, atol=1e-14)
    np.testing.assert_allclose(found.hessian, hessian, rtol=1e-11, atol=1e-14)


@every_loss
@given(
    st.lists(st.tuples(st.integers(-3, 3), st.integers(0, 3)), min_size=1, max_size=5),
    st.sampled_from([1.0, 0.3, 400.0]),
)
def test_by_hand_with_ties(loss: Lambda, drawn: list[tuple[int, int]], step: float) -> None:
    scores, labels = np.array(drawn, dtype=float).T
    check(loss, scores * step, labels)


def test_the_weight_of_a_pair_is_the_change_of_ndcg() -> None:
    """Exchanging two items in the ranking changes nDCG by the weight of their pair."""
    ndcg, labels = rp.metric("nDCG@3"), np.array([2.0, 0, 1, 3])
    scores = np.array([4.0, 3, 2, 1])
    weights = pair_weights(LambdaRank(cutoff=3), scores, labels)
    for i in range(4):
        for j in range(4):
            if labels[i] > labels[j]:
                other = labels.copy()
                other[[i, j]] = other[[j, i]]
                change = abs(ndcg.of_labels(labels.tolist()) - ndcg.of_labels(other.tolist()))
                assert weights[i, j] == pytest.approx(change, rel=1e-12)
    check(LambdaRank(cutoff=3), scores, labels)


@every_loss
def test_derivatives_with_the_weights_held_fixed(loss: Lambda) -> None:
    """A step that exchanges no items leaves the weights as they are."""
    rng = np.random.default_rng(2)
    scores, labels = rng.permutation(15) + 0.1 * rng.random(15), rng.integers(0, 4, 15).astype(float)
    found = loss.evaluate(scores, labels, [0, 15], hessian=True)
    assert found.hessian is not None
    step = 1e-5
    for i in range(15):
        up, down = (loss.evaluate(scores + sign * step * np.eye(15)[i], labels, [0, 15]) for sign in (1, -1))
        assert found.gradient[i] == pytest.approx((up.value - down.value) / (2 * step), abs=1e-7)
        assert found.hessian[i] == pytest.approx((up.gradient[i] - down.gradient[i]) / (2 * step), abs=1e-7)


@every_loss
def test_the_order_of_the_rows_does_not_matter(loss: Lambda) -> None:
    rng = np.random.default_rng(3)
    scores, labels = np.round(rng.normal(size=80), 1), rng.integers(0, 4, 80).astype(float)
    rows = rng.permutation(80)
    straight, mixed = (loss.evaluate(scores[r], labels[r], [0, 80]) for r in (np.arange(80), rows))
    assert mixed.value == pytest.approx(straight.value, rel=1e-12)
    np.testing.assert_allclose(mixed.gradient, straight.gradient[rows], rtol=1e-9, atol=1e-13)


@every_loss
def test_threads_change_no_bit(loss: Lambda) -> None:
    rng = np.random.default_rng(4)
    sizes = rng.integers(0, 25, 4000)
    offsets = np.concatenate(([0], np.cumsum(sizes)))
    scores, labels = np.round(rng.normal(size=offsets[-1]), 1), rng.integers(0, 4, offsets[-1]).astype(float)
    alone, shared = (loss.evaluate(scores, labels, offsets, hessian=True, threads=t) for t in (1, 3))
    assert alone.per_query.tobytes() == shared.per_query.tobytes()
    assert alone.gradient.tobytes() == shared.gradient.tobytes()


@every_loss
def test_queries_that_say_nothing(loss: Lambda) -> None:
    found = loss.evaluate([3.0, 1.0, 2.0, 2.0, 0.0], [1.0, 0.0, 0.0, 2.0, 2.0], [0, 0, 1, 3, 5, 5])
    assert found.per_query.tolist() == [0, 0, 0, 0, 0]
    assert found.gradient.tolist() == [0, 0, 0, 0, 0]


@every_loss
@pytest.mark.parametrize("scores", [[1e300, -1e300, 0, 5], [1.7e308, -1.7e308, 1, 2], [0, 0, 0, 0]], ids=str)
def test_huge_and_equal_scores(loss: Lambda, scores: list[float]) -> None:
    found = loss.evaluate(scores, [0.0, 3, 1, 2], [0, 4], hessian=True)
    assert np.isfinite(found.value)
    assert found.gradient[0] > 0 > found.gradient[1]
    assert np.isfinite(found.hessian).all()


def test_equal_scores_start_to_move() -> None:
    """At equal scores every pair with different gains has a weight: boosting starts there."""
    found = LambdaRank(cutoff=1).evaluate(np.zeros(4), [0.0, 1, 0, 2], [0, 4])
    assert np.argmin(found.gradient) == 3
    assert found.gradient[0] == found.gradient[2] > 0


def test_the_claim_that_the_order_may_differ_from_that_of_the_labels() -> None:
    """Labels (3, 0) four times in ten, else (0, 1): E[y] = (1.2, 0.6); at its minimum item 2 leads."""
    loss = LambdaRank()
    assert loss.claims.value("order_preserving") is False

    def slope(gap: float) -> float:
        scores = [gap, 0.0, gap, 0.0]
        found = loss.evaluate(scores, [3.0, 0, 0, 1], [0, 2, 4], weights=[0.4, 0.6])
        return float(found.gradient[0] + found.gradient[2])

    # Both preferences weigh d(1) - d(2), so the slope is 0 where 0.4 / 0.6 = e^gap.
    assert slope(math.log(0.4 / 0.6)) == pytest.approx(0, abs=1e-12)
    assert slope(-2.0) < 0 < slope(0.5)


def test_arguments() -> None:
    with pytest.raises(ArgumentError, match="cutoff of lambdarank must be an int >= 1, got 0"):
        LambdaRank(cutoff=0)
    with pytest.raises(ArgumentError, match="sigma of lambdaloss must be a number above 0, got 0"):
        LambdaLoss(sigma=0)
    with pytest.raises(ArgumentError, match="scheme of lambdaloss must be one of loss2pp, loss2, got 'x'"):
        LambdaLoss(scheme="x")
    with pytest.raises(DataError, match="Loss lambdarank: label 4 has no entry in the gain table"):
        LambdaRank(gain=[0, 1]).evaluate([0.0, 1.0], [4.0, 0.0], [0, 2])
