"""``rankproof tune`` compares settings by folds of queries, loses no finished trial, ends in a command."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankproof as rp
import rankproof.runs.tune as tuning
from cli.small_letor import rows
from every_case import exhaustive
from rankproof.data.split import QueryKFold
from rankproof.fit.trees.ranker import BoostedRanker
from rankproof.runs.space import space_of
from rankproof.runs.trials import LEAVES, Trial, best_trial, trial_settings

Run = Callable[..., Any]
MORE = {
    "lightgbm": {"feature_fraction"},
    "xgboost": {"colsample_bytree", "subsample"},
    "catboost": {"random_strength", "rsm"},
}
FEW = ("--n-estimators", 8, "--folds", 2, "--threads", 1)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "train.txt"
    path.write_text("\n".join(rows(1, 30)) + "\n")
    return path


def words(data: Path, out: Path, *more: object, trials: int = 3) -> list[object]:
    return ["tune", data, "-m", "nDCG@10", "--trials", trials, "--out", out, *FEW, *more]


def lines_of(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "trials.jsonl").read_text().splitlines()]


@pytest.mark.parametrize("model", ["lightgbm", *exhaustive("xgboost", "catboost")])
def test_every_trial_is_the_mean_over_folds_of_queries(
    rankproof: Run, data: Path, tmp_path: Path, model: str
) -> None:
    """By scikit-learn's splitter and models of exactly so many trees."""
    ran = rankproof(*words(data, tmp_path / "s", "--model", model, "--json", "--seed", 4))
    assert (ran.status, ran.err) == (0, "")
    told = json.loads(ran.out)
    train = rp.read_letor(data)
    folds = list(QueryKFold(2, seed=4).split(groups=train.qids))
    for trial in told["trials"]:
        values = []
        for count in range(1, 9):
            ranker = BoostedRanker(
                engine=model,
                n_estimators=count,
                learning_rate=trial["learning_rate"],
                num_leaves=trial["num_leaves"],
                l2=trial["l2"],
                min_data_in_leaf=trial["min_data_in_leaf"],
                parameters=trial["parameters"],
                random_state=4,
                threads=1,
            )
            values.append(
                [
                    ranker.fit(train.X[a], train.labels[a], qid=train.qids[a]).score(
                        train.X[b], train.labels[b], qid=train.qids[b]
                    )
                    for a, b in folds
                ]
            )
        means = np.mean(values, axis=1)
        assert trial["trees"] == int(np.argmax(means)) + 1
        assert trial["value"] == means.max()
        assert trial["values"] == values[int(np.argmax(means))]
    best = max(told["trials"], key=lambda trial: trial["value"])
    assert told["best"] == best["number"]
    assert all(set(trial["parameters"]) == MORE[model] for trial in told["trials"][1:])
    assert lines_of(tmp_path / "s")[1:] == told["trials"]


@pytest.mark.parametrize(
    ("model", "given"),
    [("lightgbm", {"max_depth": 3}), *exhaustive(("xgboost", {"subsample": 0.8}), ("catboost", {}))],
)
def test_the_command_at_the_end_trains_with_the_best(
    rankproof: Run, data: Path, tmp_path: Path, model: str, given: dict[str, Any]
) -> None:
    """All that was drawn is in it, and what was given."""
    parameters = [word for name, value in given.items() for word in ("--parameter", f"{name}={value}")]
    more = ("--model", model, "--loss", "softmax", *parameters, "--seed", 4)
    told = json.loads(rankproof(*words(data, tmp_path / "s", *more, "--json")).out)
    best = told["trials"][told["best"]]
    assert best["parameters"], "the defaults are the best, which shows nothing: take another seed"
    command = shlex.split(told["command"])
    assert command[-2:] == ["--out", "run/"]
    assert rankproof(*command[1:-1], tmp_path / "run").status == 0
    train = rp.read_letor(data)
    expected = BoostedRanker(
        engine=model,
        loss="softmax",
        n_estimators=best["trees"],
        learning_rate=best["learning_rate"],
        num_leaves=best["num_leaves"],
        l2=best["l2"],
        min_data_in_leaf=best["min_data_in_leaf"],
        random_state=4,
        parameters={**given, **best["parameters"]},
        threads=1,
    ).fit(train.X, train.labels, qid=train.qids)
    assert rp.load_model(tmp_path / "run").predict(train.X).tolist() == expected.predict(train.X).tolist()
    shown = rankproof(*words(data, tmp_path / "s", *more)).out
    assert shown.splitlines()[-1] == told["command"]
    (line,) = [line for line in shown.splitlines() if line.endswith("best")]
    assert line.split()[0] == str(told["best"])
    assert f"{best['value']:.4f}" in line


