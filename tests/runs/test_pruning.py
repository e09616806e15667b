"""Trials that look hopeless are stopped, kept as such in the folder, and are never the best."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankproof as rp
import rankproof.runs.tune as module
from cli.small_letor import rows
from rankproof.errors import ArgumentError, MissingDependencyError
from rankproof.metrics.parse import metric
from rankproof.runs.pruning import STARTUP, is_hopeless
from rankproof.runs.samplers import next_settings
from rankproof.runs.trials import Trial, best_trial, within_noise
from rankproof.runs.tuning_run import TuningRun

NDCG, PD = metric("nDCG@10"), metric("PD")
SPACE = {"learning_rate": 0.1, "num_leaves": 16, "l2": 1.0, "loss": "auto"}


def whole(number: int, *values: float) -> Trial:
    return Trial(number=number, **SPACE, trees=5, value=float(np.mean(values)), values=values)  # type: ignore[arg-type]


def pruned(number: int, *values: float) -> Trial:
    return Trial(number, **SPACE, trees=5, value=float("nan"), values=values, pruned=True)  # type: ignore[arg-type]


BEFORE = {k: whole(k, 0.70 + 0.01 * k, 0.50 + 0.01 * k, 0.6) for k in range(STARTUP)}


def test_the_mean_so_far_is_compared_with_the_median_of_the_same_folds() -> None:
    """After one fold the median is 0.72, after two 0.62: a harder fold is no reason to go on, or to stop."""
    assert is_hopeless([0.719], 5, BEFORE, NDCG)
    assert not is_hopeless([0.721], 5, BEFORE, NDCG)
    assert is_hopeless([0.725, 0.513], 5, BEFORE, NDCG)
    assert not is_hopeless([0.725, 0.517], 5, BEFORE, NDCG)
    assert not is_hopeless([0.719], 5, BEFORE, PD)
    assert is_hopeless([0.721], 5, BEFORE, PD)


def test_it_begins_after_some_whole_trials_and_looks_at_earlier_ones_alone() -> None:
    few = {**BEFORE, 4: pruned(4, 0.1)}
    assert not is_hopeless([0.0], 5, few, NDCG)
    assert not is_hopeless([0.0], 4, BEFORE, NDCG)


def test_a_pruned_trial_is_never_the_best_nor_near_it() -> None:
    trials = [whole(0, 0.6, 0.7), pruned(1, 0.99), whole(2, 0.61, 0.68)]
    assert best_trial(trials, NDCG).number == 0
    assert [trial.number for trial in within_noise(trials, NDCG)] == [2]
    with pytest.raises(ArgumentError, match="Every trial was pruned"):
        best_trial(trials[1:2], NDCG)
    run = TuningRun(NDCG, {"settings": {"folds": 2}}, trials)
    assert [line.split()[0] for line in str(run).splitlines()[2:5]] == ["0", "2", "1"]
    assert "pruned after 1 of 2 folds" in str(run).splitlines()[4]
    assert "0.99" not in str(run)
    assert "Within noise of the best: 1 of the other 1" in str(run)
    assert "Pruned: 1," in str(run)
    told = json.loads(run.to_json())
    assert (told["best"], told["within_noise"]) == (0, [2])
    assert [(one["pruned"], one["value"]) for one in told["trials"]][1] == (True, None)
    assert run.to_frame()["value"].isna().tolist() == [False, True, False]
    assert run.to_frame("polars")["value"].null_count() == 1
    assert [Trial.from_dict(one) for one in told["trials"]] == trials


def test_optuna_hears_of_pruned_trials() -> None:
    """Its sampler draws something else than without them."""
    stopped = {k: replace(pruned(k, 0.1), learning_rate=0.2 + 0.01 * k) for k in range(5, 10)}
    told, untold = (
        [next_settings("tpe", 10, seed, ["auto"], NDCG, before) for seed in range(10)]
        for before in ({**BEFORE, **stopped}, BEFORE)
    )
    assert told != untold


@pytest.fixture
def path(tmp_path: Path) -> Path:
    place = tmp_path / "train.txt"
    place.write_text("\n".join(rows(1, 30)) + "\n")
    return place


def search(path: Path, trials: int, out: Path | None = None, *, prune: bool = True, **more: Any) -> TuningRun:
    return rp.tune(
        rp.read_letor(path),
        metric="nDCG@10",
        trials=trials,
        folds=3,
        n_estimators=4,
        prune=prune,
        out=out,
        seed=1,
        **more,
    )


@pytest.mark.exhaustive
def test_a_search_stops_what_a_whole_search_shows_to_be_below_the_median(path: Path, tmp_path: Path) -> None:
    found, every = search(path, 14, tmp_path / "s"), search(path, 14, prune=False)
    stopped = [trial for trial in found.trials if trial.pruned]
    assert stopped
    assert not any(trial.pruned for trial in every.trials)
    assert [t for t in found.trials if not t.pruned] == [
        t for t in every.trials if not found.trials[t.number].pruned
    ]
    for trial in stopped:
        done = len(trial.values)
        assert 1 <= done < 3
        before = [t for t in found.trials[: trial.number] if not t.pruned]
        assert len(before) >= STARTUP
        assert np.mean(trial.values) < np.median([np.mean(t.values[:done]) for t in before])
    assert not found.best.pruned
    # The folder keeps them, nothing is tried again, and an interruption changes nothing.
    lines = (tmp_path / "s" / "trials.jsonl").read_text().splitlines()
    assert [json.loads(line)["pruned"] for line in lines[1:]] == [t.pruned for t in found.trials]
    search(path, stopped[0].number + 1, tmp_path / "parts")
    assert search(path, 14, tmp_path / "parts").to_json() == found.to_json()


@pytest.mark.exhaustive
def test_pruning_can_begin_in_a_folder_of_an_earlier_version(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its trials have none of the later fields: they were left to the engine."""
    out = tmp_path / "s"
    first = search(path, 6, out, prune=False)
    file = out / "trials.jsonl"
    about, *lines = file.read_text().splitlines()
    old = [json.loads(line) for line in lines]
    for row in old:
        for name in ("min_data_in_leaf", "parameters", "pruned"):
            del row[name]
    file.write_text("\n".join([about, *map(json.dumps, old)]) + "\n")
    tried: list[int] = []
    real = module.cross_validate  # type: ignore[attr-defined]

    def counted(*args: Any, **options: Any) -> Any:
        tried.append(args[2])
        return real(*args, **options)

    monkeypatch.setattr(module, "cross_validate", counted)
    found = search(path, 9, out)
    assert tried == [6, 7, 8]
    assert [t.value for t in found.trials[:6]] == [t.value for t in first.trials]
    assert [t.parameters for t in found.trials[:6]] == [{}] * 6
    assert all(t.parameters for t in found.trials[6:])
    assert "engine's" in str(found)


