"""LightGBM with our objective and metric: the same models as its own losses where they coincide."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import lightgbm as lgb
import numpy as np
import pytest

from adapters.engine_data import LIGHTGBM, Ranked, best_of, ranked, train_and_valid
from rankproof.adapters import lightgbm as ours
from rankproof.data.split import QueryKFold
from rankproof.errors import ArgumentError, ConsistencyWarning
from rankproof.losses.parse import loss


def dataset(data: Ranked, **more: Any) -> Any:
    return lgb.Dataset(data.X, **{"label": data.y, "group": data.sizes, "free_raw_data": False, **more})


def trees(booster: Any) -> str:
    """The model without its list of parameters, which names the objective."""
    text = booster.model_to_string()
    return text[text.index("\nTree=0") : text.index("end of trees")]


def test_squared_loss_gives_the_model_of_lightgbms_regression() -> None:
    data = ranked()
    gains = np.exp2(data.y) - 1  # the target of DCG, which float32 holds exactly
    own = lgb.train(
        {**LIGHTGBM, "objective": "regression", "boost_from_average": False},
        lgb.Dataset(data.X, label=gains),
        15,
    )
    found = lgb.train({**LIGHTGBM, **ours.parameters("DCG", "squared")}, dataset(data), 15)
    assert trees(found) == trees(own)
    assert found.predict(data.X).tobytes() == own.predict(data.X).tobytes()


def test_item_weights_are_those_of_lightgbms_regression() -> None:
    data = ranked()
    # Powers of two: LightGBM rounds the difference to float32 before it multiplies.
    weights = np.exp2(np.random.default_rng(0).integers(-1, 3, data.y.size))
    own = lgb.train(
        {**LIGHTGBM, "objective": "regression", "boost_from_average": False},
        lgb.Dataset(data.X, label=np.exp2(data.y) - 1, weight=weights),
        10,
    )
    found = lgb.train({**LIGHTGBM, **ours.parameters("DCG", "squared")}, dataset(data, weight=weights), 10)
    assert trees(found) == trees(own)


def test_centred_squares_are_the_gradients_less_their_mean() -> None:
    """An objective written out here by numpy gives the same model."""
    data = ranked(seed=2)

    def by_hand(scores: np.ndarray, _: object) -> tuple[np.ndarray, np.ndarray]:
        gradient, hessian = np.empty(scores.size), np.empty(scores.size)
        for a, b in zip(data.offsets[:-1], data.offsets[1:], strict=True):
            off = scores[a:b] - (np.exp2(data.y[a:b]) - 1)
            gradient[a:b], hessian[a:b] = off - off.mean(), max(1 - 1 / (b - a), 1e-6)
        return gradient, hessian

    expected = lgb.train({**LIGHTGBM, "objective": by_hand}, dataset(data), 10).predict(data.X)
    found = lgb.train({**LIGHTGBM, **ours.parameters("DCG", "centred-squared")}, dataset(data), 10).predict(
        data.X
    )
    assert found == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("name", ["auto", "softmax", "order-preserving(margin=huber)", "squared", "RankNet"])
def test_training_improves_the_exact_metric(name: str) -> None:
    train, valid = train_and_valid()
    found = lgb.train({**LIGHTGBM, **ours.parameters("nDCG@5", name)}, dataset(train), 30)
    constant = valid.value(np.zeros(valid.y.size), "nDCG@5")
    assert valid.value(found.predict(valid.X), "nDCG@5") > constant + 0.05


def test_the_estimators_give_the_model_of_train() -> None:
    data = ranked()
    weights = np.repeat(np.arange(data.sizes.size) % 3 + 1.0, data.sizes)
    expected = lgb.train({**LIGHTGBM, **ours.parameters("nDCG@5")}, dataset(data, weight=weights), 10)
    settings = {**LIGHTGBM, "n_estimators": 10, "learning_rate": 0.1, **ours.parameters("nDCG@5")}
    for kind in (lgb.LGBMRanker, lgb.LGBMModel):
        found = kind(**settings).fit(data.X, data.y, group=data.sizes, sample_weight=weights)
        assert trees(found.booster_) == trees(expected)


def test_the_same_data_and_seed_give_the_same_bits() -> None:
    data = ranked(seed=4)
    settings = {**LIGHTGBM, "bagging_fraction": 0.7, "bagging_freq": 1, "feature_fraction": 0.7}

    def text(threads: int) -> str:
        objective = ours.objective("nDCG@5", "softmax", threads=threads)
        return lgb.train({**settings, "objective": objective}, dataset(data), 10).model_to_string()

    assert text(1) == text(1) == text(3)


def test_the_gradient_does_not_see_the_order_of_rows_within_a_query() -> None:
    data = ranked(seed=6)
    rng = np.random.default_rng(0)
    bounds = zip(data.offsets[:-1], data.offsets[1:], strict=True)
    moved = np.concatenate([rng.permutation(np.arange(a, b)) for a, b in bounds])
    scores = np.round(rng.normal(size=data.y.size))  # with ties
    for name in ("auto", "softmax", "order-preserving", "RankNet", "lambdarank"):
        objective = ours.objective("nDCG@5", name)
        there = np.array(objective(data.y, scores, None, data.sizes))[:, moved]
        here = np.array(objective(data.y[moved], scores[moved], None, data.sizes))
        assert np.abs(here - there).max() <= 1e-12


def test_both_ways_of_calling_agree() -> None:
    data = ranked()
    made = dataset(data).construct()
    scores = np.random.default_rng(1).normal(size=data.y.size)
    objective, metric = ours.objective("nDCG@5", "softmax"), ours.eval_metric("nDCG@5")
    native = np.array(objective(scores, made))
    assert np.array_equal(native, objective(made.get_label(), scores, None, data.sizes))
    assert metric(scores, made) == metric(made.get_label(), scores, None, data.sizes)
    assert metric(scores, made) == ("nDCG@5", data.value(scores, "nDCG@5"), True)


def test_targets_follow_the_labels_of_the_dataset() -> None:
    data = ranked()
    made = dataset(data).construct()
    objective, metric = ours.objective("DCG", "squared"), ours.eval_metric("DCG@3")
    scores = np.linspace(0, 1, data.y.size)
    assert np.array_equal(objective(scores, made)[0], np.float32(scores - (np.exp2(data.y) - 1)))
    before = metric(scores, made)[1]
    made.set_label(data.y + 1)
    assert np.array_equal(objective(scores, made)[0], np.float32(scores - (np.exp2(data.y + 1) - 1)))
    assert metric(scores, made)[1] == data._replace(y=data.y + 1).value(scores, "DCG@3") != before


def test_early_stopping_is_at_the_best_iteration_of_the_exact_metric() -> None:
    train, valid = train_and_valid(seed=1)
    kept: dict[str, dict[str, list[float]]] = {}
    made = dataset(train)
    found = lgb.train(
        {**LIGHTGBM, **ours.parameters("nDCG@5"), "learning_rate": 0.4},
        made,
        40,
        valid_sets=[dataset(valid, reference=made)],
        feval=ours.eval_metric("nDCG@5"),
        callbacks=[lgb.early_stopping(8, verbose=False), lgb.record_evaluation(kept)],
        keep_training_booster=True,  # with the trees after the best
    )
    stages = [found.predict(valid.X, num_iteration=k + 1) for k in range(found.best_iteration + 8)]
    values = [valid.value(scores, "nDCG@5") for scores in stages]
    assert kept["valid_0"]["nDCG@5"] == values
    assert found.best_iteration - 1 == best_of(stages, lambda s: valid.value(s, "nDCG@5"))
    assert 1 < found.best_iteration < 32


def test_weights_do_not_move_a_perfect_score() -> None:
    """An empty query that counts 1 counts its weight times 1; LightGBM's own ndcg leaves the weight out."""
    labels, scores, sizes = np.array([1.0, 0, 0, 0]), np.array([2.0, 1, 2, 1]), np.array([2, 2])
    weights = np.full(4, 10.0)
    assert ours.eval_metric("nDCG(empty=1)@5")(labels, scores, weights, sizes)[1] == 1
    own = lgb.Booster(
        {**LIGHTGBM, "objective": "lambdarank", "metric": "ndcg", "eval_at": [5]},
        lgb.Dataset(
            np.arange(8.0).reshape(4, 2),
            labels,
            group=sizes,
            weight=weights,
            init_score=scores,
            params={"verbose": -1},
        ),
    )
    assert own.eval_train()[0][2] == pytest.approx((10 + 1) / 20)


