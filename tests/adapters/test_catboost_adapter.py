"""CatBoost: its losses on our pools are our losses, and it stops on the exact metric."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Iterator
from typing import Any

import catboost as cb
import numpy as np
import pytest

import rankproof as rp
from adapters.engine_data import CATBOOST, Ranked, best_of, ranked, train_and_valid
from rankproof.adapters import catboost as ours
from rankproof.errors import ArgumentError, ConsistencyWarning
from rankproof.losses import Relative
from rankproof.losses.parse import loss

LOSSES = ["centred-squared", "softmax", "squared"]


def test_a_class_derived_from_a_loss_is_not_taken_for_it() -> None:
    class Other(Relative):
        """A loss of the user's own."""

    own = Other(target=loss("relative:nDCG@5").target)
    with pytest.raises(ArgumentError, match="CatBoost has no loss that is"):
        ours.parameters("nDCG@5", own)
    with pytest.raises(ArgumentError, match="CatBoost has no loss that is"):
        ours.pool("nDCG@5", np.zeros((2, 1)), [1, 0], group=[2], loss=own)


def pool(data: Ranked, metric: str = "nDCG@5", **more: Any) -> Any:
    return ours.pool(metric, data.X, data.y, group=data.sizes, **more)


def fitted(train: object, name: str = "auto", valid: object = None, **more: Any) -> Any:
    settings = {**CATBOOST, **ours.parameters("nDCG@5", name), **more}
    return cb.CatBoost(settings).fit(train, eval_set=valid)


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("weighted", [False, True])
def test_the_loss_that_catboost_reports_is_ours(name: str, weighted: bool) -> None:
    """CatBoost reports the root of the mean square, and softmax per unit of target; both weighted."""
    train, valid = train_and_valid()
    weights = np.arange(valid.sizes.size) % 3 + 1.0
    how = {"loss": name, "query_weight": weights if weighted else None}
    held = pool(valid, **how)
    model = fitted(pool(train, loss=name), name, held, use_best_model=False)
    found = loss(name, metric="nDCG@5")
    targets = found.targets(valid.y, valid.offsets)
    w = weights if weighted else np.ones(weights.size)
    rows = np.repeat(w, valid.sizes)
    per = (rows * targets).sum() if name == "softmax" else rows.sum()
    reported = next(iter(model.get_evals_result()["validation"].values()))
    for value, scores in zip(reported, model.staged_predict(held), strict=True):
        ours_is = found.evaluate(scores, targets, valid.offsets, weights=w).value / per
        assert value == pytest.approx(ours_is if name == "softmax" else np.sqrt(ours_is), rel=1e-5)


def converged(name: str, labels: list[list[int]], item_weight: np.ndarray | None = None) -> np.ndarray:
    """Scores of three items that are the same in every query, trained to the end."""
    queries = len(labels)
    X = np.tile(np.eye(3), (queries, 1))
    made = ours.pool(
        "DCG", X, np.concatenate(labels), group=[3] * queries, loss=name, item_weight=item_weight
    )
    slow = {"iterations": 600, "learning_rate": 0.3, "l2_leaf_reg": 0, "depth": 2, "bootstrap_type": "No"}
    return fitted(made, name, random_strength=0, boost_from_average=False, **slow).predict(np.eye(3))


def test_catboosts_softmax_does_not_normalise_the_target_per_query() -> None:
    """At the minimum softmax(s) is E[u] over its sum; dividing u by its sum per query first differs."""
    labels = [[2, 0, 1]] * 3 + [[0, 0, 1]] * 2 + [[1, 2, 0]]
    u = np.array([loss("softmax:DCG").targets(y, [0, 3]) for y in labels])
    share = np.exp(scores := converged("softmax", labels)) / np.exp(scores).sum()
    assert share == pytest.approx(u.mean(axis=0) / u.mean(axis=0).sum(), abs=1e-3)
    normalised = (u / u.sum(axis=1, keepdims=True)).mean(axis=0)
    assert np.abs(share - normalised).max() > 0.15


