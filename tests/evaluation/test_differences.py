"""Paired differences: which queries count, and which values are equal."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rankproof.errors import ArgumentError, DataError
from rankproof.evaluation.differences import paired_differences

NAN = float("nan")


def test_nan_on_either_side_and_weight_zero_are_left_out() -> None:
    d = paired_differences([0.5, NAN, 0.25, 1.0, 0.75], [0.25, 0.5, NAN, 1.0, 0.5], [1.0, 1.0, 1.0, 2.0, 0.0])
    assert d.values.tolist() == [0.25, 0.0]
    assert d.weights is not None
    assert d.weights.tolist() == [1.0, 2.0]
    assert (d.n, d.dropped) == (2, 3)
    assert d.mean == 0.25 / 3
    assert d.terms.tolist() == [0.25, 0.0]


def test_values_equal_up_to_rounding_are_ties() -> None:
    d = paired_differences([0.1 + 0.2, 0.3, 0.3, 1e-15, 0.0], [0.3, 0.1 + 0.2, 0.3 + 1e-9, 0.0, 0.0])
    # 1e-15 against 0 is a difference: nothing was rounded there.
    assert np.sign(d.values).tolist() == [0, 0, -1, 1, 0]
    assert (d.wins, d.ties, d.losses) == (1, 3, 1)


def test_mean_has_the_same_bits_in_any_order() -> None:
    rng = np.random.default_rng(3)
    a, b, w = rng.random((3, 500))
    order = rng.permutation(500)
    assert paired_differences(a, b, w).mean == paired_differences(a[order], b[order], w[order]).mean
    assert paired_differences(a, b, w).mean == -paired_differences(b, a, w).mean


def test_no_queries_have_no_mean() -> None:
    assert math.isnan(paired_differences([], []).mean)
    assert math.isnan(paired_differences([NAN], [1.0]).mean)


def test_unequal_lengths_and_infinities_are_refused() -> None:
    with pytest.raises(ArgumentError, match="same queries, got 2 and 1 values"):
        paired_differences([0.1, 0.2], [0.1])
    with pytest.raises(DataError, match="Argument b holds -inf at query 1"):
        paired_differences([0.1, 0.2], [0.1, -math.inf])


def test_arguments_are_not_changed() -> None:
    a, b = np.array([0.1 + 0.2, 0.5]), np.array([0.3, 0.25])
    paired_differences(a, b)
    assert a.tolist() == [0.1 + 0.2, 0.5]
    assert b.tolist() == [0.3, 0.25]
