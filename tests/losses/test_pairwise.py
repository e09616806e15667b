"""Pairwise losses: fast against by hand, derivatives, edge cases, threads, and what their minima sort by."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog, minimize

from drawn import examples
from every_case import every_case, exhaustive, few_cases
from losses import pairwise_by_hand as by_hand
from rankproof.arrays import Float64s, Int64s
from rankproof.errors import ArgumentError, DataError
from rankproof.losses.margins import MARGINS, WIDTH, Margin
from rankproof.losses.order_preserving import OrderPreserving
from rankproof.losses.parse import loss as loss_of
from rankproof.losses.preorder import PRESETS, Preorder

WEIGHTS = ("one", "pairs", "difference", "gain", "gain-pairs")
SMOOTH = ("squared-hinge", "huber", "logistic", "exponential")
Losses = OrderPreserving | Preorder


def one_query(loss: Losses, scores: Float64s, targets: Float64s) -> by_hand.ByHand:
    found = loss.evaluate(scores, targets, [0, scores.size], hessian=True)
    assert found.hessian is not None
    return by_hand.ByHand(found.value, found.gradient, found.hessian)


def literally(loss: Losses, scores: Float64s, targets: Float64s) -> by_hand.ByHand:
    name = str(loss.margin)
    if isinstance(loss, OrderPreserving):
        return by_hand.order_preserving(name, scores, targets, normalize=loss.normalize, width=loss.width)
    return by_hand.preorder(name, scores, targets, weight=loss.weight, width=loss.width)


def agree(found: by_hand.ByHand, expected: by_hand.ByHand, rel: float = 1e-10) -> None:
    """Relative to the largest entry: entries that cancel are as exact as those they are the difference of."""
    for a, b in zip(found, expected, strict=True):
        scale = max(float(np.max(np.abs(b), initial=0)), expected.value)
        np.testing.assert_allclose(a, b, rtol=0, atol=rel * scale + 1e-300)


@cache
def losses() -> list[Losses]:
    found: list[Losses] = []
    for margin in MARGINS:
        widths = (0.5, 0.1, 2) if margin == "huber" else (0.5,)
        found += [OrderPreserving(margin=margin, width=width) for width in widths]
        found += [Preorder(margin=margin, width=width, weight=w) for width in widths for w in WEIGHTS]
        found.append(OrderPreserving(margin=margin, normalize=True))
    return found


def name_of(loss: Losses) -> str:
    rule = loss.weight if isinstance(loss, Preorder) else loss.normalize
    return f"{loss.name}-{loss.margin}-{loss.width}-{rule}"


every_loss = every_case("loss", losses(), ids=name_of)


@every_loss
@every_case("spread", [1.0, 20.0, 300.0])
def test_fast_is_by_hand(loss: Losses, spread: float) -> None:
    rng = np.random.default_rng(3)
    if loss.margin == "exponential":
        spread = min(spread, 60.0)  # wider, its value is no float
    for n in (2, 3, 17, 120):
        scores = rng.normal(size=n) * spread
        # Whole scores tie, and lie on the kinks of the margins.
        scores[::3] = np.round(scores[::3])
        for labels in (rng.integers(0, 5, n), rng.integers(0, 9, n) * 7.0, rng.normal(size=n) ** 2):
            targets = labels.astype(float)
            agree(one_query(loss, scores, targets), literally(loss, scores, targets))


@pytest.mark.parametrize("margin", MARGINS)
@examples(60)
@given(
    st.lists(st.tuples(st.integers(-12, 12), st.integers(0, 4)), min_size=1, max_size=9),
    st.sampled_from([0.25, 1.0, 40.0]),
    st.sampled_from(WEIGHTS),
)
def test_ties_and_kinks(margin: str, drawn: list[tuple[int, int]], step: float, weight: str) -> None:
    scores, labels = np.array(drawn, dtype=float).T
    step = min(step, 20.0) if margin == "exponential" else step
    for loss in (OrderPreserving(margin=margin), Preorder(margin=margin, weight=weight)):
        agree(one_query(loss, scores * step, labels), literally(loss, scores * step, labels))


@pytest.mark.parametrize("margin", MARGINS)
def test_many_distinct_labels(margin: str) -> None:
    rng = np.random.default_rng(8)
    scores, labels = 3 * rng.normal(size=400), rng.permutation(400) / 40
    for weight in WEIGHTS:
        loss = Preorder(margin=margin, weight=weight)
        agree(one_query(loss, scores, labels), literally(loss, scores, labels))


@every_case("loss", [x for x in losses() if x.margin in SMOOTH], ids=name_of)
def test_derivatives_against_differences(loss: Losses) -> None:
    rng = np.random.default_rng(5)
    n, step = 12, 1e-5
    scores, targets = rng.normal(size=n), rng.integers(0, 4, n).astype(float)
    found = one_query(loss, scores, targets)
    for i in range(n):
        up, down = scores.copy(), scores.copy()
        up[i] += step
        down[i] -= step
        above, below = one_query(loss, up, targets), one_query(loss, down, targets)
        scale = 1 + found.value
        assert found.gradient[i] == pytest.approx((above.value - below.value) / (2 * step), abs=1e-7 * scale)
        bend = (above.gradient[i] - below.gradient[i]) / (2 * step)
        assert found.hessian[i] == pytest.approx(bend, abs=1e-7 * scale)


@every_loss
def test_the_order_of_the_rows_does_not_matter(loss: Losses) -> None:
    rng = np.random.default_rng(6)
    scores, targets = np.round(2 * rng.normal(size=60), 1), rng.integers(0, 5, 60).astype(float)
    rows = rng.permutation(60)
    straight, mixed = one_query(loss, scores, targets), one_query(loss, scores[rows], targets[rows])
    agree(mixed, by_hand.ByHand(straight.value, straight.gradient[rows], straight.hessian[rows]), 1e-12)


@every_loss
def test_a_shift_of_all_scores_changes_nothing(loss: Losses) -> None:
    rng = np.random.default_rng(7)
    scores, targets = rng.integers(-40, 40, 30) / 8, rng.integers(0, 3, 30).astype(float)
    agree(one_query(loss, scores + 1024.0, targets), one_query(loss, scores, targets), 1e-12)


@every_loss
def test_small_and_empty_queries(loss: Losses) -> None:
    found = loss.evaluate([3.0, 1.0, 2.0, 2.0], [1.0, 0.0, 0.0, 0.0], [0, 0, 1, 4, 4], hessian=True)
    assert found.per_query.tolist() == [0, 0, 0, 0]
    assert found.gradient.tolist() == [0, 0, 0, 0]
    assert found.hessian is not None
    assert found.hessian.tolist() == [0, 0, 0, 0]


@every_loss
@every_case(
    "scores",
    [[1e300, -1e300, 1e300, 0], [1e300, 1e-300, 2, 1], [1.7e308, -1.7e308, 0, 1], [900, 0, -900, 1]],
    ids=str,
)
def test_huge_scores_stay_finite(loss: Losses, scores: list[float]) -> None:
    found = one_query(loss, np.array(scores, dtype=float), np.array([0.0, 3, 1, 2]))
    for part in found:
        assert np.isfinite(part).all()
    assert found.value > 0
    assert found.gradient[0] > 0 > found.gradient[1]
    assert (found.hessian >= 0).all()


def test_huge_scores_are_right_where_the_value_is_a_number() -> None:
    scores, labels = np.array([1e300, 0.0, -1e300]), np.array([0.0, 1.0, 2.0])
    for margin in ("hinge", "huber", "logistic"):
        found = one_query(Preorder(margin=margin), scores, labels)
        assert found.value == pytest.approx(1e300 + 2e300 + 1e300, rel=1e-12)
        assert found.gradient.tolist() == [2, 0, -2]


def test_an_outlier_costs_no_digits() -> None:
    """With one score far away, the others keep their full precision: sums are moved along, not subtracted."""
    rng = np.random.default_rng(2)
    scores, targets = rng.normal(size=50), rng.integers(1, 4, 50).astype(float)
    scores[7] = -1e9
    targets[7] = 0.0
    for margin in ("hinge", "squared-hinge", "huber"):
        found = one_query(OrderPreserving(margin=margin), scores, targets)
        expected = by_hand.order_preserving(margin, scores, targets)
        np.testing.assert_allclose(found.gradient, expected.gradient, rtol=1e-9, atol=1e-9)
        assert found.value == pytest.approx(expected.value, rel=1e-12)


@pytest.mark.parametrize("margin", ["huber", *exhaustive("hinge", "squared-hinge", "exponential")])
def test_a_million_items(margin: str) -> None:
    rng = np.random.default_rng(4)
    n = 1_000_000
    scores, labels = rng.normal(size=n), rng.integers(0, 5, n).astype(float)
    for loss in (OrderPreserving(margin=margin), Preorder(margin=margin)):
        found = one_query(loss, scores, labels)
        assert np.isfinite(found.value)
        assert np.isfinite(found.gradient).all()
        assert np.isfinite(found.hessian).all()
        # Only differences of scores occur: the gradient sums to 0.
        assert abs(found.gradient.sum()) < 1e-10 * np.abs(found.gradient).sum()


@cache
def ragged() -> tuple[Float64s, Float64s, Int64s]:
    rng = np.random.default_rng(9)
    sizes = np.concatenate((rng.integers(0, 30, 4000), [3000, 1, 0]))
    rng.shuffle(sizes)
    items = int(sizes.sum())
    offsets = np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)
    return np.round(rng.normal(size=items), 2), rng.integers(0, 4, items).astype(float), offsets


@few_cases
@pytest.mark.parametrize("margin", MARGINS)
@pytest.mark.parametrize("threads", [2, 3])
def test_the_number_of_threads_changes_no_bit(margin: str, threads: int) -> None:
    for loss in (OrderPreserving(margin=margin), Preorder(margin=margin, weight="gain-pairs")):
        alone, shared = (loss.evaluate(*ragged(), hessian=True, threads=t) for t in (1, threads))
        assert alone.per_query.tobytes() == shared.per_query.tobytes()
        assert alone.gradient.tobytes() == shared.gradient.tobytes()
        assert alone.hessian is not None
        assert shared.hessian is not None
        assert alone.hessian.tobytes() == shared.hessian.tobytes()


@cache
def as_users(margin: str) -> Margin:
    named = MARGINS[margin]
    if margin == "huber":
        # Its own functions are objects, which numba does not compile; a user writes functions.
        named = Margin(
            lambda t: 1.0 - t if t < 1.0 - WIDTH else max(0.0, 1.0 + WIDTH - t) ** 2 / (4.0 * WIDTH),
            lambda t: -1.0 if t < 1.0 - WIDTH else min(0.0, t - 1.0 - WIDTH) / (2.0 * WIDTH),
            lambda t: 1.0 / (2.0 * WIDTH) if 1.0 - WIDTH <= t < 1.0 + WIDTH else 0.0,
            name="own",
        )
    return Margin(named.value, named.derivative, named.second, name=f"my-{margin}")


@pytest.mark.parametrize("margin", ["logistic", *exhaustive(*sorted(set(MARGINS) - {"logistic"}))])
def test_a_margin_of_ones_own_is_the_named_one(margin: str) -> None:
    rng = np.random.default_rng(1)
    scores, labels = np.round(rng.normal(size=40), 1), rng.integers(0, 4, 40).astype(float)
    own = as_users(margin)
    for normalize in (False, True):
        named = OrderPreserving(margin=margin, normalize=normalize)
        agree(
            one_query(OrderPreserving(margin=own, normalize=normalize), scores, labels),
            one_query(named, scores, labels),
            1e-12,
        )
    for weight in WEIGHTS:
        named_too = Preorder(margin=margin, weight=weight)
        found = one_query(Preorder(margin=own, weight=weight), scores, labels)
        agree(found, one_query(named_too, scores, labels), 1e-12)


@pytest.mark.parametrize("margin", [*MARGINS, as_users("huber")], ids=str)
def test_item_weights_multiply_the_targets(margin: str | Margin) -> None:
    rng = np.random.default_rng(0)
    scores, targets, v = rng.normal(size=(3, 20))
    loss = OrderPreserving(margin=margin)
    weighted = loss.evaluate(scores, targets**2, [0, 20], item_weights=v**2, hessian=True)
    direct = loss.evaluate(scores, targets**2 * v**2, [0, 20], hessian=True)
    assert weighted.value == pytest.approx(direct.value, rel=1e-13)
    np.testing.assert_allclose(weighted.gradient, direct.gradient, rtol=1e-10, atol=1e-10)


def test_arguments() -> None:
    with pytest.raises(ArgumentError, match=r"weight of preorder must be one of one, pairs, .*, got 'two'"):
        Preorder(weight="two")
    with pytest.raises(
        ArgumentError, match="normalize of order-preserving must be one of false, true, got 1"
    ):
        OrderPreserving(normalize=1)  # type: ignore[arg-type]
    with pytest.raises(DataError, match=r"takes labels within -900..900, got 1000 at item 1"):
        Preorder(weight="gain").evaluate([0.0, 1.0], [0.0, 1000.0], [0, 2])
    with pytest.raises(DataError, match="order-preserving needs targets of at least 0, got -1 at item 0"):
        OrderPreserving().evaluate([0.0, 1.0], [-1.0, 0.0], [0, 2])


def test_presets() -> None:
    assert loss_of("ranksvm(weight=pairs)") == Preorder(margin="hinge", weight="pairs")
    assert loss_of("RankBoost") == Preorder(margin="exponential")
    assert loss_of("RankNet") == Preorder(margin="logistic")
    assert set(PRESETS) == {"RankSVM", "RankBoost", "RankNet"}


# What the minimum of the mean sorts by.


def best_scores(loss: Losses, laws: list[tuple[float, list[float]]]) -> Float64s:
    """The minimiser of the mean loss over a finite law of targets, by plain BFGS from several starts."""
    n = len(laws[0][1])
    offsets = np.arange(len(laws) + 1) * n
    targets, weights = np.concatenate([y for _, y in laws]), [p for p, _ in laws]

    def mean(s: Float64s) -> tuple[float, Float64s]:
        value, gradient = loss.value_and_gradient(np.tile(s, len(laws)), targets, offsets, weights)
        return value, gradient.reshape(-1, n).sum(0)

    found = [
        minimize(
            mean, np.random.default_rng(k).normal(size=n), jac=True, method="BFGS", options={"gtol": 1e-9}
        )
        for k in range(3)
    ]
    best: Float64s = min(found, key=lambda f: f.fun).x
    return best


@few_cases
@pytest.mark.parametrize("margin", SMOOTH)
def test_the_order_preserving_loss_sorts_as_the_mean_target(margin: str) -> None:
    loss = OrderPreserving(margin=margin)
    assert loss.claims.value("order_preserving") is True
    rng = np.random.default_rng(11)
    for _ in range(25):
        n = int(rng.integers(2, 6))
        laws = [(p, rng.choice([0.0, 1, 3, 7], n).tolist()) for p in rng.dirichlet(np.ones(4))]
        mean = sum(p * np.array(u) for p, u in laws)
        s = best_scores(loss, laws)
        for i in range(n):
            for j in range(n):
                if mean[i] > mean[j] + 1e-3:
                    assert s[i] > s[j], (laws, s)


def test_the_hinge_may_tie_what_the_mean_target_tells_apart() -> None:
    """Its minimum as a linear program: u = (1, 0.4, 0.3) costs 3 (0.4 + 0.3) = 2.1, attained at (1, 0, 0)."""
    loss, u = OrderPreserving(margin="hinge"), [1.0, 0.4, 0.3]
    assert loss.claims.value("order_preserving") is False
    pairs = [(i, j) for i in range(3) for j in range(3) if i != j]
    rows = np.zeros((6, 9))
    for k, (i, j) in enumerate(pairs):
        rows[k, i], rows[k, j], rows[k, 3 + k] = -1, 1, -1
    cost = np.concatenate((np.zeros(3), [u[i] for i, _ in pairs]))
    bounds = [(None, None)] * 3 + [(0, None)] * 6
    least = linprog(cost, A_ub=rows, b_ub=-np.ones(6), bounds=bounds).fun
    assert least == pytest.approx(2.1, rel=1e-12)
    assert loss.evaluate([1.0, 0.0, 0.0], u, [0, 3]).value == pytest.approx(least, rel=1e-12)


# Labellings and their probabilities, by weight: E[y] puts item 0 above the last item, the minimum below it.
# One: the last item wins more often. Gain: E[2^y] sorts otherwise. Difference: the item between them does it.
WINS_MORE_OFTEN = [(0.4, [3.0, 0.0]), (0.6, [0.0, 1.0])]
GAINS_MORE = [(0.4, [1.0, 3.0]), (0.6, [2.5, 1.0])]
BETWEEN = [(0.3, [0.0, 0.0, 4.0]), (0.7, [2.0, 4.0, 0.0])]
WITNESSES = {
    "one": WINS_MORE_OFTEN,
    "pairs": WINS_MORE_OFTEN,
    "difference": BETWEEN,
    "gain": GAINS_MORE,
    "gain-pairs": GAINS_MORE,
}


@pytest.mark.parametrize("margin", SMOOTH)
@pytest.mark.parametrize("weight", WEIGHTS)
def test_the_preorder_loss_does_not(margin: str, weight: str) -> None:
    loss, laws = Preorder(margin=margin, weight=weight), WITNESSES[weight]
    assert loss.claims.value("order_preserving") is False
    mean = sum(p * np.array(y) for p, y in laws)
    s = best_scores(loss, laws)
    assert mean[0] > mean[-1]
    assert s[0] < s[-1] - 0.01
