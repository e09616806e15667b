"""Decisions of a family do not hang on the seed: borderline p-values are enclosed or sampled further."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

from rankproof.evaluation import decisions, sign_flips
from rankproof.evaluation.decisions import decide
from rankproof.evaluation.differences import paired_differences
from rankproof.evaluation.pairs import compare_pairs
from rankproof.evaluation.sign_flips import SignFlips


def many_systems(seed: int, queries: int = 249) -> dict[str, np.ndarray]:
    """Seventeen systems whose qualities lie close together: 136 pairs, several of them borderline."""
    rng = np.random.default_rng(seed)
    hard = rng.normal(size=queries)
    return {f"s{k:02d}": hard + rng.normal(0.028 * k, 1.0, queries) for k in range(17)}


def flips_of(values: np.ndarray, seed: int = 0) -> SignFlips:
    found = sign_flips.sign_flips(paired_differences(values, np.zeros(values.size)), seed)
    assert found is not None
    return found


def test_winners_among_many_systems_are_the_same_for_every_seed() -> None:
    """With 100,000 patterns and no second look, pairs 39, 40 and 50 change sides between these seeds."""
    systems = many_systems(1)
    found = [[(p.winner, p.undecided) for p in compare_pairs(systems, seed=seed)] for seed in (0, 3)]
    assert found[0] == found[1]
    assert sum(winner is not None for winner, _ in found[0]) > 10


@pytest.mark.exhaustive
def test_winners_are_the_same_for_every_seed_in_many_families() -> None:
    for family in range(8):
        systems = many_systems(family)
        found = [[(p.winner, p.undecided) for p in compare_pairs(systems, seed=seed)] for seed in range(4)]
        assert all(one == found[0] for one in found), family


@pytest.mark.parametrize("m", [3, 8, 14])
def test_an_enclosure_holds_the_share_of_all_patterns(m: int) -> None:
    for seed in range(20):
        values = np.random.default_rng([m, seed]).normal(0.4, 1.0, m)
        sums = [
            math.fsum(s * v for s, v in zip(signs, values, strict=True))
            for signs in product((1, -1), repeat=m)
        ]
        exact = np.mean(np.abs(sums) >= abs(math.fsum(values)) - 1e-12)
        bounds = flips_of(values).enclosure()
        assert bounds is not None
        assert bounds.low <= exact <= bounds.high


def test_an_enclosure_is_narrow_enough_to_decide_with() -> None:
    """Rounding to a millionth of the sum leaves less than 2 % of a p-value near 0.05 / 136."""
    values = np.random.default_rng(5).normal(0.235, 1.0, 249)
    bounds = flips_of(values).enclosure()
    assert bounds is not None
    assert 1e-5 < bounds.low <= bounds.high < 1e-2
    assert bounds.high - bounds.low < 0.02 * bounds.high


def test_bounds_from_samples_hold_the_exact_share() -> None:
    misses = 0
    for seed in range(200):
        values = np.random.default_rng(seed).normal(0.3, 1.0, 12)
        flips = flips_of(values, seed)
        exact = flips.exact()
        assert exact is not None
        flips.draw(2000)
        bounds = flips.chance(0.1)
        misses += not bounds.low <= exact.p <= bounds.high
    # At most 10 % in expectation: 20 of 200, and 4.2 standard deviations more.
    assert misses <= 38


def test_drawing_on_adds_other_patterns_and_is_the_same_every_time() -> None:
    values = np.random.default_rng(2).normal(0.1, 1.0, 60)
    one, other = flips_of(values), flips_of(values)
    first = one.draw(1000)
    second = one.draw(1000)
    other.draw(1000)
    assert other.draw(1000) == second
    assert one.samples == 2000
    assert second.p != first.p
    fresh = flips_of(values)
    fresh.draw(1000)
    # The second thousand is not the first thousand again.
    assert one.extreme != 2 * fresh.extreme


def test_what_no_work_settles_is_within_sampling_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without enclosures and without further draws a p-value at its level stays open, and nobody wins."""
    monkeypatch.setattr(sign_flips, "_MOST_FINE_CELLS", 0)
    monkeypatch.setattr(decisions, "_MOST_SIGNS", 0)
    rng = np.random.default_rng(0)
    base = rng.normal(size=249)
    noise = rng.normal(size=249)
    noise -= noise.mean()
    # t = 1.97, the two-sided critical value at 0.05.
    shift = 1.97 * noise.std(ddof=1) / math.sqrt(249)
    (pair,) = compare_pairs({"a": base + noise + shift, "b": base}, samples=1000)
    assert pair.undecided
    assert (pair.significant, pair.winner) == (False, None)
    assert pair.to_dict()["within_sampling_error"] is True
    assert pair.p_error > 0.0
    monkeypatch.undo()
    (settled,) = compare_pairs({"a": base + noise + shift, "b": base}, samples=1000)
    assert not settled.undecided


def test_long_lists_are_drawn_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no enclosure can be had, more patterns are drawn until the decision is clear."""
    monkeypatch.setattr(sign_flips, "_MOST_FINE_CELLS", 0)
    values = np.random.default_rng(11).normal(size=249)
    values -= values.mean()
    # t = 2.2: p is about 0.03, which 500 patterns do not tell from 0.05.
    values += 2.2 * values.std(ddof=1) / math.sqrt(249)
    flips = flips_of(values)
    estimate = flips.draw(500)
    found = decide([estimate.p], [flips], 0.05)
    assert found.estimates[0] is not None
    assert flips.samples > 500
    assert not found.undecided[0]


def test_exact_p_values_are_never_undecided() -> None:
    ps = [0.05, 0.0125, 0.2]
    found = decide(ps, [None] * 3, 0.05)
    assert found.undecided == [False] * 3
    assert found.estimates == [None] * 3
