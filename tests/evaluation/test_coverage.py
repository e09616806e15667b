"""The interval of a difference covers as often as it says, on per-query differences of real rankers.

The rankers are single features of the LETOR sets. All queries of a set are the population; samples of 25, 50
and 100 are drawn from it, as a test collection draws its queries, and the interval must hold the mean of the
population.
"""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

import rankproof as rp
from rankproof.evaluation.bootstrap import mean_interval
from rankproof.evaluation.differences import paired_differences
from rankproof.evaluation.t_interval import t_interval

METRICS = ("nDCG@10", "AP")
LEVEL = 0.95


def real_differences(folder: Path, name: str, rankers: int) -> list[np.ndarray]:
    """Per-query differences of all pairs of the features that rank best, under two metrics."""
    values: dict[str, list[list[np.ndarray]]] = {}
    for file in sorted((folder / name).glob("S*.txt.xz")):
        data = rp.read_letor(file)
        features = np.asarray(data.X)
        for column in range(features.shape[1]):
            found = rp.evaluate(features[:, column], data, METRICS).per_query
            for metric in METRICS:
                values.setdefault(metric, [[] for _ in range(features.shape[1])])[column].append(
                    found[metric]
                )
    differences = []
    for metric in METRICS:
        columns = [np.concatenate(listed) for listed in values[metric]]
        best = sorted(columns, key=lambda one: -np.nanmean(one))[:rankers]
        for one, other in combinations(best, 2):
            d = paired_differences(one, other).values
            if np.count_nonzero(d) > d.size / 3:
                differences.append(d)
    return differences


def coverage(
    population: np.ndarray, n: int, draws: int, seed: int, *, bca: bool = False, weighted: bool = False
) -> float:
    """How often the interval from n queries holds the mean of the population they were drawn from."""
    rng = np.random.default_rng(seed)
    # Weights that are known of a query before it is evaluated, as its frequency in a log.
    weights = rng.uniform(0.5, 1.5, population.size) if weighted else None
    mean = np.average(population, weights=weights)
    held = 0
    for _ in range(draws):
        drawn = rng.integers(0, population.size, n)
        w = None if weights is None else weights[drawn]
        if bca:
            interval = mean_interval(population[drawn], weights=w, level=LEVEL, resamples=1000)
        else:
            interval = t_interval(paired_differences(population[drawn], np.zeros(n), w), level=LEVEL)
        held += mean in interval
    return held / draws


def test_the_t_interval_covers_real_differences_at_25_queries(shared_data: Path) -> None:
    """The mean coverage over pairs of rankers is the level within 0.012, where BCa is below it by 0.02."""
    differences = real_differences(shared_data, "ohsumed", 4)
    assert len(differences) >= 8
    student = np.mean([coverage(d, 25, 300, at) for at, d in enumerate(differences)])
    bca = np.mean([coverage(d, 25, 300, at, bca=True) for at, d in enumerate(differences)])
    assert LEVEL - 0.012 <= student <= LEVEL + 0.02
    assert bca < LEVEL - 0.012


@pytest.mark.exhaustive
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", ["ohsumed", "mq2008", "mq2007-partial"])
def test_the_t_interval_covers_real_differences(shared_data: Path, name: str, weighted: bool) -> None:
    differences = real_differences(shared_data, name, 8)
    assert len(differences) >= 20
    for n in (25, 50, 100):
        found = [coverage(d, n, 1000, at, weighted=weighted) for at, d in enumerate(differences)]
        assert LEVEL - 0.012 <= np.mean(found) <= LEVEL + 0.02, n
        if n == 25:
            # Some pairs are so skewed that 25 queries cannot show it; these are covered better than by BCa.
            bca = [coverage(d, n, 200, at, bca=True, weighted=weighted) for at, d in enumerate(differences)]
            assert np.quantile(found, 0.1) >= np.quantile(bca, 0.1) + 0.02
            assert min(found) > min(bca)
