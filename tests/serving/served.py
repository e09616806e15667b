"""Models of every kind, saved, for the tests of the `Scorer`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankproof as rp
from fit.made_data import Made, make

DATA: Made = make(queries=60, features=8, longest=15)
NAMES = ("linear", "cv", "minmax", "lightgbm", "xgboost", "catboost")
NETWORKS = tuple(pytest.param(f"neural-{kind}", marks=pytest.mark.torch) for kind in ("both", "standard"))
every_model = pytest.mark.parametrize("name", [*NAMES, *NETWORKS])


def gappy(data: Made = DATA) -> np.ndarray:
    """The features with a twentieth of the numbers missing."""
    X = data.X.copy()
    X[np.random.default_rng(5).random(X.shape) < 0.05] = np.nan
    return X


def ranker(name: str, **more: Any) -> Any:
    """A ranker that is not fitted."""
    if name == "linear":
        return rp.LinearRanker("nDCG@10", loss="squared", **more)
    if name == "cv":
        return rp.LinearRankerCV("nDCG@10", l2s=[1.0, 0.1], folds=2, **more)
    if name == "minmax":
        return rp.LinearRanker("nDCG@10", scale="query-minmax", **more)
    if name.startswith("neural"):
        return rp.NeuralRanker("nDCG@10", hidden=(8, 4), max_iter=3, scale=name.split("-")[1], **more)
    return rp.BoostedRanker("nDCG@10", engine=name, n_estimators=12, num_leaves=8, threads=1, **more)


def rows(name: str) -> np.ndarray:
    """Features that a model of this name can score."""
    return gappy() if name in ("lightgbm", "xgboost", "catboost") else DATA.X


def saved(name: str, folder: Path, **more: Any) -> Any:
    """The fitted ranker, which is in ``folder / name`` as well."""
    fitted = ranker(name, **more).fit(rows(name), DATA.y, DATA.qid)
    fitted.save(folder / name)
    return fitted
