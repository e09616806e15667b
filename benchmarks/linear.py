"""One evaluation of the linear objective against the two matrix products it cannot do without.

    python benchmarks/linear.py [--json] [--quick] [--items N]

The peer is BLAS on the same float32 array, in single precision, with its own threads: ``X @ w`` and ``X.T @
g``. An evaluation is the scores, the loss with its gradient, and the gradient in the weights, all in double
precision. The last row is the whole experiment of B11 on real data, where the data are at hand.
"""

from __future__ import annotations

import lzma
import sys
import tempfile
import tracemalloc
from functools import partial
from pathlib import Path

import numpy as np

import rankproof as rp
from rankproof.experiments.reproduce.b11 import reproduce_b11
from rankproof.fit.linear.model import build_objective
from rankproof.fit.linear.objective import LinearObjective
from rankproof.fit.linear.ranker import LinearRanker
from rankproof.losses.parse import loss as parse_loss
from shared.judged_sets import folder
from shared.made_data import dense, featured_queries
from shared.table import Row, best_in_turns, best_of, options, show

LOSSES = {"squared": 1.5, "softmax": 1.5, "order-preserving(margin=huber)": 2.0}
ROUNDS = 9


def build(data: rp.RankingData, name: str) -> LinearObjective:
    """The objective of a linear ranker with the loss of this name."""
    loss = parse_loss(name, metric="nDCG@10")
    return build_objective(data, loss, scale="none", l2=1e-3)[0]


def evaluations(data: rp.RankingData) -> list[Row]:
    """Time and memory of an evaluation, for each loss."""
    X = dense(data)
    rng = np.random.default_rng(1)
    w, g = rng.standard_normal(136, dtype=np.float32), rng.standard_normal(data.items, dtype=np.float32)
    scores, gradient = np.empty(data.items, np.float32), np.empty(136, np.float32)

    def products() -> None:
        np.dot(X, w, out=scores)
        np.dot(g, X, out=gradient)

    rows = []
    for name, bar in LOSSES.items():
        objective = build(data, name)
        point = np.zeros(objective.size)
        point[:136] = 0.1 * w
        objective.evaluate(point)
        products()
        evaluate = partial(objective.evaluate, point)
        peer, ours = best_in_turns(ROUNDS, (1, products), (1, evaluate))
        rows.append(
            Row(
                f"evaluation with {name} against X @ w and X.T @ g",
                ours * 1e3,
                peer * 1e3,
                "ms",
                bar,
                "lower",
            )
        )
        rows.append(memory(data, objective, point, name))
    return rows


def memory(data: rp.RankingData, objective: LinearObjective, point: np.ndarray, name: str) -> Row:
    """What one more evaluation allocates, against one score per item."""
    tracemalloc.start()
    objective.evaluate(point)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return Row(
        f"memory that an evaluation with {name} takes against one score per item",
        most / 1e6,
        data.items * 8 / 1e6,
        "MB",
        0.5,
        "lower",
    )


def b11_table() -> list[Row]:
    """The experiment of B11 on MQ2008: 6 losses, 7 penalties, 5 folds, with all tests."""
    parts = [folder() / "mq2008" / f"S{k}.txt.xz" for k in range(1, 6)]
    if not all(part.exists() for part in parts):
        print(f"MQ2008 is not at {folder()}; set RANKPROOF_DATA to measure the table of B11", file=sys.stderr)
        return []
    texts = [lzma.decompress(part.read_bytes()) for part in parts]
    with tempfile.TemporaryDirectory() as made:
        for fold in range(5):
            place = Path(made) / f"Fold{fold + 1}"
            place.mkdir()
            turned = [texts[(fold + k) % 5] for k in range(5)]
            for name, text in (("train", b"".join(turned[:3])), ("vali", turned[3]), ("test", turned[4])):
                (place / f"{name}.txt").write_bytes(text)
        seconds = best_of(1, lambda: reproduce_b11(made))
    return [Row("full table of B11 on MQ2008, against 60 s", seconds, 60.0, "s", 1, "lower")]


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("--items", type=int, help="1,200,000 unless said otherwise, 240,000 with --quick")
    args = parser.parse_args()
    data = featured_queries(args.items or (240_000 if args.quick else 1_200_000))
    print(f"{data.queries} queries, {data.items} items", file=sys.stderr)
    rows = evaluations(data)
    rows += b11_table()
    for solver in ("lbfgs", "sgd"):
        ranker = LinearRanker("nDCG@10", scale="none", solver=solver)
        seconds = best_of(1, partial(ranker.fit, data.X, data.labels, data.qids))
        print(f"a whole fit took {seconds:.2f} s: {ranker.report_}", file=sys.stderr)
    sys.exit(0 if show(rows, as_json=args.json) else 1)


if __name__ == "__main__":
    main()
