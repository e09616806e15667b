"""What an engine would drop, or do wrong, beside our objectives and metrics is refused with the reason."""

from __future__ import annotations

from typing import Any

import catboost as cb
import lightgbm as lgb
import numpy as np
import pytest
import xgboost as xgb

from adapters.engine_data import CATBOOST, LIGHTGBM, XGBOOST, Ranked, ranked, train_and_valid
from rankproof.adapters import catboost, lightgbm, xgboost
from rankproof.adapters.engine_data import offsets_from_sizes
from rankproof.adapters.regression import regression_target
from rankproof.errors import ArgumentError, ConsistencyWarning

TRAIN, VALID = train_and_valid()
OTHER = ranked(9, seed=5)


# LightGBM


def by_lightgbm(data: Any, **more: Any) -> Any:
    return lgb.train({**LIGHTGBM, **lightgbm.parameters("nDCG@5"), **more}, data, 3)


def test_positions_which_only_lambdarank_reads_are_refused() -> None:
    places = np.concatenate([np.arange(size) for size in TRAIN.sizes])
    data = lgb.Dataset(TRAIN.X, TRAIN.y, group=TRAIN.sizes, position=places)
    with pytest.raises(ArgumentError, match="position=, which only LightGBM's lambdarank reads"):
        by_lightgbm(data)


def test_lightgbm_does_not_draw_queries_for_an_objective_of_ones_own() -> None:
    """With it, squares as an objective of one's own do not give the model of LightGBM's regression (4.7)."""
    drawn = {"bagging_by_query": True, "bagging_fraction": 0.5, "bagging_freq": 1}
    data = lgb.Dataset(TRAIN.X, TRAIN.y, group=TRAIN.sizes, free_raw_data=False)
    with pytest.raises(ArgumentError, match="then grows wrong trees"):
        by_lightgbm(data, **drawn)
    with pytest.raises(ArgumentError, match="then grows wrong trees"):
        lgb.cv({**LIGHTGBM, **lightgbm.parameters("nDCG@5"), **drawn}, data, 3, nfold=2)
    whole = lgb.Dataset(TRAIN.X, TRAIN.y, group=TRAIN.sizes)
    assert by_lightgbm(whole, bagging_by_query=False).num_trees() == 3


# XGBoost


def matrix(data: Ranked, **more: Any) -> Any:
    return xgb.DMatrix(data.X, **{"label": data.y, "group": data.sizes, **more})


def by_xgboost(rounds: int = 8, watched: Any = None, *, save_best: bool = False, **more: Any) -> Any:
    held = matrix(VALID) if watched is None else watched
    stop = xgboost.early_stopping("nDCG@5", held, rounds=3, save_best=save_best)
    settings = {**XGBOOST, **xgboost.parameters(), **more}
    if more.get("booster") == "gblinear":
        settings.pop("max_depth")
    return xgb.train(
        settings, matrix(TRAIN), rounds, obj=xgboost.objective("nDCG@5"), callbacks=[stop], verbose_eval=False
    )


def test_the_best_model_knows_its_round_and_its_value() -> None:
    whole, cut = by_xgboost(), by_xgboost(save_best=True)
    assert cut.num_boosted_rounds() == whole.best_iteration + 1
    assert cut.best_iteration == whole.best_iteration
    assert cut.best_score == whole.best_score == VALID.value(cut.predict(matrix(VALID)), "nDCG@5")


def test_no_rounds_leave_nothing_to_cut() -> None:
    assert by_xgboost(0, save_best=True).num_boosted_rounds() == 0


@pytest.mark.filterwarnings("ignore:.*booster=dart")  # deprecated in XGBoost 3.4
@pytest.mark.parametrize(
    ("parameters", "reason"),
    [
        ({"booster": "dart", "rate_drop": 0.5}, "the model of the best round is lost"),
        ({"booster": "gblinear"}, "has no trees"),
    ],
)
def test_only_trees_that_stay_can_be_cut_after_the_best_round(
    parameters: dict[str, object], reason: str
) -> None:
    with pytest.raises(ArgumentError, match=reason):
        by_xgboost(**parameters)


