"""Every format says what the model says, or refuses; a parity that fails is seen, with nothing written."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import rankproof as rp
from exports.trained import MODELS, NAMES, draft_of, lightgbm_model, parity_of, xgboost_model
from rankproof.errors import ArgumentError, DataError
from rankproof.exports import export as exporting
from rankproof.exports.export import tried
from rankproof.exports.formats import formats

CASES = [
    (name, version, kind)
    for name, target in formats().items()
    for version in (target.versions or (None,))
    for kind in MODELS
    if name != "compiled"
]


@pytest.mark.parametrize(("name", "version", "kind"), CASES)
@pytest.mark.parametrize("missing", ["as-trained", "never"])
def test_a_format_is_equal_or_says_why_it_cannot_be(
    name: str, version: str | None, kind: str, missing: str
) -> None:
    model, target = MODELS[kind](), formats()[name]
    try:
        parity = parity_of(model, name, version=version, missing=missing)
    except ArgumentError as error:
        text = str(error)
        categories = "categor" in text and kind in (
            *("lightgbm-categories", "lightgbm-dart", "xgboost-categories", "xgboost-dart"),
        )
        directions = missing == "as-trained" and "missing feature" in text
        assert categories or directions, text
        assert directions or not target.categories or version == "3" or name == "lightgbm"
        return
    assert parity.passed, str(parity)
    assert parity.rows >= 2000
    assert (parity.wrong_rows, parity.orders_changed) == (0, 0)
    assert parity.largest_difference <= parity.tolerance


@pytest.mark.parametrize("kind", ["lightgbm", "lightgbm-categories", "xgboost-categories", "catboost"])
def test_a_compiled_library_is_equal(kind: str) -> None:
    assert parity_of(MODELS[kind](), "compiled").passed


@pytest.mark.parametrize("name", ["json", "elasticsearch", "solr", "vespa", "onnx", "treelite", "lightgbm"])
def test_what_must_be_possible_is(name: str) -> None:
    for kind in ("lightgbm-full", "lightgbm", "xgboost", "catboost"):
        assert parity_of(MODELS[kind](), name, missing="never").passed, kind


def test_rounding_thresholds_to_nearest_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    """What converters do: a threshold of a LightGBM model between two float32 goes to the nearer one."""
    from rankproof.exports.write import onnx_trees

    monkeypatch.setattr(onnx_trees, "thresholds_at_most", lambda _form, t: np.float32(t))
    parity = parity_of(lightgbm_model(categories=False), "onnx", version="3")
    assert parity.wrong_rows > 0
    assert not parity.passed


def test_an_at_most_in_place_of_a_below_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    from rankproof.exports.write import elasticsearch

    monkeypatch.setattr(elasticsearch, "thresholds_below", lambda _form, t: np.float32(t))
    assert not parity_of(
        lightgbm_model(missing=False, categories=False), "elasticsearch", missing="never"
    ).passed


def test_solr_without_its_slack_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    from rankproof.exports.write import solr

    monkeypatch.setattr(solr, "_before_slack", lambda wanted, _name: wanted)
    assert not parity_of(lightgbm_model(categories=False), "solr").passed


def test_a_base_that_is_lost_is_caught() -> None:
    source, draft = draft_of(xgboost_model(categories=False), "json")
    document = json.loads(draft.files[""])
    assert document["base"] != 0
    document["base"] = 0.0
    from rankproof.exports.check.plain import evaluate_plain

    raw = json.dumps(document).encode()
    parity = tried(source, replace(draft, evaluate=lambda X: evaluate_plain(raw, X)))
    assert parity.wrong_rows == parity.rows


def test_one_wrong_leaf_among_all_is_caught() -> None:
    source, draft = draft_of(lightgbm_model(categories=False), "elasticsearch", missing="never")
    from rankproof.exports.check.elasticsearch import evaluate_elasticsearch

    body = json.loads(draft.files[""])
    definition = json.loads(body["model"]["model"]["definition"])
    node = definition["splits"][-1]
    while "leaf" not in node:
        node = node["children"][0]
    # Less than rounding: seen since the scores are known to the last bit.
    node["leaf"] = float(np.nextafter(np.float32(node["leaf"]), np.float32(9)))
    body["model"]["model"]["definition"] = json.dumps(definition)
    raw = json.dumps(body).encode()
    broken = replace(draft, evaluate=lambda X: evaluate_elasticsearch(raw, X, tuple(NAMES), missing="right"))
    parity = tried(source, broken)
    assert parity.wrong_rows == 0
    assert parity.other_leaves is not None
    assert parity.other_leaves > 0
    assert not parity.passed


def test_a_changed_order_is_counted() -> None:
    source, draft = draft_of(lightgbm_model(categories=False), "json")
    parity = tried(source, replace(draft, evaluate=lambda X: -draft.evaluate(X)))
    assert parity.orders_changed > parity.queries


def test_a_parity_that_fails_writes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from rankproof.exports.write import solr

    monkeypatch.setattr(solr, "_before_slack", lambda wanted, _name: wanted)
    with pytest.raises(DataError, match=r"nothing was written.* wrong"):
        rp.export(lightgbm_model(categories=False), tmp_path / "model.json", format="solr")
    assert list(tmp_path.iterdir()) == []


def test_rows_of_ones_own_are_tried_too(tmp_path: Path) -> None:
    X = np.random.default_rng(0).normal(size=(40, 6))
    done = rp.export(
        lightgbm_model(categories=False), tmp_path / "m.json", format="json", X=X, qid=np.repeat([1, 2], 20)
    )
    parity = done.parity
    assert parity is not None
    assert parity.given_rows == 40
    told = json.loads((tmp_path / "m.json.parity.json").read_text())
    assert told["parity"]["passed"] is True
    assert told["parity"]["rows"] == parity.rows
    assert [Path(file).name for file in done.files] == ["m.json", "m.json.parity.json"]


def test_every_threshold_and_its_neighbours_are_among_the_rows() -> None:
    from rankproof.exports.forms.thresholds import splits_of
    from rankproof.exports.forms.trees import TreeForm
    from rankproof.exports.read.files import read_source
    from rankproof.exports.rows import Domain, made_rows

    source, _ = read_source(lightgbm_model(categories=False))
    form = source.form
    assert isinstance(form, TreeForm)
    X = made_rows(form, Domain("float32", True, True, 0.0), least=1, most=100_000)
    for number, node, feature in splits_of(form):
        threshold = form.trees[number].threshold[node]
        low = (
            np.float32(threshold)
            if np.float32(threshold) <= threshold
            else np.nextafter(np.float32(threshold), np.float32(-np.inf))
        )
        if not np.isfinite(low):
            continue
        near = {float(np.nextafter(low, np.float32(side))) for side in (-np.inf, np.inf)} | {float(low)}
        assert near <= set(X[:, feature].tolist())


def test_the_module_of_the_function_is_not_the_function() -> None:
    assert callable(rp.export)
    assert exporting.export is rp.export


def test_evaluators_and_writers_share_no_code() -> None:
    """Neither reads the other's modules; forms and rows are those of the reader."""
    import ast

    root = Path(exporting.__file__).parent
    for file in (root / "check").glob("*.py"):
        names = {
            node.module for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.ImportFrom)
        }
        used = {name for name in names if name and name.startswith("rankproof.exports.")}
        assert used <= {"rankproof.exports.check.divide"}, (file, used)
