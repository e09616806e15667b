"""Engine helpers that split rows: every part has whole queries, or the split is refused."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import catboost as cb
import lightgbm as lgb
import numpy as np
import pytest
import xgboost as xgb
from numpy.typing import NDArray
from sklearn.model_selection import GridSearchCV, KFold, cross_val_score

from adapters.engine_data import CATBOOST, LIGHTGBM, XGBOOST, Ranked, ranked
from rankproof.adapters import catboost, lightgbm, xgboost
from rankproof.data.split import QueryKFold
from rankproof.errors import ArgumentError

DATA = ranked()
CUT = "cuts queries apart"
INSIDE = int(DATA.offsets[20]) + 1  # a row within query 20
NUMBERED = np.arange(DATA.y.size) / 1024  # labels by which a row is recognised, exact in float32


def dataset(data: Ranked = DATA, **more: Any) -> Any:
    return lgb.Dataset(data.X, **{"label": data.y, "group": data.sizes, "free_raw_data": False, **more})


def cross_validated(data: Any, **more: Any) -> Any:
    return lgb.cv(
        {**LIGHTGBM, **lightgbm.parameters("nDCG@5")},
        data,
        **{"num_boost_round": 4, "nfold": 3, "feval": lightgbm.eval_metric("nDCG@5"), **more},
    )


def has_whole_queries(rows: NDArray[np.int64], data: Ranked = DATA) -> bool:
    kept = np.bincount(data.qid[rows], minlength=data.sizes.size)
    return bool(((kept == 0) | (kept == data.sizes)).all())


# LightGBM


@pytest.mark.filterwarnings("ignore:The groups parameter is ignored by KFold")
@pytest.mark.parametrize(
    "split",
    [
        {"stratified": False},
        {"stratified": False, "shuffle": False},
        {"stratified": True},
        {"folds": KFold(3)},
        {"folds": [(np.arange(INSIDE, DATA.y.size), np.arange(INSIDE))]},
    ],
    ids=["shuffled", "in order", "stratified", "a splitter without groups", "rows"],
)
def test_folds_of_lightgbm_that_cut_queries_are_refused(split: dict[str, Any]) -> None:
    with pytest.raises(ArgumentError, match=rf"{CUT}.*folds=rankproof\.QueryKFold"):
        cross_validated(dataset(), **split)


def test_the_metric_alone_refuses_cut_queries_too() -> None:
    with pytest.raises(ArgumentError, match=rf"evaluated Dataset {CUT}"):
        lgb.cv(
            {**LIGHTGBM, "objective": "regression", "metric": "None"},
            dataset(),
            2,
            nfold=3,
            stratified=False,
            feval=lightgbm.eval_metric("nDCG@5"),
        )


def test_folds_of_whole_queries_give_the_numbers_of_folds_trained_by_hand() -> None:
    splitter = QueryKFold(3)
    found = cross_validated(dataset(), folds=splitter, return_cvbooster=True)
    for booster in found["cvbooster"].boosters:
        assert has_whole_queries(np.array(booster.train_set.used_indices))
    by_hand = []
    for train, test in splitter.split(groups=DATA.qid):
        assert has_whole_queries(train)
        assert has_whole_queries(test)
        parts = [Ranked(DATA.X[rows], DATA.y[rows], sizes_of(rows)) for rows in (train, test)]
        # Folds share the bins of the whole data set.
        model = lgb.train(
            {**LIGHTGBM, **lightgbm.parameters("nDCG@5")}, dataset(parts[0], reference=dataset()), 4
        )
        by_hand.append(parts[1].value(model.predict(parts[1].X), "nDCG@5"))
    assert found["valid nDCG@5-mean"][-1] == pytest.approx(np.mean(by_hand), abs=1e-12)


def sizes_of(rows: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.unique(DATA.qid[rows], return_counts=True)[1]


def test_a_subset_of_a_dataset_has_whole_queries() -> None:
    whole, settings = dataset(), {**LIGHTGBM, **lightgbm.parameters("nDCG@5")}
    edge = int(DATA.offsets[20])
    assert lgb.train(settings, whole.subset(list(range(edge))), 2).num_trees() == 2
    with pytest.raises(ArgumentError, match=rf"{CUT}.*query 20 .*{DATA.sizes[20]} rows"):
        lgb.train(settings, whole.subset(list(range(INSIDE))), 2)
    # A part of a part: its parent was cut, whatever it holds of that.
    cut = whole.subset(list(range(INSIDE)))
    with pytest.raises(ArgumentError, match=CUT):
        lgb.train(settings, cut.subset(list(range(INSIDE))), 2)
    held = whole.subset(list(range(edge, DATA.y.size - 1)))
    with pytest.raises(ArgumentError, match=rf"evaluated Dataset {CUT}"):
        lgb.train(
            settings,
            whole.subset(list(range(edge))),
            2,
            valid_sets=[held],
            feval=lightgbm.eval_metric("nDCG@5"),
        )


def test_lightgbms_ranker_cannot_be_cross_validated_by_scikit_learn() -> None:
    """Its groups are sizes, not one number per row, so no split of scikit-learn can take a part of them."""
    model = lgb.LGBMRanker(n_estimators=2, **LIGHTGBM, **lightgbm.parameters("nDCG@5"))
    folds = QueryKFold(3)
    with pytest.raises(ValueError, match=r"group|query counts"):
        cross_val_score(model, DATA.X, DATA.y, groups=DATA.qid, cv=folds, scoring="r2", error_score="raise")
    with pytest.raises((ValueError, lgb.basic.LightGBMError)):
        cross_val_score(
            model,
            DATA.X,
            DATA.y,
            groups=DATA.qid,
            cv=folds,
            params={"group": DATA.sizes},
            scoring="r2",
            error_score="raise",
        )
    with pytest.raises((ValueError, lgb.basic.LightGBMError)):
        GridSearchCV(model, {"num_leaves": [3]}, cv=folds, scoring="r2", error_score="raise").fit(
            DATA.X, DATA.y, groups=DATA.qid, group=DATA.sizes
        )


# XGBoost


def matrix(**more: Any) -> Any:
    return xgb.DMatrix(DATA.X, **{"label": NUMBERED, "group": DATA.sizes, **more})


def watched(seen: list[Any]) -> Callable[[Any, Any], Any]:
    """Our objective, which keeps what it was handed."""
    ours = xgboost.objective("nDCG@5")

    def objective(scores: Any, data: Any) -> Any:
        seen.append(data)
        return ours(scores, data)

    return objective


def test_folds_of_xgboost_have_whole_queries() -> None:
    seen: list[Any] = []
    xgb.cv({**XGBOOST, **xgboost.parameters()}, matrix(), 1, nfold=3, obj=watched(seen))
    assert len(seen) == 3
    for part in seen:
        rows = np.rint(part.get_label() * 1024).astype(int)
        assert has_whole_queries(rows)
        starts = part.get_uint_info("group_ptr").astype(int)
        for low, high in pairwise(starts):
            assert np.unique(DATA.qid[rows[low:high]]).size == 1


@pytest.mark.parametrize(
    "split", [{"stratified": True}, {"folds": [(np.arange(INSIDE, DATA.y.size), np.arange(INSIDE))]}], ids=str
)
def test_xgboost_refuses_folds_of_rows(split: dict[str, Any]) -> None:
    data = matrix(label=DATA.y)
    with pytest.raises((xgb.core.XGBoostError, ValueError), match=r"group|n_splits"):
        xgb.cv({**XGBOOST, **xgboost.parameters()}, data, 1, obj=xgboost.objective("nDCG@5"), **split)


def test_a_slice_of_a_matrix_has_no_groups_and_is_refused() -> None:
    part = matrix(label=DATA.y).slice(list(range(20)), allow_groups=True)
    with pytest.raises(ArgumentError, match="The DMatrix has no groups"):
        xgb.train(XGBOOST, part, 1, obj=xgboost.objective("nDCG@5"))


def test_xgboosts_folds_lose_the_weights_of_queries() -> None:
    """So the page on XGBoost says: not with weights. When this fails, XGBoost has repaired it."""
    seen: list[Any] = []
    data = matrix(weight=np.arange(DATA.sizes.size) + 1.0)
    xgb.cv({**XGBOOST, **xgboost.parameters()}, data, 1, nfold=3, obj=watched(seen))
    assert all(part.get_weight().size == 0 for part in seen)


def test_weights_of_items_are_not_taken_for_those_of_a_fold() -> None:
    weighted = xgboost.objective("nDCG@5", "squared", item_weight=np.ones(DATA.y.size))
    with pytest.raises(ArgumentError, match="item_weight must have"):
        xgb.cv({**XGBOOST, **xgboost.parameters()}, matrix(label=DATA.y), 1, nfold=3, obj=weighted)


# CatBoost


class Watched:
    """A metric that keeps the rows it is handed."""

    no_jit = True

    def __init__(self) -> None:
        self.rows: list[NDArray[np.int64]] = []

    def __deepcopy__(self, _known: Any) -> Watched:
        # CatBoost copies its parameters.
        return self

    def is_max_optimal(self) -> bool:
        return True

    def get_final_error(self, error: float, weight: float) -> float:  # noqa: ARG002
        return error

    def evaluate(self, approxes: Any, target: Any, weight: Any) -> tuple[float, float]:  # noqa: ARG002
        self.rows.append(np.rint(np.asarray(target) * 1024).astype(int))
        return 0.0, 1.0


SETTINGS = {name: value for name, value in CATBOOST.items() if name != "verbose"} | {
    "iterations": 2,
    "logging_level": "Silent",
    # Its cross-validation makes folders there, even if it may not write files.
    "train_dir": str(Path(tempfile.gettempdir(), "catboost_info")),
}


def pool(loss: str = "auto") -> Any:
    return catboost.pool("DCG(gain=linear)", DATA.X, NUMBERED, group=DATA.sizes, loss=loss)


@pytest.mark.parametrize("helper", ["cv", "eval_fraction"])
@pytest.mark.parametrize("loss", ["centred-squared", "softmax", "squared"])
def test_splits_of_catboost_have_whole_queries(helper: str, loss: str) -> None:
    found = Watched()
    settings = {**SETTINGS, **catboost.parameters("DCG(gain=linear)", loss), "eval_metric": found}
    if helper == "cv":
        cb.cv(pool(loss), settings, fold_count=3)
    else:
        cb.CatBoost({**settings, "eval_fraction": 0.3, "use_best_model": False}).fit(pool(loss))
    assert found.rows
    assert all(has_whole_queries(rows) for rows in found.rows)
    assert any(rows.size < DATA.y.size for rows in found.rows)


def test_catboost_refuses_folds_and_slices_that_cut_queries() -> None:
    settings = {**SETTINGS, **catboost.parameters("DCG(gain=linear)")}
    rows = np.arange(DATA.y.size)
    with pytest.raises(cb.CatBoostError, match="same group id must be in the same fold"):
        cb.cv(pool(), settings, folds=[(rows[INSIDE:], rows[:INSIDE]), (rows[:INSIDE], rows[INSIDE:])])
    with pytest.raises(cb.CatBoostError, match="group size"):
        pool().slice(list(range(INSIDE)))


@pytest.mark.parametrize("helper", ["cv", "eval_fraction"])
def test_the_exact_metric_is_not_computed_on_a_part_of_its_pool(helper: str) -> None:
    """A fold is a pool that CatBoost made: its queries are not known, so the metric has no value on it."""
    data = pool()
    settings = {
        **SETTINGS,
        **catboost.parameters("DCG(gain=linear)"),
        "eval_metric": catboost.eval_metric("DCG(gain=linear)", data),
    }
    split = {
        "cv": lambda: cb.cv(data, settings, fold_count=3),
        "eval_fraction": lambda: cb.CatBoost({**settings, "eval_fraction": 0.3}).fit(data),
    }[helper]
    with pytest.raises(cb.CatBoostError, match="does not evaluate on last"):
        split()
