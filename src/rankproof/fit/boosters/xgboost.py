"""Fitted models of XGBoost.

What a sparse matrix does not store XGBoost takes for missing, so it is made dense.
"""

from __future__ import annotations

from threading import Lock
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from rankproof.arrays import Float64s
from rankproof.errors import ArgumentError, DataError
from rankproof.fit.matrix import as_dense
from rankproof.forks import fork_safe
from rankproof.optional import engine, reason_of
from rankproof.threads import thread_count

__all__ = ["FILE", "as_dmatrix", "check_single", "dump", "load", "on_threads", "scores"]

FILE = "booster.ubj"
_LARGEST = float(np.finfo(np.float32).max)

# A booster has its number of threads as a parameter, and setting one costs more than to score a query.
_THREADS: WeakKeyDictionary[Any, int] = WeakKeyDictionary()
_SETTING = Lock()


def as_dmatrix(
    X: Any, categorical: tuple[int, ...], names: tuple[str, ...] | None = None, **more: Any
) -> Any:
    """Features as XGBoost holds them."""
    dense = as_dense(X)
    kinds = (
        ["c" if column in categorical else "q" for column in range(dense.shape[1])] if categorical else None
    )
    xgb = engine("xgboost")
    try:
        return xgb.DMatrix(
            dense,
            nthread=thread_count(),
            feature_types=kinds,
            enable_categorical=bool(categorical),
            feature_names=None if names is None else list(names),
            **more,
        )
    except xgb.core.XGBoostError as error:
        _refuse_too_large(dense)
        raise ArgumentError(f"XGBoost cannot read these features: {reason_of(error)}.") from None


def _refuse_too_large(dense: Any) -> None:
    row, column = (int(at[0]) if at.size else -1 for at in np.nonzero(np.abs(dense) > _LARGEST))
    if row >= 0:
        raise DataError(
            f"Feature {column} (counted from 0) of row {row} is {dense[row, column]:g}; XGBoost holds "
            f"features in float32, up to {_LARGEST:.2g}. Scale the feature, or leave it out."
        ) from None


def check_single(dense: Any) -> None:
    """Raise `DataError` for a number that float32 cannot hold: XGBoost would read it as infinite."""
    if dense.dtype != np.float32 and not (
        np.fmax.reduce(dense, axis=None, initial=0.0) <= _LARGEST
        and np.fmin.reduce(dense, axis=None, initial=0.0) >= -_LARGEST
    ):
        _refuse_too_large(dense)


def on_threads(model: Any) -> None:
    """Make a booster work on as many threads as there are to be."""
    threads = thread_count()
    if _THREADS.get(model) == threads:
        return
    with _SETTING:
        model.set_param({"nthread": threads})
        _THREADS[model] = threads


@fork_safe
def scores(model: Any, X: Any, categorical: tuple[int, ...]) -> Float64s:  # noqa: ARG001
    """The score of every row; its own thresholds tell XGBoost which columns are categories."""
    on_threads(model)
    dense = as_dense(X)
    check_single(dense)
    margins = model.inplace_predict(dense, predict_type="margin", validate_features=False)
    return np.asarray(margins, dtype=np.float64)


@fork_safe
def dump(model: Any) -> bytes:
    """XGBoost's model in its binary form of JSON."""
    return bytes(model.save_raw("ubj"))


@fork_safe
def load(raw: bytes) -> Any:
    """A booster from its bytes."""
    model = engine("xgboost").Booster()
    model.load_model(bytearray(raw))
    return model
