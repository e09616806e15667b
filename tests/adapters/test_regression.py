"""The plain-regression route: the target of the metric in place of the labels."""

from __future__ import annotations

import numpy as np
import pytest

from rankproof.adapters.regression import queries_of, regression_target, relative_target
from rankproof.errors import ArgumentError, ConsistencyWarning


def test_the_regression_target_is_the_metrics_target() -> None:
    labels = [3, 0, 1, 2, 2]
    ideal = 7 + 1 / np.log2(3)
    tied = 3 + 3 / np.log2(3)
    expected = [7 / ideal, 0, 1 / ideal, 3 / tied, 3 / tied]
    for how in ({"group": [3, 2]}, {"qid": ["b", "b", "b", "a", "a"]}, {"offsets": [0, 3, 5]}):
        assert regression_target("nDCG@2", labels, **how) == pytest.approx(expected, rel=1e-15)
    with pytest.warns(ConsistencyWarning) as seen:
        regression_target("AP", labels, group=[3, 2])
    assert seen[0].filename == __file__
    assert "The choice is squared:relevance, which is consistent with AP if" in str(seen[0].message)


def test_a_target_that_may_be_negative_has_no_relative_one() -> None:
    with pytest.raises(ArgumentError, match=r"Target pair-weight of .* may be negative.*\(relative\)"):
        relative_target("WPDL(weight=difference)", [1, 0], group=[2])


def test_queries_are_given_once() -> None:
    with pytest.raises(ArgumentError, match="one of qid, group and offsets, got none of them"):
        queries_of(3, None, None, None)
    with pytest.raises(ArgumentError, match="got qid and offsets"):
        queries_of(3, [1, 1, 1], None, [0, 3])
    with pytest.raises(ArgumentError, match="3 rows, but its group sizes add up to 4"):
        queries_of(3, None, [2, 2], None)
