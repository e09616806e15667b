"""One query of 100 items on one thread: `predict` and the `Scorer` beside the engine that they call.

    python benchmarks/serving.py [--json] [--quick]

The peers are the engines' own calls on the same booster: LightGBM's ``predict``, XGBoost's
``inplace_predict``, CatBoost's ``predict``; for the linear ranker ``X @ w``, and ``LinearRegression.predict``
of scikit-learn. Models have 100 trees of 32 leaves, queries 46 float64 features. Calls take turns and are
timed one by one; shown are the median (p50) and the 99th percentile (p99) of the quietest round of 100 calls
each. ``X @ w`` takes one or two microseconds, less than any call in Python that looks at its arguments, so it
is shown and not judged.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

import rankproof as rp
from shared.table import Row, options, show

ITEMS, FEATURES, TREES, LEAVES = 100, 46, 100, 32
BAR = 1.5
ENGINES = ("lightgbm", "xgboost", "catboost")
CALLS = 100
Work = Callable[[], Any]


def queries(count: int) -> rp.RankingData:
    """Queries of 100 items whose grades follow some of the features."""
    random = np.random.default_rng(7)
    X = random.normal(size=(count * ITEMS, FEATURES))
    noisy = X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * random.normal(size=len(X))
    labels = np.clip(np.round(noisy + 0.5), 0, 4)
    return rp.RankingData(labels=labels, offsets=np.arange(0, len(X) + 1, ITEMS), X=X)


def percentiles(rounds: int, works: dict[str, Work]) -> dict[str, tuple[float, float]]:
    """The p50 and p99 of a call of each, in milliseconds, from the rounds in which their sums are least.

    Calls take turns, so that what else the machine does hits all of them.
    """
    for work in works.values():
        for _ in range(CALLS):
            work()
    seconds = np.empty((rounds, CALLS, len(works)))
    for turn in seconds.reshape(-1, len(works)):
        for place, work in enumerate(works.values()):
            start = time.perf_counter()
            work()
            turn[place] = time.perf_counter() - start
    middle, late = np.percentile(1e3 * seconds, (50, 99), axis=1)
    middle, late = (each[np.argmin(each.sum(axis=1))] for each in (middle, late))
    return {name: (float(middle[k]), float(late[k])) for k, name in enumerate(works)}


def rows_of(
    title: str, times: dict[str, tuple[float, float]], peer: str, bars: dict[str, float | None]
) -> list[Row]:
    """A row for each of ours and each percentile; a bar of None is not judged."""
    return [
        Row(
            f"{title}: {name} against {peer}, p{percent}",
            times[name][place],
            times[peer][place],
            "ms",
            BAR if bar is None else bar,
            "lower",
            bar is not None,
        )
        for name, bar in bars.items()
        for place, percent in enumerate((50, 99))
    ]


def raw_call(engine: str, booster: Any, X: np.ndarray) -> tuple[str, Work]:
    """The engine's own way to score rows on one thread."""
    if engine == "lightgbm":
        return "Booster.predict", lambda: booster.predict(X, raw_score=True, num_threads=1)
    if engine == "xgboost":
        booster.set_param({"nthread": 1})
        return "Booster.inplace_predict", lambda: booster.inplace_predict(X, predict_type="margin")
    return "CatBoost.predict", lambda: booster.predict(X, prediction_type="RawFormulaVal", thread_count=1)


def trees(engine: str, data: rp.RankingData, folder: Path, rounds: int) -> list[Row]:
    """A model of an engine, its ranker, and its scorers."""
    ranker = rp.BoostedRanker(engine=engine, n_estimators=TREES, num_leaves=LEAVES, threads=1)
    ranker.fit(data.X, data.labels, qid=data.qids).save(folder / engine)
    ranker = rp.load_model(folder / engine).set_params(threads=1)
    X = np.ascontiguousarray(data.X[:ITEMS])
    peer, raw = raw_call(engine, ranker.booster_, X)
    scorer = rp.load_scorer(folder / engine)
    works: dict[str, Work] = {"predict": lambda: ranker.predict(X), "Scorer": lambda: scorer(X), peer: raw}
    bars: dict[str, float | None] = {"predict": BAR, "Scorer": BAR}
    if engine != "catboost":
        compiled = rp.load_scorer(folder / engine, backend="compiled")
        works["compiled Scorer"], bars["compiled Scorer"] = (lambda: compiled(X)), BAR
    expected = np.asarray(raw(), dtype=np.float64)
    assert all((np.asarray(work(), dtype=np.float64) == expected).all() for work in works.values())
    return rows_of(engine, percentiles(rounds, works), peer, bars)


def linear(data: rp.RankingData, folder: Path, rounds: int) -> list[Row]:
    """A linear ranker beside the product that it cannot do without, and beside scikit-learn."""
    from sklearn.linear_model import LinearRegression

    ranker = rp.LinearRanker(threads=1).fit(data.X, data.labels, qid=data.qids)
    ranker.save(folder / "linear")
    ranker = rp.load_model(folder / "linear").set_params(threads=1)
    scorer, peer = rp.load_scorer(folder / "linear"), LinearRegression().fit(data.X, data.labels)
    X = np.ascontiguousarray(data.X[:ITEMS])
    weights, shift = ranker.scaling_.raw(ranker.coef_, ranker.intercept_)
    np.testing.assert_allclose(scorer(X), X @ weights + shift, rtol=1e-12, atol=1e-12)
    works: dict[str, Work] = {
        "predict": lambda: ranker.predict(X),
        "Scorer": lambda: scorer(X),
        "X @ w": lambda: X @ weights,
        "LinearRegression.predict": lambda: peer.predict(X),
    }
    times = percentiles(rounds, works)
    return [
        *rows_of("linear", times, "X @ w", {"predict": None, "Scorer": None}),
        *rows_of("linear", times, "LinearRegression.predict", {"predict": 1.0, "Scorer": 1.0}),
    ]


def main() -> None:
    args = options(__doc__).parse_args()
    missing = [name for name in (*ENGINES, "treelite", "tl2cgen") if find_spec(name) is None]
    if missing:
        sys.exit(f"serving.py measures {', '.join(missing)} as well: pip install -e '.[bench]'")
    rounds = 8 if args.quick else 40
    data = queries(20 if args.quick else 60)
    with tempfile.TemporaryDirectory() as place:
        rows = linear(data, Path(place), rounds)
        for engine in ENGINES:
            rows += trees(engine, data, Path(place), rounds)
    sys.exit(0 if show(rows, as_json=args.json) else 1)


if __name__ == "__main__":
    main()
