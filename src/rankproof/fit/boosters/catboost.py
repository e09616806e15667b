"""Fitted models of CatBoost."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankproof.arrays import Float64s
from rankproof.fit.matrix import as_dense, sparse_as_matrix
from rankproof.optional import engine
from rankproof.threads import thread_count

__all__ = ["FILE", "as_rows", "dump", "load", "scores"]

FILE = "booster.cbm"
# Up to so many rows a table of Python objects is made sooner than a data frame.
_FEW_ROWS = 1024


def as_rows(X: Any, categorical: tuple[int, ...]) -> Any:
    """Features as a pool takes them; with categories, which are text, in a table of mixed columns."""
    if not categorical:
        return sparse_as_matrix(X)
    if X.shape[0] > _FEW_ROWS:
        with suppress(ImportError):
            return _as_frame(as_dense(X), categorical)
    mixed = as_dense(X).astype(object)
    for column in categorical:
        mixed[:, column] = _texts(mixed[:, column].astype(np.float64))
    return mixed


def _as_frame(dense: NDArray[Any], categorical: tuple[int, ...]) -> Any:
    import pandas as pd

    columns: dict[int, Any] = {column: dense[:, column] for column in range(dense.shape[1])}
    for column in categorical:
        columns[column] = _texts(dense[:, column])
    return pd.DataFrame(columns)


def _texts(codes: NDArray[Any]) -> NDArray[Any]:
    """Categories as CatBoost is told them: the text of the code, -1 for a missing one."""
    texts = np.where(np.isnan(codes), -1, codes).astype(np.int64).astype(np.str_)
    return texts.astype(object)


def scores(model: Any, X: Any, categorical: tuple[int, ...]) -> Float64s:
    """The score of every row."""
    data = as_rows(X, categorical)
    if categorical:
        pool = engine("catboost").Pool
        data = pool(data, cat_features=list(categorical), feature_names=model.feature_names_)
    raw = model.predict(data, prediction_type="RawFormulaVal", thread_count=thread_count())
    return np.asarray(raw, dtype=np.float64)


def dump(model: Any) -> bytes:
    """CatBoost's binary model."""
    import tempfile
    from pathlib import Path

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / FILE
        model.save_model(str(file))
        return file.read_bytes()


def load(raw: bytes) -> Any:
    """A model from its bytes."""
    return engine("catboost").CatBoost().load_model(blob=raw)
