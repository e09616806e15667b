"""Trees as machine code: treelite reads them, tl2cgen writes C, a C compiler does the rest.

The result must give the engine's scores to the last bit, or it is refused. Three things see to it:

- XGBoost adds the trees to its base score one by one, in float32; compiled code adds the base at the end. So
  the base is added to the leaves of the first tree before, which is the same sum.
- Constants of XGBoost's trees are float32, and C would take them for doubles.
- LightGBM takes numbers of up to 1e-35 for 0. And of the float64 numbers compiled code takes a few for
  missing ones; rows with such are left to LightGBM.

Whether it does is measured, on rows with every threshold, its neighbours, NaN and large numbers.
"""

from __future__ import annotations

import json
import re
import shutil
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankproof.arrays import Float64s, Int64s
from rankproof.errors import ArgumentError, MissingDependencyError
from rankproof.fit.boosters.xgboost import check_single
from rankproof.fit.model_files import ModelFiles
from rankproof.forks import fork_safe
from rankproof.optional import reason_of
from rankproof.serving.models import TreeScores
from rankproof.serving.rows import check_codes, check_numbers
from rankproof.threads import thread_count

__all__ = ["CompiledTrees", "parity_rows", "taken_for_missing"]

_ENGINES = ("lightgbm", "xgboost")
_COMPILERS = ("gcc", "clang")
# Constants without a suffix are float32.
_FLOAT32_CONSTANTS = "-fsingle-precision-constant"
_FEWEST_ROWS = 2000
# LightGBM's kZeroThreshold.
_LIGHTGBM_ZERO = float(np.float32(1e-35))
_LARGE = float(np.finfo(np.float32).max)


class CompiledTrees(TreeScores):
    """Trees of LightGBM or XGBoost, applied by machine code that was compared with the engine."""

    def __init__(self, saved: ModelFiles) -> None:
        if saved.kind != "BoostedRanker" or saved.parameters.get("engine") not in _ENGINES:
            what = saved.parameters.get("engine") or saved.kind
            raise ArgumentError(
                f"backend='compiled' is for trees of LightGBM and XGBoost, and this is a model of {what}. "
                "Use backend='engine'."
            )
        super().__init__(saved)
        forest = _as_treelite(str(self.engine), self.booster)
        self.predictor, self.matrix = _compiled(forest, float32=self.engine == "xgboost")
        # tl2cgen's predictors are for one thread at a time.
        self.lock = Lock()
        self._check_parity(forest, int(saved.state["features"]))

    def __call__(self, rows: NDArray[Any], offsets: Int64s) -> Float64s:  # noqa: ARG002
        check_numbers(rows, missing=True)
        check_codes(rows, self.categories)
        return self._compiled_scores(rows)

    @fork_safe
    def _compiled_scores(self, rows: NDArray[Any]) -> Float64s:
        if self.engine == "xgboost":
            check_single(rows)
            return self._applied(rows.astype(np.float32, copy=False))
        # LightGBM takes numbers next to 0 for 0.
        rows = np.where(np.abs(rows) <= _LIGHTGBM_ZERO, 0.0, rows).astype(np.float64, copy=False)
        scores, mistaken = self._applied(rows), taken_for_missing(rows).any(axis=1)
        if mistaken.any():
            scores[mistaken] = self.module.scores(self.booster, rows[mistaken], self.columns)
        return scores

    def _applied(self, rows: NDArray[Any]) -> Float64s:
        matrix = self.matrix(rows)
        with self.lock:
            margins = self.predictor.predict(matrix, pred_margin=True)
        return np.asarray(margins, dtype=np.float64).reshape(-1)

    def _check_parity(self, forest: Any, features: int) -> None:
        rows = parity_rows(json.loads(forest.dump_as_json()), features, self.categories)
        mine = self._compiled_scores(rows)
        theirs = self.module.scores(self.booster, rows, self.columns)
        wrong = ~(mine == theirs)
        if wrong.any():
            most = float(np.abs(mine - theirs)[wrong].max())
            raise ArgumentError(
                f"backend='compiled' is refused: of {rows.shape[0]} rows on and around the thresholds of the "
                f"model, {int(wrong.sum())} get another score than from {self.engine}, by up to {most:.3g}. "
                "Use backend='engine'."
            )