@pytest.mark.parametrize("name", ["softmax", "squared"])
@pytest.mark.filterwarnings("ignore:.* differs between items of one query")
def test_item_weights_move_the_minimum_as_in_our_loss(name: str) -> None:
    """Softmax: towards E[v u]; squared: the weighted mean of u, item by item."""
    labels = [[2, 0, 1], [0, 0, 1], [1, 2, 0], [0, 1, 1]]
    v = np.array([[1.0, 2.0, 1.0], [3.0, 1.0, 1.0], [1.0, 1.0, 2.0], [2.0, 2.0, 1.0]])
    u = np.array([loss("softmax:DCG").targets(y, [0, 3]) for y in labels])
    found = converged(name, labels, v.ravel())
    if name == "softmax":
        mean = (v * u).sum(axis=0)
        assert np.exp(found) / np.exp(found).sum() == pytest.approx(mean / mean.sum(), abs=1e-3)
    else:
        assert found == pytest.approx((v * u).sum(axis=0) / v.sum(axis=0), abs=1e-3)


@pytest.mark.parametrize("name", LOSSES)
def test_training_improves_the_exact_metric(name: str) -> None:
    train, valid = train_and_valid()
    model = fitted(pool(train, loss=name), name, iterations=40, learning_rate=0.2)
    constant = valid.value(np.zeros(valid.y.size), "nDCG@5")
    assert valid.value(model.predict(valid.X), "nDCG@5") > constant + 0.05


def test_plain_regression_is_squared_loss_on_the_target() -> None:
    data = ranked()
    target = ours.regression_target("nDCG@5", data.y, group=data.sizes)
    own = cb.CatBoostRegressor(**CATBOOST).fit(data.X, target)
    found = fitted(pool(data, loss="squared"), "squared")
    assert np.array_equal(found.predict(data.X), own.predict(data.X))


def test_the_same_data_and_seed_give_the_same_bits() -> None:
    data = ranked(seed=4)
    predicted = [fitted(pool(data, threads=threads)).predict(data.X).tobytes() for threads in (1, 1, 3)]
    assert len(set(predicted)) == 1


def stopped(asked: str, train: object, valid: object, **more: Any) -> Any:
    measure = ours.eval_metric(asked, valid)
    return fitted(
        train,
        "auto",
        valid,
        eval_metric=measure,
        iterations=60,
        early_stopping_rounds=6,
        learning_rate=0.6,
        **more,
    )


@pytest.mark.parametrize("asked", ["nDCG@5", "PD"])
def test_early_stopping_is_at_the_best_iteration_of_the_exact_metric(asked: str) -> None:
    train, valid = train_and_valid(seed=1)
    held = pool(valid)
    model = stopped(asked, pool(train), held, use_best_model=False)
    stages = list(model.staged_predict(held))
    values = [valid.value(scores, asked) for scores in stages]
    sign = 1 if rp.metric(asked).direction == "higher" else -1
    best = best_of(stages, lambda scores: sign * valid.value(scores, asked))
    assert model.get_evals_result()["validation"][asked] == values
    assert model.best_iteration_ == best == ours.best_iteration(model, held, asked)
    assert 0 < best == model.tree_count_ - 7 < 50
    # CatBoost cuts the model there by default.
    assert stopped(asked, pool(train), held).tree_count_ == best + 1


def test_the_best_of_every_few_trees() -> None:
    train, valid = train_and_valid(seed=1)
    held = pool(valid)
    model = fitted(pool(train), iterations=22, learning_rate=0.6)
    looked_at = [4, 9, 14, 19, 21]
    values = [valid.value(model.predict(valid.X, ntree_end=k + 1), "nDCG@5") for k in looked_at]
    assert ours.best_iteration(model, held, "nDCG@5", every=5) == looked_at[int(np.argmax(values))]


def test_the_first_of_equal_iterations_is_the_best() -> None:
    data = ranked(seed=1)
    alone = data._replace(
        y=data.y + 1, sizes=np.ones(data.y.size, dtype=np.int64)
    )  # of value 1 at all scores
    assert ours.best_iteration(fitted(pool(data)), pool(alone), "nDCG@5") == 0