def test_a_matrix_without_labels_is_named() -> None:
    data = xgb.DMatrix(TRAIN.X, group=TRAIN.sizes)
    with pytest.raises(ArgumentError, match=r"The DMatrix has no labels\. Give label="):
        xgb.train(XGBOOST, data, 1, obj=xgboost.objective("nDCG@5"))
    with pytest.raises(ArgumentError, match=r"The DMatrix has no labels\. Give label="):
        by_xgboost(watched=xgb.DMatrix(VALID.X, group=VALID.sizes))


# CatBoost


def pool(data: Ranked, **more: Any) -> Any:
    return catboost.pool("nDCG@5", data.X, data.y, group=data.sizes, **more)


def by_catboost(known: list[Any], learn: Any, sets: Any, **more: Any) -> Any:
    settings = {**CATBOOST, **catboost.parameters("nDCG@5"), "early_stopping_rounds": 5, **more}
    settings["eval_metric"] = catboost.eval_metric("nDCG@5", *known)
    return cb.CatBoost(settings).fit(learn, eval_set=sets)


def test_the_set_that_catboost_goes_by_must_be_known() -> None:
    """It is the last. Told 0 for ever, CatBoost would stop at once and keep one tree."""
    learn, held, other = pool(TRAIN), pool(VALID), pool(OTHER)
    alone = by_catboost([held], learn, held)
    assert by_catboost([held], learn, [other, held]).tree_count_ == alone.tree_count_ > 1
    assert by_catboost([held, other, learn], learn, [other, held]).tree_count_ == alone.tree_count_
    for known, sets in (([held], [held, other]), ([held], other), ([learn], held), ([other], [other, held])):
        with pytest.raises(cb.CatBoostError, match="does not evaluate on last"):
            by_catboost(known, learn, sets)


def test_training_data_may_be_left_out_of_some_iterations() -> None:
    learn, held, other = pool(TRAIN), pool(VALID), pool(OTHER)
    more = {"metric_period": 3, "use_best_model": False, "early_stopping_rounds": None}
    found = by_catboost([held], learn, [other, held], **more)
    assert set(found.get_evals_result()["validation_0"]["nDCG@5"]) == {0.0}
    last = found.get_evals_result()["validation_1"]["nDCG@5"][-1]
    assert last == pytest.approx(VALID.value(found.predict(VALID.X), "nDCG@5"), rel=1e-12)


@pytest.mark.parametrize("name", ["pairs", "pairs_weight", "subgroup_id", "graph"])
def test_what_the_losses_do_not_read_is_no_part_of_a_pool(name: str) -> None:
    with pytest.raises(ArgumentError, match=f"Argument {name} of the Pool is not read by the losses here"):
        pool(TRAIN, **{name: [[0, 1]]})


def test_best_iteration_names_what_is_wrong() -> None:
    with pytest.raises(ArgumentError, match="must be a model with trees: fit it first"):
        catboost.best_iteration(cb.CatBoost(CATBOOST), pool(VALID), "nDCG@5")
    with pytest.raises(ArgumentError, match="every of best_iteration must be an int >= 1, got 0"):
        catboost.best_iteration(cb.CatBoost(CATBOOST), pool(VALID), "nDCG@5", every=0)
    with pytest.raises(ArgumentError, match="behind this Ranked are not known"):
        catboost.eval_metric("nDCG@5", VALID)


# All of them


@pytest.mark.parametrize(
    ("sizes", "message"),
    [
        ([4, -1], "a group of -1 rows at 1: sizes are whole numbers >= 0"),
        ([1.5, 1.5], "a group of 1.5 rows at 0"),
        ([np.nan, 3], "a group of nan rows at 0"),
        ("abc", "group must be a sequence of numbers"),
        ([[1, 1], [1, 0]], "group must be one-dimensional"),
    ],
)
def test_group_sizes_are_whole_numbers(sizes: Any, message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        offsets_from_sizes(sizes, 3, "The data")


def test_plain_regression_warns_of_squared_loss_and_of_no_other() -> None:
    with pytest.warns(ConsistencyWarning, match="The choice is squared:relevance"):
        regression_target("AP", [1, 0, 2], group=[3])
