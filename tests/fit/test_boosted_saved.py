"""A boosted ranker comes back from the disk as it was; what is damaged, foreign or not installed is told."""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path
from typing import Any

import catboost
import lightgbm as lgb
import numpy as np
import pytest
import xgboost as xgb

import rankproof as rp
from adapters.engine_data import train_and_valid
from rankproof.errors import ArgumentError, FileFormatError, MissingDependencyError
from rankproof.fit.trees.booster import ENGINES
from rankproof.fit.trees.ranker import BoostedRanker
from rankproof.losses.softmax import Softmax

TRAIN, VALID = train_and_valid()
every_engine = pytest.mark.parametrize("engine", ENGINES)
FILES = {"lightgbm": "booster.txt", "xgboost": "booster.ubj", "catboost": "booster.cbm"}


def fitted(engine: str, *, validation: bool = True, **more: Any) -> BoostedRanker:
    ranker = BoostedRanker(
        **{"metric": "nDCG@5", "engine": engine, "n_estimators": 6, "num_leaves": 4, "threads": 1, **more}
    )
    held = (VALID.X, VALID.y, VALID.qid) if validation else None
    return ranker.fit(TRAIN.X, TRAIN.y, qid=TRAIN.qid, validation=held)


def edited(folder: Path, **changes: Any) -> None:
    """Change the JSON and make its checksum right again."""
    content = json.loads((folder / "model.json").read_text())
    content |= changes
    del content["sha256"]
    content["sha256"] = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
    (folder / "model.json").write_text(json.dumps(content))


@every_engine
@pytest.mark.parametrize(
    "more",
    [
        {},
        {"validation": False, "loss": Softmax(), "parameters": None},
        {"metric": "P@3", "loss": "squared", "l2": np.float64(1 / 3), "random_state": np.int64(3)},
    ],
    ids=["default", "objects", "numbers"],
)
def test_a_model_comes_back_as_it_was(engine: str, more: dict[str, Any], tmp_path: Path) -> None:
    model = fitted(engine, **more)
    model.save(tmp_path / "model")
    names = sorted(file.name for file in (tmp_path / "model").iterdir())
    assert names == sorted(["model.json", "weights.npz", FILES[engine]])
    assert [file.name for file in tmp_path.iterdir()] == ["model"], "something was left beside the model"
    back = rp.load_model(tmp_path / "model")
    assert back.predict(VALID.X).tolist() == model.predict(VALID.X).tolist()
    assert back.explain(VALID.X).tolist() == model.explain(VALID.X).tolist()
    assert back.feature_importances_.tolist() == model.feature_importances_.tolist()
    assert back.evaluations_.tolist() == model.evaluations_.tolist()
    for name in ("loss_", "report_", "best_score_", "n_iter_", "n_features_in_", "columns_"):
        assert getattr(back, name) == getattr(model, name)
    back.save(tmp_path / "again")
    for name in names:
        assert (tmp_path / "model" / name).read_bytes() == (tmp_path / "again" / name).read_bytes()
    again = back.fit(TRAIN.X, TRAIN.y, qid=TRAIN.qid)
    expected = fitted(engine, **{**more, "validation": False})
    assert again.predict(VALID.X).tolist() == expected.predict(VALID.X).tolist(), "parameters were lost"


@every_engine
def test_the_file_of_the_engine_is_one_the_engine_reads(engine: str, tmp_path: Path) -> None:
    model = fitted(engine)
    model.save(tmp_path / "m")
    file = str(tmp_path / "m" / FILES[engine])
    if engine == "lightgbm":
        scores = lgb.Booster(model_file=file).predict(VALID.X)
    elif engine == "xgboost":
        scores = xgb.Booster(model_file=file).predict(xgb.DMatrix(VALID.X))
    else:
        scores = catboost.CatBoost().load_model(file).predict(VALID.X)
    assert scores.tolist() == model.predict(VALID.X).tolist()


def test_parameters_of_the_engine_come_back(tmp_path: Path) -> None:
    given = {"feature_fraction": 0.5, "monotone_constraints": [1, 0, 0, 0], "extra_trees": True}
    fitted("lightgbm", parameters=given).save(tmp_path / "m")
    assert rp.load_model(tmp_path / "m").parameters == given


