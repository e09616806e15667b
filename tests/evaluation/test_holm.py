"""Holm's correction against two other definitions of it."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from drawn import examples
from rankproof.errors import ArgumentError
from rankproof.evaluation.holm import holm, holm_levels

# Few distinct values, so that ties are common.
P_VALUES = st.lists(st.integers(0, 40).map(lambda k: k / 40) | st.floats(0, 1), min_size=1, max_size=7)


def closed_testing(p: list[float]) -> list[float]:
    """Holm is Bonferroni closed: p_i becomes the largest Bonferroni p of any set of hypotheses with i."""
    worst = []
    for i in range(len(p)):
        others = [j for j in range(len(p)) if j != i]
        sets = [(i, *more) for size in range(len(p)) for more in combinations(others, size)]
        worst.append(max(min(1.0, len(s) * min(p[j] for j in s)) for s in sets))
    return worst


def rejected(p: list[float], level: float) -> set[int]:
    """The procedure as Holm wrote it: go up while p_(i) <= level / (m - i + 1)."""
    found: set[int] = set()
    for step, i in enumerate(sorted(range(len(p)), key=lambda i: p[i])):
        if p[i] * (len(p) - step) > level:
            break
        found.add(i)
    return found


@given(P_VALUES)
def test_equals_bonferroni_under_closed_testing(p: list[float]) -> None:
    assert holm(p).tolist() == closed_testing(p)


@given(P_VALUES, st.floats(0.001, 0.999))
def test_rejects_what_the_stepwise_procedure_rejects(p: list[float], level: float) -> None:
    assert set(np.flatnonzero(holm(p) <= level).tolist()) == rejected(p, level)


@given(P_VALUES, st.randoms())
@examples(50)
def test_order_given_does_not_matter_and_order_of_p_is_kept(p: list[float], random: object) -> None:
    order = list(range(len(p)))
    random.shuffle(order)  # type: ignore[attr-defined]
    adjusted = holm(p)
    assert holm([p[i] for i in order]).tolist() == [adjusted[i] for i in order]
    assert (adjusted >= p).all()
    assert (np.diff(adjusted[np.argsort(p)]) >= 0).all()


def test_textbook_example() -> None:
    # 4 * 0.005, 3 * 0.01, 2 * 0.03, then 0.04 is lifted to the 0.06 before it.
    assert holm([0.01, 0.04, 0.03, 0.005]).tolist() == [0.03, 0.06, 0.06, 0.02]


def test_equal_p_values_stay_equal_and_one_is_untouched() -> None:
    assert holm([0.25, 0.25, 0.25]).tolist() == [0.75, 0.75, 0.75]
    assert holm([0.04]).tolist() == [0.04]
    assert holm([]).tolist() == []


@pytest.mark.parametrize("bad", [-0.01, 1.5, float("nan")])
def test_a_p_value_outside_0_1_is_refused(bad: float) -> None:
    with pytest.raises(ArgumentError, match=r"p_values must lie between 0 and 1, got .* at 1\."):
        holm([0.5, bad])


def test_levels_are_those_at_which_each_is_rejected() -> None:
    """p is at most its level exactly when Holm rejects, whatever the p-values, ties among them included."""
    rng = np.random.default_rng(8)
    for _ in range(300):
        p = np.round(rng.random(rng.integers(1, 8)) ** 4, int(rng.integers(2, 5)))
        levels = holm_levels(p, 0.05)
        assert ((p <= levels) == (holm(p) <= 0.05)).all()
        assert (levels <= 0.05).all()


def test_levels_by_hand() -> None:
    # 0.001 at 0.05/4 and 0.015 at 0.05/3 are rejected; 0.03 is not at 0.05/2, and ends it for 0.04.
    assert holm_levels([0.04, 0.001, 0.03, 0.015], 0.05).tolist() == [0.05 / 2, 0.05 / 4, 0.05 / 2, 0.05 / 3]