def test_lower_is_better_is_told() -> None:
    data = ranked()
    scores = np.linspace(0, 1, data.y.size)
    found = ours.eval_metric(["PD", "AUC(rel=2)"])(data.y, scores, None, data.sizes)
    assert [(name, up) for name, _, up in found] == [("PD", False), ("AUC(rel=2)", True)]
    assert [value for _, value, _ in found] == [data.value(scores, m) for m in ("PD", "AUC(rel=2)")]


def test_the_estimator_stops_early_too() -> None:
    train, valid = train_and_valid(seed=1)
    model = lgb.LGBMRanker(
        **{**LIGHTGBM, **ours.parameters("nDCG@5"), "n_estimators": 40, "learning_rate": 0.4}
    )
    with_sets = (
        {"eval_X": valid.X, "eval_y": valid.y}
        if "eval_X" in lgb.LGBMRanker.fit.__code__.co_varnames
        else {"eval_set": [(valid.X, valid.y)]}
    )
    model.fit(
        train.X,
        train.y,
        group=train.sizes,
        eval_group=[valid.sizes],
        eval_metric=ours.eval_metric("nDCG@5"),
        callbacks=[lgb.early_stopping(8, verbose=False)],
        **with_sets,
    )
    whole = lgb.train({**LIGHTGBM, **ours.parameters("nDCG@5"), "learning_rate": 0.4}, dataset(train), 40)
    stages = [whole.predict(valid.X, num_iteration=k + 1) for k in range(model.best_iteration_ + 8)]
    assert model.best_iteration_ - 1 == best_of(stages, lambda s: valid.value(s, "nDCG@5"))
    assert 1 < model.best_iteration_ < 32
    assert list(model.best_score_["valid_0"]) == ["nDCG@5"]


