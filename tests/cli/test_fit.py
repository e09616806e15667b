"""``rankproof fit`` trains what the library trains, says why, and leaves a run that can be checked."""

from __future__ import annotations

import hashlib
import json
import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankproof as rp
from cli.small_letor import FEATURES, write_parts
from rankproof.fit.linear.ranker import LinearRanker
from rankproof.fit.linear.ranker_cv import LinearRankerCV
from rankproof.fit.saved.load import load_model
from rankproof.runs.run_folder import read_run

Run = Callable[..., Any]
Parts = dict[str, Path]


@pytest.fixture
def parts(tmp_path: Path) -> Parts:
    return write_parts(tmp_path)


def words(parts: Parts, out: Path, *more: object) -> list[object]:
    return [
        *("fit", parts["train"], "--valid", parts["valid"], "--test", parts["test"]),
        *("--metric", "nDCG@10", "--l2", "1,0.01", "--out", out, *more),
    ]


def test_the_run_is_what_the_library_computes(rankproof: Run, parts: Parts, tmp_path: Path) -> None:
    ran = rankproof(*words(parts, tmp_path / "run"))
    assert (ran.status, ran.err) == (0, "")
    train, valid, test = (rp.read_letor(parts[name]) for name in ("train", "valid", "test"))
    ranker = LinearRankerCV("nDCG@10", l2s=(1, 0.01), scale="standard")
    ranker.fit(train.X, train.labels, qid=train.qids, validation=valid)
    found = read_run(tmp_path / "run")
    assert found["selection"]["l2"] == ranker.l2_
    assert [row["value"] for row in found["selection"]["path"]] == ranker.scores_[0].tolist()
    for name, data in (("valid", valid), ("test", test)):
        results = rp.evaluate(ranker.predict(data.X), data, "nDCG@10")
        assert found["results"][name] == results.to_dict(per_query=True)
        (row,) = [line for line in ran.out.splitlines() if line.startswith(f"{name}  ") and "[" in line]
        assert row.split()[1] == f"{results.mean['nDCG@10']:.4f}"
        constant = [line for line in ran.out.splitlines() if f"(constant scorer, {name})" in line]
        assert constant[0].split()[3] == f"{results.constant['nDCG@10']:.4f}"
    loaded = load_model(tmp_path / "run")
    assert loaded.predict(test.X).tolist() == ranker.predict(test.X).tolist()
    assert (
        found["results"]["test"]["metrics"][0]["mean"]
        > found["results"]["test"]["metrics"][0]["constant"] + 0.1
    )


def test_the_choice_is_told_with_its_reason(rankproof: Run, parts: Parts, tmp_path: Path) -> None:
    out = rankproof(*words(parts, tmp_path / "run")).out
    (line,) = [line for line in out.splitlines() if line.startswith("loss ")]
    assert line == (
        "loss    softmax:normalised-gain@10, chosen because it is consistent with nDCG@10: with unlimited "
        "data and "
        "a model that can represent any scores, minimising it gives the best ranking by nDCG@10."
    )
    # The command that says why works as it is printed.
    (why,) = [line.split(maxsplit=1)[1] for line in out.splitlines() if line.startswith("why ")]
    explained = rankproof(*shlex.split(why)[1:])
    assert explained.status == 0
    assert explained.out.startswith("Consistent: softmax:normalised-gain@10 is consistent with nDCG@10.")
    assert read_run(tmp_path / "run")["choice"]["condition"] is None


def test_no_consistent_loss_is_a_warning_and_a_known_condition_lifts_it(
    rankproof: Run, parts: Parts, tmp_path: Path
) -> None:
    common = ("fit", parts["train"], "--metric", "AP", "--l2", "0.1", "--out")
    warned = rankproof(*common, tmp_path / "a")
    assert warned.status == 0
    assert warned.err.startswith("rankproof: warning: No target standardises AP")
    assert warned.err.count("\n") == 1
    assert read_run(tmp_path / "a")["choice"]["warning"] in warned.err
    told = rankproof(*common, tmp_path / "b", "--noise", "independent")
    # The premises and the condition are on the line, whether or not the condition was given.
    for ran in (warned, told):
        assert "consistent with AP if the labels of the items are independent" in ran.out
        assert "with unlimited data and a model that can represent any scores" in ran.out
        assert "\nwhy     rankproof certify softmax:relevance --metric AP --noise independent\n" in ran.out
    assert (told.status, told.err) == (0, "")
    assert read_run(tmp_path / "b")["choice"]["condition"] == "independent"