def test_a_name_that_does_not_print_is_shown_as_a_shell_reads_it(
    rankproof: Run, data: Path, tmp_path: Path
) -> None:
    odd = data.rename(tmp_path / "tr\x1b[31m'\\ \u202e.txt")
    out = tmp_path / "s\x1b[31m"
    for more in ((), ("--json",)):
        ran = rankproof(*words(odd, out, *more, trials=1))
        assert ran.status == 0
        assert ran.out.replace("\n", "").isprintable()
        assert ran.err.replace("\n", "").isprintable()
        command = json.loads(ran.out)["command"] if more else ran.out.splitlines()[-1]
        word = command.split(" --metric")[0].removeprefix("rankproof fit ")
        read = subprocess.run(["bash", "-c", f"printf %s {word}"], capture_output=True, check=True).stdout
        assert os.fsdecode(read) == str(odd)


def test_settings_are_drawn_from_the_seed_and_the_number() -> None:
    space = space_of("xgboost", {"min_data_in_leaf": None, "parameter": []})
    found = [trial_settings(number, 3, ["auto", "softmax"]) for number in range(200)]
    longer = [trial_settings(number, 3, ["auto", "softmax"], space) for number in range(200)]
    # What is drawn in addition changes nothing else.
    more: dict[str, Any] = {"min_data_in_leaf": None, "parameters": {}}
    assert [{**one, **more} for one in longer] == found
    assert longer[0] == found[0]
    for one in space:
        values = [{**row["parameters"], **row}[one.name] for row in longer[1:]]
        assert one.low <= min(values) < max(values) <= one.high
        middle = (one.low * one.high) ** 0.5 if one.log else (one.low + one.high) / 2
        assert 0.7 < np.median(values) / middle < 1.4
    assert found == [trial_settings(number, 3, ["auto", "softmax"]) for number in range(200)]
    assert found[1:] != [trial_settings(number, 4, ["auto", "softmax"]) for number in range(1, 200)]
    plain = BoostedRanker()
    assert all((getattr(plain, name) or {}) == (value or {}) for name, value in found[0].items())
    assert {one["num_leaves"] for one in found} == set(LEAVES)
    assert {one["loss"] for one in found} == {"auto", "softmax"}
    rates = [one["learning_rate"] for one in found]
    assert min(rates) >= 0.02
    assert max(rates) <= 0.3
    assert 0.05 < np.median(rates) < 0.12  # between the ends in logarithms: sqrt(0.02 * 0.3) = 0.077
    assert all(0.1 <= one["l2"] <= 100 and float(f"{one['l2']:g}") == one["l2"] for one in found[1:])