def test_cross_validation_by_queries() -> None:
    data = ranked()
    found = lgb.cv(
        {**LIGHTGBM, **ours.parameters("nDCG@5")},
        dataset(data),
        5,
        folds=QueryKFold(4),
        feval=ours.eval_metric("nDCG@5"),
    )
    means = found["valid nDCG@5-mean"]
    assert len(means) == 5
    assert means[-1] > data.value(np.zeros(data.y.size), "nDCG@5")


def test_adapters_are_copied_and_pickled() -> None:
    data = ranked()
    objective, metric = ours.objective("nDCG@5", "softmax"), ours.eval_metric("nDCG@5")
    scores = np.linspace(0, 1, data.y.size)
    call = (data.y, scores, None, data.sizes)
    for again in (copy.deepcopy, lambda thing: pickle.loads(pickle.dumps(thing))):  # noqa: S301
        assert np.array_equal(np.array(again(objective)(*call)), np.array(objective(*call)))
        assert again(metric)(*call) == metric(*call)
    assert objective.loss == loss("softmax:normalised-gain@5")


def test_what_cannot_be_done_is_refused() -> None:
    data = ranked()
    scores = np.zeros(data.y.size)
    with pytest.raises(ArgumentError, match="The training Dataset has no groups"):
        lgb.train({**LIGHTGBM, **ours.parameters("nDCG@5")}, lgb.Dataset(data.X, label=data.y), 2)
    with pytest.raises(ArgumentError, match="The evaluated Dataset has no groups"):
        ours.eval_metric("nDCG@5")(data.y, scores, None, None)
    with pytest.raises(ArgumentError, match="second argument of type list"):
        ours.objective("nDCG@5")(scores, [1, 2])
    with pytest.raises(ArgumentError, match="num_class"):
        lgb.train({**LIGHTGBM, **ours.parameters("nDCG@5"), "num_class": 3}, dataset(data), 2)
    rows = np.arange(data.y.size) + 1.0
    with pytest.raises(ArgumentError, match=r"the loss centred-squared is not a sum over items"):
        lgb.train({**LIGHTGBM, **ours.parameters("nDCG@5", "centred-squared")}, dataset(data, weight=rows), 2)
    with pytest.raises(ArgumentError, match="at least one metric"):
        ours.eval_metric([])
    with pytest.raises(ArgumentError, match="a metric, its name, or several, got 3"):
        ours.eval_metric(3)  # type: ignore[arg-type]


def test_a_metric_without_a_consistent_loss_warns_where_it_was_asked_for() -> None:
    for make in (ours.objective, ours.parameters):
        with pytest.warns(ConsistencyWarning, match="No target standardises AP") as seen:
            make("AP")
        assert seen[0].filename == __file__
    ours.objective("AP", noise="independent")
