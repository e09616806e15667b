"""Parameters of an engine that would be lost, or would break what the ranker promises, are refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import lightgbm as lgb
import numpy as np
import pytest
import xgboost as xgb

from adapters.engine_data import train_and_valid
from rankproof.data.ranking import RankingData
from rankproof.errors import ArgumentError, DataError
from rankproof.fit.trees.ranker import BoostedRanker
from rankproof.fit.trees.unsupported import NEEDS, UNSUPPORTED

TRAIN, VALID = train_and_valid()
HELD_OUT = (VALID.X, VALID.y, VALID.qid)


def fitted(engine: str, X: Any = TRAIN.X, validation: Any = None, **more: Any) -> BoostedRanker:
    settings = {"n_estimators": 5, "threads": 1, "metric": "nDCG@5", **more}
    ranker = BoostedRanker(engine=engine, **settings)
    return ranker.fit(X, TRAIN.y, qid=TRAIN.qid, validation=validation)


@pytest.mark.parametrize(
    ("engine", "parameters", "reason"),
    [
        ("lightgbm", {"lambdarank_truncation_level": 5}, "of LightGBM's own, and would change nothing"),
        ("lightgbm", {"ndcg_eval_at": [5]}, "'ndcg_eval_at', which belongs to losses and metrics"),
        ("lightgbm", {"label_gain": [0, 1]}, "of LightGBM's own"),
        ("lightgbm", {"reg_sqrt": True}, "takes the root of the target"),
        ("lightgbm", {"input_model": "a.txt"}, "on LightGBM's command line"),
        ("lightgbm", {"num_iteration_predict": 2}, "belongs to prediction"),
        ("lightgbm", {"num_machines": 2}, "would not see whole queries"),
        ("lightgbm", {"early_stopping_min_delta": 0.1}, "with its own early stopping only"),
        ("lightgbm", {"subsample": 0.5}, "'bagging_fraction', which does nothing without 'bagging_freq'"),
        ("lightgbm", {"bagging_fraction": "0.5"}, "nothing without 'bagging_freq'"),
        ("lightgbm", {"bagging_fraction": None}, "nothing without 'bagging_freq'"),
        ("lightgbm", {"forcedbins_filename": 3}, "there is no file '3'"),
        ("lightgbm", {"drop_rate": 0.5}, "nothing without 'boosting'"),
        ("lightgbm", {"top_rate": 0.5}, "nothing without 'data_sample_strategy' or 'boosting'"),
        ("lightgbm", {"fs": "no-such-file.json"}, "there is no file 'no-such-file.json'"),
        ("lightgbm", {"bagging_by_query": True}, "grows wrong trees with it"),
        ("lightgbm", {"boost_from_average": True}, "starts a custom objective from 0"),
        ("xgboost", {"scale_pos_weight": 2}, "weighs rows whose target is 1"),
        ("catboost", {"best_model_min_trees": 4}, "keeps other trees than those with the best value"),
        ("catboost", {"eval_fraction": 0.2}, "use validation= in fit"),
        ("catboost", {"custom_loss": ["NDCG"]}, "use metric="),
        ("catboost", {"min_child_samples": 5}, "have no least number of rows of a leaf"),
    ],
)
def test_what_would_be_lost_is_refused(engine: str, parameters: dict[str, Any], reason: str) -> None:
    with pytest.raises(ArgumentError, match=reason):
        fitted(engine, parameters=parameters)


@pytest.mark.parametrize(
    ("more", "parameters"),
    [
        ({}, {"bagging_fraction": 0.5, "bagging_freq": 1}),
        ({}, {"bagging_fraction": 1.0}),
        ({}, {"top_rate": 0.3, "data_sample_strategy": "goss"}),
        ({"loss": "squared"}, {"bagging_by_query": True, "bagging_fraction": 0.5, "bagging_freq": 1}),
        ({"loss": "squared"}, {"boost_from_average": False}),
    ],
)
def test_what_works_is_not(more: dict[str, Any], parameters: dict[str, Any]) -> None:
    assert fitted("lightgbm", parameters=parameters, **more).n_iter_ == 5


def test_every_such_parameter_of_lightgbm_is_one_that_it_knows() -> None:
    known = lgb.basic._ConfigAliases._get_all_param_aliases()
    assert {*UNSUPPORTED["lightgbm"], *NEEDS} <= known.keys()


def test_a_parameter_that_xgboost_does_not_use_is_refused_before_the_second_tree(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with pytest.raises(ArgumentError, match='"nonsense", which XGBoost does not use'):
        fitted("xgboost", parameters={"nonsense": 1}, verbose=2)
    assert "tree 2" not in capsys.readouterr().err


def test_features_that_xgboost_cannot_hold_are_named() -> None:
    large = TRAIN.X.copy()
    large[3, 1] = -1e39
    message = r"Feature 1 \(counted from 0\) of row 3 is -1e\+39; XGBoost holds features in float32"
    with pytest.raises(DataError, match=message):
        fitted("xgboost", large)
    ranker = fitted("xgboost")
    with pytest.raises(DataError, match=message):
        ranker.predict(large)
    with pytest.raises(DataError, match=message):
        ranker.explain(large)


@pytest.mark.parametrize("loss", ["lift", "softmax", "centred-squared", "squared"])
def test_leaves_of_xgboost_have_about_as_many_rows_as_asked_for(loss: str) -> None:
    """Its limit is on second derivatives, which are 1/16 of a row, or 1/8: not on 16 times as many rows."""
    for least in (8, 24):
        ranker = fitted("xgboost", loss=loss, min_data_in_leaf=least, num_leaves=64, n_estimators=1)
        leaf = ranker.booster_.predict(xgb.DMatrix(TRAIN.X), pred_leaf=True)
        smallest = int(np.unique(leaf, return_counts=True)[1].min())
        assert least / 3 <= smallest <= 2.5 * least


def test_shap_values_that_do_not_add_up_are_refused() -> None:
    """CatBoost's, of trees that are not symmetric; LightGBM has none for trees with lines in their leaves."""
    with pytest.raises(ArgumentError, match="SHAP values of this model do not add up to its scores"):
        fitted("catboost", parameters={"grow_policy": "Lossguide"}).explain(TRAIN.X)
    grown = fitted("catboost", parameters={"grow_policy": "SymmetricTree"})
    assert np.abs(grown.explain(TRAIN.X).sum(axis=1) - grown.predict(TRAIN.X)).max() < 1e-12
    with pytest.raises(ArgumentError, match=r"LightGBM cannot explain this model: .*linear trees"):
        fitted("lightgbm", parameters={"linear_tree": True}).explain(TRAIN.X)