def test_a_loss_of_which_nothing_is_proven_is_a_warning(rankproof: Run, parts: Parts, tmp_path: Path) -> None:
    ran = rankproof(*words(parts, tmp_path / "run", "--loss", "listnet"))
    assert "listnet is not proven to optimise nDCG@10" in ran.err
    assert (
        "loss    listnet, as requested: not proven to be consistent with nDCG@10, so it may miss the best "
        "ranking "
        "even with unlimited data and a model that can represent any scores.\n"
        "why     rankproof certify listnet --metric nDCG@10\n"
    ) in ran.out
    assert load_model(tmp_path / "run").loss_.name == "listnet"


def test_a_loss_takes_its_target_from_the_metric(rankproof: Run, parts: Parts, tmp_path: Path) -> None:
    ran = rankproof(*words(parts, tmp_path / "run", "--loss", "squared"))
    assert ran.err == ""
    assert read_run(tmp_path / "run")["choice"]["loss"] == "squared:normalised-gain@10"


def test_one_penalty_leaves_nothing_to_choose(rankproof: Run, parts: Parts, tmp_path: Path) -> None:
    ran = rankproof(
        "fit",
        parts["train"],
        "-m",
        "nDCG@10",
        "--l2",
        "0.5",
        "--test",
        parts["test"],
        "--out",
        tmp_path / "run",
    )
    assert "chosen\n" not in ran.out
    assert "optimistic" not in ran.out
    train, model = rp.read_letor(parts["train"]), load_model(tmp_path / "run")
    expected = LinearRanker("nDCG@10", l2=0.5, scale="standard").fit(train.X, train.labels, qid=train.qids)
    assert model.coef_.tolist() == expected.coef_.tolist()


def test_without_valid_the_training_queries_are_cross_validated(
    rankproof: Run, parts: Parts, tmp_path: Path
) -> None:
    ran = rankproof(
        "fit", parts["train"], "-m", "nDCG@10", "--l2", "1,0.1", "--seed", "3", "--out", tmp_path / "run"
    )
    assert "mean of 5 folds of train" in ran.out
    train = rp.read_letor(parts["train"])
    expected = LinearRankerCV("nDCG@10", l2s=(1, 0.1), scale="standard", random_state=3)
    expected.fit(train.X, train.labels, qid=train.qids)
    path = read_run(tmp_path / "run")["selection"]["path"]
    assert [row["value"] for row in path] == expected.scores_.mean(axis=0).tolist()


def test_a_metric_that_is_better_when_lower_is_shown_as_it_is(
    rankproof: Run, parts: Parts, tmp_path: Path
) -> None:
    rankproof(
        "fit",
        parts["train"],
        "--valid",
        parts["valid"],
        "-m",
        "PD",
        "--l2",
        "1,0.1",
        "--out",
        tmp_path / "run",
    )
    found = read_run(tmp_path / "run")
    values = {row["l2"]: row["value"] for row in found["selection"]["path"]}
    assert values[found["selection"]["l2"]] == min(values.values()) > 0
    assert found["results"]["valid"]["metrics"][0]["mean"] == pytest.approx(min(values.values()), rel=1e-12)


def test_the_facts_of_the_run(rankproof: Run, parts: Parts, tmp_path: Path) -> None:
    printed = json.loads(rankproof(*words(parts, tmp_path / "run", "--seed", "7", "--json")).out)
    assert printed == read_run(tmp_path / "run")
    assert printed["settings"] == {
        "metric": "nDCG@10",
        "loss": "auto",
        "noise": None,
        "model": "linear",
        "l2": "1,0.01",
        "scale": "standard",
        "solver": "lbfgs",
        "max_iter": 500,
        "tol": 1e-4,
        "features": None,
        "seed": 7,
        "level": 0.95,
    }
    for name, path in parts.items():
        (file,) = printed["data"][name]["files"]
        assert file == {"path": str(path), "sha256": hashlib.sha256(path.read_bytes()).hexdigest()}
    assert printed["versions"]["rankproof"] == rp.__version__
    assert printed["solver"]["converged"] is True


