"""The permutation test: valid under independence, and it sees dependence of either sign."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
import pytest

from rankproof.errors import ArgumentError
from rankproof.judgments.container import Judgments


def matrix(grades: np.ndarray, judged: np.ndarray | None = None) -> Judgments:
    """Judgments of one query from a matrix of judges × items."""
    mask = np.ones(grades.shape, bool) if judged is None else judged
    judge, item = np.nonzero(mask)
    return Judgments.from_columns(np.zeros(judge.size, int), item, judge, grades[mask])


def statistic(grades: np.ndarray) -> float:
    """The sum of squared covariances of all pairs of items, literally."""
    deviations = grades - grades.mean(axis=0)
    n = grades.shape[1]
    pairs = [(i, k) for i in range(n) for k in range(n) if i != k]
    return float(sum(np.dot(deviations[:, i], deviations[:, k]) ** 2 for i, k in pairs))


def test_the_p_value_is_the_share_of_all_dealings() -> None:
    grades = np.array([[2.0, 0, 1], [2, 0, 1], [0, 2, 0], [1, 1, 0]])
    dealt = [
        statistic(np.column_stack([grades[:, 0], grades[list(a), 1], grades[list(b), 2]]))
        for a, b in product(permutations(range(4)), repeat=2)
    ]
    exact = np.mean(np.array(dealt) >= statistic(grades) - 1e-9)
    result = matrix(grades).dependence(permutations=9999)
    # The standard error of 10,000 dealings at this p-value.
    assert result.p_value == pytest.approx(exact, abs=4 * np.sqrt(exact * (1 - exact) / 10_000))
    assert result.per_query[0] == result.p_value


def test_under_independence_p_values_are_not_too_small() -> None:
    rng = np.random.default_rng(0)
    p = []
    for seed in range(400):
        laws = rng.dirichlet(np.ones(3), 5)
        grades = np.array([[rng.choice(3, p=law) for law in laws] for _ in range(4)]).astype(float)
        one = matrix(grades, rng.random(grades.shape) < 0.8)
        p.append(one.dependence(permutations=99, seed=seed).p_value)
    values = np.array(p)[~np.isnan(p)]
    for level in (0.05, 0.1, 0.5):
        # Three standard errors of a share of so many worlds.
        assert (values <= level).mean() <= level + 3 * np.sqrt(level * (1 - level) / values.size)


@pytest.mark.parametrize("opposed", [False, True])
def test_dependence_of_either_sign_is_seen(opposed: bool) -> None:
    rng = np.random.default_rng(1)
    mood = rng.integers(0, 2, 60)
    sign = np.array([1, -1, 1, -1]) if opposed else np.ones(4)
    grades = 2 + np.outer(mood, sign) + rng.integers(0, 2, (60, 4))
    result = matrix(grades).dependence()
    assert result.refuted
    assert "Read them as joint" in str(result)


def test_queries_are_pooled() -> None:
    rng = np.random.default_rng(2)
    parts = [(q, j, i, (j + rng.integers(0, 2)) % 2) for q in range(40) for j in range(3) for i in range(3)]
    query, judge, item, grade = zip(*parts, strict=True)
    result = Judgments.from_columns(query, item, judge, grade).dependence(permutations=999)
    assert result.per_query.size == 40
    moody = [(q, j, i, rng.integers(0, 2)) for q in range(40) for j in range(3) for i in [0]]
    moods = {(q, j): g for q, j, _, g in moody}
    rows = [(q, f"d{i}", j, moods[q, j] if rng.random() < 0.85 else 1 - moods[q, j])
            for q in range(40) for j in range(3) for i in range(4)]  # fmt: skip
    query, item, judge, grade = zip(*rows, strict=True)
    pooled = Judgments.from_columns(query, item, judge, grade).dependence()
    assert pooled.p_value == 1 / 1000  # none of 999 dealings is as extreme
    assert np.nanmin(pooled.per_query) > pooled.p_value  # which no query of three judges could show


def test_nothing_to_deal_says_so() -> None:
    result = matrix(np.array([[1.0, 0, 2]])).dependence()
    assert np.isnan(result.p_value)
    assert not result.refuted
    assert "Nothing can be tested" in str(result)
    soft = Judgments.from_probabilities([[0.5, 0.5]], offsets=[0, 1])
    with pytest.raises(ArgumentError, match="have no judges"):
        soft.dependence()


def test_the_numbers_do_not_depend_on_threads() -> None:
    from rankproof.threads import using

    rng = np.random.default_rng(3)
    many = 3000
    rows = np.repeat(np.arange(many), 20)
    j = Judgments.from_columns(
        rows, np.tile(np.repeat(np.arange(5), 4), many), np.tile(np.arange(4), 5 * many),
        rng.integers(0, 3, rows.size),
    )  # fmt: skip
    with using(1):
        one = j.dependence(permutations=49).per_query
    with using(4):
        assert np.array_equal(one, j.dependence(permutations=49).per_query, equal_nan=True)
