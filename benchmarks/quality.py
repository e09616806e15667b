"""Boosting with our default against the ranking losses of LightGBM, XGBoost and CatBoost, on real data.

    python benchmarks/quality.py [--json] [--quick] [--cache results.jsonl] [--seeds 5] [--processes 2]

Five folds of MQ2008, OHSUMED, MQ2007 (in part) and LightGBM's example; the folds of the last differ in the
validation queries alone. All systems have one budget (`boosters`): 300 trees of 16 leaves, learning rate
.05. The number of trees is the one with the best value on the validation part, of the same exact metric for
all; nothing is chosen on the test part. Queries without relevant items count 0. What each metric has is its
own: ours is the default loss for that metric, and every system stops by that metric.

Values are means over seeds, then over test queries, then over data sets. Tests are paired over queries,
with Holm's correction over all pairs of systems of an engine. The script can be interrupted: with
``--cache``, it goes on where it was. ``--quick`` takes the first folds of OHSUMED and of the example, one
seed and 60 trees: enough to see that everything runs, too little to show a difference.
"""

from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np

import rankproof as rp
from rankproof.adapters import catboost as our_catboost
from rankproof.adapters import lightgbm as our_lightgbm
from rankproof.adapters import xgboost as our_xgboost
from rankproof.errors import ConsistencyWarning
from rankproof.evaluation.pair_result import PairResult
from rankproof.evaluation.pairs import compare_pairs
from rankproof.evaluation.per_query import mean_metric
from rankproof.threads import using
from shared.boosters import staged_scores
from shared.judged_sets import EXAMPLE, fold_of, present
from shared.resumed import Job, key, run
from shared.table import Row, options, show

METRICS = {"nDCG@10": "nDCG(empty=0)@10", "nDCG": "nDCG(empty=0)", "ERR": "ERR(empty=0)", "AP": "AP(empty=0)"}
OURS = "rankproof"
PEERS = {
    "lightgbm": ("lambdarank", "rank_xendcg"),
    "xgboost": ("rank:ndcg",),
    "catboost": ("YetiRank", "YetiRank:mode=NDCG"),
}
TREES, QUICK_TREES, LEVEL = 300, 60, 0.05


def measure(job: Job) -> dict[str, Any]:
    """Values per test query with the number of trees that validation chooses, for each metric of the job."""
    train, stop, test = fold_of(job["set"], job["fold"])
    found: dict[str, Any] = {}
    scores: list[np.ndarray] = []
    for name in job["metrics"]:
        if job["loss"] == OURS or not scores:
            scores = _staged(job, METRICS[name], train, [stop, test])
        metric = rp.metric(METRICS[name])
        with using(1):
            along = [mean_metric(metric, s.astype(float), stop.labels, stop.offsets) for s in scores[0]]
        best = int(np.argmax(along))
        results = rp.evaluate(scores[1][best].astype(float), test, metric, threads=1)
        found[name] = {
            "trees": best + 1,
            "queries": [str(q) for q in test.query_ids.tolist()],
            "values": [round(v, 6) for v in results.per_query[str(metric)].tolist()],
        }
    return found


def _staged(job: Job, metric: str, train: rp.RankingData, others: list[rp.RankingData]) -> list[np.ndarray]:
    """Scores after every tree: with a loss of the engine, or with our default for the metric."""
    engine, labels = job["engine"], None
    objective: Any = job["loss"]
    if objective == OURS:
        with warnings.catch_warnings():
            # ERR and AP have no target that is right under every law of the labels: that is known here.
            warnings.simplefilter("ignore", ConsistencyWarning)
            if engine == "catboost":
                objective = our_catboost.parameters(metric)["loss_function"]
                pool = our_catboost.pool(metric, train.X, train.labels, offsets=train.offsets, threads=1)
                labels = np.asarray(pool.get_label(), float)
            else:
                module = our_lightgbm if engine == "lightgbm" else our_xgboost
                objective = module.objective(metric, threads=1)
    return staged_scores(
        engine, objective, train, others, seed=job["seed"], trees=job.get("trees", TREES), labels=labels
    )


def jobs_of(sets: list[str], folds: int, seeds: int, metrics: list[str], trees: int = TREES) -> list[Job]:
    """A peer is trained once for all metrics, ours once for each; the job names the loss that is meant."""
    jobs = []
    for seed in range(seeds):
        for engine, peers in PEERS.items():
            for name in sets:
                for fold in range(folds):
                    job: Job = {"set": name, "fold": fold, "seed": seed, "engine": engine}
                    if trees != TREES:
                        job["trees"] = trees
                    jobs += [{**job, "loss": loss, "metrics": metrics} for loss in peers]
                    jobs += [
                        {**job, "loss": OURS, "metrics": [m], "default": _default(engine, m)} for m in metrics
                    ]
    # Peers first: they stay the same when the default changes.
    return sorted(jobs, key=lambda job: (job["seed"], job["loss"] == OURS))


