"""Exports of every kind of model to every format: rows tried, largest difference, orders, time of 100 items.

    python benchmarks/export.py [--json] [--quick] [--only KIND ...] [--to FORMAT ...]

Models have 500 trees of 31 leaves (linear and neural ones what they have), missing values, and categories
where the name says so. Each is tried on at least 100,000 rows on, just below and just above its thresholds,
by the evaluator of the format: the runtime itself where one installs, else the arithmetic of the search
engine. A format that treats missing values in another way than the model is tried without them; the JSON
says so. The time of 100 items, on one thread, is that of the runtime, and none where the evaluator stands
for a search engine; beside it stands that of the model's own engine. What is refused is said on standard
error.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import rankproof as rp
from rankproof.errors import ArgumentError
from rankproof.exports.check.runtimes import quietly
from rankproof.exports.export import drafted, tried
from rankproof.exports.formats import formats
from rankproof.exports.read.files import read_source
from shared.table import Losses, best_in_turns, options, show_losses

FEATURES, CATEGORIES = 20, 2
ITEMS = 100


@dataclass(frozen=True)
class Exported(Losses):
    """One model in one format."""

    difference: float = 0.0
    tolerance: float = 0.0
    orders: int = 0
    near_ties: int = 0
    seconds: float | None = None
    model_seconds: float = 0.0
    missing: str = "as-trained"

    def as_dict(self) -> dict[str, object]:
        """The row, for JSON."""
        return {
            **Losses.as_dict(self),
            "largest_difference": self.difference,
            "rounding": self.tolerance,
            "orders_changed": self.orders,
            "near_ties": self.near_ties,
            "missing": self.missing,
            "ms_of_100_items": None if self.seconds is None else 1e3 * self.seconds,
            "model_ms_of_100_items": 1e3 * self.model_seconds,
        }


def table(rows: int, *, missing: bool) -> tuple[Any, Any, Any]:
    """Features with large numbers and two columns of categories, grades, and queries of 20."""
    random = np.random.default_rng(3)
    X = random.normal(size=(rows, FEATURES))
    X[:, 3] = np.round(1.6e9 + 1e6 * X[:, 3])
    X[:, 4] = np.round(X[:, 4], 1)
    X[:, -2], X[:, -1] = random.integers(0, 60, rows), random.integers(0, 6, rows)
    score = X[:, 0] + X[:, 1] * X[:, 2] + X[:, -2] % 7 / 3 + X[:, 4] + random.normal(size=rows)
    if missing:
        X[random.random(X.shape) < 0.05] = np.nan
    return X, np.digitize(score, [0.5, 1.5, 2.5, 3.5]), np.repeat(np.arange(rows // 20), 20)


def models(trees: int) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Every kind of model, trained when asked for."""
    X, y, qid = table(20_000, missing=True)
    full = table(20_000, missing=False)[0]
    codes = [FEATURES - 2, FEATURES - 1]

    def boosted(engine: str, **more: Any) -> Callable[[], Any]:
        ranker = rp.BoostedRanker(
            "nDCG@10", engine=engine, n_estimators=trees, num_leaves=31, learning_rate=0.1, threads=1, **more
        )
        return lambda: ranker.fit(X, y, qid=qid)

    yield "lightgbm", boosted("lightgbm")
    yield "lightgbm, categories", boosted("lightgbm", categorical_features=codes)
    yield "xgboost", boosted("xgboost")
    yield "xgboost, categories", boosted("xgboost", categorical_features=codes)
    yield "catboost, symmetric", _catboost(trees, X, y, qid, {})
    yield "catboost, lossguide", _catboost(trees, X, y, qid, {"grow_policy": "Lossguide"})
    yield "linear", lambda: rp.LinearRanker("nDCG@10", max_iter=50).fit(full, y, qid=qid)
    yield "neural", lambda: rp.NeuralRanker("nDCG@10", scale="standard", max_iter=3).fit(full, y, qid=qid)


