"""Models on disk: what comes back is what was saved; what is damaged or newer is refused."""

from __future__ import annotations

import errno
import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fit.made_data import make
from rankproof.errors import ArgumentError, FileFormatError
from rankproof.files import folders
from rankproof.fit import model_files as saved
from rankproof.fit.linear.ranker import LinearRanker
from rankproof.fit.linear.ranker_cv import LinearRankerCV
from rankproof.fit.model_files import write_model
from rankproof.fit.saved.load import load_model
from rankproof.losses.softmax import Softmax
from rankproof.metrics.parse import metric

DATA = make(queries=30)


@pytest.mark.parametrize(
    "model",
    [
        LinearRanker(),
        LinearRanker("nDCG(gain=[0,1,5,6,9])@3", loss="squared", scale="standard", l2=np.float64(1 / 3)),
        LinearRanker(metric("P@3"), loss=Softmax(), scale="query-minmax", solver="sgd", threads=2),
        LinearRankerCV("AP", noise="independent", l2s=np.array([1.0, 0.1]), folds=2),
    ],
    ids=["default", "squared", "objects", "cv"],
)
def test_a_model_comes_back_as_it_was(model: Any, tmp_path: Path) -> None:
    model.fit(*DATA)
    model.save(tmp_path / "model")
    assert sorted(file.name for file in (tmp_path / "model").iterdir()) == ["model.json", "weights.npz"]
    assert [file.name for file in tmp_path.iterdir()] == ["model"], "something was left beside the model"
    back = load_model(tmp_path / "model")
    assert type(back) is type(model)
    assert (back.predict(DATA.X, DATA.qid) == model.predict(DATA.X, DATA.qid)).all()
    assert back.score(*DATA) == model.score(*DATA)
    assert (back.coef_ == model.coef_).all()
    for name in ("intercept_", "loss_", "report_", "n_features_in_", "n_iter_"):
        assert getattr(back, name) == getattr(model, name)
    if isinstance(model, LinearRankerCV):
        assert back.l2_ == model.l2_
        assert (back.scores_ == model.scores_).all()
        assert (back.l2_path_ == model.l2_path_).all()
    again = back.fit(*DATA)
    assert (again.coef_ == model.coef_).all(), "the parameters did not come back"


def test_feature_names_come_back(tmp_path: Path) -> None:
    import pandas as pd

    frame = pd.DataFrame(DATA.X, columns=list("abcdef"))
    LinearRanker().fit(frame, DATA.y, DATA.qid).save(tmp_path / "m")
    assert load_model(str(tmp_path / "m")).feature_names_in_.tolist() == list("abcdef")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    LinearRanker().fit(*DATA).save(tmp_path / "new" / "model")
    return tmp_path / "new" / "model"


def test_nothing_is_pickled(folder: Path) -> None:
    with np.load(folder / "weights.npz", allow_pickle=False) as arrays:
        assert sorted(arrays.files) == ["centre", "coef", "divisor"]
    text = json.loads((folder / "model.json").read_text())
    assert text["format"] == "rankproof model"
    assert text["parameters"]["metric"] == "nDCG@10"


def test_the_format_is_that_of_models_already_saved(tmp_path: Path) -> None:
    """Another key, or another order, is another version of the format."""
    ranker = LinearRankerCV(l2s=(1.0, 0.1), folds=2).fit(*DATA)
    ranker.save(tmp_path / "m")
    content = json.loads((tmp_path / "m" / "model.json").read_text())
    assert list(content) == [
        *("format", "version", "rankproof", "kind", "parameters", "state", "arrays", "sha256"),
    ]
    assert (content["version"], content["kind"]) == (1, "LinearRankerCV")
    assert list(content["parameters"]) == list(ranker.get_params(deep=False))
    state = content["state"]
    assert list(state) == ["features", "feature_names", "loss", "scaling", "intercept", "report", "l2"]
    assert state["report"] == ranker.report_.to_dict() == json.loads(ranker.report_.to_json())
    with np.load(tmp_path / "m" / "weights.npz") as arrays:
        assert arrays.files == ["coef", "centre", "divisor", "l2_path", "scores"]


def test_a_model_is_replaced_and_nothing_else_is(folder: Path, tmp_path: Path) -> None:
    LinearRanker(l2=7.0).fit(*DATA).save(folder)
    assert load_model(folder).l2 == 7.0
    assert [file.name for file in folder.parent.iterdir()] == ["model"]
    (folder / "notes.txt").write_text("mine")
    with pytest.raises(ArgumentError, match="it exists and is not a model"):
        LinearRanker().fit(*DATA).save(folder)
    file = tmp_path / "file"
    file.write_text("mine")
    with pytest.raises(ArgumentError, match="it exists and is not a model"):
        LinearRanker().fit(*DATA).save(file)
    assert file.read_text() == "mine"