def _default(engine: str, metric: str) -> str:
    """The default loss as text; CatBoost's name of it where it has its own."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConsistencyWarning)
        if engine == "catboost":
            return str(our_catboost.parameters(METRICS[metric])["loss_function"])
        module = our_lightgbm if engine == "lightgbm" else our_xgboost
        return str(module.objective(METRICS[metric]).loss)


Values = dict[tuple[str, str, str, str], np.ndarray]


def collect(found: dict[str, Any], jobs: list[Job]) -> Values:
    """Mean over seeds (and, where folds share their test, over folds) of every test query's value."""
    sums: dict[tuple[str, str, str, str], dict[str, list[float]]] = {}
    for job in jobs:
        for metric, got in found[key(job)].items():
            here = sums.setdefault((job["set"], metric, job["engine"], job["loss"]), {})
            for query, value in zip(got["queries"], got["values"], strict=True):
                # Query ids are unique within a part only: those of different folds must not meet.
                name = query if job["set"] == EXAMPLE else f"{job['fold']} {query}"
                here.setdefault(name, []).append(value)
    return {
        where: np.array([np.mean(by_query[q]) for q in sorted(by_query)]) for where, by_query in sums.items()
    }


def tests(values: Values, name: str, metric: str, engine: str) -> list[PairResult]:
    """All pairs of the engine's systems on a data set."""
    systems = {loss: values[name, metric, engine, loss] for loss in (OURS, *PEERS[engine])}
    return compare_pairs(systems, level=LEVEL)


def rows_of(values: Values, sets: list[str], metrics: list[str]) -> list[Row]:
    rows = []
    for metric in metrics:
        best: dict[str, dict[str, float]] = {"ours": {}, "peer": {}}
        for engine, peers in PEERS.items():
            means = {
                loss: float(np.mean([values[name, metric, engine, loss].mean() for name in sets]))
                for loss in (OURS, *peers)
            }
            best["ours"][engine] = means[OURS]
            peer = max(peers, key=means.__getitem__)
            best["peer"][f"{engine} {peer}"] = means[peer]
            rows.append(
                Row(f"{metric}, {engine} against its {peer}", means[OURS], means[peer], metric, 1.0, "larger")
            )
        ours, peer = (max(best[who], key=best[who].__getitem__) for who in ("ours", "peer"))
        rows.append(
            Row(
                f"{metric}, our best ({ours}) against the best peer ({peer})",
                best["ours"][ours],
                best["peer"][peer],
                metric,
                1.0,
                "larger",
            )
        )
        rows.append(_never_below(values, sets, metric))
    return rows


def _never_below(values: Values, sets: list[str], metric: str) -> Row:
    """The least corrected p of any test, on any data set, that a peer of the same engine won."""
    least, where = 1.0, "none"
    for engine in PEERS:
        for name in sets:
            for pair in tests(values, name, metric, engine):
                peer = next((loss for loss in (pair.a, pair.b) if loss != OURS), OURS)
                if OURS not in (pair.a, pair.b):
                    continue
                ahead = pair.difference if pair.b == OURS else -pair.difference
                if ahead > 0 and pair.adjusted < least:
                    least, where = pair.adjusted, f"{engine} {peer} on {name}"
    return Row(
        f"{metric}: least corrected p of a peer ahead of us ({where}), against {LEVEL:g}",
        least,
        LEVEL,
        "p",
        1.0,
        "larger",
    )


def by_set(values: Values, sets: list[str], metrics: list[str]) -> None:
    """Every mean, and its lead over the engine's own losses with the corrected p."""
    for metric in metrics:
        print(f"\n{metric:32}" + "".join(f"{name:>22}" for name in sets) + f"{'mean':>9}")
        for engine, peers in PEERS.items():
            results = {name: tests(values, name, metric, engine) for name in sets}
            for loss in (OURS, *peers):
                cells, means = [], []
                for name in sets:
                    mean = float(values[name, metric, engine, loss].mean())
                    means.append(mean)
                    p = next(
                        (r.adjusted for r in results[name] if loss != OURS and {r.a, r.b} == {OURS, loss}),
                        None,
                    )
                    cells.append(f"{mean:.4f}" + ("" if p is None else f" (p {p:.2f})"))
                print(
                    f"{engine + ' ' + loss:32}"
                    + "".join(f"{cell:>22}" for cell in cells)
                    + f"{np.mean(means):9.4f}"
                )


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("--cache", type=Path, help="file of finished runs, one JSON object a line")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--metric", action="append", choices=list(METRICS), help="all by default")
    args = parser.parse_args()
    sets = present()
    if not sets:
        sys.exit("No data sets are there; set RANKPROOF_DATA to their folder.")
    metrics = args.metric or list(METRICS)
    folds, seeds = 5, args.seeds
    if args.quick:
        sets, folds, seeds = [name for name in ("ohsumed", EXAMPLE) if name in sets], 1, 1
    jobs = jobs_of(sets, folds, seeds, metrics, QUICK_TREES if args.quick else TREES)
    values = collect(run(jobs, measure, args.cache, processes=args.processes), jobs)
    if not args.json:
        by_set(values, sets, metrics)
        print()
    sys.exit(0 if show(rows_of(values, sets, metrics), as_json=args.json) else 1)


if __name__ == "__main__":
    main()