def test_the_command_prunes_and_says_so(
    rankproof: Callable[..., Any], path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["tune", path, "-m", "nDCG@10", "--folds", 3, "--n-estimators", 4, "--seed", 1, "--trials", 14]
    expected = search(path, 14)
    ran = rankproof(*words, "--prune", "-v", "--out", tmp_path / "s")
    assert ran.status == 0
    assert str(expected).split() == ran.out.split("features\n")[1].split("rankproof fit")[0].split()
    assert ": pruned after " in ran.err
    told = json.loads(rankproof(*words, "--prune", "--json", "--out", tmp_path / "s").out)
    assert told["trials"] == expected.to_dict()["trials"]
    monkeypatch.setitem(sys.modules, "optuna", None)
    ran = rankproof(*words, "--prune", "--out", tmp_path / "other")
    assert ran.status == 3
    assert "Pruning needs the package optuna" in ran.err
    assert "pip install optuna" in ran.err
    assert not (tmp_path / "other").exists()
    with pytest.raises(MissingDependencyError, match=r"The sampler tpe needs .*: pip install optuna"):
        search(path, 1, prune=False, sampler="tpe")
    assert len(search(path, 1, prune=False).trials) == 1


def test_prune_is_a_truth_value(path: Path) -> None:
    with pytest.raises(ArgumentError, match="Argument prune must be True or False, got 'median'"):
        search(path, 1, prune="median")  # type: ignore[arg-type]
