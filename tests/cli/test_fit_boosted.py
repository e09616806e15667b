"""``rankproof fit --model`` trains what the library trains with each model, and refuses what it has not."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankproof as rp
from cli.small_letor import write_parts
from rankproof.data.scores import read_scores
from rankproof.fit.trees.ranker import BoostedRanker
from rankproof.losses.choose import choose_loss
from rankproof.runs.models import model_defaults
from rankproof.runs.run_folder import read_run

Run = Callable[..., Any]
Parts = dict[str, Path]
ENGINES = ("lightgbm", "xgboost", "catboost")
every_engine = pytest.mark.parametrize("engine", ENGINES)
FEW = ("--n-estimators", 30, "--learning-rate", 0.2, "--num-leaves", 4, "--threads", 1)


@pytest.fixture
def parts(tmp_path: Path) -> Parts:
    return write_parts(tmp_path)


def words(parts: Parts, out: Path, model: str, *more: object) -> list[object]:
    files = ("fit", parts["train"], "--valid", parts["valid"], "--test", parts["test"])
    return [*files, "-m", "nDCG@10", "--model", model, "--out", out, *more]


@every_engine
def test_the_run_is_what_the_library_computes(
    rankproof: Run, parts: Parts, tmp_path: Path, engine: str
) -> None:
    more = (*FEW, "--early-stopping-rounds", 5, "--l2", 2, "--seed", 3)
    ran = rankproof(*words(parts, tmp_path / "run", engine, *more))
    assert (ran.status, ran.err) == (0, "")
    train, valid, test = (rp.read_letor(parts[name]) for name in ("train", "valid", "test"))
    ranker = BoostedRanker(
        "nDCG@10",
        engine=engine,
        n_estimators=30,
        learning_rate=0.2,
        num_leaves=4,
        l2=2.0,
        early_stopping_rounds=5,
        random_state=3,
        threads=1,
    ).fit(train.X, train.labels, qid=train.qids, validation=valid)
    found = read_run(tmp_path / "run")
    assert found["choice"]["loss"] == str(choose_loss("nDCG@10", engine=engine).loss)
    assert found["selection"]["trees"] == ranker.n_iter_
    assert [row["value"] for row in found["selection"]["path"]] == ranker.evaluations_.tolist()
    assert found["solver"] == ranker.report_.to_dict()
    assert found["versions"][engine] == version(engine)
    for name, data in (("valid", valid), ("test", test)):
        results = rp.evaluate(ranker.predict(data.X), data, "nDCG@10", seed=3)
        assert found["results"][name] == results.to_dict(per_query=True)
        (row,) = [line for line in ran.out.splitlines() if line.startswith(f"{name}  ") and "[" in line]
        assert row.split()[1] == f"{results.mean['nDCG@10']:.4f}"
    (chosen,) = [line for line in ran.out.splitlines() if line.endswith("chosen")]
    assert chosen.split()[:2] == [str(ranker.n_iter_), f"{ranker.best_score_:.4f}"]
    assert "The number of trees was chosen on valid" in ran.out
    (metric,) = found["results"]["test"]["metrics"]
    assert metric["mean"] > metric["constant"] + 0.05

    rankproof("predict", tmp_path / "run", parts["test"], "-o", tmp_path / "scores.txt")
    assert read_scores(tmp_path / "scores.txt").tolist() == ranker.predict(test.X).tolist()


@every_engine
def test_the_same_command_gives_the_same_bytes(
    rankproof: Run, parts: Parts, tmp_path: Path, engine: str
) -> None:
    rankproof(*words(parts, tmp_path / "one", engine, *FEW))
    told = rankproof(*words(parts, tmp_path / "two", engine, *FEW, "-v"))
    assert f"BoostedRanker {engine}: tree 1, nDCG@10 " in told.err
    # The page names its own folder.
    names = sorted(file.name for file in (tmp_path / "one").iterdir() if file.name != "report.html")
    assert len(names) == 7
    for name in names:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_settings_are_those_of_the_model(rankproof: Run, parts: Parts, tmp_path: Path) -> None:
    ran = rankproof(*words(parts, tmp_path / "run", "lightgbm", *FEW, "--json"))
    assert json.loads(ran.out)["settings"] == {
        "metric": "nDCG@10",
        "loss": "auto",
        "noise": None,
        "model": "lightgbm",
        "n_estimators": 30,
        "learning_rate": 0.2,
        "num_leaves": 4,
        "l2": None,
        "min_data_in_leaf": None,
        "early_stopping_rounds": 50,
        "categorical": None,
        "parameter": [],
        "features": None,
        "seed": 0,
        "level": 0.95,
    }


def test_without_valid_all_trees_are_kept(rankproof: Run, parts: Parts, tmp_path: Path) -> None:
    ran = rankproof(
        "fit", parts["train"], "-m", "nDCG@10", "--model", "xgboost", *FEW, "--out", tmp_path / "r"
    )
    assert ran.status == 0
    assert "The number of trees is 30: there was no --valid to choose it by." in ran.out
    assert rp.load_model(tmp_path / "r").n_iter_ == 30
    assert read_run(tmp_path / "r")["selection"]["path"] == []


def test_missing_values_and_categories(rankproof: Run, tmp_path: Path) -> None:
    lines = [f"{(k % 3 == 1) * 2} qid:{k // 10} 1:{k % 3} 2:{'nan' if k % 4 else k}\n" for k in range(300)]
    data = tmp_path / "data.txt"
    data.write_text("".join(lines))
    common = ("fit", data, "--test", data, "-m", "nDCG@10", *FEW, "--out")
    ran = rankproof(*common, tmp_path / "run", "--model", "lightgbm", "--categorical", "1")
    assert (ran.status, ran.err) == (0, "")
    model = rp.load_model(tmp_path / "run")
    assert model.columns_.categorical == (0,)
    read = rp.read_letor(data)
    expected = BoostedRanker(
        n_estimators=30, learning_rate=0.2, num_leaves=4, threads=1, categorical_features=[0]
    )
    expected.fit(read.X, read.labels, qid=read.qids)
    assert model.predict(read.X).tolist() == expected.predict(read.X).tolist()
    assert rankproof("predict", tmp_path / "run", data, "-o", tmp_path / "s.txt").status == 0
    refused = rankproof("fit", data, "-m", "nDCG@10", "--out", tmp_path / "linear")
    assert "feature values are missing (nan) or infinite" in refused.err
    data.write_text("1 qid:1 1:inf\n0 qid:1 1:2\n")
    assert "1 feature values are infinite" in rankproof(*common, tmp_path / "x", "--model", "lightgbm").err


def test_parameters_of_the_engine(rankproof: Run, parts: Parts, tmp_path: Path) -> None:
    given = ("--parameter", "max_depth=1", "--parameter", "extra_trees=true", "--parameter", "boosting=gbdt")
    assert rankproof(*words(parts, tmp_path / "run", "lightgbm", *FEW, *given)).status == 0
    model = rp.load_model(tmp_path / "run")
    assert model.parameters == {"max_depth": 1, "extra_trees": True, "boosting": "gbdt"}
    assert model.booster_.trees_to_dataframe()["node_depth"].max() == 2


def test_another_model_leaves_no_file_of_the_one_before(rankproof: Run, parts: Parts, tmp_path: Path) -> None:
    run = tmp_path / "run"
    rankproof(*words(parts, run, "xgboost", *FEW))
    (run / "notes.txt").write_text("mine")
    assert rankproof(*words(parts, run, "lightgbm", *FEW, "--force")).status == 0
    names = sorted(file.name for file in run.iterdir())
    assert names == [
        *("booster.txt", "card.json", "card.md", "model.json", "notes.txt", "report.html", "results.json"),
        *("verdict.json", "weights.npz"),
    ]
    assert rp.load_model(run).engine == "lightgbm"


def test_what_is_not_given_is_what_the_library_takes() -> None:
    from rankproof.fit.neural.ranker import NeuralRanker

    for model, kind in (*((engine, BoostedRanker) for engine in ENGINES), ("neural", NeuralRanker)):
        known = {name: one.default for name, one in inspect.signature(kind).parameters.items()}
        told = dict(model_defaults(model))
        if model == "neural":
            assert tuple(map(int, told.pop("hidden").split(","))) == known["hidden"]
        else:
            assert (told.pop("categorical"), told.pop("parameter")) == (None, ())
        assert told == {name: known[name] for name in told}


@pytest.mark.parametrize(
    ("model", "more", "message"),
    [
        (
            "linear",
            ["--num-leaves", 8],
            "Option --num-leaves does not apply to --model linear, only to lightgbm,",
        ),
        ("linear", ["--parameter", "a=1"], "Option --parameter does not apply to --model linear"),
        ("xgboost", ["--tol", 0.1], "Option --tol does not apply to --model xgboost, only to linear"),
        ("xgboost", ["--scale", "standard"], "Option --scale does not apply to --model xgboost"),
        ("lightgbm", ["--hidden", "3"], "Option --hidden does not apply to --model lightgbm, only to neural"),
        ("neural", ["--l2", "1"], "Option --l2 does not apply to --model neural"),
        ("neural", ["--hidden", "3,x"], "--hidden takes whole numbers >= 1 separated by commas, got '3,x'"),
        ("lightgbm", ["--l2", "1,2"], "Option --l2 must be one number >= 0, got '1,2'"),
        ("lightgbm", ["--parameter", "a"], "given once, as NAME=VALUE, got 'a'"),
        ("lightgbm", ["--parameter", "a=1"], "which LightGBM does not know"),
        ("lightgbm", ["--parameter", "eta=1"], "use --learning-rate."),
        ("lightgbm", ["--categorical", "0"], "--categorical takes whole numbers >= 1"),
        ("lightgbm", ["--n-estimators", 0], "Option --n-estimators must be"),
        ("lightgbm", ["--level", 2], "Option --level must be"),
        ("catboost", ["--loss", "listnet"], "CatBoost has no loss that is listnet"),
        ("catboost", ["--num-leaves", 20], "Take 16 or 32"),
        ("lightgbm", ["--categorical", "9"], "names the column 8; there are 0 to 4"),
    ],
)
def test_wrong_use_is_one_clear_line_and_status_3(
    rankproof: Run, parts: Parts, tmp_path: Path, model: str, more: list[object], message: str
) -> None:
    ran = rankproof(*words(parts, tmp_path / "run", model, *more))
    assert ran.status == 3
    assert message in ran.err
    assert "Traceback" not in ran.err
    assert not (tmp_path / "run").exists()


def without_valid(parts: Parts, out: Path, *more: object) -> list[object]:
    files = ("fit", parts["train"], "--test", parts["test"], "-m", "nDCG@10", "--model", "lightgbm")
    return [*files, "--learning-rate", 0.3, "--out", out, *more]


def test_queries_are_held_out_where_none_are_given(rankproof: Run, parts: Parts, tmp_path: Path) -> None:
    more = ("--seed", 3, "--early-stopping-rounds", 3)
    ran = rankproof(*without_valid(parts, tmp_path / "run", *more))
    assert (ran.status, ran.err) == (0, "")
    train, test = rp.read_letor(parts["train"]), rp.read_letor(parts["test"])
    held = train.queries // 5
    line = (
        f"no --valid: {held} of the {train.queries} queries of train (20%, drawn with --seed 3) are held out"
    )
    assert line in ran.out
    found = read_run(tmp_path / "run")
    assert found["selection"]["held_out"] == "20% of the queries of train"
    # The queries are those that the seed draws, whole, and no others.
    drawn = np.random.Generator(np.random.PCG64(3)).permutation(train.queries)
    rest, valid = train[np.sort(drawn[held:])], train[np.sort(drawn[:held])]
    ranker = BoostedRanker("nDCG@10", learning_rate=0.3, early_stopping_rounds=3, random_state=3, threads=1)
    ranker.fit(rest.X, rest.labels, qid=rest.qids, validation=valid)
    assert [row["value"] for row in found["selection"]["path"]] == ranker.evaluations_.tolist()
    assert found["selection"]["trees"] == ranker.n_iter_ < 500
    expected = rp.evaluate(ranker.predict(test.X), test, "nDCG@10", seed=3)
    assert found["results"]["test"] == expected.to_dict(per_query=True)
    assert rankproof(*without_valid(parts, tmp_path / "again", *more)).status == 0
    for name in ("model.json", "booster.txt"):
        assert (tmp_path / "run" / name).read_bytes() == (tmp_path / "again" / name).read_bytes()


def test_a_number_of_trees_that_is_given_is_kept(rankproof: Run, parts: Parts, tmp_path: Path) -> None:
    ran = rankproof(*without_valid(parts, tmp_path / "run", "--n-estimators", 7))
    assert (ran.status, ran.err) == (0, "")
    assert "no queries are held out (--n-estimators says how many trees), so all trees are kept" in ran.out
    assert read_run(tmp_path / "run")["selection"]["trees"] == 7
    ran = rankproof(*without_valid(parts, tmp_path / "dart", "--parameter", "boosting=dart"))
    assert "no queries are held out (dart has no last tree to keep)" in ran.out


def test_a_run_that_cannot_be_written_is_not_trained(rankproof: Run, parts: Parts) -> None:
    """For root the rights say that it may; only trying tells."""
    ran = rankproof(*without_valid(parts, Path("/proc/rankproof/run")))
    assert ran.status == 3
    assert "'/proc/rankproof/run' cannot be" in ran.err
    assert ran.out == ""


@pytest.mark.torch
def test_a_neural_ranker(rankproof: Run, parts: Parts, tmp_path: Path) -> None:
    from rankproof.fit.neural.ranker import NeuralRanker

    more = ("--hidden", "8,4", "--max-iter", 3, "--learning-rate", 0.01, "--patience", 2)
    ran = rankproof(*words(parts, tmp_path / "run", "neural", *more))
    assert (ran.status, ran.err) == (0, "")
    train, valid, test = (rp.read_letor(parts[name]) for name in ("train", "valid", "test"))
    expected = NeuralRanker("nDCG@10", hidden=(8, 4), max_iter=3, learning_rate=0.01, patience=2)
    expected.fit(train.X, train.labels, qid=train.qids, validation=valid)
    rankproof("predict", tmp_path / "run", parts["test"], "-o", tmp_path / "scores.txt")
    scores = expected.predict(test.X, qid=test.qids)
    assert read_scores(tmp_path / "scores.txt").tolist() == scores.tolist()
    selection = read_run(tmp_path / "run")["selection"]
    assert selection["epochs"] == expected.report_.best_epoch
    assert [row["value"] for row in selection["path"]] == [one.metric for one in expected.history_]
    alone = rankproof("fit", parts["train"], "-m", "P@1", "--model", "neural", *more, "--out", tmp_path / "b")
    assert "P@1, 20% of the queries of train" in alone.out
