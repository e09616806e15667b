"""XGBoost with our objective and metric: the same models as its own losses where they coincide."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
import xgboost as xgb

from adapters.engine_data import XGBOOST, Ranked, best_of, ranked, train_and_valid
from every_case import every_case
from properties.strategies import ALL_VARIANTS
from rankproof.adapters import xgboost as ours
from rankproof.errors import ArgumentError, ConsistencyWarning
from rankproof.losses.parse import loss
from rankproof.metrics import Metric
from rankproof.metrics.parse import metric

SETTINGS = {**XGBOOST, **ours.parameters()}


def matrix(data: Ranked, **more: Any) -> Any:
    return xgb.DMatrix(data.X, **{"label": data.y, "group": data.sizes, **more})


def test_squared_loss_gives_the_model_of_xgboosts_regression() -> None:
    data = ranked()
    gains = np.exp2(data.y) - 1  # the target of DCG, which float32 holds exactly
    settings = {**SETTINGS, "base_score": 0.0}
    own = xgb.train({**settings, "objective": "reg:squarederror"}, xgb.DMatrix(data.X, gains), 15)
    found = xgb.train(settings, matrix(data), 15, obj=ours.objective("DCG", "squared"))
    assert found.get_dump(with_stats=True) == own.get_dump(with_stats=True)
    assert found.predict(matrix(data)).tobytes() == own.predict(matrix(data)).tobytes()


def test_item_weights_are_those_of_xgboosts_regression() -> None:
    data = ranked()
    weights = np.exp2(np.random.default_rng(0).integers(-1, 3, data.y.size))
    # Exact splits: XGBoost's bins depend on the weights it knows of.
    settings = {**SETTINGS, "base_score": 0.0, "tree_method": "exact"}
    gains = np.exp2(data.y) - 1
    own = xgb.train(
        {**settings, "objective": "reg:squarederror"}, xgb.DMatrix(data.X, gains, weight=weights), 5
    )
    found = xgb.train(settings, matrix(data), 5, obj=ours.objective("DCG", "squared", item_weight=weights))
    assert found.get_dump(with_stats=True) == own.get_dump(with_stats=True)


def test_query_weights_are_read_from_the_matrix() -> None:
    data = ranked()
    weights = np.exp2(np.arange(data.sizes.size) % 4)  # a power of two leaves the digits as they are
    scores = np.random.default_rng(2).normal(size=data.y.size).astype(np.float32)
    objective, weighted = ours.objective("nDCG@5"), matrix(data, weight=weights)
    plain = np.array(objective(scores, matrix(data)))
    assert np.array_equal(np.array(objective(scores, weighted)), plain * np.repeat(weights, data.sizes))
    name, value = ours.eval_metric("nDCG@5")(scores, weighted)
    assert (name, value) == ("nDCG@5", data.value(scores, "nDCG@5", weights=weights))


@pytest.mark.parametrize("name", ["auto", "softmax", "order-preserving(margin=huber)", "squared", "RankNet"])
def test_training_improves_the_exact_metric(name: str) -> None:
    train, valid = train_and_valid()
    found = xgb.train(SETTINGS, matrix(train), 20, obj=ours.objective("nDCG@5", name))
    constant = valid.value(np.zeros(valid.y.size), "nDCG@5")
    assert valid.value(found.predict(matrix(valid)), "nDCG@5") > constant + 0.05


def test_the_same_data_and_seed_give_the_same_bits() -> None:
    data = ranked(seed=4)

    def dump(threads: int) -> list[str]:
        objective = ours.objective("nDCG@5", "softmax", threads=threads)
        settings = {**SETTINGS, "subsample": 0.7, "colsample_bytree": 0.7}
        found = xgb.train(settings, matrix(data), 10, obj=objective)
        return found.get_dump(with_stats=True, dump_format="json")

    assert dump(1) == dump(1) == dump(3)


def test_targets_follow_the_labels_of_the_matrix() -> None:
    data = ranked()
    made = matrix(data)
    objective = ours.objective("DCG", "squared")
    scores = np.linspace(0, 1, data.y.size, dtype=np.float32)
    assert np.array_equal(objective(scores, made)[0], np.float32(scores - (np.exp2(data.y) - 1)))
    made.set_label(data.y + 1)
    assert np.array_equal(objective(scores, made)[0], np.float32(scores - (np.exp2(data.y + 1) - 1)))


def test_quantile_matrices_and_query_ids_are_read_too() -> None:
    data = ranked()
    scores = np.linspace(0, 1, data.y.size, dtype=np.float32)
    expected = np.array(ours.objective("nDCG@5")(scores, matrix(data)))
    for made in (
        xgb.QuantileDMatrix(data.X, data.y, group=data.sizes),
        xgb.DMatrix(data.X, data.y, qid=data.qid * 7),
    ):
        assert np.array_equal(np.array(ours.objective("nDCG@5")(scores, made)), expected)


def test_xgboosts_own_early_stopping_needs_the_direction() -> None:
    train, valid = train_and_valid(seed=1)
    dtrain, dvalid = matrix(train), matrix(valid)
    measure = ours.eval_metric("nDCG@5")
    kept: dict[str, dict[str, list[float]]] = {}
    found = xgb.train(
        {**SETTINGS, "eta": 0.6},
        dtrain,
        30,
        obj=ours.objective("nDCG@5"),
        evals=[(dvalid, "valid")],
        custom_metric=measure,
        maximize=measure.maximize,
        early_stopping_rounds=6,
        evals_result=kept,
        verbose_eval=False,
    )
    stages = [found.predict(dvalid, iteration_range=(0, k + 1)) for k in range(found.num_boosted_rounds())]
    values = [valid.value(scores, "nDCG@5") for scores in stages]
    assert kept["valid"]["nDCG@5"] == [float(f"{value:f}") for value in values]  # six decimals are kept
    assert found.best_iteration == int(np.argmax(values)) > 0
    assert found.num_boosted_rounds() == found.best_iteration + 7


def stages_of(found: Any, data: Any) -> list[np.ndarray]:
    return [found.predict(data, iteration_range=(0, k + 1)) for k in range(found.num_boosted_rounds())]


@pytest.mark.parametrize("asked", ["nDCG@5", "PD"])
def test_our_early_stopping_knows_the_direction(asked: str) -> None:
    train, valid = train_and_valid(seed=1)
    dvalid = matrix(valid)
    stop = ours.early_stopping(asked, dvalid, 6)
    objective = ours.objective("nDCG@5")
    found = xgb.train({**SETTINGS, "eta": 0.6}, matrix(train), 40, obj=objective, callbacks=[stop])
    sign = 1 if metric(asked).direction == "higher" else -1
    best = best_of(stages_of(found, dvalid), lambda scores: sign * valid.value(scores, asked))
    assert found.best_iteration == best > 0
    assert found.num_boosted_rounds() == best + 7 < 40
    assert found.best_score == stop.values[best] == valid.value(stages_of(found, dvalid)[best], asked)
    cut = ours.early_stopping(asked, dvalid, 6, save_best=True)
    short = xgb.train({**SETTINGS, "eta": 0.6}, matrix(train), 40, obj=objective, callbacks=[cut])
    assert short.num_boosted_rounds() == best + 1


def test_of_equal_rounds_our_early_stopping_keeps_the_first() -> None:
    train, valid = train_and_valid(seed=1)
    # Lists of one relevant item: every round has an nDCG of 1.
    alone = xgb.DMatrix(valid.X, np.ones(valid.y.size), group=np.ones(valid.y.size, int))
    stop = ours.early_stopping("nDCG@5", alone, 3)
    booster = xgb.train(SETTINGS, matrix(train), 40, obj=ours.objective("nDCG@5"), callbacks=[stop])
    assert stop.values == [1.0] * 4
    assert (booster.best_iteration, booster.num_boosted_rounds()) == (0, 4)


def test_our_early_stopping_sees_all_decimals() -> None:
    """One query of fixed value outweighs the rest, so that they move the seventh decimal only."""
    train, rest = train_and_valid(seed=1)
    valid = Ranked(np.vstack([rest.X, rest.X[:1]]), np.append(rest.y, 1.0), np.append(rest.sizes, 1))
    weights = np.append(np.ones(rest.sizes.size), 1e9)
    dvalid = matrix(valid, weight=weights)
    stop, measure = ours.early_stopping("nDCG@5", dvalid, 6), ours.eval_metric("nDCG@5")
    run = {"obj": ours.objective("nDCG@5"), "verbose_eval": False}
    settings = {**SETTINGS, "eta": 0.6}
    found = xgb.train(settings, matrix(train), 40, callbacks=[stop], **run)
    best = best_of(stages_of(found, dvalid), lambda s: valid.value(s, "nDCG@5", weights=weights))
    assert found.best_iteration == best > 0
    own = {
        "evals": [(dvalid, "valid")],
        "custom_metric": measure,
        "maximize": True,
        "early_stopping_rounds": 6,
    }
    assert xgb.train(settings, matrix(train), 40, **own, **run).best_iteration == 0


def test_plain_regression_with_the_estimator_stops_on_the_metric() -> None:
    train, valid = train_and_valid(seed=3)
    target = ours.regression_target("nDCG@5", train.y, group=train.sizes)
    stop = ours.early_stopping(
        "nDCG@5", xgb.DMatrix(valid.X), 5, labels=valid.y, group=valid.sizes, save_best=True
    )
    model = xgb.XGBRegressor(n_estimators=40, learning_rate=0.5, max_depth=3, n_jobs=1, callbacks=[stop])
    model.fit(train.X, target)
    assert len(stop.values) < 40
    assert valid.value(model.predict(valid.X), "nDCG@5") == max(stop.values)


def test_cross_validation_by_queries() -> None:
    data = ranked()
    measure = ours.eval_metric("nDCG@5")
    found = xgb.cv(
        SETTINGS,
        matrix(data),
        4,
        nfold=3,
        obj=ours.objective("nDCG@5"),
        custom_metric=measure,
        maximize=measure.maximize,
        as_pandas=False,
    )
    assert len(found["test-nDCG@5-mean"]) == 4
    assert found["test-nDCG@5-mean"][-1] > data.value(np.zeros(data.y.size), "nDCG@5")
    with pytest.raises(ArgumentError, match=r"xgboost\.cv trains several"):
        xgb.cv(
            SETTINGS,
            matrix(data),
            4,
            nfold=3,
            obj=ours.objective("nDCG@5"),
            callbacks=[ours.early_stopping("nDCG@5", matrix(data), 2)],
        )


def test_several_metrics_share_a_call() -> None:
    data = ranked()
    scores = np.linspace(0, 1, data.y.size, dtype=np.float32)
    asked = ("nDCG@5", "AP(rel=2)", "nDCG(gain=[0, 1, 2, 5, 9])@3")
    found = ours.eval_metric(asked)(scores, matrix(data))
    assert [value for _, value in found] == [data.value(scores, str(metric(m))) for m in asked]
    assert [name for name, _ in found] == [str(metric(m)) for m in asked]
    with pytest.raises(ArgumentError, match=r"one direction for all custom metrics.*PD"):
        ours.eval_metric(["nDCG@5", "PD"])


@every_case("found", ALL_VARIANTS, ids=str)
def test_no_metric_has_a_name_that_xgboost_cuts(found: Metric) -> None:
    """XGBoost writes ``data-name:value`` and cuts that at colons and white space."""
    assert not {":", *" \t\n"} & set(str(found))


def test_adapters_are_copied_and_pickled() -> None:
    data = ranked()
    made = matrix(data)
    objective, measure = ours.objective("nDCG@5", "softmax"), ours.eval_metric("nDCG@5")
    scores = np.linspace(0, 1, data.y.size, dtype=np.float32)
    for again in (copy.deepcopy, lambda thing: pickle.loads(pickle.dumps(thing))):  # noqa: S301
        assert np.array_equal(np.array(again(objective)(scores, made)), np.array(objective(scores, made)))
        assert again(measure)(scores, made) == measure(scores, made)
    assert objective.loss == loss("softmax:normalised-gain@5")


def test_what_cannot_be_done_is_refused() -> None:
    data = ranked()
    objective = ours.objective("nDCG@5")
    with pytest.raises(ArgumentError, match="The DMatrix has no groups"):
        xgb.train(SETTINGS, xgb.DMatrix(data.X, data.y), 2, obj=objective)
    with pytest.raises(ArgumentError, match=r"estimators hand labels and scores .* XGBRegressor"):
        xgb.XGBRegressor(objective=objective, n_estimators=2).fit(data.X, data.y)
    with pytest.raises(ArgumentError, match="estimators hand labels and scores"):
        xgb.XGBRegressor(objective=objective, n_estimators=2).fit(data.X, data.y, sample_weight=data.y + 1)
    ranker = xgb.XGBRanker(n_estimators=2, eval_metric=ours.eval_metric("nDCG@5"))
    with pytest.raises(ArgumentError, match="estimators hand labels and scores"):
        ranker.fit(
            data.X, data.y, qid=data.qid, eval_set=[(data.X, data.y)], eval_qid=[data.qid], verbose=False
        )
    with pytest.raises(ArgumentError, match="item_weight must have"):
        xgb.train(SETTINGS, matrix(data), 2, obj=ours.objective("nDCG@5", "softmax", item_weight=[1, 2]))
    weights = np.arange(data.y.size) + 1.0
    with pytest.raises(ArgumentError, match="the loss centred-squared is not a sum over items"):
        xgb.train(
            SETTINGS, matrix(data), 2, obj=ours.objective("nDCG@5", "centred-squared", item_weight=weights)
        )
    with pytest.raises(ArgumentError, match="labels must have one number per row"):
        ours.early_stopping("nDCG@5", matrix(data), 2, labels=[1, 2])
    with pytest.raises(ArgumentError, match="rounds of early_stopping must be an int >= 1, got 0"):
        ours.early_stopping("nDCG@5", matrix(data), 0)


def test_a_metric_without_a_consistent_loss_warns_where_it_was_asked_for() -> None:
    with pytest.warns(ConsistencyWarning, match="No target standardises AP") as seen:
        ours.objective("AP")
    assert seen[0].filename == __file__
