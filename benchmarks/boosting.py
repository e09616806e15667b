"""Time to train LightGBM with our default loss, against its own lambdarank and its plain regression.

    python benchmarks/boosting.py [--json] [--quick] [--items N] [--trees N ...] [--threads N] [--rounds N]
        [--cpu]

The same binned data, the same number of trees in the budget of `boosters`, no evaluation: what differs is
where gradients come from. The time is taken after 20 and after 100 trees (LightGBM's default) of one
training. Runs are interleaved, and the fastest of each counts. With ``--cpu`` it is the processor's time that
counts, which a busy machine disturbs less. The data are synthetic: 100 features, queries of about 100 items,
grades 0 to 4.

Lambdarank looks at pairs with one item among the first 30 (its default, for nDCG@10), or among all: what it
takes to optimise nDCG over the whole list (ours takes the same time for any cutoff). How far plain regression
is below it is printed too: gradients of our own can hardly be cheaper than that.

Besides the default (``ours``), centred-squared is timed: its second derivatives are all the same, as those of
regression are, and LightGBM grows its trees faster: where a split halves the rows, as those of the default
tend to, there is more to count than where it takes a few away.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import lightgbm as lgb
import numpy as np

from rankproof.adapters import lightgbm as ours
from shared.boosters import LIGHTGBM
from shared.table import Row, options, show

METRIC = "nDCG@10"
FEATURES = 100
LONGEST = 140


def make(items: int) -> lgb.Dataset:
    """Binned data; features are noisy views of what decides the grade, or noise."""
    rng = np.random.default_rng(7)
    ends = np.cumsum(rng.integers(60, LONGEST + 1, items // 60))
    sizes = np.diff(np.concatenate(([0], ends[ends < items], [items])))
    X = rng.standard_normal((items, FEATURES), dtype=np.float32)
    hidden = X[:, :10].sum(axis=1) + X[:, 10] * X[:, 11] + 2 * rng.standard_normal(items)
    labels = np.searchsorted(np.quantile(hidden, [0.52, 0.75, 0.93, 0.98]), hidden)
    data = lgb.Dataset(X, labels, group=sizes, params={"verbose": -1})
    return data.construct()


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("--items", type=int, help="1,000,000 unless said otherwise, 50,000 with --quick")
    parser.add_argument("--trees", type=int, nargs="+", default=[20, 100], help="when the time is taken")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, help="3 unless said otherwise, 1 with --quick")
    parser.add_argument("--cpu", action="store_true", help="time of the processor in place of the clock's")
    args = parser.parse_args()
    data = make(args.items or (50_000 if args.quick else 1_000_000))
    rounds = args.rounds or (1 if args.quick else 3)

    clock = time.process_time if args.cpu else time.perf_counter

    def train(objective: Any, trees: int = max(args.trees), **more: Any) -> list[float]:
        """When each tree was there."""
        parameters = {**LIGHTGBM, "num_threads": args.threads, "objective": objective, **more}
        times: list[float] = []
        lgb.train(parameters, data, trees, callbacks=[lambda _: times.append(clock())])
        return times

    default, constant = (
        _Timed(ours.objective(METRIC, loss, threads=args.threads)) for loss in ("auto", "centred-squared")
    )
    for objective in (default, constant):
        # Compiles the kernels and computes the targets once, which every later run pays for as well.
        train(objective, trees=1)
    systems: dict[str, Callable[[], list[float]]] = {
        "ours": lambda: train(default),
        "centred-squared": lambda: train(constant),
        "lambdarank": lambda: train("lambdarank"),
        "lambdarank, whole list": lambda: train("lambdarank", lambdarank_truncation_level=LONGEST),
        "plain regression": lambda: train("regression"),
    }
    seconds = {(name, trees): float("inf") for name in systems for trees in args.trees}
    for _ in range(rounds):
        for name, work in systems.items():
            _Timed.seconds = 0.0
            start = clock()
            times = work()
            if _Timed.seconds:
                taken = times[-1] - start
                print(f"{name}: {_Timed.seconds:.2f} of {taken:.2f} s are gradients", file=sys.stderr)
            for trees in args.trees:
                seconds[name, trees] = min(seconds[name, trees], times[trees - 1] - start)
    rows = [
        Row(f"{n} trees, {mine}, against {peer}", seconds[mine, n], seconds[peer, n], "s", bar, "lower")
        for n in args.trees
        for mine, peer, bar in (
            ("ours", "lambdarank", 0.6),
            ("ours", "lambdarank, whole list", 0.6),
            ("ours", "plain regression", 1.15),
            ("centred-squared", "lambdarank", 0.6),
            ("centred-squared", "plain regression", 1.15),
        )
    ]
    for trees in args.trees:
        floor = seconds["plain regression", trees] / seconds["lambdarank", trees]
        print(f"{trees} trees of regression take {floor:.2f} of the time of lambdarank", file=sys.stderr)
    sys.exit(0 if show(rows, as_json=args.json) else 1)


class _Timed:
    """An objective that knows how long it took; LightGBM copies it, so the time is kept for all copies."""

    seconds = 0.0

    def __init__(self, objective: Any) -> None:
        self.objective = objective

    def __call__(self, scores: Any, data: Any) -> Any:
        start = time.perf_counter()
        found = self.objective(scores, data)
        _Timed.seconds += time.perf_counter() - start
        return found


if __name__ == "__main__":
    main()
