"""Native model files of every kind are recognised and read; a damaged or foreign one is one clear error."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankproof as rp
from exports.trained import NAMES, catboost_model, lightgbm_model, table, xgboost_model
from rankproof.errors import ArgumentError, FileFormatError, RankproofError
from rankproof.exports.forms.evaluate import tree_scores
from rankproof.exports.read.files import read_source
from rankproof.exports.read.ubjson import parse_ubjson


def saved(folder: Path, kind: str) -> Path:
    """A model file of a kind."""
    file = folder / f"model.{kind}"
    if kind == "txt":
        lightgbm_model().save_model(file)
    elif kind in ("json", "ubj"):
        file.write_bytes(bytes(xgboost_model().save_raw(kind)))
    else:
        catboost_model().save_model(str(file), format=kind.removeprefix("cat"))
    return file


@pytest.mark.parametrize("kind", ["txt", "json", "ubj", "cbm", "catjson"])
def test_a_native_file_is_recognised_by_its_content(tmp_path: Path, kind: str) -> None:
    file = saved(tmp_path, kind).rename(tmp_path / "any.name")
    source, identity = read_source(file)
    X, _ = table()
    assert (tree_scores(source.form, X) == source.scores(X)).all()
    assert len(identity["sha256"]) == 64
    done = rp.export(file, tmp_path / "out.json", format="json", features=NAMES, rows=2000)
    assert done.parity is not None
    assert done.parity.passed


@pytest.mark.parametrize("kind", ["txt", "json", "ubj", "cbm", "catjson"])
def test_a_file_that_is_cut_off_is_refused_wherever_it_is_cut(tmp_path: Path, kind: str) -> None:
    whole = saved(tmp_path, kind).read_bytes()
    cut = tmp_path / "cut"
    for share in (0.001, 0.2, 0.5, 0.9, 0.99):
        cut.write_bytes(whole[: int(len(whole) * share)])
        with pytest.raises(RankproofError, match="cut: "):
            rp.export(cut, tmp_path / "out.json", format="json")
    assert not (tmp_path / "out.json").exists()


@pytest.mark.parametrize(
    "raw", [b"", b"hello", b"\x00\x01", b"{}", b'{"a": 1}', b"[1, 2]", b"PK\x03\x04", b"{" * 9999]
)
def test_a_foreign_file_is_refused(tmp_path: Path, raw: bytes) -> None:
    file = tmp_path / "foreign"
    file.write_bytes(raw)
    with pytest.raises(FileFormatError, match="foreign: "):
        rp.export(file, tmp_path / "out.json", format="json")
    assert [one.name for one in tmp_path.iterdir()] == ["foreign"]


def changed_xgboost(folder: Path, change: Any) -> Path:
    document = json.loads(bytes(xgboost_model().save_raw("json")))
    change(document["learner"])
    file = folder / "model.json"
    file.write_text(json.dumps(document))
    return file


def test_a_cycle_in_a_tree_is_refused(tmp_path: Path) -> None:
    def change(learner: Any) -> None:
        tree = learner["gradient_booster"]["model"]["trees"][2]
        tree["left_children"][tree["left_children"].index(3) if 3 in tree["left_children"] else 0] = 0

    with pytest.raises(
        FileFormatError, match=r"model\.json: Tree 2 is no tree: node 0 is reached .* \(a cycle\)"
    ):
        rp.export(changed_xgboost(tmp_path, change), tmp_path / "out.json", format="json")


def test_a_cycle_in_a_text_of_lightgbm_is_refused(tmp_path: Path) -> None:
    text = lightgbm_model(categories=False).model_to_string()
    at = text.index("left_child=") + len("left_child=")
    first = text[at:].split(" ", 1)[0]
    file = tmp_path / "model.txt"
    file.write_text(text[:at] + "0" + text[at + len(first) :])
    with pytest.raises(FileFormatError, match="a cycle"):
        rp.export(file, tmp_path / "out.json", format="json")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda learner: learner["learner_model_param"].update(num_class="3"), "several scores per item"),
        (lambda learner: learner["learner_model_param"].update(num_target="2"), "several scores per item"),
        (
            lambda learner: learner["gradient_booster"].update(name="gblinear"),
            "has no trees. Use LinearRanker",
        ),
        (lambda learner: learner["objective"].update(name="survival:cox"), "survival:cox.*is not known here"),
        (lambda learner: learner.pop("gradient_booster"), "damaged or of an unknown version"),
        (
            lambda learner: learner["gradient_booster"]["model"]["trees"][0].update(left_children=[1]),
            "lengths",
        ),
    ],
)
def test_what_xgboost_can_and_a_ranker_cannot_is_refused(tmp_path: Path, change: Any, said: str) -> None:
    with pytest.raises(FileFormatError, match=said):
        rp.export(changed_xgboost(tmp_path, change), tmp_path / "out.json", format="json")


def test_linear_trees_are_refused(tmp_path: Path) -> None:
    import lightgbm as lgb

    X, y = table(missing=False)
    told = {"objective": "regression", "linear_tree": True, "verbosity": -1, "num_threads": 1}
    model = lgb.train(told, lgb.Dataset(X, y, params={"linear_tree": True}), 2)
    with pytest.raises(ArgumentError, match=r"linear_tree=true.*Train without"):
        rp.export(model, tmp_path / "m.json", format="json")


def test_several_classes_are_refused(tmp_path: Path) -> None:
    import lightgbm as lgb

    X, y = table(missing=False)
    told = {"objective": "multiclass", "num_class": 3, "verbosity": -1, "num_threads": 1}
    model = lgb.train(told, lgb.Dataset(X, np.digitize(y, [0, 3])), 2)
    with pytest.raises(ArgumentError, match="has 3 classes"):
        rp.export(model, tmp_path / "m.json", format="json")


def test_another_number_for_missing_is_refused(tmp_path: Path) -> None:
    import xgboost as xgb

    X, y = table(missing=False)
    model = xgb.XGBRegressor(n_estimators=2, missing=0.0, n_jobs=1).fit(X, y)
    with pytest.raises(ArgumentError, match=r"missing=0.0.*Train with missing=nan"):
        rp.export(model, tmp_path / "m.json", format="json")


def test_zero_as_missing_goes_where_it_can(tmp_path: Path) -> None:
    model = lightgbm_model(zero_as_missing=True, categories=False)
    for name in ("onnx", "treelite", "vespa", "solr", "elasticsearch"):
        with pytest.raises(ArgumentError, match=r"zero_as_missing=true.*export to json or lightgbm"):
            rp.export(model, tmp_path / "m", format=name, features=NAMES)
    for name in ("json", "lightgbm"):
        assert rp.export(model, tmp_path / "m", format=name).parity.passed


def test_categories_of_catboost_are_refused_with_the_way_out(tmp_path: Path) -> None:
    import catboost as cb
    import pandas as pd

    X, y = table(missing=False)
    frame = pd.DataFrame(X[:, :3], columns=["a", "b", "c"]).assign(kind=X[:, 5].astype(int).astype(str))
    model = cb.CatBoostRegressor(iterations=3, verbose=0, allow_writing_files=False, thread_count=1)
    model.fit(frame, y, cat_features=["kind"])
    with pytest.raises(ArgumentError, match=r"statistics of the training data.*engine='lightgbm'"):
        rp.export(model, tmp_path / "m.json", format="json")


def test_a_text_of_lightgbm_comes_back_with_the_same_bits(tmp_path: Path) -> None:
    """Text, form, text again, and LightGBM's own JSON of it: the same trees and scores, to the bit."""
    import lightgbm as lgb

    for model in (lightgbm_model(), lightgbm_model(zero_as_missing=True), lightgbm_model(boosting="dart")):
        done = rp.export(model, tmp_path / "model.txt", format="lightgbm")
        again = lgb.Booster(model_file=done.files[0])
        X, _ = table()
        assert (again.predict(X) == model.predict(X)).all()

        def nodes(one: Any) -> list[Any]:
            told = []
            todo = [tree["tree_structure"] for tree in one.dump_model()["tree_info"]]
            while todo:
                node = todo.pop()
                if "split_feature" in node:
                    keys = ("split_feature", "threshold", "decision_type", "default_left", "missing_type")
                    told.append(tuple(node[key] for key in keys))
                    todo += [node["left_child"], node["right_child"]]
                else:
                    told.append(node["leaf_value"])
            return told

        assert nodes(again) == nodes(model)


