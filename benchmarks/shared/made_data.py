"""Data of the benchmarks, made here: the same numbers on every machine."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

import rankproof as rp

__all__ = [
    "LETOR_FORMS",
    "Arrays",
    "dense",
    "equal_lists",
    "featured_queries",
    "scored_queries",
    "six_decimals",
    "write_letor_rows",
    "write_trec",
]

FEATURES = 136
# Scores, labels, offsets.
Arrays = tuple[np.ndarray, np.ndarray, np.ndarray]


def dense(data: rp.RankingData) -> np.ndarray:
    """The features of data that has an array of them."""
    if not isinstance(data.X, np.ndarray):
        raise SystemExit("The benchmark needs features, in an array.")
    return data.X


def scored_queries(queries: int) -> tuple[np.ndarray, rp.RankingData]:
    """Grades 0..4, few of them high; scores that know something about the grades; no ties."""
    rng = np.random.default_rng(7)
    sizes = rng.integers(80, 161, queries)
    offsets = np.concatenate(([0], np.cumsum(sizes)))
    labels = rng.choice(5, p=[0.52, 0.23, 0.18, 0.05, 0.02], size=offsets[-1]).astype(float)
    scores = labels + 2 * rng.normal(size=labels.size)
    names = np.array([f"q{q}" for q in range(queries)])
    return scores, rp.RankingData(labels=labels, offsets=offsets, query_ids=names)


def write_trec(folder: Path, scores: np.ndarray, data: rp.RankingData) -> tuple[Path, Path]:
    run, qrels = folder / "run.trec", folder / "qrels.txt"
    qids = data.qids.tolist()
    docs = [f"doc{i:04d}" for n in data.sizes.tolist() for i in range(n)]
    with run.open("w") as out:
        out.writelines(
            f"{q} Q0 {d} 0 {s!r} bench\n" for q, d, s in zip(qids, docs, scores.tolist(), strict=True)
        )
    with qrels.open("w") as out:
        out.writelines(
            f"{q} 0 {d} {int(y)}\n" for q, d, y in zip(qids, docs, data.labels.tolist(), strict=True)
        )
    return run, qrels


def equal_lists(queries: int, items: int) -> Arrays:
    """Scores that know something about the grades 0..4, few of which are high."""
    rng = np.random.default_rng(7)
    labels = rng.choice(5, p=[0.52, 0.23, 0.18, 0.05, 0.02], size=queries * items).astype(float)
    scores = labels + 2 * rng.normal(size=labels.size)
    return scores, labels, np.arange(queries + 1) * items


def featured_queries(items: int) -> rp.RankingData:
    """136 features in single precision, queries of about 120 items, grades 0..4."""
    rng = np.random.default_rng(7)
    sizes = rng.integers(80, 161, items // 120)
    offsets = np.concatenate(([0], np.cumsum(sizes)))
    X = rng.standard_normal((int(offsets[-1]), 136), dtype=np.float32)
    noisy = X[:, :8].sum(axis=1) + 2 * rng.standard_normal(X.shape[0])
    labels = np.searchsorted(np.quantile(noisy, [0.52, 0.75, 0.93, 0.98]), noisy).astype(float)
    return rp.RankingData(labels=labels, offsets=offsets, X=X)


def six_decimals(rng: np.random.Generator) -> list[str]:
    values = rng.random(FEATURES) * (rng.random(FEATURES) > 0.3)
    return [f"{value:.6f}" for value in values]


def whole_and_decimal(rng: np.random.Generator) -> list[str]:
    values = rng.lognormal(2, 2, FEATURES) * (rng.random(FEATURES) > 0.3)
    # As in MSLR-WEB: counts and lengths are whole numbers, ratios and scores are not.
    return [f"{value:.0f}" if k % 5 < 3 else f"{round(value, 6):.10g}" for k, value in enumerate(values)]


def sixteen_digits(rng: np.random.Generator) -> list[str]:
    return [f"{value:.16g}" for value in rng.normal(size=FEATURES)]


LETOR_FORMS: dict[str, Callable[[np.random.Generator], list[str]]] = {
    "six decimals": six_decimals,
    "whole and decimal": whole_and_decimal,
    "sixteen digits": sixteen_digits,
}


def write_letor_rows(path: Path, megabytes: float, form: Callable[[np.random.Generator], list[str]]) -> None:
    """Rows of queries of 50 to 150 items; the same thousands of rows come again under other queries."""
    rng = np.random.default_rng(1)
    bodies: list[str] = []
    while sum(map(len, bodies[:1])) * len(bodies) < min(megabytes, 6) * 1e6:
        bodies.append(" ".join(f"{index}:{value}" for index, value in enumerate(form(rng), 1)))
    query = written = row = 0
    with path.open("w") as file:
        while written < megabytes * 1e6:
            query += 1
            for _ in range(int(rng.integers(50, 150))):
                written += file.write(f"{rng.integers(0, 5)} qid:{query} {bodies[row % len(bodies)]}\n")
                row += 1