def test_the_bytes_do_not_depend_on_threads_or_progress(rankproof: Run, parts: Parts, tmp_path: Path) -> None:
    rankproof(*words(parts, tmp_path / "one", "--threads", "1"))
    told = rankproof(*words(parts, tmp_path / "two", "--threads", "3", "-v"))
    assert "iteration 1" in told.err
    for name in ("model.json", "weights.npz", "results.json"):
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_a_part_with_fewer_features_is_as_wide_as_train(rankproof: Run, parts: Parts, tmp_path: Path) -> None:
    narrow = tmp_path / "narrow.txt"
    narrow.write_text("1 qid:9 1:0.5\n0 qid:9 2:0.5\n")
    ran = rankproof(
        "fit", parts["train"], "--test", narrow, "-m", "P@1", "--l2", "1", "--out", tmp_path / "run"
    )
    assert (ran.status, ran.err) == (0, "")
    assert read_run(tmp_path / "run")["data"]["test"]["features"] == FEATURES


def test_several_files_are_one(rankproof: Run, parts: Parts, tmp_path: Path) -> None:
    more = tmp_path / "more.txt"
    more.write_text("1 qid:9 1:0.5\n0 qid:9 2:0.5\n")
    ran = rankproof(
        *("fit", parts["train"], parts["valid"], "--test", parts["test"], "--test", more),
        *("-m", "nDCG@10", "--l2", "0.1", "--out", tmp_path / "run"),
    )
    assert (ran.status, ran.err) == (0, "")
    data = read_run(tmp_path / "run")["data"]
    assert (data["train"]["queries"], data["test"]["queries"]) == (90, 31)


def test_a_run_is_replaced_only_by_force(rankproof: Run, parts: Parts, tmp_path: Path) -> None:
    run = tmp_path / "run"
    rankproof(*words(parts, run))
    before = (run / "results.json").read_bytes()
    refused = rankproof(*words(parts, run, "--seed", "1"))
    assert refused.status == 3
    assert "already contains a run. Choose another folder, or replace it with --force." in refused.err
    assert (run / "results.json").read_bytes() == before
    assert rankproof(*words(parts, run, "--seed", "1", "--force")).status == 0
    assert read_run(run)["settings"]["seed"] == 1
    (tmp_path / "photos").mkdir()
    (tmp_path / "photos" / "cat.jpg").write_bytes(b"meow")
    assert "left alone" in rankproof(*words(parts, tmp_path / "photos", "--force")).err
    assert [path.name for path in (tmp_path / "photos").iterdir()] == ["cat.jpg"]


def test_a_solver_that_stops_early_is_a_warning(rankproof: Run, parts: Parts, tmp_path: Path) -> None:
    ran = rankproof(*words(parts, tmp_path / "run", "--max-iter", "1"))
    assert ran.status == 0
    assert ran.err.startswith("rankproof: warning: ")
    assert "did not converge" in ran.err
    (told,) = read_run(tmp_path / "run")["warnings"]
    # What Python calls l2 is an option here.
    assert told.replace("l2=1", "--l2 1") in ran.err


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["-m", "nDGC@10"], "Did you mean 'nDCG'?"),
        (["--loss", "sofmax"], "Did you mean 'softmax'?"),
        (["--loss", ":gain"], "A loss is named"),
        (["-m", "RR", "--loss", "softmax"], "No target standardises RR"),
        (["-m", "judged"], "No target standardises judged"),
        (["--noise", "lots"], "Option --noise must be one of independent,"),
        (["--l2", "1,x"], "got 'x' in '1,x'"),
        (["--l2", "-1"], "got '-1' in '-1'"),
        (["--model", "tree"], "'tree' is not"),
        (["--scale", "log"], "Option --scale must be one of"),
        (["--solver", "newton"], "Option --solver must be one of"),
        (["--tol", "-1"], "Option --tol must be"),
        (["--max-iter", "0"], "Option --max-iter must be"),
        (["--seed", "-1"], "Option --seed must be"),
        (["--level", "1.5"], "Option --level must be"),
        (["--threads", "0"], "threads must be"),
        (["--features", "2"], "train.txt:1: feature index 3 is greater than --features 2"),
        (["--valid", "none.txt"], "'none.txt' does not exist"),
    ],
)
def test_wrong_use_is_one_clear_line_and_status_3(
    rankproof: Run, parts: Parts, tmp_path: Path, more: list[str], message: str
) -> None:
    ran = rankproof(*words(parts, tmp_path / "run", *more))
    assert ran.status == 3
    assert message in ran.err
    assert "Traceback" not in ran.err
    assert ran.out == ""
    assert sorted(path.name for path in tmp_path.iterdir()) == ["test.txt", "train.txt", "valid.txt"]


