"""`rankproof.tune` is what ``rankproof tune`` does."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import rankproof as rp
import rankproof.runs.tune as module
from cli.small_letor import rows
from rankproof.errors import ArgumentError, ConsistencyWarning

Run = Callable[..., Any]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    place = tmp_path / "train.txt"
    place.write_text("\n".join(rows(1, 30)) + "\n")
    return place


def test_it_is_what_the_command_does(rankproof: Run, path: Path, tmp_path: Path) -> None:
    more = ("--trials", 3, "--folds", 2, "--n-estimators", 8, "--seed", 5, "--json")
    printed = json.loads(rankproof("tune", path, "-m", "nDCG@10", "--out", tmp_path / "s", *more).out)
    del printed["command"]
    data = rp.read_letor(path)
    search = rp.tune(data, metric="nDCG@10", trials=3, folds=2, n_estimators=8, seed=5)
    assert json.loads(search.to_json()) == search.to_dict() == printed
    frame = search.to_frame()
    assert list(frame["value"]) == [trial.value for trial in search.trials]
    # The defaults leave the penalty to the engine.
    assert frame["l2"].isna().tolist() == [True, False, False]
    assert str(search).splitlines()[2].split()[0] == str(search.best.number)
    assert "<table" in search._repr_html_()
    assert f"best nDCG@10 {search.best.value:.4f}" in repr(search)


def test_a_search_goes_on_where_it_ended(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data, real, tried = rp.read_letor(path), module.cross_validate, []  # type: ignore[attr-defined]

    def counted(*args: Any, **options: Any) -> Any:
        tried.append(args[2])
        return real(*args, **options)

    monkeypatch.setattr(module, "cross_validate", counted)
    steps: list[str] = []
    for trials in (2, 3):
        search = rp.tune(
            data,
            metric="nDCG@10",
            trials=trials,
            folds=2,
            n_estimators=5,
            out=tmp_path / "s",
            progress=lambda done, of, what: steps.append(f"{done}/{of} {what}"),
        )
    assert tried == [0, 1, 2]
    assert len(search.trials) == 3
    assert steps[0] == "0/4 trial 0, fold 1"
    assert steps[-1] == "1/2 trial 2, fold 2"


def test_the_best_settings_are_those_that_train_takes(path: Path) -> None:
    data = rp.read_letor(path)
    search = rp.tune(data, metric="nDCG@10", trials=3, folds=2, n_estimators=8)
    run = rp.train(data, metric="nDCG@10", model="lightgbm", **search.best_settings)
    assert run.settings["n_estimators"] == search.best.trees
    assert run.ranker.learning_rate == search.best.learning_rate
    assert run.ranker.l2 == search.best.l2
    assert run.ranker.min_data_in_leaf == search.best.min_data_in_leaf
    assert (run.ranker.parameters or {}) == search.best.parameters


@pytest.mark.parametrize("model", ["lightgbm", "xgboost", "catboost"])
def test_what_is_given_is_not_drawn(path: Path, model: str) -> None:
    """Under any of its names; and the best settings have it beside what was drawn."""
    fixed = {"lightgbm": "sub_feature", "xgboost": "min_child_weight", "catboost": "colsample_bylevel"}[model]
    search = rp.tune(
        rp.read_letor(path),
        metric="nDCG@10",
        model=model,
        trials=2,
        folds=2,
        n_estimators=3,
        parameters={fixed: 0.5},
    )
    names = {"lightgbm": set(), "xgboost": {"colsample_bytree", "subsample"}, "catboost": {"random_strength"}}
    assert set(search.trials[1].parameters) == names[model]
    assert (search.trials[1].min_data_in_leaf is None) == (model != "lightgbm")
    assert search.best_settings["parameters"] == {fixed: 0.5, **search.best.parameters}
    with pytest.raises(ArgumentError, match="learning_rate is searched for"):
        rp.tune(rp.read_letor(path), metric="nDCG@10", model=model, learning_rate=0.1)


def test_the_least_rows_of_a_leaf_are_drawn_unless_given(path: Path) -> None:
    data = rp.read_letor(path)
    few = rp.tune(data, metric="nDCG@10", trials=2, folds=2, n_estimators=3, min_data_in_leaf=7)
    assert [trial.min_data_in_leaf for trial in few.trials] == [None, None]
    assert few.best_settings["min_data_in_leaf"] == 7
    drawn = rp.tune(data, metric="nDCG@10", trials=2, folds=2, n_estimators=3)
    assert drawn.trials[1].min_data_in_leaf is not None
    assert drawn.to_frame()["min_data_in_leaf"].isna().tolist() == [True, False]
    assert drawn.to_frame()["feature_fraction"].tolist()[1] == drawn.trials[1].parameters["feature_fraction"]
    assert "min_data_in_leaf" in str(drawn).splitlines()[0]


def test_wrong_use_is_refused(path: Path) -> None:
    data = rp.read_letor(path)
    with pytest.raises(ArgumentError, match="Argument trials must be at least 1, got 0"):
        rp.tune(data, metric="nDCG@10", trials=0)
    with pytest.raises(ArgumentError, match="Argument model must be one of lightgbm, xgboost, catboost"):
        rp.tune(data, metric="nDCG@10", model="linear")
    with pytest.raises(ArgumentError, match="must be a RankingData with features"):
        rp.tune(rp.RankingData(labels=[1.0, 0.0], offsets=[0, 2]), metric="nDCG@10")
    with pytest.warns(ConsistencyWarning, match="No target standardises AP"):
        rp.tune(data, metric="AP", trials=1, folds=2, n_estimators=2)