def taken_for_missing(rows: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which numbers compiled code takes for missing ones: those whose lower half has all bits set.

    It marks a missing number by -1 in the memory of its first four bytes, where others have theirs.

    >>> taken_for_missing(np.array([1.0, np.nextafter(1.0, 0.0), np.nan])).tolist()
    [False, True, False]
    """
    lower = rows.view(np.uint64) & np.uint64(0xFFFFFFFF)
    mistaken: NDArray[np.bool_] = lower == 0xFFFFFFFF
    return mistaken


def parity_rows(forest: Any, features: int, categories: Any) -> NDArray[np.float64]:
    """Rows that hold every threshold of a forest and its neighbours in float64 and float32, and NaN.

    ``forest`` is treelite's JSON. Every row takes of every feature one of its values, drawn anew; every value
    is in some row.
    """
    random = np.random.default_rng(0)
    columns = [_values(column, forest, column in categories) for column in range(features)]
    rows = max(_FEWEST_ROWS, *(values.size for values in columns))
    drawn = np.empty((rows, features))
    for column, values in enumerate(columns):
        drawn[:, column] = random.permutation(np.resize(values, rows))
    return drawn


def _values(column: int, forest: Any, categorical: bool) -> NDArray[np.float64]:
    nodes = [
        node for tree in forest["trees"] for node in tree["nodes"] if node.get("split_feature_id") == column
    ]
    if categorical:
        codes = {int(code) for node in nodes for code in node.get("category_list", ())}
        return np.array([*range(max(codes, default=0) + 3), np.nan])
    thresholds = np.unique([node["threshold"] for node in nodes if "threshold" in node])
    single = thresholds.astype(np.float32)
    ways = np.array([-np.inf, np.inf])
    near = [np.nextafter(thresholds, way) for way in ways]
    near32 = [np.nextafter(single, way.astype(np.float32)) for way in ways]
    special = (0.0, -0.0, 1e-40, -1e-40, _LARGE, -_LARGE, np.nan)
    values = np.concatenate([thresholds, single, *near, *near32, special]).astype(np.float64)
    # The engine scores these.
    return values[~taken_for_missing(values)]


def _as_treelite(engine: str, booster: Any) -> Any:
    treelite = _package("treelite")
    try:
        if engine == "lightgbm":
            with tempfile.TemporaryDirectory() as folder:
                file = Path(folder) / "booster.txt"
                file.write_text(_as_regression(booster.model_to_string()), encoding="utf-8")
                return treelite.frontend.load_lightgbm_model(file)
        return treelite.frontend.from_xgboost_json(_base_in_first_tree(bytes(booster.save_raw("json"))))
    except treelite.TreeliteError as error:
        raise ArgumentError(
            f"backend='compiled': treelite cannot read this model of {engine}: {reason_of(error)}. "
            "Use backend='engine'."
        ) from None


def _as_regression(text: str) -> str:
    """A model text that names an objective: readers refuse one that was trained with a function."""
    head, names, rest = text.partition("\nfeature_names=")
    if "\nobjective=" not in head:
        head += "\nobjective=regression"
    return re.sub(
        r"^\[objective: custom\]$", "[objective: regression]", head + names + rest, flags=re.MULTILINE
    )


def _base_in_first_tree(raw: bytes) -> str:
    """XGBoost's model with a base score of 0, and what it was in the leaves of the first tree."""
    model = json.loads(raw)
    learner = model["learner"]
    trees = learner["gradient_booster"].get("model", {}).get("trees", ())
    text = str(learner["learner_model_param"]["base_score"]).strip("[]")
    if trees and "," not in text:
        learner["learner_model_param"]["base_score"] = "0E0"
        base, first = np.float32(text), trees[0]
        for node, left in enumerate(first["left_children"]):
            if left == -1:
                leaf = np.float32(first["split_conditions"][node])
                first["split_conditions"][node] = float(base + leaf)
    return json.dumps(model)


def _compiled(forest: Any, *, float32: bool) -> tuple[Any, Any]:
    """The machine code of a forest, and the class of its rows."""
    tl2cgen = _package("tl2cgen")
    compiler = next((name for name in _COMPILERS if shutil.which(name)), None)
    if compiler is None:
        raise MissingDependencyError(
            f"backend='compiled' needs a C compiler ({' or '.join(_COMPILERS)}), and there is none. "
            "Use backend='engine'."
        )
    # The system keeps a library that is loaded when its file is gone.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder, _quiet():
        library = Path(folder) / "trees.so"
        tl2cgen.export_lib(forest, compiler, library, options=[_FLOAT32_CONSTANTS] if float32 else [])
        return tl2cgen.Predictor(library, nthread=thread_count()), tl2cgen.DMatrix


@contextmanager
def _quiet() -> Iterator[None]:
    """tl2cgen tells what it does, and that it holds another version of treelite than the one installed."""
    with redirect_stdout(StringIO()), redirect_stderr(StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _package(name: str) -> Any:
    from importlib import import_module

    try:
        return import_module(name)
    except ImportError as error:
        raise MissingDependencyError(
            f"backend='compiled' needs the package {name}, which cannot be imported ({error}): "
            f"pip install treelite tl2cgen"
        ) from None
