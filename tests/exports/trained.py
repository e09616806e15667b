"""Small models of every kind, with missing values, categories and large numbers, and their features."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankproof.exports.export import drafted, tried
from rankproof.exports.formats import formats
from rankproof.exports.forms.draft import Draft
from rankproof.exports.forms.source import Source
from rankproof.exports.parity import Parity
from rankproof.exports.read.files import read_source

FEATURES = 6
CATEGORICAL = [4, 5]
NAMES = [f"x{column}" for column in range(FEATURES)]
TREES = 12


@cache
def table(*, missing: bool = True) -> tuple[NDArray[Any], NDArray[Any]]:
    """Features, of which the third has large numbers and the last two categories, and a label."""
    random = np.random.default_rng(7)
    X = random.normal(size=(2000, FEATURES))
    X[:, 3] *= 1e9
    X[:, 4], X[:, 5] = random.integers(0, 40, 2000), random.integers(0, 5, 2000)
    y = X[:, 0] + X[:, 4] % 7 + X[:, 1] * X[:, 2] + X[:, 3] / 1e9 + random.normal(size=2000)
    if missing:
        X[random.random(X.shape) < 0.1] = np.nan
    return X, y


@cache
def lightgbm_model(*, missing: bool = True, categories: bool = True, **parameters: Any) -> Any:
    import lightgbm as lgb

    X, y = table(missing=missing)
    told = {
        "objective": "regression",
        "num_leaves": 15,
        "min_data_in_leaf": 5,
        "verbosity": -1,
        "num_threads": 1,
    }
    data = lgb.Dataset(X, y, categorical_feature=CATEGORICAL if categories else [])
    extra = {"max_cat_to_onehot": 3, "min_data_per_group": 5} if categories else {}
    return lgb.train({**told, **extra, **parameters}, data, TREES)


@cache
def xgboost_model(*, missing: bool = True, categories: bool = True, **parameters: Any) -> Any:
    import xgboost as xgb

    X, y = table(missing=missing)
    kinds = ["c" if categories and column in CATEGORICAL else "q" for column in range(FEATURES)]
    if "binary" in str(parameters.get("objective")):
        y = (y > 1).astype(float)
    data = xgb.DMatrix(X, y, feature_types=kinds, enable_categorical=True)
    return xgb.train({"max_depth": 5, "max_cat_to_onehot": 3, "nthread": 1, **parameters}, data, TREES)


@cache
def catboost_model(grow_policy: str = "SymmetricTree", nan_mode: str = "Min") -> Any:
    import catboost as cb

    X, y = table()
    model = cb.CatBoostRegressor(
        iterations=TREES,
        depth=5,
        verbose=0,
        grow_policy=grow_policy,
        nan_mode=nan_mode,
        allow_writing_files=False,
        thread_count=1,
        # Large steps: a bias that is not 0, and leaves of several sizes.
        learning_rate=0.3,
    )
    return model.fit(X, y)


MODELS = {
    "lightgbm": lambda: lightgbm_model(categories=False),
    "lightgbm-full": lambda: lightgbm_model(missing=False, categories=False),
    "lightgbm-categories": lightgbm_model,
    "lightgbm-dart": lambda: lightgbm_model(boosting="dart"),
    "xgboost": lambda: xgboost_model(categories=False),
    "xgboost-categories": xgboost_model,
    "xgboost-dart": lambda: xgboost_model(booster="dart", rate_drop=0.3),
    "xgboost-logistic": lambda: xgboost_model(categories=False, objective="binary:logistic"),
    "catboost": catboost_model,
    "catboost-lossguide": lambda: catboost_model("Lossguide", "Max"),
}


def draft_of(model: Any, name: str, **more: Any) -> tuple[Source, Draft]:
    """The source of a model, and what a format would get."""
    from pathlib import Path

    source, _ = read_source(model)
    draft, _ = drafted(source, formats()[name], Path("model"), NAMES, **more)
    return source, draft


def parity_of(model: Any, name: str, **more: Any) -> Parity:
    """How a format compares with a model on the rows made for it."""
    return tried(*draft_of(model, name, **more))
