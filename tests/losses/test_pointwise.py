"""Logistic regression on relevance, and ordinal regression with given thresholds."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import expit

from rankproof.errors import ArgumentError, DataError
from rankproof.losses import Ordinal, PointwiseLogistic

LOG_3 = math.log(3)


def test_logistic_by_hand() -> None:
    """At log 3 the model says 3/4."""
    found = PointwiseLogistic().evaluate([LOG_3, LOG_3], [1.0, 0.0], [0, 2], hessian=True)
    assert found.value == pytest.approx(math.log(4 / 3) + math.log(4), rel=1e-15)
    np.testing.assert_allclose(found.gradient, [-1 / 4, 3 / 4], rtol=1e-14)
    np.testing.assert_allclose(found.hessian, [3 / 16, 3 / 16], rtol=1e-14)


def test_relevance_starts_at_rel() -> None:
    signs = np.sign(PointwiseLogistic(rel=2).evaluate(np.zeros(4), [0.0, 1.0, 2.0, 3.0], [0, 4]).gradient)
    assert signs.tolist() == [1, 1, -1, -1]


def test_huge_scores_cost_their_size_when_wrong_and_nothing_when_right() -> None:
    found = PointwiseLogistic().evaluate([1e300, 1e300, -1e300], [1.0, 0.0, 0.0], [0, 1, 2, 3])
    assert found.per_query.tolist() == [0.0, 1e300, 0.0]
    assert found.gradient.tolist() == [0.0, 1.0, 0.0]


def test_ordinal_is_a_sum_of_logistic_losses() -> None:
    rng = np.random.default_rng(0)
    thresholds = (-1.0, 0.25, 2.0)
    s, y = rng.normal(size=9), rng.integers(0, 4, 9).astype(float)
    found = Ordinal(thresholds=thresholds).evaluate(s, y, [0, 4, 9], hessian=True)
    parts = [
        PointwiseLogistic(rel=k).evaluate(s - t, y, [0, 4, 9], hessian=True)
        for k, t in enumerate(thresholds, start=1)
    ]
    np.testing.assert_allclose(found.per_query, sum(p.per_query for p in parts), rtol=1e-13)
    np.testing.assert_allclose(found.gradient, sum(p.gradient for p in parts), rtol=1e-13, atol=1e-15)
    np.testing.assert_allclose(found.hessian, sum(p.hessian for p in parts), rtol=1e-13)


def test_the_gradient_of_ordinal_is_the_expected_grade_less_the_grade() -> None:
    loss = Ordinal()
    s, y = np.array([-3.0, 0.0, 0.2, 5.0]), np.array([0.0, 4.0, 1.0, 3.0])
    grade = expit(s[:, None] - np.array(loss.thresholds)).sum(axis=1)
    np.testing.assert_allclose(loss.evaluate(s, y, [0, 4]).gradient, grade - y, atol=1e-14)


@pytest.mark.parametrize("grade", [5.0, -1.0, 0.5])
def test_ordinal_takes_whole_grades_within_its_thresholds(grade: float) -> None:
    with pytest.raises(
        DataError, match=rf"with 4 thresholds needs whole grades from 0 to 4, got {grade:g} at item 1"
    ):
        Ordinal().evaluate([0.0, 0.0], [1.0, grade], [0, 2])


def test_parameters() -> None:
    assert Ordinal(thresholds=[-1, 0.0, 1]) == Ordinal(thresholds=(-1.0, 0, 1.0))
    assert Ordinal(thresholds=np.array([0.0, 1.0])).thresholds == (0, 1)
    for wrong in ((), 3, "a", None):
        with pytest.raises(ArgumentError, match="thresholds of ordinal must be a list of numbers"):
            Ordinal(thresholds=wrong)
    with pytest.raises(ArgumentError, match="thresholds of ordinal must be a number at every place, got 'a'"):
        Ordinal(thresholds=(0, "a"))
    with pytest.raises(ArgumentError, match=r"thresholds of ordinal must rise, got \[0, 0\]"):
        Ordinal(thresholds=(0, 0))
    with pytest.raises(
        ArgumentError, match="rel of pointwise-logistic must be a number that is finite, got nan"
    ):
        PointwiseLogistic(rel=math.nan)
