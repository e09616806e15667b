"""Linear functions and networks: scaling is folded in, and what looks at a whole query is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankproof as rp
from rankproof.errors import ArgumentError
from rankproof.exports.formats import formats
from rankproof.exports.forms.linear import LinearForm, linear_form_scores
from rankproof.exports.read.files import read_source

LINEAR = [name for name, one in formats().items() if "a linear function" in one.holds]


@pytest.fixture(scope="module")
def ranker() -> Any:
    train, _ = rp.samples.diabetes_wards()
    return rp.LinearRanker("nDCG@10", loss="squared").fit(train.X, train.labels, qid=train.qids)


def test_weights_are_those_of_raw_features(ranker: Any) -> None:
    _, test = rp.samples.diabetes_wards()
    form = read_source(ranker)[0].form
    assert isinstance(form, LinearForm)
    assert ranker.intercept_ != 0
    assert np.allclose(form.weights, ranker.coef_ / ranker.scaling_.divisor, rtol=1e-15)
    assert np.allclose(linear_form_scores(form, test.X), ranker.predict(test.X), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", LINEAR)
def test_a_linear_ranker_goes_to_every_format_that_holds_one(name: str, ranker: Any, tmp_path: Path) -> None:
    _, test = rp.samples.diabetes_wards()
    more = {"version": "3.6"} if name == "opensearch" else {}
    done = rp.export(ranker, tmp_path / "m", format=name, X=test.X, qid=test.qids, **more)
    assert done.parity.passed
    if name in ("elasticsearch", "opensearch", "solr"):
        # Their linear models have no intercept.
        assert any("no intercept" in note for note in done.notes)


def test_the_weights_of_elasticsearch_by_hand(tmp_path: Path) -> None:
    X = np.array([[1.0, 0.2], [0.0, 0.9], [0.8, 0.1], [0.1, 0.3]])
    one = rp.LinearRanker("nDCG@10", scale="none").fit(X, [2, 0, 1, 0], qid=["a", "a", "b", "b"])
    rp.export(one, tmp_path / "m.json", format="elasticsearch", features=["title", "age"], name="mine")
    body = json.loads((tmp_path / "m.json").read_text())
    assert body["model"]["name"] == "mine"
    assert body["model"]["model"]["type"] == "model/linear"
    weights = json.loads(body["model"]["model"]["definition"])
    assert weights == {"title": one.coef_[0], "age": one.coef_[1]}
    features = json.loads((tmp_path / "m.json.features.json").read_text())["featureset"]["features"]
    assert [feature["name"] for feature in features] == ["title", "age"]


def test_scaling_by_query_is_refused(tmp_path: Path) -> None:
    train, _ = rp.samples.diabetes_wards()
    linear = rp.LinearRanker("nDCG@10", scale="query-minmax").fit(train.X, train.labels, qid=train.qids)
    with pytest.raises(ArgumentError, match=r"query-minmax.*Fit with scale='standard'"):
        rp.export(linear, tmp_path / "m.json", format="json")


@pytest.mark.torch
def test_a_neural_ranker_goes_to_onnx_and_json(tmp_path: Path) -> None:
    train, test = rp.samples.diabetes_wards()
    told: dict[str, Any] = {"hidden": (16, 8), "max_iter": 4, "random_state": 1}
    neural = rp.NeuralRanker("nDCG@10", scale="standard", **told).fit(train.X, train.labels, qid=train.qids)
    for name in ("onnx", "json"):
        assert rp.export(neural, tmp_path / name, format=name, X=test.X, qid=test.qids).parity.passed
    with pytest.raises(ArgumentError, match=r"NeuralNetworkModel gets features as they are.*onnx or json"):
        rp.export(neural, tmp_path / "s", format="solr")
    both = rp.NeuralRanker("nDCG@10", **told).fit(train.X, train.labels, qid=train.qids)
    with pytest.raises(ArgumentError, match="compares features within each query"):
        rp.export(both, tmp_path / "b", format="onnx")


@pytest.mark.torch
@pytest.mark.parametrize("name", ["onnx", "json", "solr"])
@pytest.mark.parametrize("activation", ["ReLU", "LeakyReLU", "Tanh", "Sigmoid"])
def test_a_module_of_torch_goes_where_networks_go(tmp_path: Path, name: str, activation: str) -> None:
    import torch

    torch.manual_seed(1)
    act = getattr(torch.nn, activation)
    module = torch.nn.Sequential(torch.nn.Linear(5, 8), act(), torch.nn.Dropout(0.1), torch.nn.Linear(8, 1))
    assert rp.export(module, tmp_path / "m", format=name).parity.passed


@pytest.mark.torch
def test_other_modules_are_refused(tmp_path: Path) -> None:
    import torch

    with pytest.raises(ArgumentError, match="has a BatchNorm1d"):
        rp.export(
            torch.nn.Sequential(torch.nn.Linear(3, 1), torch.nn.BatchNorm1d(1)), tmp_path / "m", format="onnx"
        )
    with pytest.raises(ArgumentError, match="gives 2 numbers per item"):
        rp.export(torch.nn.Linear(3, 2), tmp_path / "m", format="onnx")


def test_a_ranker_with_a_chosen_penalty_goes_the_same_way(tmp_path: Path) -> None:
    train, test = rp.samples.diabetes_wards()
    ranker = rp.LinearRankerCV("nDCG@10", l2s=[1.0, 0.1], folds=2).fit(train.X, train.labels, qid=train.qids)
    done = rp.export(ranker, tmp_path / "m", format="vespa", X=test.X, qid=test.qids)
    assert done.parity.passed
    weights = [float(term.split(" * ")[0]) for term in (tmp_path / "m").read_text().split(" + ")[:-1]]
    assert weights == (ranker.coef_ / ranker.scaling_.divisor).tolist()
