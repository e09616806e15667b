"""Time to train LightGBM with our default loss, against its own lambdarank and its plain regression.

    python benchmarks/boosting.py [--json] [--items N] [--trees N] [--threads N] [--rounds N] [--cpu]

The same binned data, the same number of trees in the budget of `boosters`, no evaluation: what differs is
where gradients come from. Runs are interleaved, and the fastest of each counts. With ``--cpu`` it is the
processor's time that counts, which a busy machine disturbs less. The data are synthetic: 100 features,
queries of about 100 items, grades 0 to 4.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import lightgbm as lgb
import numpy as np

from boosters import LIGHTGBM
from rankproof.fit.engines import lightgbm as ours
from table import Row, options, show

METRIC = "nDCG@10"
FEATURES = 100


def make(items: int) -> lgb.Dataset:
    """Binned data; features are noisy views of what decides the grade, or noise."""
    rng = np.random.default_rng(7)
    ends = np.cumsum(rng.integers(60, 141, items // 60))
    sizes = np.diff(np.concatenate(([0], ends[ends < items], [items])))
    X = rng.standard_normal((items, FEATURES), dtype=np.float32)
    hidden = X[:, :10].sum(axis=1) + X[:, 10] * X[:, 11] + 2 * rng.standard_normal(items)
    labels = np.searchsorted(np.quantile(hidden, [0.52, 0.75, 0.93, 0.98]), hidden)
    data = lgb.Dataset(X, labels, group=sizes, params={"verbose": -1})
    return data.construct()


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("--items", type=int, default=1_000_000)
    parser.add_argument("--trees", type=int, default=20)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--cpu", action="store_true", help="time of the processor in place of the clock's")
    args = parser.parse_args()
    data = make(args.items)

    def train(objective: Any) -> Callable[[], object]:
        parameters = {**LIGHTGBM, "num_threads": args.threads, "objective": objective}
        return lambda: lgb.train(parameters, data, args.trees)

    timed = _Timed(ours.objective(METRIC, threads=args.threads))
    # Compiles the kernels and computes the targets once, which every later run pays for as well.
    lgb.train({**LIGHTGBM, "objective": timed, "num_threads": args.threads}, data, 1)
    systems = {"ours": train(timed), "lambdarank": train("lambdarank"), "regression": train("regression")}
    clock = time.process_time if args.cpu else time.perf_counter
    seconds = dict.fromkeys(systems, float("inf"))
    for _ in range(args.rounds):
        for name, work in systems.items():
            _Timed.seconds = 0.0
            start = clock()
            work()
            taken = clock() - start
            if name == "ours" and taken < seconds[name]:
                print(f"{_Timed.seconds:.2f} of {taken:.2f} s are gradients", file=sys.stderr)
            seconds[name] = min(seconds[name], taken)
    what = f"{args.trees} trees on {args.items} items"
    rows = [
        Row(f"{what}, against lambdarank", seconds["ours"], seconds["lambdarank"], "s", 0.6, "lower"),
        Row(f"{what}, against plain regression", seconds["ours"], seconds["regression"], "s", 1.15, "lower"),
    ]
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
