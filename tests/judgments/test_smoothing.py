"""The Dirichlet prior: its likelihood by an independent formula, and what it does to few grades."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import gammaln

from rankproof.judgments.smoothing import estimate_prior


def log_likelihood(counts: np.ndarray, pool: np.ndarray, s: float) -> float:
    """Of the Dirichlet-multinomial law, by the gamma function, up to a number without s."""
    a = s * pool[pool > 0]
    own = counts[:, pool > 0]
    terms = gammaln(own + a) - gammaln(a)
    return float(np.sum(gammaln(s) - gammaln(s + counts.sum(axis=1)) + terms.sum(axis=1)))


@pytest.mark.parametrize("seed", range(5))
def test_the_strength_has_the_highest_likelihood(seed: int) -> None:
    rng = np.random.default_rng(seed)
    laws = rng.dirichlet([1.0, 2.0, 0.5], size=200)
    counts = np.array([rng.multinomial(rng.integers(1, 6), law) for law in laws])
    prior = estimate_prior(counts)
    best = log_likelihood(counts, prior.pool, prior.strength)
    for factor in (0.5, 0.9, 0.99, 1.01, 1.1, 2):
        assert log_likelihood(counts, prior.pool, factor * prior.strength) < best


def test_the_strength_is_found_again() -> None:
    rng = np.random.default_rng(7)
    counts = np.array([rng.multinomial(5, law) for law in rng.dirichlet([1.5, 1.0, 0.5], size=20_000)])
    # 20,000 items of 5 grades: the standard error of the strength is about 0.03.
    assert estimate_prior(counts).strength == pytest.approx(3, abs=0.12)


def test_smoothed_shares_by_hand() -> None:
    prior = estimate_prior(np.array([[3, 0], [0, 3], [3, 0], [1, 2]]))
    assert prior.pool.tolist() == [7 / 12, 5 / 12]
    s = prior.strength
    expected = [[(2 + s * 7 / 12) / (2 + s), (s * 5 / 12) / (2 + s)], [7 / 12, 5 / 12]]
    assert np.allclose(prior.smoothed(np.array([[2, 0], [0, 0]])), expected, rtol=1e-14)


def test_one_grade_per_item_says_nothing_about_the_strength() -> None:
    prior = estimate_prior(np.array([[1, 0], [0, 1], [0, 0]]))
    assert not prior.estimated
    assert prior.smoothed(np.array([[1, 0], [0, 0]])).tolist() == [[1, 0], [0.5, 0.5]]
    assert "grades are taken as they are" in str(prior)


def test_judges_who_always_agree_are_left_as_they_are() -> None:
    prior = estimate_prior(np.array([[3, 0], [0, 3]] * 50))
    assert prior.strength < 1e-3
