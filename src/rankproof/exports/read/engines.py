"""Models of LightGBM, XGBoost and CatBoost in memory, trained by whomever, as sources."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankproof.arrays import Float64s
from rankproof.errors import ArgumentError
from rankproof.exports.forms.source import Source
from rankproof.exports.forms.trees import ZERO_BELOW, TreeForm
from rankproof.exports.read.catboost import catboost_form
from rankproof.exports.read.lightgbm import lightgbm_form
from rankproof.exports.read.ubjson import parse_ubjson
from rankproof.exports.read.xgboost import xgboost_form
from rankproof.optional import engine

__all__ = ["catboost_source", "engine_source", "is_engine_model", "lightgbm_source", "xgboost_source"]


def is_engine_model(model: Any) -> bool:
    """Whether this is a model of one of the engines, by the module of its class."""
    return type(model).__module__.split(".")[0] in ("lightgbm", "xgboost", "catboost")


def engine_source(model: Any, names: tuple[str, ...] | None = None) -> Source:
    """The source for a booster, or for the scikit-learn model of an engine that has one."""
    home = type(model).__module__.split(".")[0]
    if home == "lightgbm":
        booster = getattr(model, "booster_", model)
        return lightgbm_source(booster.model_to_string(num_iteration=booster.best_iteration or None), names)
    if home == "xgboost":
        value = getattr(model, "missing", np.nan)
        if not np.isnan(value):
            raise ArgumentError(
                f"The model takes {value!r} for a missing value (missing={value!r}); no format here does "
                f"so, since it "
                "is not in the model but in how its data are read. Train with missing=nan, and NaN for "
                "what is missing."
            )
        booster = model.get_booster() if hasattr(model, "get_booster") else model
        best = booster.attr("best_iteration")
        # The scikit-learn models predict with the trees up to the best.
        if booster is not model and best is not None:
            booster = booster[: int(best) + 1]
        return xgboost_source(bytes(booster.save_raw("ubj")), names)
    return catboost_source(model, names)


def lightgbm_source(text: str, names: tuple[str, ...] | None = None) -> Source:
    """The source for a model text; predictions are LightGBM's where it is installed."""
    form = renamed(lightgbm_form(text), names)
    lgb = engine("lightgbm")
    booster = lgb.Booster(model_str=text)
    share = len(form.trees) if "\naverage_output\n" in text.split("\nTree=")[0] else 1

    def scores(X: NDArray[Any]) -> Float64s:
        raw = booster.predict(np.asarray(X, dtype=np.float64), raw_score=True, num_threads=1)
        return np.asarray(raw, dtype=np.float64) / share

    return Source(form, scores, f"LightGBM {lgb.__version__}", tiny=ZERO_BELOW)


def xgboost_source(raw: bytes, names: tuple[str, ...] | None = None) -> Source:
    """The source for a model file, JSON or binary."""
    try:
        document = (
            json.loads(raw) if raw[:2].strip()[-1:] == b'"' or raw[1:2].isspace() else parse_ubjson(raw)
        )
    except (ValueError, RecursionError) as error:
        if isinstance(error, ArgumentError):
            raise
        raise ArgumentError(f"The file is not JSON, or it is cut off ({error}).") from None
    form = renamed(xgboost_form(document), names)
    xgb = engine("xgboost")
    booster = xgb.Booster()
    booster.load_model(bytearray(raw))
    booster.set_param({"nthread": 1})
    kinds = ["c" if column in form.categorical else "q" for column in range(form.features)]

    def scores(X: NDArray[Any]) -> Float64s:
        data = xgb.DMatrix(
            np.asarray(X, dtype=np.float32), feature_types=kinds, enable_categorical=True, nthread=1
        )
        return np.asarray(
            booster.predict(data, output_margin=True, validate_features=False), dtype=np.float64
        )

    return Source(form, scores, f"XGBoost {xgb.__version__}", infinite=False)


def catboost_source(model: Any, names: tuple[str, ...] | None = None) -> Source:
    """The source for a model of CatBoost in memory."""
    cb = engine("catboost")
    if model.get_cat_feature_indices():
        # Its JSON cannot be written without the pool of training.
        raise ArgumentError(
            "The model of CatBoost has categorical features: it reads hashes or statistics of the "
            "training data "
            "instead of codes, which no format here holds. Train with numbers, or with engine='lightgbm' "
            "or 'xgboost', "
            "whose categories can be exported; or serve it by CatBoost."
        )
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "model.json"
        model.save_model(str(file), format="json")
        document = json.loads(file.read_bytes())
    form = catboost_form(document, names or tuple(model.feature_names_))

    def scores(X: NDArray[Any]) -> Float64s:
        data = np.asarray(X, dtype=np.float32)
        return np.asarray(
            model.predict(data, prediction_type="RawFormulaVal", thread_count=1), dtype=np.float64
        )

    return Source(form, scores, f"CatBoost {cb.__version__}")


def renamed(form: TreeForm, names: tuple[str, ...] | None) -> TreeForm:
    """The form with other names of its features."""
    from dataclasses import replace

    if names is None:
        return form
    if len(names) != form.features:
        raise ArgumentError(f"{len(names)} names do not fit the {form.features} features of the model.")
    return replace(form, names=names)
