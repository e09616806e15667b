"""Regret of what several judges' labels are collapsed to, on laws that are known.

Every query has items whose grades (0, 1, 2) are independent, with probabilities drawn from a Dirichlet
law, or comes from a law of three intents, and is judged by 1 to 5 judges. Each way to use the judges is a
score per item of the query, whose regret is measured by the law itself.

    python research/judgments.py [--queries 2000] [--items 8]
"""

from __future__ import annotations

import argparse

import numpy as np

import rankproof as rp
from rankproof.arrays import Float64s

METRIC = "nDCG@5"
GRADES = np.array([0.0, 1.0, 2.0])


def ways(judged: rp.Judgments) -> dict[str, Float64s]:
    """Scores of every item, by what the judges' grades became."""
    counts = judged.counts[:, [int(np.searchsorted(judged.grades, g)) for g in GRADES]]
    shares = counts / counts.sum(axis=1, keepdims=True)
    majority = GRADES[np.argmax(counts, axis=1)]
    target = rp.target_for(METRIC)
    return {
        "first judge": target.values(judged.sheets.labels.reshape(-1)[_first(judged)], judged.offsets),
        "majority grade": target.values(majority, judged.offsets),
        "mean grade": shares @ GRADES,
        "mean gain": shares @ (2**GRADES - 1),
        "E[u], joint": judged.with_reading("joint").expected_target(METRIC).values,
        "E[u], independent": judged.with_reading("independent").expected_target(METRIC).values,
        "E[u], independent, not smoothed": judged.with_reading("independent")
        .expected_target(METRIC, smooth=False)
        .values,
    }


def _first(judged: rp.Judgments) -> np.ndarray:
    sheets = judged.sheets
    first = sheets.of_query[:-1]
    return np.concatenate([np.arange(sheets.starts[s], sheets.starts[s + 1]) for s in first])


def independent(rng: np.random.Generator, items: int) -> tuple[Float64s, Float64s]:
    """A law of independent grades, by many draws of it: label vectors and their probabilities."""
    laws = rng.dirichlet([1.0, 0.6, 0.4], items)
    draws = (rng.random((4000, items, 1)) > np.cumsum(laws, axis=1)[None, :, :-1]).sum(axis=2)
    return GRADES[draws], np.full(4000, 1 / 4000)


def intents(rng: np.random.Generator, items: int) -> tuple[Float64s, Float64s]:
    """Readers of three kinds, each with labels of their own."""
    support = GRADES[rng.choice(3, size=(3, items), p=[0.6, 0.25, 0.15])]
    return support, rng.dirichlet([3.0, 2.0, 1.0])


def _mean_target(target: rp.Target, y: Float64s, p: Float64s) -> Float64s:
    """E[u] of every item under the law."""
    u = target.values(y.ravel(), np.arange(len(y) + 1) * y.shape[1])
    mean: Float64s = p @ u.reshape(y.shape)
    return mean


def main() -> None:
    """Print a table per kind of law."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--queries", type=int, default=1000)
    parser.add_argument("--items", type=int, default=8)
    options = parser.parse_args()
    target = rp.target_for(METRIC)
    for name, make in (("independent grades", independent), ("three intents", intents)):
        rng = np.random.default_rng(0)
        worlds = [make(rng, options.items) for _ in range(options.queries)]
        offsets = np.arange(options.queries + 1) * options.items
        exact = np.concatenate([_mean_target(target, y, p) for y, p in worlds])
        best = rp.evaluate(exact, exact, ["DCG(gain=linear)@5"], offsets=offsets, warn=False)
        most = best.mean["DCG(gain=linear)@5"]
        print(f"{name}: best possible {METRIC} {most:.4f}; mean regret of rankings from")
        for judges in (1, 2, 3, 5):
            labels = np.concatenate([y[rng.choice(len(p), size=judges, p=p)].ravel() for y, p in worlds])
            rows = options.queries * judges * options.items
            query = np.arange(rows) // (judges * options.items)
            judged = rp.Judgments.from_columns(
                query, np.arange(rows) % options.items, np.arange(rows) // options.items % judges, labels
            )
            cells = []
            for way, scores in ways(judged).items():
                # Ties of a collapsed label are averaged over, as features would leave them to chance.
                got = rp.evaluate(scores, exact, ["DCG(gain=linear)@5"], offsets=offsets, warn=False)
                loss = best.per_query["DCG(gain=linear)@5"] - got.per_query["DCG(gain=linear)@5"]
                cells.append(f"{way} {np.nanmean(loss):.4f} ± {np.nanstd(loss) / np.sqrt(loss.size):.4f}")
            print(f"  {judges} judges: " + "; ".join(cells))


if __name__ == "__main__":
    main()
