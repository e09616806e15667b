"""Pairs weighted by where they are in the current list: where their zero is (``research/attentive.py``)."""

from __future__ import annotations

import itertools
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from drawn import examples
from theory.benchmark_scripts import script

# A script of research, not of the package; its kernels take long to compile.
pytestmark = pytest.mark.exhaustive
ATTENTION = ("one", "log", "1/rank", "adjacent")


@pytest.fixture(scope="module")
def attentive() -> ModuleType:
    return script("research/attentive.py")


def mean_field(
    attentive: ModuleType, s: np.ndarray, law: list[tuple[float, np.ndarray]], attend: str, pairs: str
) -> np.ndarray:
    """The field under a law of the targets; noise, where there is any, is the same for all of them."""
    kinds = attentive.ATTENTION[attend], attentive.PAIRS[pairs]
    fields = []
    for p, u in law:
        noise = np.random.default_rng(7)
        gradient, _ = attentive.derivatives(s, u, np.array([0, s.size]), np.ones(1), *kinds, noise)
        fields.append(p * gradient)
    return np.sum(fields, axis=0)


@st.composite
def laws(draw: st.DrawFn) -> list[tuple[float, np.ndarray]]:
    """A few outcomes, labels as dependent as they come; every item has a positive mean."""
    n = draw(st.integers(2, 6))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    p = rng.dirichlet(np.ones(4))
    u = rng.choice([0.0, 0.2, 1.0, 3.0], size=(4, n)) * rng.choice([1.0, 0.3], size=(4, 1))
    u[0] += 0.05
    return list(zip(p, u, strict=True))


@pytest.mark.parametrize("attend", ATTENTION)
@examples(60)
@given(law=laws(), shift=st.floats(-3, 3))
def test_zero_at_log_of_the_mean_under_any_law(
    attentive: ModuleType, attend: str, law: list[tuple[float, np.ndarray]], shift: float
) -> None:
    m = np.sum([p * u for p, u in law], axis=0)
    found = mean_field(attentive, np.log(m) + shift, law, attend, "winner")
    assert np.abs(found).max() <= 1e-12


@pytest.mark.parametrize("attend", ATTENTION)
@examples(60)
@given(law=laws(), seed=st.integers(0, 2**32 - 1))
def test_no_other_zero(
    attentive: ModuleType, attend: str, law: list[tuple[float, np.ndarray]], seed: int
) -> None:
    m = np.sum([p * u for p, u in law], axis=0)
    s = np.random.default_rng(seed).normal(0, 2, m.size)
    # The argument of the module: the item that is most above log m is pushed down.
    most = int(np.argmax(s - np.log(m)))
    assert mean_field(attentive, s, law, attend, "winner")[most] > 0


ODDS = np.array([0.7, -0.4, 1.9])


def proportional_odds() -> list[tuple[float, np.ndarray]]:
    """Independent grades 0 to 2 of three items, as gains: logit P(y >= g) = ODDS + 0.5 or - 1."""
    above = 1 / (1 + np.exp(-(ODDS[:, None] + np.array([0.5, -1.0]))))
    of_grade = np.column_stack([1 - above[:, 0], above[:, 0] - above[:, 1], above[:, 1]])
    return [
        (float(np.prod(of_grade[range(3), grades])), 2.0 ** np.array(grades) - 1)
        for grades in itertools.product(range(3), repeat=3)
    ]


@pytest.mark.parametrize("attend", ATTENTION)
def test_differences_of_gains_find_proportional_odds(attentive: ModuleType, attend: str) -> None:
    assert np.abs(mean_field(attentive, ODDS, proportional_odds(), attend, "difference")).max() <= 1e-12


def test_divided_by_the_ideal_dcg_they_do_not(attentive: ModuleType) -> None:
    discounts = 1 / np.log2(np.arange(2.0, 5.0))
    ideal = [np.sort(gains)[::-1] @ discounts for _, gains in proportional_odds()]
    law = [(p, gains / (z or 1.0)) for (p, gains), z in zip(proportional_odds(), ideal, strict=True)]
    assert np.abs(mean_field(attentive, ODDS, law, "one", "difference")).max() > 0.005


def test_differences_err_under_other_laws(attentive: ModuleType) -> None:
    # Item 0 has a small gain surely, item 1 a large one seldom: the means are 1 and 0.25 * 7 = 1.75.
    law = [(0.75, np.array([1.0, 0.0])), (0.25, np.array([1.0, 7.0]))]
    # Differences: 0.75 for item 0, 0.25 * 6 = 1.5 for item 1; they cancel at log 2, not at log 1.75.
    s = np.array([0.0, np.log(2.0)])
    assert np.abs(mean_field(attentive, s, law, "one", "difference")).max() <= 1e-12
    assert np.abs(mean_field(attentive, s, law, "one", "winner")).max() > 0.01