def test_an_interrupted_search_goes_on(
    rankproof: Run, data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = rankproof(*words(data, tmp_path / "whole")).out
    real, asked = tuning.cross_validate, []  # type: ignore[attr-defined]

    def counted(*given: Any, **more: Any) -> Trial:
        asked.append(given[2])
        if len(asked) == 2:
            raise KeyboardInterrupt
        return real(*given, **more)

    monkeypatch.setattr(tuning, "cross_validate", counted)
    stopped = rankproof(*words(data, tmp_path / "s"))
    assert stopped.status == 130
    assert "run the same command to continue" in stopped.err
    assert [row["number"] for row in lines_of(tmp_path / "s")[1:]] == [0]
    ran = rankproof(*words(data, tmp_path / "s"))
    assert asked == [0, 1, 1, 2]
    assert (ran.status, ran.out) == (0, whole)
    assert "1 of 3 trials are already in" in ran.err
    # More trials look further, fewer read what is there.
    assert rankproof(*words(data, tmp_path / "s", trials=4)).status == 0
    assert asked == [0, 1, 1, 2, 3]
    assert rankproof(*words(data, tmp_path / "s")).out == whole
    assert asked == [0, 1, 1, 2, 3]


def test_a_line_that_was_cut_off_is_done_again(rankproof: Run, data: Path, tmp_path: Path) -> None:
    whole = rankproof(*words(data, tmp_path / "s")).out
    file = tmp_path / "s" / "trials.jsonl"
    raw = file.read_bytes()
    file.write_bytes(raw[:-20])
    assert rankproof(*words(data, tmp_path / "s")).out == whole
    assert file.read_bytes() == raw


@pytest.mark.parametrize(
    ("more", "reason"),
    [
        (["--seed", 1], "seed was 0, is 1"),
        (["--folds", 3], "folds was 2, is 3"),
        (["-m", "P@1"], "metric was 'nDCG@10', is 'P@1'"),
        (["--model", "xgboost"], "model was 'lightgbm', is 'xgboost'"),
        (["--loss", "softmax"], "losses was ['auto'], is ['softmax']"),
        (["--parameter", "max_depth=3"], "parameter was [], is ['max_depth=3']"),
    ],
)
def test_another_search_is_refused_with_what_changed(
    rankproof: Run, data: Path, tmp_path: Path, more: list[object], reason: str
) -> None:
    rankproof(*words(data, tmp_path / "s", trials=1))
    before = (tmp_path / "s" / "trials.jsonl").read_bytes()
    ran = rankproof(*words(data, tmp_path / "s", *more, trials=1))
    assert (ran.status, ran.out) == (3, "")
    assert reason in ran.err
    assert (tmp_path / "s" / "trials.jsonl").read_bytes() == before


def test_other_data_are_refused_wherever_they_lie(rankproof: Run, data: Path, tmp_path: Path) -> None:
    rankproof(*words(data, tmp_path / "s", trials=1))
    same = tmp_path / "same.txt"
    same.write_bytes(data.read_bytes())
    assert rankproof(*words(same, tmp_path / "s", trials=1)).status == 0
    data.write_text(data.read_text().replace("0 qid:1000", "1 qid:1000", 1))
    assert "data was" in rankproof(*words(data, tmp_path / "s", trials=1)).err


def test_a_metric_that_is_better_when_lower(rankproof: Run, data: Path, tmp_path: Path) -> None:
    told = json.loads(
        rankproof(*words(data, tmp_path / "s", "--json", "-m", "PD", "--noise", "low noise")).out
    )
    assert told["trials"][told["best"]]["value"] == min(trial["value"] for trial in told["trials"])
    made = [Trial(k, 0.1, 8, 1.0, "auto", 5, value, (value,)) for k, value in enumerate((0.2, 0.1, 0.1))]
    assert best_trial(made, "PD").number == 1
    assert best_trial(made, "nDCG").number == 0


def test_several_losses_and_progress(rankproof: Run, data: Path, tmp_path: Path) -> None:
    ran = rankproof(*words(data, tmp_path / "s", "--loss", "auto", "--loss", "squared", "-v", trials=4))
    assert ran.status == 0
    told = [line for line in ran.err.splitlines() if line.startswith("trial ")]
    assert len(told) == 4
    assert "trial 0: nDCG@10 0." in told[0]
    assert "loss" in next(line for line in ran.out.splitlines() if line.startswith("trial")).split()
    assert ran.out.count("metric  nDCG@10") == 1


def test_no_consistent_loss_is_one_warning(rankproof: Run, data: Path, tmp_path: Path) -> None:
    ran = rankproof(*words(data, tmp_path / "s", "-m", "AP", trials=2))
    assert ran.status == 0
    assert ran.err.startswith("rankproof: warning: No target standardises AP")
    assert ran.err.count("\n") == 1


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--trials", 0], "--trials must be at least 1"),
        (["--folds", 1], "Option --folds must be an int >= 2"),
        (["--folds", 99], "99 folds need at least 99 queries"),
        (["--model", "linear"], "'linear' is not one of"),
        (["--parameter", "lambda_l2=3"], "use l2="),
        (["--loss", "sofmax"], "Did you mean 'softmax'"),
        (["--model", "catboost", "--loss", "listnet"], "CatBoost has no loss that is listnet"),
    ],
)
def test_wrong_use_is_one_clear_line_and_status_3(
    rankproof: Run, data: Path, tmp_path: Path, more: list[object], message: str
) -> None:
    ran = rankproof(*words(data, tmp_path / "s", *more))
    assert ran.status == 3
    assert message in ran.err
    assert "Traceback" not in ran.err


def test_a_folder_of_something_else_is_left_alone(rankproof: Run, data: Path, tmp_path: Path) -> None:
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "cat.jpg").write_bytes(b"meow")
    assert "left alone" in rankproof(*words(data, tmp_path / "photos")).err
    assert "is a file" in rankproof(*words(data, data)).err
    (tmp_path / "odd").mkdir()
    for text, message in (("x\n", "1: not JSON"), ('{"a": 1}\n', "not a search of rankproof")):
        (tmp_path / "odd" / "trials.jsonl").write_text(text)
        assert message in rankproof(*words(data, tmp_path / "odd")).err
    rankproof(*words(data, tmp_path / "s", trials=1))
    whole = (tmp_path / "s" / "trials.jsonl").read_text()
    for line in ('{"number": 1}', "0", "[]", "null", '"x"'):
        (tmp_path / "s" / "trials.jsonl").write_text(f"{whole}{line}\n")
        assert "trials.jsonl:3: not a trial" in rankproof(*words(data, tmp_path / "s")).err
