"""Which loss to boost with: candidates compared on the training and validation parts of every fold.

    python research/defaults.py --cache results.jsonl [--stage losses] [--turns N] [--seeds N] [--metric M]

No test part is read. Every candidate trains 300 trees of 16 leaves at a learning rate of .05 on three parts
(LightGBM, where it does not name another engine), and is measured on the held-out fourth after every fifth
tree, with the exact metrics. The table shows the best value along the mean of these curves (over folds, turns
and seeds). Folds are compared in pairs with the reference: the difference and its standard error.
Interrupted, the script goes on where it was.

How candidates are written is said in `boosting_candidates`.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np

import benchmark_path  # noqa: F401  (finds shared)
from boosting_candidates import Candidate
from rankproof.evaluation.per_query import mean_metric
from rankproof.metrics.parse import metric as metric_of
from rankproof.threads import using
from shared.judged_sets import inner_of, present
from shared.resumed import Job, key, read, run

TREES, EVERY = 300, 5
METRICS = {"nDCG@10": "nDCG(empty=0)@10", "nDCG": "nDCG(empty=0)", "ERR": "ERR(empty=0)", "AP": "AP(empty=0)"}
REFERENCE = "centred-squared:nDCG@10"
STAGES: dict[str, list[str]] = {
    "ordinal": [
        *(f"query-ordinal:nDCG@10{step}" for step in ("", "|step=double", "|step=limited")),
        *(f"query-ordinal:nDCG@10|query={weight}" for weight in ("1/n", "1/sqrt(n)")),
        "lift:nDCG@10|query=1/n|step=double",
        "softmax:nDCG@10|step=limited",
        "lgb=lambdarank",
        "lgb=rank_xendcg",
    ],
    "peers": [
        "lgb=lambdarank",
        "lgb=rank_xendcg",
        "lgb=lambdarank|learning_rate=0.025",
        "lgb=rank_xendcg|learning_rate=0.025",
    ],
    "losses": [
        "centred-squared:nDCG@10|step=double",
        "squared:nDCG@10",
        "softmax:nDCG@10|step=exact",
        "softmax:nDCG@10|step=limited",
        "softmax:nDCG@10|step=double",
        "softmax:nDCG@10|step=unit",
        "order-preserving(margin=squared-hinge):nDCG@10",
        "order-preserving(margin=squared-hinge):nDCG@10|query=1/n",
        "order-preserving(margin=huber):nDCG@10|query=1/n",
        "order-preserving(margin=huber):nDCG@10|query=1/n|step=limited",
        "centred-cosine:nDCG@10|step=unit",
        "lift:nDCG@10",
        "lift:nDCG@10|query=1/n",
        "lift:nDCG@10|query=1/n|step=double",
    ],
    "targets": [
        "centred-squared:nDCG",
        "centred-squared:nDCG@5",
        "centred-squared:gain",
        "centred-squared:relevance",
        "centred-squared:relevance-share",
        "centred-squared:nDCG@1+centred-squared:nDCG@3+centred-squared:nDCG@5+centred-squared:nDCG@10",
        "lift:nDCG|query=1/n|step=double",
        "lift:gain|query=1/n|step=double",
        "lift:relevance|query=1/n|step=double",
    ],
    "queries": [
        "centred-squared:nDCG@10|query=1/n",
        "centred-squared:nDCG@10|query=1/sqrt(n)",
        "centred-squared:nDCG@10|query=sqrt(n)",
        "centred-squared:nDCG@10|query=n",
        "centred-squared:nDCG|query=sqrt(n)",
        "centred-squared:nDCG|query=n",
        "softmax:nDCG@10|step=limited|query=1/n",
        "softmax:nDCG@10|step=limited|query=sqrt(n)",
    ],
    "attention": [
        "centred-squared:nDCG@10|attend=log",
        "centred-squared:nDCG@10|attend=1/rank",
        "centred-squared:nDCG@10|attend=top10",
        *(
            f"attentive:{target}|query=1/n|attend={attend}|pairs={pairs}{step}"
            for target in ("nDCG@10", "relevance", "satisfaction")
            for attend in ("one", "log")
            for pairs in ("winner", "difference")
            for step in ("", "|step=double")
        ),
        *(
            f"attentive:{target}|attend=adjacent|pairs={pairs}"
            for target in ("nDCG@10", "satisfaction")
            for pairs in ("winner", "difference")
        ),
    ],
    "averages": [
        "centred-squared:nDCG@10+softmax:nDCG@10|step=limited",
        "centred-squared:nDCG@10+order-preserving(margin=squared-hinge):nDCG@10|query=1/n",
    ],
    "steps": [
        *(
            f"lift:{target}|query=1/n|step={step}"
            for target in ("nDCG@10", "nDCG", "relevance", "satisfaction")
            for step in ("double", "exact", "flat3", "flat4", "flat6", "expected2")
        ),
    ],
    "regression": [
        f"lgb=regression|labels=relative:{target}{rate}"
        for target in ("nDCG@10", "nDCG", "relevance", "satisfaction")
        for rate in ("", "|learning_rate=0.025")
    ],
    "engines": [
        *(
            f"lgb={name}{rate}"
            for name in ("lambdarank", "rank_xendcg")
            for rate in ("", "|learning_rate=0.025")
        ),
        *(f"lift:{t}|query=1/n|step=double" for t in ("nDCG@10", "nDCG", "relevance", "satisfaction")),
        "xgb=rank:ndcg",
        "xgb=rank:ndcg|learning_rate=0.025",
        *(
            f"lift:{t}|query=1/n|step=double|engine=xgboost|scale=0.0625"
            for t in ("nDCG@10", "nDCG", "relevance", "satisfaction")
        ),
        "cat=YetiRank",
        *(f"cat=QueryRMSE|labels={t}" for t in ("nDCG@10", "nDCG", "relevance", "satisfaction")),
    ],
    "xgboost": [
        "xgb=rank:ndcg",
        "centred-squared:nDCG@10|engine=xgboost",
        "centred-squared:nDCG@10|engine=xgboost|scale=0.0625",
        "centred-squared:nDCG@10|engine=xgboost|scale=0.015625",
        *(
            f"lift:{target}|query=1/n|step=double|engine=xgboost|scale={scale}"
            for target in ("nDCG@10", "satisfaction", "relevance")
            for scale in (0.25, 0.0625, 0.015625)
        ),
    ],
    "catboost": [
        "cat=YetiRank",
        *(
            f"cat={loss}|labels={target}"
            for target in ("nDCG@10", "relevance", "satisfaction")
            for loss in ("QueryRMSE", "QuerySoftMax")
        ),
        *(
            f"cat=QueryRMSE|labels={target}|{more}"
            for target in ("nDCG@10", "relevance", "satisfaction")
            for more in ("l2_leaf_reg=10", "l2_leaf_reg=30", "l2_leaf_reg=100", "score_function=L2")
        ),
        "cat=QueryRMSE|labels=nDCG@10|leaf_estimation_iterations=3",
        "cat=QueryRMSE|labels=nDCG@10|l2_leaf_reg=1",
        "cat=QueryRMSE|labels=nDCG@10|learning_rate=0.1",
        *(f"cat=RMSE|labels=relative:{t}" for t in ("nDCG@10", "nDCG", "relevance", "satisfaction")),
        "cat=PairLogit|labels=relevance",
        "cat=CrossEntropy|labels=relevance",
        *(
            f"lift:{target}|query=1/n{step}|engine=catboost"
            for target in ("nDCG@10", "nDCG", "relevance", "satisfaction")
            for step in ("", "|step=double")
        ),
        *(
            f"cat=QueryRMSE|labels={target}|{more}"
            for target in ("relevance", "satisfaction")
            for more in (
                "boosting_type=Ordered",
                "sampling_unit=Group",
                "random_strength=0",
                "random_strength=3",
            )
        ),
    ],
}


def curve(job: Job) -> dict[str, Any]:
    """The metrics on the held-out part after every fifth tree."""
    train, held = inner_of(job["set"], job["fold"], job["turn"])
    start = time.perf_counter()
    (scores,) = Candidate.read(job["candidate"]).staged(
        train, [held], seed=job["seed"], trees=TREES, every=EVERY
    )
    seconds = round(time.perf_counter() - start, 3)
    with using(1):
        values = {
            name: [
                round(mean_metric(metric_of(text), stage.astype(float), held.labels, held.offsets), 6)
                for stage in scores
            ]
            for name, text in METRICS.items()
        }
    return {"curves": values, "seconds": seconds}


def jobs_of(candidates: list[str], sets: list[str], turns: list[int], seeds: list[int]) -> list[Job]:
    """Every candidate on every fold of every data set, turn by turn and seed by seed."""
    return [
        {"set": name, "fold": fold, "turn": turn, "seed": seed, "candidate": candidate}
        for turn in turns
        for seed in seeds
        for candidate in candidates
        for name in sets
        for fold in range(5)
    ]


def smoothed(values: np.ndarray) -> np.ndarray:
    """The mean with the neighbours along the last axis, so that no single lucky tree is chosen."""
    padded = np.concatenate([values[..., :1], values, values[..., -1:]], axis=-1)
    means: np.ndarray = (padded[..., :-2] + padded[..., 1:-1] + padded[..., 2:]) / 3
    return means


@dataclass(frozen=True)
class Measured:
    """The curves that were found, of one metric."""

    found: dict[str, Any]
    turns: list[int]
    seeds: list[int]
    metric: str

    def curves(self, candidate: str, name: str, fold: int | None = None) -> np.ndarray:
        """One row per run of a candidate on a data set, of one fold or of all."""
        jobs = jobs_of([candidate], [name], self.turns, self.seeds)
        return np.array(
            [
                self.found[key(job)]["curves"][self.metric]
                for job in jobs
                if fold is None or job["fold"] == fold
            ]
        )


def summary(measured: Measured, candidates: list[str], sets: list[str]) -> list[dict[str, Any]]:
    """One row per candidate: the value on every set, their mean, and the paired difference."""
    rows = []
    first: dict[str, np.ndarray] = {}
    for candidate in candidates:
        row: dict[str, Any] = {"candidate": candidate, "metric": measured.metric}
        differences = []
        for name in sets:
            curves = measured.curves(candidate, name)
            means = smoothed(curves.mean(axis=0))
            best = int(np.argmax(means))
            own = smoothed(curves)[:, best]
            row[name], row[f"{name} trees"] = float(means[best]), (best + 1) * EVERY
            first.setdefault(name, own)
            differences.append(own - first[name])
        row["mean"] = float(np.mean([row[name] for name in sets]))
        row["difference"] = float(np.mean([d.mean() for d in differences]))
        errors = [d.std(ddof=1) / np.sqrt(d.size) for d in differences]
        row["error"] = float(np.sqrt(np.sum(np.square(errors))) / len(sets))
        rows.append(row)
    return rows


def chosen_by_fold(measured: Measured, candidates: list[str], sets: list[str]) -> list[str]:
    """What each fold would choose from its own training and validation parts."""
    picks = []
    for fold in range(5):
        scores = [
            np.mean([smoothed(measured.curves(candidate, name, fold).mean(axis=0)).max() for name in sets])
            for candidate in candidates
        ]
        picks.append(candidates[int(np.argmax(scores))])
    return picks


def show(rows: list[dict[str, Any]], sets: list[str]) -> None:
    """Print the table."""
    width = max(len(row["candidate"]) for row in rows)
    print(
        f"{'candidate':{width}}  " + "  ".join(f"{name:>16}" for name in sets) + "    mean       difference"
    )
    for row in rows:
        cells = "  ".join(f"{row[name]:10.4f} ({row[f'{name} trees']:3})" for name in sets)
        lead = f"{row['difference']:+.4f} ± {row['error']:.4f}"
        print(f"{row['candidate']:{width}}  {cells}  {row['mean']:.4f}  {lead}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    parser.add_argument(
        "--cache", type=Path, required=True, help="file of finished runs, one JSON object a line"
    )
    parser.add_argument(
        "--stage", action="append", choices=list(STAGES), help="which candidates; all by default"
    )
    parser.add_argument("--candidate", action="append", help="a candidate of your own, beside the reference")
    parser.add_argument("--reference", default=REFERENCE, help="the candidate that others are compared with")
    parser.add_argument("--set", action="append", help="which data sets; all by default")
    parser.add_argument("--metric", default="nDCG@10", choices=list(METRICS))
    parser.add_argument(
        "--turns", type=int, default=1, help="how many parts of each fold are held out in turn"
    )
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--known", action="store_true", help="show what the file has, run nothing")
    args = parser.parse_args()
    stages = args.stage or ([] if args.candidate else list(STAGES))
    listed = [args.reference, *(c for stage in stages for c in STAGES[stage]), *(args.candidate or [])]
    candidates = list(dict.fromkeys(listed))
    sets = args.set or present()
    if not sets:
        sys.exit("No data sets are there; set RANKPROOF_DATA to their folder.")
    turns, seeds = list(range(args.turns)), list(range(args.seeds))
    if args.known:
        found = read(args.cache)
        candidates = [c for c in candidates if all(key(j) in found for j in jobs_of([c], sets, turns, seeds))]
    else:
        found = run(jobs_of(candidates, sets, turns, seeds), curve, args.cache, processes=args.processes)
    measured = Measured(found, turns, seeds, args.metric)
    rows = summary(measured, candidates, sets)
    rows.sort(key=lambda row: -row["mean"])
    if args.json:
        for row in rows:
            print(json.dumps(row))
        return
    print(f"{args.metric} on held-out training parts, {len(turns)} turns, {len(seeds)} seeds")
    show(rows, sets)
    print(
        "each fold's own choice:",
        *chosen_by_fold(measured, candidates, sets),
        sep="\n  ",
    )


if __name__ == "__main__":
    main()
