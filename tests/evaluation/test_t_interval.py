"""Student's interval of a difference: the values that the paired t test does not reject, weights included."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rankproof.evaluation.differences import paired_differences
from rankproof.evaluation.paired import t_of
from rankproof.evaluation.t_interval import t_interval


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_both_ends_are_where_the_t_test_is_undecided(weighted: bool, seed: int) -> None:
    rng = np.random.default_rng(seed)
    d = rng.normal(0.1, 0.2, 12)
    weights = rng.uniform(0.5, 1.5, 12) if weighted else None
    interval = t_interval(paired_differences(d, np.zeros(12), weights), level=0.9)
    assert interval.low < interval.high
    for end in (interval.low, interval.high):
        assert t_of(paired_differences(d, np.full(12, end), weights)).p == pytest.approx(0.1, rel=1e-9)
    inside = (interval.low + interval.high) / 2.0
    assert t_of(paired_differences(d, np.full(12, inside), weights)).p > 0.5


def test_equal_weights_are_no_weights_and_their_unit_does_not_count() -> None:
    d = np.random.default_rng(1).normal(0.1, 0.2, 9)
    plain = t_interval(paired_differences(d, np.zeros(9)), level=0.95)
    for unit in (1.0, 1e-9, 7e12):
        same = t_interval(paired_differences(d, np.zeros(9), np.full(9, unit)), level=0.95)
        assert (same.low, same.high) == pytest.approx((plain.low, plain.high), rel=1e-9)


def test_what_cannot_be_told() -> None:
    one = t_interval(paired_differences([0.5], [0.25]), level=0.95)
    assert math.isnan(one.low)
    constant = t_interval(paired_differences([0.5, 0.75, 1.0], [0.25, 0.5, 0.75]), level=0.95)
    assert (constant.low, constant.high) == (0.25, 0.25)
    # One query has all but all of the weight: no mean can be excluded.
    lone = t_interval(paired_differences([0.5, 0.3, 0.1], [0.0, 0.1, 0.2], [1e9, 1.0, 1.0]), level=0.95)
    assert (lone.low, lone.high) == (-math.inf, math.inf)