def test_a_failed_write_leaves_the_old_model(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = (folder / "model.json").read_text()
    ranker = LinearRanker(l2=7.0).fit(*DATA)
    monkeypatch.setattr(folders, "_system_exchange", lambda: lambda *_: errno.ENOSPC)
    with pytest.raises(OSError, match="No space left"):
        ranker.save(folder)
    assert (folder / "model.json").read_text() == before
    assert [file.name for file in folder.parent.iterdir()] == ["model"]


def edited(folder: Path, **changes: Any) -> None:
    """Change the JSON and make its checksum right again."""
    content = json.loads((folder / "model.json").read_text())
    content |= changes
    del content["sha256"]
    content["sha256"] = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
    (folder / "model.json").write_text(json.dumps(content))


def test_a_newer_model_asks_for_an_upgrade(folder: Path) -> None:
    edited(folder, version=saved.VERSION + 1, rankproof="9.1.0")
    with pytest.raises(
        FileFormatError, match=r"version 2 by rankproof 9\.1\.0; .* up to version 1\. Upgrade"
    ):
        load_model(folder)


@pytest.mark.parametrize("cut", [0, 10, 300])
def test_a_cut_json_is_refused(folder: Path, cut: int) -> None:
    text = (folder / "model.json").read_text()
    (folder / "model.json").write_text(text[:cut])
    with pytest.raises(FileFormatError, match=r"model\.json:\d+: not JSON .*damaged"):
        load_model(folder)


def test_every_changed_byte_of_the_json_is_noticed(folder: Path) -> None:
    raw = (folder / "model.json").read_bytes()
    content = json.loads(raw)
    for at in range(0, len(raw), 7):
        changed = bytearray(raw)
        changed[at] ^= 1
        (folder / "model.json").write_bytes(bytes(changed))
        try:
            same = json.loads(bytes(changed)) == content
        except ValueError:
            same = False
        if not same:
            with pytest.raises(FileFormatError):
                load_model(folder)


def test_bytes_that_are_no_text_are_refused(folder: Path) -> None:
    (folder / "model.json").write_bytes(b"\xff\xfe{}")
    with pytest.raises(FileFormatError, match="not UTF-8"):
        load_model(folder)


def test_damaged_or_missing_arrays_are_refused(folder: Path) -> None:
    raw = bytearray((folder / "weights.npz").read_bytes())
    raw[len(raw) // 2] ^= 1
    (folder / "weights.npz").write_bytes(bytes(raw))
    with pytest.raises(FileFormatError, match=r"weights\.npz: the file is damaged"):
        load_model(folder)
    (folder / "weights.npz").unlink()
    with pytest.raises(FileFormatError, match="missing"):
        load_model(folder)


def test_a_pickle_in_the_arrays_is_never_opened(folder: Path) -> None:
    np.savez(folder / "weights.npz", coef=np.array([{"a": 1}], dtype=object))
    digest = hashlib.sha256((folder / "weights.npz").read_bytes()).hexdigest()
    edited(folder, arrays=digest)
    with pytest.raises(FileFormatError, match="damaged"):
        load_model(folder)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": "other"}, "not a model of rankproof"),
        ({"version": 0}, "checksum does not fit"),
        ({"kind": "Forest"}, "unknown kind of model 'Forest'"),
        ({"state": {}}, "a part of the model is missing"),
        ({"parameters": {"depth": 3}}, "a part of the model is missing or of a wrong kind"),
        ({"arrays": 3}, "damaged"),
        ({"parameters": None}, "kind, parameters or state"),
        ({"kind": 3}, "kind, parameters or state"),
    ],
)
def test_content_that_is_no_model_is_refused(folder: Path, changes: dict[str, Any], message: str) -> None:
    edited(folder, **changes)
    with pytest.raises(FileFormatError, match=message):
        load_model(folder)


def test_arrays_must_fit_the_features(folder: Path) -> None:
    state = json.loads((folder / "model.json").read_text())["state"]
    edited(folder, state={**state, "features": 5})
    with pytest.raises(FileFormatError, match="do not fit 5 features"):
        load_model(folder)


def test_a_place_without_a_model_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match="there is no model here"):
        load_model(tmp_path / "nowhere")


def test_what_cannot_be_written_as_text_is_refused(tmp_path: Path) -> None:
    ranker = LinearRanker(random_state=np.random.default_rng(0)).fit(*DATA)
    with pytest.raises(ArgumentError, match="random_state of LinearRanker cannot be saved"):
        ranker.save(tmp_path / "m")
    assert not list(tmp_path.iterdir())


def test_only_saved_kinds_are_written(tmp_path: Path) -> None:
    class Mine(LinearRanker):
        pass

    with pytest.raises(ArgumentError, match="got a Mine"):
        Mine().fit(*DATA).save(tmp_path / "m")
    write_model(tmp_path / "raw", "Mine", {}, {}, {"a": np.arange(3)})
    with pytest.raises(FileFormatError, match="unknown kind of model 'Mine'"):
        load_model(tmp_path / "raw")