def test_binary_json_is_that_of_the_text() -> None:
    model = xgboost_model()
    text, binary = json.loads(bytes(model.save_raw("json"))), parse_ubjson(bytes(model.save_raw("ubj")))
    one, other = (each["learner"]["gradient_booster"]["model"]["trees"][0] for each in (text, binary))
    assert set(one) == set(other)
    for name in ("left_children", "split_indices", "categories", "split_conditions"):
        assert (
            np.asarray(one[name], dtype=np.float32).tolist() == np.asarray(other[name], np.float32).tolist()
        )


@pytest.mark.parametrize("engine", ["lightgbm", "xgboost", "catboost"])
def test_rankers_are_read_with_their_own_predictions(tmp_path: Path, engine: str) -> None:
    train, test = rp.samples.diabetes_wards()
    ranker = rp.BoostedRanker("nDCG@10", engine=engine, n_estimators=8, num_leaves=8, threads=1)
    ranker.fit(train.X, train.labels, qid=train.qids)
    source, _ = read_source(ranker)
    assert (tree_scores(source.form, np.asarray(test.X)) == ranker.predict(test.X)).all()
    ranker.save(tmp_path / "run")
    for name, file in (("json", "a.json"), ("onnx", "a.onnx")):
        done = rp.export(tmp_path / "run", tmp_path / file, format=name, X=test.X, qid=test.qids)
        assert done.parity.passed
        assert done.parity.given_rows == len(test.labels)


def test_categories_of_a_data_frame_keep_their_texts(tmp_path: Path) -> None:
    import pandas as pd

    X, y = table(missing=False)
    frame = pd.DataFrame(X[:, :3], columns=["a", "b", "c"])
    frame["kind"] = np.array(["red", "green", "blue", "grey", "black"])[X[:, 5].astype(int)]
    labels = np.digitize(y + 3 * (frame["kind"] == "red"), [0, 3])
    ranker = rp.BoostedRanker(
        "nDCG@10",
        n_estimators=5,
        categorical_features=["kind"],
        threads=1,
        parameters={"min_data_per_group": 5},
    )
    ranker.fit(frame, labels, qid=np.repeat(np.arange(100), 20))
    done = rp.export(ranker, tmp_path / "m.json", format="json")
    told = json.loads((tmp_path / "m.json").read_text())
    assert told["features"] == ["a", "b", "c", "kind"]
    assert told["categories"] == {"kind": ["black", "blue", "green", "grey", "red"]}
    assert done.parity.passed