@pytest.mark.parametrize(
    ("part", "row", "message"),
    [
        ("train", "nan qid:999 1:1 2:1", "train has 1 items without a judgment"),
        ("valid", "nan qid:999 1:1 2:1", "valid has 1 items without a judgment"),
        ("test", "1 qid:999 1:nan 2:1", "test.txt: 1 feature values are missing (nan) or infinite"),
        ("train", "1 qid:999 1:x", "train.txt:"),
    ],
)
def test_data_that_cannot_be_trained_on_are_named(
    rankproof: Run, parts: Parts, tmp_path: Path, part: str, row: str, message: str
) -> None:
    with parts[part].open("a") as file:
        file.write(row + "\n")
    ran = rankproof(*words(parts, tmp_path / "run"))
    assert ran.status == 3
    assert message in ran.err
    assert not (tmp_path / "run").exists()


def test_rows_without_features_are_named(rankproof: Run, tmp_path: Path) -> None:
    bare = tmp_path / "bare.txt"
    bare.write_text("1 qid:1\n0 qid:1\n")
    ran = rankproof("fit", bare, "-m", "nDCG", "--out", tmp_path / "run")
    assert (ran.status, ran.out) == (3, "")
    assert "no features found" in ran.err


@pytest.mark.exhaustive
def test_on_a_terminal_progress_is_drawn(parts: Parts, tmp_path: Path) -> None:
    """A real pseudo-terminal, because that is what decides."""
    import pty

    parent, child = pty.openpty()
    command = [sys.executable, "-m", "rankproof", *map(str, words(parts, tmp_path / "run"))]
    environment = {**os.environ, "COLUMNS": "200", "TERM": "xterm"}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=child, env=environment) as process:
        os.close(child)
        text = b""
        while True:
            try:
                piece = os.read(parent, 4096)
            except OSError:
                break
            if not piece:
                break
            text += piece
        assert process.stdout is not None
        out = process.stdout.read().decode()
    os.close(parent)
    assert process.returncode == 0
    assert "l2=0.01" in text.decode()
    assert "l2=0.01" not in out
    assert "saved in" in out


def test_mq2008_fold_1(rankproof: Run, shared_data: Path, tmp_path: Path) -> None:
    """On real data the model is far above a constant scorer, on queries it has never seen."""
    files = [shared_data / "mq2008" / f"S{k}.txt.xz" for k in range(1, 6)]
    ran = rankproof(
        *("fit", *files[:3], "--valid", files[3], "--test", files[4], "--metric", "nDCG@10"),
        *("--l2", "0.1,0.001", "--out", tmp_path / "run"),
    )
    assert (ran.status, ran.err) == (0, "")
    found = read_run(tmp_path / "run")
    assert sum(found["data"][part]["queries"] for part in ("train", "valid", "test")) == 784
    (row,) = found["results"]["test"]["metrics"]
    assert row["interval"][0] > row["constant"] + 0.1
    model, test = load_model(tmp_path / "run"), rp.read_letor(files[4])
    mean = rp.evaluate(model.predict(test.X), test, "nDCG@10").mean["nDCG@10"]
    assert np.isclose(mean, row["mean"], rtol=1e-12)


@pytest.mark.parametrize(
    ("name", "made"), [("RankNet", "preorder(margin=logistic)"), ("ranksvm", "preorder(margin=hinge)")]
)
def test_a_preset_is_trained_by_its_name(
    rankproof: Run, parts: Parts, tmp_path: Path, name: str, made: str
) -> None:
    ran = rankproof(*words(parts, tmp_path / "run", "--loss", name))
    assert ran.status == 0
    assert made in ran.out
    assert f"{made} is not proven to optimise nDCG@10" in ran.err
    assert f"rankproof certify {name} --metric nDCG@10\n" in ran.err
