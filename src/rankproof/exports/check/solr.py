"""What Solr LTR computes from a model's JSON, in float32.

``MultipleAdditiveTreesModel``: ``threshold`` is parsed as a float and 1E-6f is added; to the left where
``value <= threshold``; a missing value (NaN) goes the way of ``missing`` when isNullSameAsZero is false
(SOLR-16596), and is 0 before; trees are added by weight. ``LinearModel`` and ``NeuralNetworkModel``: float
products, added one by one.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankproof.arrays import Float64s, Int64s
from rankproof.exports.check.divide import divide

__all__ = ["evaluate_solr"]


def evaluate_solr(raw: bytes, X: NDArray[Any], names: tuple[str, ...]) -> Float64s:
    """The scores of rows whose columns are the features of these names."""
    model = json.loads(raw)
    values = np.asfortranarray(X, dtype=np.float32)
    kind, params = model["class"].split(".")[-1], model["params"]
    column = [names.index(one["name"]) for one in model["features"]]
    total = np.zeros(len(X), dtype=np.float32)
    if kind == "LinearModel":
        for one, at in zip(model["features"], column, strict=True):
            total += values[:, at] * np.float32(params["weights"][one["name"]])
        return total.astype(np.float64)
    if kind == "NeuralNetworkModel":
        return _network(params["layers"], values[:, column])
    with_missing = params.get("isNullSameAsZero") == "false"
    if not with_missing:
        values = np.where(np.isnan(values), np.float32(0), values)
    place = {one["name"]: at for one, at in zip(model["features"], column, strict=True)}

    def step(node: dict[str, Any], rows: Int64s) -> Any:
        if "feature" not in node:
            return float(np.float32(node["value"]))
        value = values[rows, place[node["feature"]]]
        goes = value <= np.float32(node["threshold"]) + np.float32(1e-6)
        if with_missing:
            goes = np.where(np.isnan(value), node["missing"] == "left", goes)
        return node["left"], node["right"], goes.astype(bool)

    with np.errstate(invalid="ignore"):
        for tree in params["trees"]:
            total += np.float32(tree["weight"]) * divide(tree["root"], len(X), step).astype(np.float32)
    return total.astype(np.float64)


def _network(layers: list[dict[str, Any]], h: NDArray[np.float32]) -> Float64s:
    for layer in layers:
        out = np.tile(np.array(layer["bias"], dtype=np.float32), (len(h), 1))
        for column, weights in enumerate(np.array(layer["matrix"], dtype=np.float32).T):
            out += weights * h[:, [column]]
        name = layer["activation"]
        if name == "relu":
            out = np.where(out < 0, np.float32(0), out)
        elif name == "leakyrelu":
            out = np.where(out < 0, np.float32(0.01) * out, out)
        elif name == "tanh":
            out = np.tanh(out.astype(np.float64)).astype(np.float32)
        elif name == "sigmoid":
            with np.errstate(over="ignore"):
                out = (1 / (1 + np.exp(-out.astype(np.float64)))).astype(np.float32)
        h = out
    return h[:, 0].astype(np.float64)
