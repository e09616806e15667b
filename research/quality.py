"""Learning curves of losses on plasmode worlds, where expected metrics are exact.

    python research/quality.py --cache worlds.jsonl --candidate 'lift:nDCG@10|query=1/n|step=double' \
        --candidate lgb=lambdarank [--queries 1000 --queries 10000] [--world mq2008] [--replicates 3]

A world is fitted to each data set in RANKPROOF_DATA, once: it is kept in the folder RANKPROOF_WORLDS. It
draws training queries without limit, and test queries with 32 equally likely label vectors each. Every
replicate has its own training queries, test queries and seed of the engine, the same for all candidates. A
candidate trains on the labels of the training queries and is measured after every 25 trees by its exact
expected metrics. The number of trees is chosen on one half of the test queries for the other half, so no
choice is measured on what it was made by.

The tables show the mean over replicates and, paired by replicate, what each candidate is ahead of the
reference (the first one), with its standard error: the spread of the differences over replicates, pooled over
worlds. Interrupted, the script goes on where it was; with ``--known`` it shows what the file has.

How candidates are written is said in `boosting_candidates`; ``|engine=xgboost`` and ``|engine=catboost`` take
them to the other engines.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from pathlib import Path
from typing import Any, NamedTuple

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np

import benchmark_path  # noqa: F401  (finds shared)
from boosting_candidates import Candidate
from judged_worlds import METRICS, WORLDS, digest, test, training
from rankproof.threads import using
from shared.resumed import Job, key, read, run

CANDIDATES = ["lift:nDCG@10|query=1/n|step=double", "lgb=lambdarank", "lgb=rank_xendcg"]


def curves(job: Job) -> dict[str, Any]:
    """Every metric along the trees, on each half of the test queries."""
    train = training(job["world"], job["queries"], job["replicate"])
    drawn = test(job["world"], job["replicate"])
    start = time.perf_counter()
    (stages,) = Candidate.read(job["candidate"]).staged(
        train, [drawn.drawn(0)], seed=job["replicate"], trees=job["trees"], every=job["every"]
    )
    seconds = round(time.perf_counter() - start, 2)
    values: dict[str, list[list[float]]] = {name: [] for name in METRICS}
    with using(1):
        for stage in stages:
            by_query = drawn.values(METRICS.values(), stage.astype(float))
            for name, query_values in zip(METRICS, by_query.values(), strict=True):
                halves = [query_values[::2].mean(), query_values[1::2].mean()]
                values[name].append([round(float(half), 7) for half in halves])
    return {"curves": values, "seconds": seconds}


def held_out(found: Any, metric: str) -> tuple[float, float]:
    """The value where the other half of the queries would stop, and the mean number of stages."""
    halves = np.array(found["curves"][metric])
    stops = halves.argmax(axis=0)[::-1]
    return float(halves[stops, [0, 1]].mean()), float((stops + 1).mean())


class Plan(NamedTuple):
    """Which runs are compared; worlds with the start of their digests."""

    worlds: dict[str, str]
    replicates: int
    trees: int
    every: int

    def job(self, world: str, queries: int, replicate: int, candidate: str) -> Job:
        """One run."""
        return {
            "world": world,
            "digest": self.worlds[world],
            "queries": queries,
            "replicate": replicate,
            "candidate": candidate,
            "trees": self.trees,
            "every": self.every,
        }

    def jobs(self, sizes: list[int], candidates: list[str]) -> list[Job]:
        """All runs, in an order in which data are drawn once for all candidates."""
        return [
            self.job(world, queries, replicate, candidate)
            for replicate in range(self.replicates)
            for queries in sizes
            for world in self.worlds
            for candidate in candidates
        ]


def table(
    found: dict[str, Any], plan: Plan, queries: int, candidates: list[str], metric: str
) -> list[dict[str, Any]]:
    """One row per candidate: the values by world, their mean, the difference and its standard error."""
    rows: list[dict[str, Any]] = []
    reference: np.ndarray | None = None
    for candidate in candidates:
        keys = [
            [key(plan.job(world, queries, replicate, candidate)) for replicate in range(plan.replicates)]
            for world in plan.worlds
        ]
        if any(one not in found for several in keys for one in several):
            continue
        runs = [[found[one] for one in several] for several in keys]
        values = np.array([[held_out(one, metric)[0] for one in several] for several in runs])
        reference = values if reference is None else reference
        differences = values - reference
        variance = differences.var(axis=1, ddof=1) if plan.replicates > 1 else np.full(len(runs), np.nan)
        rows.append(
            {
                "queries": queries,
                "metric": metric,
                "candidate": candidate,
                "worlds": dict(zip(plan.worlds, values.mean(axis=1).round(5).tolist(), strict=True)),
                "mean": float(values.mean()),
                "ahead": float(differences.mean()),
                "error": float(np.sqrt(variance.sum() / plan.replicates) / len(runs)),
                "trees": float(np.mean([held_out(o, metric)[1] for s in runs for o in s]) * plan.every),
                "seconds": float(np.mean([one["seconds"] for several in runs for one in several])),
            }
        )
    return rows


def show(rows: list[dict[str, Any]]) -> None:
    """Print a table, best candidate first."""
    if not rows:
        return
    print(f"\n{rows[0]['metric']}, {rows[0]['queries']} training queries")
    width = max(len(row["candidate"]) for row in rows)
    names = list(rows[0]["worlds"])
    heading = "  ".join(f"{name[:9]:>9}" for name in names)
    print(f"{'candidate':{width}}  {heading}      mean             ahead  trees  seconds")
    for row in sorted(rows, key=lambda row: -row["mean"]):
        cells = "  ".join(f"{value:9.4f}" for value in row["worlds"].values())
        ahead = f"{row['ahead']:+.5f} ± {row['error']:.5f}"
        print(
            f"{row['candidate']:{width}}  {cells}  {row['mean']:8.5f}  {ahead}  {row['trees']:5.0f}  "
            f"{row['seconds']:7.1f}"
        )


def plot(rows: list[dict[str, Any]], place: Path) -> None:
    """Write a picture: what candidates are ahead of the reference, by training queries, for every metric."""
    import matplotlib as mpl

    mpl.use("svg")
    import matplotlib.pyplot as plt

    metrics = list(dict.fromkeys(row["metric"] for row in rows))
    figure, axes = plt.subplots(1, len(metrics), figsize=(4 * len(metrics), 3.4), squeeze=False)
    for axis, metric in zip(axes[0], metrics, strict=True):
        for candidate in dict.fromkeys(row["candidate"] for row in rows):
            line = [row for row in rows if row["metric"] == metric and row["candidate"] == candidate]
            axis.errorbar(
                [row["queries"] for row in line],
                [row["ahead"] for row in line],
                [2 * row["error"] for row in line],
                marker="o",
                markersize=3,
                capsize=2,
                label=candidate,
            )
        axis.set_xscale("log")
        axis.set_title(metric)
        axis.set_xlabel("training queries")
        axis.grid(alpha=0.3)
    axes[0][0].set_ylabel("ahead of the reference, ± 2 standard errors")
    handles, labels = axes[0][0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="upper center", bbox_to_anchor=(0.5, 0.02), fontsize="small", ncols=2)
    figure.tight_layout()
    figure.savefig(place, bbox_inches="tight")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--cache", type=Path, required=True, help="file of finished runs")
    parser.add_argument("--candidate", action="append", help="the first is the reference")
    parser.add_argument("--world", action="append", choices=WORLDS, help="all by default")
    parser.add_argument("--queries", action="append", type=int, help="training queries; 1000 by default")
    parser.add_argument("--metric", action="append", choices=list(METRICS), help="all by default")
    parser.add_argument("--replicates", type=int, default=2)
    parser.add_argument("--trees", type=int, default=300)
    parser.add_argument("--every", type=int, default=25)
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--known", action="store_true", help="show what the file has, run nothing")
    parser.add_argument("--plot", type=Path, help="write a picture of the curves, such as curves.svg")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    args = parser.parse_args()
    worlds = {name: digest(name) for name in args.world or WORLDS}
    plan = Plan(worlds, args.replicates, args.trees, args.every)
    candidates, sizes = args.candidate or CANDIDATES, args.queries or [1000]
    if args.known:
        found = read(args.cache)
    else:
        found = run(plan.jobs(sizes, candidates), curves, args.cache, processes=args.processes)
    every_row: list[dict[str, Any]] = []
    for queries in sizes:
        for metric in args.metric or list(METRICS):
            rows = table(found, plan, queries, candidates, metric)
            every_row += rows
            if args.json:
                print("\n".join(json.dumps(row) for row in rows))
            else:
                show(rows)
    if args.plot is not None:
        plot(every_row, args.plot)


if __name__ == "__main__":
    main()
