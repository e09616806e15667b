"""Settings drawn by Optuna, searches that go on with them, and the noise beside the best."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import rankproof as rp
from rankproof.errors import ArgumentError
from rankproof.metrics.parse import metric
from rankproof.runs.samplers import next_settings
from rankproof.runs.space import space_of
from rankproof.runs.trials import LEARNING_RATES, LEAVES, PENALTIES, Trial, trial_settings, within_noise
from rankproof.runs.tuning_run import TuningRun

WARDS, _ = rp.samples.diabetes_wards()
NDCG = metric("nDCG@10")


def search(trials: int, sampler: str = "tpe", out: Path | None = None) -> TuningRun:
    return rp.tune(WARDS, metric="nDCG@10", trials=trials, folds=2, sampler=sampler, n_estimators=3, out=out)


def drawn(value_of: object, number: int, seed: int = 0) -> list[Trial]:
    trials: dict[int, Trial] = {}
    for k in range(number):
        settings = next_settings("tpe", k, seed, ["auto", "softmax"], NDCG, trials)
        value = value_of(settings)  # type: ignore[operator]
        trials[k] = Trial(number=k, **settings, trees=5, value=value, values=(value, value))
    return list(trials.values())


def test_an_interrupted_search_draws_what_it_would_have_drawn(tmp_path: Path) -> None:
    whole = search(7)
    search(6, out=tmp_path / "s")
    continued = search(7, out=tmp_path / "s")
    assert [t.to_dict() for t in continued.trials] == [t.to_dict() for t in whole.trials]
    assert continued.about["settings"]["sampler"] == "tpe"
    with pytest.raises(ArgumentError, match="sampler was 'tpe', is None"):
        search(7, "random", tmp_path / "s")


def test_the_usual_sampler_is_as_it_was() -> None:
    trials = search(3, "random").trials
    space = space_of("lightgbm", {"min_data_in_leaf": None, "parameter": []})
    expected = [trial_settings(k, 0, ["auto"], space) for k in range(3)]
    assert [{name: getattr(t, name) for name in expected[0]} for t in trials] == expected


def test_optuna_looks_where_it_was_good() -> None:
    """The value falls with the distance from a learning rate of 0.1: late draws are nearer than blind."""

    def distance(settings: dict[str, float]) -> float:
        return abs(float(np.log(settings["learning_rate"] / 0.1)))

    trials = drawn(lambda settings: 1.0 - distance(settings), 40)
    blind = [distance(trial_settings(k, 0, ["auto"])) for k in range(1, 400)]
    late = [distance({"learning_rate": trial.learning_rate}) for trial in trials[20:]]
    assert np.mean(late) < 0.6 * np.mean(blind)
    assert trials[0].l2 is None
    for trial in trials[1:]:
        assert LEARNING_RATES[0] <= trial.learning_rate <= LEARNING_RATES[1]
        assert PENALTIES[0] <= (trial.l2 or 0.0) <= PENALTIES[1]
        assert trial.num_leaves in LEAVES
    assert {trial.loss for trial in trials} == {"auto", "softmax"}
    assert drawn(lambda _: 0.5, 4, seed=1) != drawn(lambda _: 0.5, 4, seed=2)


def test_an_unknown_sampler_is_refused() -> None:
    with pytest.raises(ArgumentError, match="one of random, tpe"):
        search(2, "grid")


def made(number: int, *values: float) -> Trial:
    return Trial(number, 0.1, 16, None, "auto", 5, float(np.mean(values)), values)


def test_noise_is_the_standard_error_of_paired_differences() -> None:
    best = made(0, 0.60, 0.70, 0.80)
    near, far = made(1, 0.57, 0.70, 0.805), made(2, 0.58, 0.68, 0.77)
    # near: .030 .000 -.005, mean .0083, error .0109. far: .02 .02 .03, mean .0233, error .0033.
    assert within_noise([best, near, far], NDCG) == [near]


def test_the_table_says_what_is_within_noise() -> None:
    run = TuningRun(
        NDCG,
        {"settings": {"folds": 3}},
        [made(0, 0.6, 0.7, 0.8), made(1, 0.5, 0.7, 0.85), made(2, 0.1, 0.1, 0.1)],
    )
    text = str(run)
    assert "within noise" in text
    assert "Within noise of the best: 1 of the other 2" in text
    assert run.to_dict()["within_noise"] == [1]