def test_what_cannot_be_written_as_text_is_refused(tmp_path: Path) -> None:
    model = fitted("lightgbm")
    model.set_params(parameters={"objective": len})
    with pytest.raises(ArgumentError, match=r"parameters\['objective'\] of BoostedRanker cannot be saved"):
        model.save(tmp_path / "m")
    assert not list(tmp_path.iterdir())


@every_engine
def test_a_model_of_another_engine_is_replaced(engine: str, tmp_path: Path) -> None:
    other = {"lightgbm": "xgboost", "xgboost": "catboost", "catboost": "lightgbm"}[engine]
    fitted(other).save(tmp_path / "m")
    model = fitted(engine)
    model.save(tmp_path / "m")
    assert FILES[other] not in [file.name for file in (tmp_path / "m").iterdir()]
    assert rp.load_model(tmp_path / "m").predict(VALID.X).tolist() == model.predict(VALID.X).tolist()
    (tmp_path / "m" / "notes.txt").write_text("mine")
    with pytest.raises(ArgumentError, match="it exists and is not a model"):
        model.save(tmp_path / "m")


@every_engine
def test_a_damaged_or_missing_file_of_the_engine_is_refused(engine: str, tmp_path: Path) -> None:
    fitted(engine).save(tmp_path / "m")
    file = tmp_path / "m" / FILES[engine]
    raw = bytearray(file.read_bytes())
    raw[len(raw) // 2] ^= 1
    file.write_bytes(bytes(raw))
    with pytest.raises(FileFormatError, match=f"{FILES[engine]}: the file is damaged"):
        rp.load_model(tmp_path / "m")
    file.unlink()
    with pytest.raises(FileFormatError, match=f"{FILES[engine]}: this part of the model is missing"):
        rp.load_model(tmp_path / "m")


@every_engine
def test_a_file_that_is_not_of_the_engine_is_refused(engine: str, tmp_path: Path) -> None:
    fitted(engine).save(tmp_path / "m")
    (tmp_path / "m" / FILES[engine]).write_bytes(b"something else")
    digest = hashlib.sha256(b"something else").hexdigest()
    edited(tmp_path / "m", files={FILES[engine]: digest})
    with pytest.raises(FileFormatError, match=f"{engine} cannot read it: .* It was written by {engine} "):
        rp.load_model(tmp_path / "m")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"files": {}}, "booster.txt, the model of lightgbm, is missing"),
        ({"files": {"../booster.txt": "0"}}, "its list of files is not one"),
        ({"files": [1]}, "its list of files is not one"),
        ({"state": {}}, "a part of the model is missing"),
        ({"parameters": {"parameters": None, "engine": "forest"}}, "unknown engine 'forest'"),
        (
            {"parameters": {"parameters": None, "depth": 3}},
            "a part of the model is missing or of a wrong kind",
        ),
    ],
)
def test_content_that_is_no_model_is_refused(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    fitted("lightgbm").save(tmp_path / "m")
    edited(tmp_path / "m", **changes)
    with pytest.raises(FileFormatError, match=message):
        rp.load_model(tmp_path / "m")


@every_engine
def test_an_engine_that_is_not_installed_is_named(
    engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fitted(engine).save(tmp_path / "m")
    # What Python itself does for a package that is not there.
    monkeypatch.setitem(sys.modules, engine, None)
    with pytest.raises(MissingDependencyError, match=f"was trained with {engine} .*pip install {engine}"):
        rp.load_model(tmp_path / "m")
    with pytest.raises(MissingDependencyError, match=f"pip install {engine}"):
        fitted(engine)


def test_only_the_ranker_itself_is_written(tmp_path: Path) -> None:
    class Mine(BoostedRanker):
        pass

    model = Mine(n_estimators=2, threads=1).fit(TRAIN.X, TRAIN.y, qid=TRAIN.qid)
    with pytest.raises(ArgumentError, match="got a Mine"):
        model.save(tmp_path / "m")


@every_engine
def test_two_equal_trainings_are_saved_as_the_same_bytes(engine: str, tmp_path: Path) -> None:
    """No clock, no id, no number of threads."""
    for name, threads in (("one", 1), ("two", 2)):
        model = fitted(engine, threads=threads)
        model.set_params(threads=None).save(tmp_path / name)
    for file in (tmp_path / "one").iterdir():
        assert file.read_bytes() == (tmp_path / "two" / file.name).read_bytes(), file.name
