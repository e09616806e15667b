"""The files of an export: the published schema, names of features, versions, and what is refused before."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import rankproof as rp
from exports.trained import NAMES, lightgbm_model, xgboost_model
from rankproof.errors import ArgumentError, DataError, FileFormatError, UnknownNameError
from rankproof.exports.formats import formats

Run = Callable[..., Any]
SCHEMA = json.loads((files("rankproof.exports") / "schema" / "model.schema.json").read_text())


def plain_model() -> Any:
    return lightgbm_model(missing=False, categories=False)


@pytest.mark.parametrize(
    "kind", ["trees", "categories", "linear", pytest.param("torch", marks=pytest.mark.torch)]
)
def test_plain_json_fits_its_schema(kind: str, tmp_path: Path) -> None:
    train, _ = rp.samples.diabetes_wards()
    if kind == "torch":
        import torch

        model: Any = torch.nn.Sequential(torch.nn.Linear(5, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1))
    elif kind == "linear":
        model = rp.LinearRanker("nDCG@10").fit(train.X, train.labels, qid=train.qids)
    else:
        model = xgboost_model() if kind == "categories" else lightgbm_model(categories=False)
    rp.export(model, tmp_path / "m.json", format="json", rows=2000)
    told = json.loads((tmp_path / "m.json").read_text())
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.validate(told, SCHEMA)
    told["features"] = 3
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(told, SCHEMA)


def test_names_are_mapped_or_refused_and_never_changed(tmp_path: Path) -> None:
    file = tmp_path / "m.json"

    def to(name: str, features: Any) -> Any:
        return rp.export(plain_model(), file, format=name, features=features, missing="never", rows=2000)

    model_names = [f"Column_{column}" for column in range(6)]
    mapping = {**{name: f"attribute({name})" for name in model_names}, "Column_0": "bm25(title)"}
    to("vespa", mapping)
    assert json.loads(file.read_text())["feature_names"][:2] == ["bm25(title)", "attribute(Column_1)"]
    before = file.read_bytes()
    with pytest.raises(ArgumentError, match=r"must be a rank feature.*got 'a b'.*features=\{'Column_0'"):
        to("vespa", {**mapping, "Column_0": "a b"})
    with pytest.raises(ArgumentError, match="has no name for 1 of the 6 features: 'Column_5'"):
        to("json", {name: name for name in model_names[:-1]})
    with pytest.raises(ArgumentError, match="names 'other', which the model does not have"):
        to("json", {**mapping, "other": "x"})
    with pytest.raises(ArgumentError, match="Two features would have the name 'a'"):
        to("json", ["a", "a", "c", "d", "e", "f"])
    with pytest.raises(ArgumentError, match="has 2 names for 6 features"):
        to("json", ["a", "b"])
    with pytest.raises(ArgumentError, match=r"LightGBM's model text must have no spaces.*got 'a b'"):
        to("lightgbm", ["a b", *NAMES[1:]])
    assert file.read_bytes() == before


def test_names_come_from_files_too(tmp_path: Path) -> None:
    text, listed, broken = tmp_path / "n.txt", tmp_path / "n.json", tmp_path / "b.json"
    text.write_text("\n".join(NAMES) + "\n")
    listed.write_text(json.dumps(NAMES))
    broken.write_text('{"a": ')
    for names in (text, str(listed)):
        rp.export(plain_model(), tmp_path / "m.json", format="json", features=names, rows=2000)
        assert json.loads((tmp_path / "m.json").read_text())["features"] == NAMES
    with pytest.raises(FileFormatError, match=r"b\.json:1: not JSON"):
        rp.export(plain_model(), tmp_path / "m.json", format="json", features=broken)
    with pytest.raises(DataError, match="cannot be read"):
        rp.export(plain_model(), tmp_path / "m.json", format="json", features=tmp_path / "none")


def test_definitions_of_features_reach_the_feature_set(tmp_path: Path) -> None:
    query = {"match": {"title": "{{keywords}}"}}
    features = {f"Column_{k}": NAMES[k] for k in range(6)}
    told: Any = {**features, "Column_0": {"name": "title", "params": ["keywords"], "template": query}}
    rp.export(
        plain_model(), tmp_path / "m", format="elasticsearch", features=told, missing="never", rows=2000
    )
    first, second, *_ = json.loads((tmp_path / "m.features.json").read_text())["featureset"]["features"]
    assert (first["name"], first["template"]) == ("title", query)
    # Not a query that would pass unseen: the upload of an empty one fails.
    assert (second["name"], second["template"]) == ("x1", None)


def test_the_version_is_asked_for_where_it_matters(tmp_path: Path) -> None:
    file = tmp_path / "m.json"
    with pytest.raises(ArgumentError, match=r"in three ways.*version='3.2'.*--es-version"):
        rp.export(plain_model(), file, format="opensearch")
    with pytest.raises(ArgumentError, match=r"must be one of 3\.2, 3\.3, 3\.6, got '9'"):
        rp.export(plain_model(), file, format="opensearch", version="9")
    with pytest.raises(ArgumentError, match=r"must be left out, got '9'"):
        rp.export(plain_model(), file, format="json", version="9")
    with pytest.raises(UnknownNameError, match="Did you mean 'onnx'"):
        rp.export(plain_model(), file, format="onx")
    with pytest.raises(ArgumentError, match="missing of export must be one of"):
        rp.export(plain_model(), file, format="json", missing="no")
    with pytest.raises(ArgumentError, match="is a folder"):
        rp.export(plain_model(), tmp_path, format="json")
    with pytest.raises(ArgumentError, match=r"must be a fitted ranker.*got int"):
        rp.export(3, file, format="json")
    assert list(tmp_path.iterdir()) == []


def test_a_missing_feature_is_refused_where_it_would_go_elsewhere(tmp_path: Path) -> None:
    with pytest.raises(
        ArgumentError, match=r"to the right in every split, and \d+ of the \d+ splits.*'never'"
    ):
        rp.export(lightgbm_model(categories=False), tmp_path / "m", format="elasticsearch", features=NAMES)
    done = rp.export(
        lightgbm_model(categories=False),
        tmp_path / "m",
        format="elasticsearch",
        features=NAMES,
        missing="never",
    )
    assert "every feature must have a value for every document" in done.notes


def test_nested_json_of_very_deep_trees_is_refused(tmp_path: Path) -> None:
    import numpy as np

    from rankproof.exports.forms.draft import Request
    from rankproof.exports.forms.trees import BoostedTree, TreeForm

    splits = 500
    numbers = np.arange(splits)
    right = np.concatenate([numbers + 1, np.full(splits + 1, -1)])
    right[splits - 1] = 2 * splits
    chain = BoostedTree(
        np.concatenate([np.zeros(splits, np.int64), np.full(splits + 1, -1)]),
        np.concatenate([numbers + 0.5, np.full(splits + 1, np.nan)]),
        np.concatenate([splits + numbers, np.full(splits + 1, -1)]),
        right,
        np.zeros(2 * splits + 1, bool),
        np.ones(2 * splits + 1, np.uint8),
        np.arange(2.0 * splits + 1),
        {},
    )
    request = Request(TreeForm(("a",), (chain,)), ("a",), "m")
    with pytest.raises(ArgumentError, match=r"500 splits deep.*max_depth"):
        formats()["vespa"].write(request)
    assert formats()["json"].write(request).evaluate(np.array([[3.2]])).tolist() == [splits + 3]


def test_the_command_writes_what_the_function_does(rankproof: Run, tmp_path: Path) -> None:
    plain_model().save_model(tmp_path / "booster.txt")
    names = tmp_path / "names.json"
    names.write_text(json.dumps(NAMES))
    told = ("--missing", "never", "--features", names, "--rows", "2000")
    ran = rankproof("export", tmp_path / "booster.txt", "--to", "solr", "-o", tmp_path / "m.json", *told)
    assert (ran.status, ran.err) == (0, "")
    assert "solr: " in ran.out
    assert "0 wrong, 0 with another leaf, 0 orders changed" in ran.out
    rp.export(
        tmp_path / "booster.txt",
        tmp_path / "n.json",
        format="solr",
        name="m",
        missing="never",
        features=names,
        rows=2000,
    )
    assert (tmp_path / "m.json").read_bytes() == (tmp_path / "n.json").read_bytes()


def test_the_command_speaks_of_options(rankproof: Run, tmp_path: Path) -> None:
    plain_model().save_model(tmp_path / "b.txt")
    ran = rankproof("export", tmp_path / "b.txt", "--to", "opensearch", "-o", tmp_path / "m.json")
    assert ran.status == 3
    assert "--target-version 3.2" in ran.err
    assert "Traceback" not in ran.err
    ran = rankproof("export", tmp_path / "b.txt", "--to", "pdf", "-o", tmp_path / "m.json")
    assert (ran.status, "Unknown format 'pdf'" in ran.err) == (3, True)
    ran = rankproof("export", tmp_path / "b.txt", "--to", "json", "-o", "-")
    assert (ran.status, "name a file" in ran.err) == (3, True)


def test_the_command_tries_rows_of_a_file_and_prints_json(rankproof: Run, tmp_path: Path) -> None:
    plain_model().save_model(tmp_path / "b.txt")
    (tmp_path / "t.txt").write_text("1 qid:1 1:0.5 2:1\n0 qid:1 3:2\n0 qid:2 6:3\n")
    ran = rankproof(
        *(
            "export",
            tmp_path / "b.txt",
            "--to",
            "json",
            "-o",
            tmp_path / "m.json",
            "--data",
            tmp_path / "t.txt",
        ),
        "--json",
    )
    told = json.loads(ran.out)
    assert told["parity"]["given_rows"] == 3
    assert told["parity"]["passed"] is True
    assert told["files"] == [str(tmp_path / "m.json"), str(tmp_path / "m.json.parity.json")]


def test_an_import_of_the_package_loads_no_runtime() -> None:
    import subprocess
    import sys

    names = ("onnx", "onnxruntime", "treelite", "tl2cgen", "lightgbm", "xgboost", "catboost", "torch")
    code = f"import rankproof.exports.export, sys; print([m for m in {names!r} if m in sys.modules])"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "[]\n"


def test_the_card_of_a_run_has_the_parity_of_its_exports(tmp_path: Path) -> None:
    train, _ = rp.samples.diabetes_wards()
    folder = tmp_path / "run"
    rp.train(train, metric="nDCG@10", l2=0.1).save(folder)
    for _ in range(2):
        done = rp.export(folder, tmp_path / "model.json", format="json", rows=2000)
    (entry,) = json.loads((folder / "card.json").read_text())["exports"]
    assert (entry["file"], entry["format"], entry["passed"]) == ("model.json", "json", True)
    assert entry["rows"] == done.parity.rows
    assert "`model.json` (json)" in (folder / "card.md").read_text()


def test_a_run_whose_card_was_changed_is_not_exported(tmp_path: Path) -> None:
    train, _ = rp.samples.diabetes_wards()
    folder = tmp_path / "run"
    rp.train(train, metric="nDCG@10", l2=0.1).save(folder)
    card = folder / "card.json"
    card.write_text(card.read_text().replace('"metric": "nDCG@10"', '"metric": "AP"'))
    with pytest.raises(DataError, match="is not that of its results"):
        rp.export(folder, tmp_path / "model.json", format="json", rows=2000)
    assert not (tmp_path / "model.json").exists()
