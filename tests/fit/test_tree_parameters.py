"""The parameters that mean the same in every engine, and the parameters of an engine of its own."""

from __future__ import annotations

from typing import Any

import lightgbm as lgb
import numpy as np
import pytest
import xgboost as xgb

from adapters.engine_data import train_and_valid
from every_case import every_case
from rankproof.errors import ArgumentError
from rankproof.fit.trees import catboost, lightgbm, xgboost
from rankproof.fit.trees.ranker import BoostedRanker

ENGINES = ("lightgbm", "xgboost", "catboost")
TRAIN, VALID = train_and_valid()
every_engine = pytest.mark.parametrize("engine", ENGINES)


def fitted(engine: str, **more: Any) -> BoostedRanker:
    settings = {"n_estimators": 6, "threads": 1, "metric": "nDCG@5", **more}
    return BoostedRanker(engine=engine, **settings).fit(TRAIN.X, TRAIN.y, qid=TRAIN.qid)


def leaves(ranker: BoostedRanker) -> list[int]:
    """How many leaves every tree has, as the engine tells it."""
    booster = ranker.booster_
    if ranker.engine == "catboost":
        return [int(count) for count in booster.get_tree_leaf_counts()]
    frame = booster.trees_to_dataframe()
    tree, is_leaf = (
        ("tree_index", frame.get("left_child")) if ranker.engine == "lightgbm" else ("Tree", frame.get("Yes"))
    )
    return frame[is_leaf.isna()].groupby(tree).size().tolist()


def rows_of_leaves(ranker: BoostedRanker) -> int:
    """How many training rows the smallest leaf of the first tree has."""
    if ranker.engine == "lightgbm":
        which = ranker.booster_.predict(TRAIN.X, pred_leaf=True, num_iteration=1)
    else:
        which = ranker.booster_.predict(xgb.DMatrix(TRAIN.X), pred_leaf=True, iteration_range=(0, 1))
    return int(np.unique(which, return_counts=True)[1].min())


@every_engine
def test_trees_have_as_many_leaves_as_asked_for(engine: str) -> None:
    assert max(leaves(fitted(engine, num_leaves=4))) == 4
    assert max(leaves(fitted(engine, num_leaves=8))) == 8
    assert len(leaves(fitted(engine, n_estimators=9))) == 9


@pytest.mark.parametrize("engine", ["lightgbm", "xgboost"])
def test_leaves_have_as_many_rows_as_asked_for(engine: str) -> None:
    assert rows_of_leaves(fitted(engine, min_data_in_leaf=30, loss="squared")) >= 30
    assert rows_of_leaves(fitted(engine, min_data_in_leaf=2, loss="squared")) < 30


def test_catboost_does_not_split_leaves_of_fewer_rows() -> None:
    by_leaf = {"grow_policy": "Lossguide", "bootstrap_type": "No"}
    assert max(leaves(fitted("catboost", parameters=by_leaf, min_data_in_leaf=TRAIN.y.size))) == 2
    assert max(leaves(fitted("catboost", parameters=by_leaf, min_data_in_leaf=2))) == 16


@every_engine
def test_a_penalty_and_a_learning_rate_shorten_the_steps(engine: str) -> None:
    def spread(**more: Any) -> float:
        return float(np.ptp(fitted(engine, n_estimators=1, **more).predict(TRAIN.X)))

    whole = spread(learning_rate=1.0, l2=0.0)
    assert spread(learning_rate=0.5, l2=0.0) == pytest.approx(whole / 2, rel=1e-5)
    assert spread(learning_rate=1.0, l2=1e4) < whole / 10


@every_engine
def test_what_is_left_out_is_the_default_of_the_engine(engine: str) -> None:
    """Said as None, and said as the number in the documentation of the engine."""
    own = {
        "lightgbm": {"learning_rate": 0.1, "num_leaves": 31, "l2": 0.0, "min_data_in_leaf": 20},
        # Its min_child_weight of 1 is 16 rows: second derivatives are brought to 1 / 16.
        "xgboost": {"learning_rate": 0.3, "l2": 1.0, "min_data_in_leaf": 16, "num_leaves": None},
        "catboost": {"learning_rate": 0.03, "num_leaves": 64, "l2": 3.0, "min_data_in_leaf": 1},
    }[engine]
    none = dict.fromkeys(own)
    # CatBoost else guesses a learning rate from the size of the data.
    none |= {"learning_rate": 0.03} if engine == "catboost" else {}
    assert fitted(engine, **own).predict(VALID.X).tolist() == fitted(engine, **none).predict(VALID.X).tolist()


ONE_SPLIT = {
    "lightgbm": {"max_depth": 1},
    "xgboost": {"max_depth": 1, "max_delta_step": 0.0},
    "catboost": {"grow_policy": "Lossguide", "depth": 1},
}


@every_engine
def test_parameters_of_the_engine_are_passed_through(engine: str) -> None:
    assert set(leaves(fitted(engine, parameters=ONE_SPLIT[engine]))) == {2}


GIVEN = {"lightgbm": lightgbm, "xgboost": xgboost, "catboost": catboost}
TWICE = [
    (engine, name)
    for engine, module in GIVEN.items()
    for word, others in module.ALIASES.items()
    for name in (word, *others)
    if word != "boosting" and not (engine == "catboost" and word in ("max_leaves", "min_data_in_leaf"))
]
TWICE += [("xgboost", "max_leaves"), ("xgboost", "objective"), ("xgboost", "eval_metric")]
TWICE += [("catboost", "eval_metric"), ("catboost", "use_best_model"), ("catboost", "cat_features")]