def test_the_training_pool_is_evaluated_when_it_is_given() -> None:
    train, valid = train_and_valid(seed=1)
    weights = np.arange(train.sizes.size) % 2 + 1.0
    learn, held = pool(train, query_weight=weights), pool(valid)
    model = fitted(
        learn, "auto", held, eval_metric=ours.eval_metric("nDCG@5", held, learn), use_best_model=False
    )
    last = train.value(model.predict(train.X), "nDCG@5", weights=weights)
    assert model.get_evals_result()["learn"]["nDCG@5"][-1] == pytest.approx(last, rel=1e-12)
    unknown = fitted(learn, "auto", held, eval_metric=ours.eval_metric("nDCG@5", held), use_best_model=False)
    assert set(unknown.get_evals_result()["learn"]["nDCG@5"]) == {0.0}


def test_a_metric_of_another_pool_is_refused() -> None:
    train, valid = train_and_valid(seed=1)
    measure = ours.eval_metric("nDCG@5", pool(ranked(7)))

    def refused_twice() -> Iterator[str]:
        """A generator: CatBoost leaves the error of a metric behind as the one that is being handled."""
        for _ in range(2):
            with pytest.raises(
                cb.CatBoostError, match="nDCG@5 was made for pools that CatBoost does"
            ) as seen:
                fitted(pool(train), "auto", pool(valid), eval_metric=measure)
            yield str(seen.value)

    # The text has the whole chain of errors: the first is no part of the second.
    assert [text.count("was made for pools") for text in refused_twice()] == [1, 1]
    with pytest.raises(ArgumentError, match=r"behind this Pool are not known.*rankproof\.catboost\.pool"):
        ours.eval_metric("nDCG@5", cb.Pool(valid.X, valid.y))
    with pytest.raises(ArgumentError, match="at least one pool"):
        ours.eval_metric("nDCG@5")


def test_the_metric_is_copied_and_pickled() -> None:
    data = ranked()
    held = pool(data)
    measure = ours.eval_metric("nDCG@5", held)
    scores, targets = np.linspace(0, 1, data.y.size), np.asarray(held.get_label(), dtype=np.float32)
    for again in (copy.deepcopy, lambda thing: pickle.loads(pickle.dumps(thing))):  # noqa: S301
        same = again(measure)
        assert type(same).__name__ == "nDCG@5"
        assert same.evaluate([scores], targets, None) == (data.value(scores, "nDCG@5"), 1.0)


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("kl", "relative or squared"),
        ("order-preserving", "centred-squared or softmax"),
        ("RankNet", "centred-squared or softmax"),
    ],
)
def test_other_losses_are_refused_with_the_nearest(name: str, nearest: str) -> None:
    for ask in (lambda: ours.parameters("nDCG@5", name), lambda: pool(ranked(3), loss=name)):
        with pytest.raises(
            ArgumentError,
            match=rf"CatBoost has no loss .*softmax \(QuerySoftMax\).*Nearest is {nearest}.*LightGBM and",
        ):
            ask()


def test_what_a_pool_cannot_be_is_refused() -> None:
    data = ranked(3)
    for name in ("label", "group_id", "weight", "group_weight"):
        with pytest.raises(ArgumentError, match=f"Argument {name} of the Pool is set here"):
            pool(data, **{name: data.y})
    with pytest.raises(ArgumentError, match="centred-squared is not a sum over items"):
        pool(data, item_weight=np.arange(data.y.size) + 1)
    with pytest.raises(ArgumentError, match="one of qid, group and offsets"):
        ours.pool("nDCG@5", data.X, data.y)


def test_features_go_through_as_catboost_takes_them() -> None:
    data = ranked()
    X = np.column_stack([data.X[:, :1].astype(object), np.where(data.X[:, 1] > 0, "up", "down")])
    made = ours.pool("nDCG@5", X, data.y, qid=data.qid, cat_features=[1], feature_names=["length", "way"])
    assert made.get_feature_names() == ["length", "way"]
    held = ours.pool("nDCG@5", X, data.y, qid=data.qid, cat_features=[1], feature_names=["length", "way"])
    model = fitted(made, "auto", held, eval_metric=ours.eval_metric("nDCG@5", held), use_best_model=False)
    last = model.get_evals_result()["validation"]["nDCG@5"][-1]
    assert last == data.value(model.predict(held), "nDCG@5")


def test_a_metric_without_a_consistent_loss_warns_where_it_was_asked_for() -> None:
    data = ranked(3)
    for ask in (ours.parameters, lambda metric: pool(data, metric)):
        with pytest.warns(ConsistencyWarning, match="No target standardises AP") as seen:
            ask("AP")
        assert seen[0].filename == __file__
