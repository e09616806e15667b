"""Losses built on the softmax of the scores: softmax, ListNet, XE-NDCG; and extended KL."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import rel_entr

from rankproof.errors import ArgumentError, DataError
from rankproof.losses import KL, XENDCG, ListNet, Softmax


def shares(x: np.ndarray) -> np.ndarray:
    return np.exp(x) / np.exp(x).sum()


def test_softmax_by_hand() -> None:
    """Shares 1/4 and 3/4; targets 2 and 1."""
    found = Softmax().evaluate([0.0, math.log(3)], [2.0, 1.0], [0, 2], hessian=True)
    assert found.value == pytest.approx(2 * math.log(4) + math.log(4 / 3), rel=1e-15)
    np.testing.assert_allclose(found.gradient, [3 / 4 - 2, 9 / 4 - 1], rtol=1e-14)
    np.testing.assert_allclose(found.hessian, [3 * 3 / 16, 3 * 3 / 16], rtol=1e-14)


def test_the_target_is_not_normalised() -> None:
    s, u = [0.3, -1.0, 2.0], np.array([0.2, 0.0, 0.4])
    one, tenfold = (Softmax().evaluate(s, scale * u, [0, 3]).value for scale in (1, 10))
    assert tenfold == pytest.approx(10 * one, rel=1e-14)


def test_a_query_without_targets_costs_nothing() -> None:
    found = Softmax().evaluate([1.0, 2.0], [0.0, 0.0], [0, 2], hessian=True)
    assert (found.value, found.gradient.tolist(), found.hessian.tolist()) == (0, [0, 0], [0, 0])


def test_equal_huge_scores_keep_the_logarithm_of_their_number() -> None:
    for s in (1e300, -1e300, 0.0):
        assert Softmax().evaluate([s] * 5, [1.0, 0, 0, 0, 0], [0, 5]).value == pytest.approx(math.log(5))


@pytest.mark.parametrize("loss", [Softmax(), KL()], ids=str)
def test_negative_targets_are_refused(loss: Softmax | KL) -> None:
    with pytest.raises(DataError, match=r"needs targets of at least 0, got -0.5 at item 1"):
        loss.evaluate([0.0, 0.0], [1.0, -0.5], [0, 2])


def test_listnet_is_the_divergence_of_softmaxes() -> None:
    rng = np.random.default_rng(0)
    s, y = rng.normal(size=6), rng.integers(0, 5, 6).astype(float)
    found = ListNet().evaluate(s, y, [0, 6])
    assert found.value == pytest.approx(rel_entr(shares(y), shares(s)).sum(), rel=1e-12)
    np.testing.assert_allclose(found.gradient, shares(s) - shares(y), atol=1e-15)


def test_listnet_is_zero_where_scores_are_labels_up_to_a_constant() -> None:
    y = np.array([0.0, 2.0, 1.0, 2.0])
    found = ListNet().evaluate(y + 3.0, y, [0, 4])
    assert found.value == pytest.approx(0, abs=1e-15)
    np.testing.assert_allclose(found.gradient, 0, atol=1e-15)


def test_listnet_takes_huge_labels() -> None:
    """All of the mass is at the label of 1e300; the score there is the lower of two."""
    assert ListNet().evaluate([0.0, math.log(3)], [1e300, 0.0], [0, 2]).value == pytest.approx(math.log(4))


def test_kl_by_hand() -> None:
    found = KL().evaluate([0.0, math.log(2), -1e300], [3.0, 2.0, 0.0], [0, 3], hessian=True)
    assert found.value == pytest.approx((3 * math.log(3) - 3 + 1) + 0 + 0, rel=1e-15)
    np.testing.assert_allclose(found.gradient, [1 - 3, 0, 0], atol=1e-15)
    np.testing.assert_allclose(found.hessian, [1, 2, 0], rtol=1e-15)


def test_kl_beyond_the_largest_float_is_infinite() -> None:
    found = KL().evaluate([1e300], [1e10], [0, 1])
    assert (found.value, found.gradient[0]) == (math.inf, math.inf)


def test_the_target_of_xe_ndcg() -> None:
    """Labels 2, 0, 1 with gamma 1/2: 3.5, 0.5, 1.5 of 5.5."""
    s = np.array([0.1, -0.4, 0.9])
    found = XENDCG().evaluate(s, [2.0, 0.0, 1.0], [0, 3])
    phi = np.array([3.5, 0.5, 1.5]) / 5.5
    assert found.value == pytest.approx(-(phi * np.log(shares(s))).sum(), rel=1e-14)
    np.testing.assert_allclose(found.gradient, shares(s) - phi, atol=1e-15)


def test_xe_ndcg_without_gains() -> None:
    """Each item has the gain 1 - gamma: a uniform target, and none at gamma 1."""
    s = np.array([0.0, math.log(3)])
    assert XENDCG(gamma=0.25).evaluate(s, [0.0, 0.0], [0, 2]).value == pytest.approx(
        math.log(4) / 2 + math.log(4 / 3) / 2, rel=1e-14
    )
    found = XENDCG(gamma=1).evaluate(s, [0.0, 0.0], [0, 2])
    assert (found.value, found.gradient.tolist()) == (0.0, [0.0, 0.0])


def test_grades_below_zero_count_as_zero_in_xe_ndcg() -> None:
    s = [0.5, -0.5, 0.0]
    one, other = (XENDCG().evaluate(s, y, [0, 3]).value for y in ([-2.0, 1.0, 0.0], [0.0, 1.0, 0.0]))
    assert one == other


def test_huge_grades_take_the_whole_target() -> None:
    assert XENDCG().evaluate([0.0, 0.0], [2000.0, 1e300], [0, 2]).gradient.tolist() == [0.5, -0.5]


@pytest.mark.parametrize("gamma", [-0.1, 1.5, "half", None, math.nan])
def test_gamma_lies_between_0_and_1(gamma: object) -> None:
    with pytest.raises(ArgumentError, match="Argument gamma of xe-ndcg must be a number from 0 to 1"):
        XENDCG(gamma=gamma)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"scores": [1.0, float("inf")]}, "softmax needs finite scores, got inf at item 1"),
        ({"scores": [1.0]}, r"one number per score \(1\), got 2"),
        ({"targets": [1.0, float("nan")]}, "targets must be finite, got nan at item 1"),
        ({"targets": [1.0, -1.0]}, "softmax needs targets of at least 0, got -1 at item 1"),
        ({"weights": [1.0, 2.0]}, "weights must have 1 numbers, got 2"),
        ({"item_weights": [1.0]}, "item_weights must have 2 numbers, got 1"),
    ],
)
def test_wrong_input_is_named(wrong: dict[str, list[float]], message: str) -> None:
    known = {"scores": [1.0, 2.0], "targets": [1.0, 0.0], "offsets": [0, 2]}
    with pytest.raises((ArgumentError, DataError), match=message):
        Softmax().evaluate(**{**known, **wrong})  # type: ignore[arg-type]