@every_case(("engine", "name"), TWICE)
def test_a_word_of_ours_is_not_taken_under_another_name(engine: str, name: str) -> None:
    with pytest.raises(ArgumentError, match=f"has '{name}'.* is set from another argument: use "):
        fitted(engine, l2=1.0, min_data_in_leaf=1, parameters={name: 1})


def test_no_other_name_of_lightgbm_is_forgotten() -> None:
    for word, others in lightgbm.ALIASES.items():
        assert lgb.basic._ConfigAliases.get(word) == {word, *others}


def test_two_names_of_one_parameter_are_refused() -> None:
    with pytest.raises(ArgumentError, match="has 'lambda_l2' and 'reg_lambda', which are two names"):
        fitted("lightgbm", parameters={"lambda_l2": 1.0, "reg_lambda": 1.0})
    one = fitted("lightgbm", parameters={"reg_lambda": 3.0})
    assert one.predict(VALID.X).tolist() == fitted("lightgbm", l2=3.0).predict(VALID.X).tolist()


@every_engine
def test_a_parameter_that_the_engine_does_not_know_is_refused(engine: str) -> None:
    with pytest.raises(ArgumentError, match="nonsense"):
        fitted(engine, parameters={"nonsense": 1})


@pytest.mark.parametrize(
    ("engine", "parameters", "reason"),
    [
        ("lightgbm", {"bagging_fraction": 7}, "LightGBM cannot train .*bagging_fraction"),
        ("xgboost", {"subsample": -1}, "XGBoost cannot train .*subsample"),
        ("catboost", {"rsm": 3}, "CatBoost cannot train "),
    ],
)
def test_what_the_engine_refuses_is_told(engine: str, parameters: Any, reason: str) -> None:
    with pytest.raises(ArgumentError, match=reason):
        fitted(engine, parameters=parameters)


@every_engine
@every_case(
    ("more", "message"),
    [
        ({"engine": "forest"}, "engine of BoostedRanker must be one of 'lightgbm', 'xgboost', 'catboost'"),
        ({"n_estimators": 0}, "n_estimators of BoostedRanker must be an int >= 1"),
        ({"learning_rate": 0}, "learning_rate of BoostedRanker must be a finite number > 0 or None"),
        ({"num_leaves": 1}, "num_leaves of BoostedRanker must be an int >= 2"),
        ({"l2": -1}, "l2 of BoostedRanker must be a finite number >= 0 or None"),
        ({"l2": float("nan")}, "l2 of BoostedRanker"),
        ({"min_data_in_leaf": 0}, "min_data_in_leaf of BoostedRanker must be an int >= 1"),
        ({"early_stopping_rounds": 0}, "early_stopping_rounds of BoostedRanker"),
        ({"random_state": -1}, "random_state of BoostedRanker must be an int from 0"),
        ({"random_state": 2**31}, "random_state of BoostedRanker"),
        ({"threads": 0}, "threads must be an int >= 1"),
        ({"parameters": [("a", 1)]}, "parameters of BoostedRanker must be a dict"),
        ({"loss": "sofmax"}, "Did you mean 'softmax'"),
        ({"loss": 3}, "loss must be 'auto', the name of a loss or a loss"),
    ],
)
def test_wrong_parameters_are_named(engine: str, more: dict[str, Any], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        BoostedRanker(**{"engine": engine, **more}).fit(TRAIN.X, TRAIN.y, qid=TRAIN.qid)


@pytest.mark.parametrize(
    ("engine", "more", "message"),
    [
        ("lightgbm", {"parameters": {"boosting": "rf"}}, "random forest"),
        ("lightgbm", {"parameters": {"boosting_type": "dart"}}, "no tree can be the last to keep"),
        ("xgboost", {"parameters": {"booster": "dart"}}, "no tree can be the last to keep"),
        ("xgboost", {"parameters": {"booster": "gblinear"}}, "has no trees. Use LinearRanker"),
        ("xgboost", {"parameters": {"tree_method": "exact"}}, "has no number of leaves"),
        ("catboost", {"num_leaves": 20}, "Take 16 or 32, or grow other trees"),
        ("catboost", {"min_data_in_leaf": 5}, "have no least number of rows"),
        ("catboost", {"loss": "listnet"}, "CatBoost has no loss that is listnet"),
        ("catboost", {"parameters": {"task_type": "GPU"}}, "best_iteration"),
        ("lightgbm", {"loss": "order-preserving(margin=hinge)"}, None),
    ],
)
def test_what_an_engine_cannot_do_is_refused_with_what_would_work(
    engine: str, more: dict[str, Any], message: str | None
) -> None:
    ranker = BoostedRanker(engine=engine, n_estimators=3, threads=1, **more)
    given = {"qid": TRAIN.qid, "validation": (VALID.X, VALID.y, VALID.qid)}
    if message is None:
        assert ranker.fit(TRAIN.X, TRAIN.y, **given).n_iter_ <= 3
        return
    with pytest.raises(ArgumentError, match=message):
        ranker.fit(TRAIN.X, TRAIN.y, **given)


def test_dart_trains_all_its_trees() -> None:
    for engine, word in (("lightgbm", "boosting"), ("xgboost", "booster")):
        assert fitted(engine, parameters={word: "dart"}).n_iter_ == 6


def test_any_generator_is_a_seed() -> None:
    sampled = {"bagging_fraction": 0.5, "bagging_freq": 1}
    states: list[Any] = [np.random.default_rng(1), np.random.RandomState(1), None]
    for state in states:
        assert fitted("lightgbm", random_state=state, parameters=sampled).n_iter_ == 6
    one, two = (
        fitted("lightgbm", random_state=np.random.default_rng(seed), parameters=sampled) for seed in (1, 1)
    )
    assert one.predict(VALID.X).tolist() == two.predict(VALID.X).tolist()