def _catboost(trees: int, X: Any, y: Any, qid: Any, parameters: dict[str, Any]) -> Callable[[], Any]:
    ranker = rp.BoostedRanker(
        "nDCG@10",
        engine="catboost",
        n_estimators=trees,
        num_leaves=31 if parameters else 32,
        threads=1,
        parameters=parameters,
    )
    return lambda: ranker.fit(X, y, qid=qid)


def runtime(name: str, raw: bytes, precision: str) -> Callable[[Any], Any] | None:
    """A function that scores rows in the runtime of a format, loaded once; None where there is none."""
    if name == "onnx":
        import onnxruntime

        told = onnxruntime.SessionOptions()
        told.intra_op_num_threads = told.inter_op_num_threads = 1
        session = onnxruntime.InferenceSession(raw, told, providers=["CPUExecutionProvider"])
        kind = np.float32 if precision == "float32" else np.float64
        return lambda X: session.run(None, {"features": X.astype(kind)})
    if name == "lightgbm":
        import lightgbm

        booster = lightgbm.Booster(model_str=raw.decode())
        return lambda X: booster.predict(X, raw_score=True, num_threads=1)
    if name == "treelite":
        import treelite

        model = treelite.Model.deserialize_bytes(raw)
        return lambda X: treelite.gtil.predict(model, X, nthread=1)
    if name == "compiled":
        import tl2cgen

        file = Path(tempfile.mkdtemp()) / "model.so"
        file.write_bytes(raw)
        predictor = tl2cgen.Predictor(str(file), nthread=1)
        return lambda X: predictor.predict(tl2cgen.DMatrix(X, dtype="float64"))
    return None


def exported(kind: str, model: Any, name: str, version: str | None, rows: int) -> Iterator[Exported]:
    """A model in a format and version, or nothing when that is refused."""
    source, _ = read_source(model)
    target = formats()[name]
    for missing in ("as-trained", "never"):
        try:
            draft, _ = drafted(source, target, Path("model"), None, version, None, missing)
            break
        except ArgumentError as error:
            said = str(error)
    else:
        print(f"{kind} to {name} {version or ''}: refused. {said}", file=sys.stderr)
        return
    with quietly():
        parity = tried(source, draft, rows=rows, least=rows)
        few = np.ascontiguousarray(table(ITEMS, missing=source.missing)[0])
        run = runtime(name, draft.files[""], draft.precision)
        works: list[tuple[int, Callable[[], Any]]] = [(5, lambda: source.scores(few))]
        if run is not None:
            works.append((5, lambda: run(few)))
        seconds = best_in_turns(20, *works)
    wrong = parity.wrong_rows + parity.orders_changed + (parity.other_leaves or 0)
    label = f"{kind} to {name}{f' {version}' if version else ''}"
    took = "" if run is None else f", {1e3 * seconds[1]:.2f} ms"
    yield Exported(
        f"{label}: difference {parity.largest_difference:.1e}{took} (model {1e3 * seconds[0]:.2f} ms)",
        wrong,
        parity.rows,
        difference=parity.largest_difference,
        tolerance=parity.tolerance,
        orders=parity.orders_changed,
        near_ties=parity.near_ties,
        seconds=seconds[1] if run is not None else None,
        model_seconds=seconds[0],
        missing=missing if source.missing else "never",
    )


def every_export(only: list[str], to: list[str], trees: int, rows: int) -> Iterator[Exported]:
    """All kinds in all formats that hold them."""
    for kind, fit in models(trees):
        if only and kind not in only:
            continue
        model = fit()
        for name, target in formats().items():
            if to and name not in to:
                continue
            for version in target.versions or (None,):
                yield from exported(kind, model, name, version, rows)


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("--only", nargs="+", default=[], help="these kinds of models")
    parser.add_argument("--to", nargs="+", default=[], help="these formats")
    args = parser.parse_args()
    trees, rows = (60, 20_000) if args.quick else (500, 100_000)
    if not show_losses(every_export(args.only, args.to, trees, rows), as_json=args.json):
        sys.exit(1)


if __name__ == "__main__":
    main()