def test_validation_data_with_other_features_are_named() -> None:
    held = RankingData(labels=VALID.y, offsets=VALID.offsets, X=VALID.X[:, :2])
    with pytest.raises(ArgumentError, match="validation must have the 4 features of X, got 2"):
        fitted("lightgbm", validation=held)


def test_two_columns_of_one_name_are_refused() -> None:
    import pandas as pd

    with pytest.raises(DataError, match="Columns of a data frame must have different names"):
        fitted("lightgbm", pd.DataFrame(TRAIN.X, columns=["a", "b", "a", "c"]))


def test_a_fitted_model_stays_with_its_engine(tmp_path: Path) -> None:
    """Parameters that are set after fit are for the next one."""
    ranker = fitted("lightgbm")
    scores, shares, parts = ranker.predict(TRAIN.X), ranker.feature_importances_, ranker.explain(TRAIN.X)
    ranker.set_params(engine="xgboost")
    assert ranker.predict(TRAIN.X).tolist() == scores.tolist()
    assert ranker.feature_importances_.tolist() == shares.tolist()
    assert ranker.explain(TRAIN.X).tolist() == parts.tolist()
    with pytest.raises(ArgumentError, match="fitted with engine='lightgbm', and engine is 'xgboost' now"):
        ranker.save(tmp_path / "model")
