"""Callbacks of the rankers: what they see, what stops training, and pruning by Optuna itself."""

from __future__ import annotations

from typing import Any

import optuna
import pytest

import rankproof as rp
from rankproof.errors import ArgumentError

WORLD = rp.synthetic.IntentWorld.random(features=4, items=(8, 12), seed=1)
TRAIN, VALID = WORLD.sample(40, seed=1), WORLD.sample(20, seed=2)
ENGINES = ("lightgbm", "xgboost", "catboost")


def boosted(engine: str, **more: Any) -> rp.BoostedRanker:
    return rp.BoostedRanker("nDCG@10", engine=engine, loss="squared", n_estimators=12, threads=1, **more)


def fit(ranker: Any, **more: Any) -> Any:
    return ranker.fit(TRAIN.X, TRAIN.labels, qid=TRAIN.qids, **{"validation": VALID, **more})


class StopError(Exception):
    pass


@pytest.mark.parametrize("engine", ENGINES)
def test_every_tree_is_told_with_its_value(engine: str) -> None:
    seen: list[tuple[int, float]] = []
    ranker = fit(boosted(engine), callbacks=[lambda step, value: seen.append((step, value))])
    assert seen == list(enumerate(ranker.evaluations_.tolist(), start=1))
    plain = fit(boosted(engine))
    assert plain.evaluations_.tolist() == ranker.evaluations_.tolist()


@pytest.mark.parametrize("engine", ENGINES)
def test_an_exception_stops_and_reaches_the_caller(engine: str) -> None:
    seen: list[int] = []

    def stop(step: int, value: float) -> None:
        seen.append(step)
        if step == 3:
            raise StopError

    ranker = boosted(engine)
    with pytest.raises(StopError):
        fit(ranker, callbacks=[stop])
    assert seen == [1, 2, 3]
    assert not hasattr(ranker, "booster_")


@pytest.mark.torch
def test_every_epoch_is_told() -> None:
    seen: list[tuple[int, float]] = []
    ranker = rp.NeuralRanker("nDCG@10", hidden=(4,), max_iter=3)
    fit(ranker, callbacks=[lambda step, value: seen.append((step, value))])
    assert seen == [(epoch.number, epoch.metric) for epoch in ranker.history_]
    with pytest.raises(ArgumentError, match="validation data"):
        fit(rp.NeuralRanker("nDCG@10", valid_share=0.0), validation=None, callbacks=[print])


def test_callbacks_without_validation_data_are_refused() -> None:
    with pytest.raises(ArgumentError, match="Give validation="):
        fit(boosted("lightgbm"), validation=None, callbacks=[print])
    with pytest.raises(ArgumentError, match="list of functions"):
        fit(boosted("lightgbm"), callbacks=print)
    with pytest.raises(ArgumentError, match="list of functions"):
        fit(boosted("lightgbm"), callbacks=[3])


@pytest.mark.parametrize("engine", ENGINES)
def test_optuna_prunes(engine: str) -> None:
    optuna.logging.set_verbosity(optuna.logging.ERROR)

    def objective(trial: Any) -> float:
        def report(step: int, value: float) -> None:
            trial.report(value, step)
            if trial.should_prune():
                raise optuna.TrialPruned

        return float(fit(boosted(engine), callbacks=[report]).best_score_)

    # No value is below 0, all are below 2: nothing is pruned, then everything is, from step 2 on.
    for lower, state, steps in ((0.0, "COMPLETE", 12), (2.0, "PRUNED", 2)):
        pruner = optuna.pruners.ThresholdPruner(lower=lower, n_warmup_steps=2)
        study = optuna.create_study(direction="maximize", pruner=pruner)
        study.optimize(objective, n_trials=1)
        (trial,) = study.trials
        assert (trial.state.name, max(trial.intermediate_values)) == (state, steps)
