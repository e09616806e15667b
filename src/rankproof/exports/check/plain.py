"""An evaluator of the plain JSON, written from its schema alone."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankproof.arrays import Float64s, Int64s
from rankproof.exports.check.divide import divide

__all__ = ["evaluate_plain"]

# The largest number that counts as 0: 1e-35 as a float32.
_ZERO = 1.0000000180025095e-35
_KINDS: dict[str, Any] = {"float32": np.float32, "float64": np.float64}


def evaluate_plain(raw: bytes, X: NDArray[Any]) -> Float64s:
    """The scores that the document says."""
    document = json.loads(raw)
    if document["model"] == "linear":
        scores = np.zeros(len(X))
        for column, weight in enumerate(document["weights"]):
            scores = scores + weight * X[:, column]
        return np.asarray(scores + document["intercept"])
    if document["model"] == "network":
        return _network(document, np.asarray(X, dtype=np.float64))
    columns = np.asfortranarray(X, dtype=_KINDS[document["feature_precision"]])
    kind = _KINDS[document["sum_precision"]]
    first = document["base_added"] == "first"
    total = np.full(len(X), document["base"] if first else 0.0, dtype=kind)
    for nodes in document["trees"]:
        total = total + _tree(nodes, columns, strict=document["comparison"] == "<").astype(kind)
    return np.asarray(total if first else total + kind(document["base"]), dtype=np.float64)


def _tree(nodes: list[dict[str, Any]], columns: NDArray[Any], *, strict: bool) -> Float64s:
    def step(number: int, rows: Int64s) -> Any:
        node = nodes[number]
        if "value" in node:
            return node["value"]
        x = columns[rows, node["feature"]]
        nan = x != x
        if "in" in node:
            goes = np.isin(x, np.array(node["in"], dtype=x.dtype))
        else:
            t = x.dtype.type(float(node["threshold"]))
            read = np.where(nan, x.dtype.type(0), x) if node["missing"] == "zero" else x
            goes = np.less(read, t) if strict else np.less_equal(read, t)
        if node["missing"] == "default-or-zero":
            nan = nan | (np.abs(x) <= _ZERO)
        if node["missing"] != "zero":
            goes = np.where(nan, node["default_left"], goes)
        return node["left"], node["right"], goes.astype(bool)

    with np.errstate(invalid="ignore"):
        return divide(0, len(columns), step)


def _network(document: dict[str, Any], h: Float64s) -> Float64s:
    if document["centre"] is not None:
        h = (h - np.array(document["centre"])) / np.array(document["divisor"])
    if document["squash"]:
        h = np.copysign(np.log1p(np.abs(h)), h)
    for layer in document["layers"]:
        h = np.einsum("ij,kj->ik", h, np.array(layer["weights"])) + np.array(layer["biases"])
        name = layer["activation"]
        if name == "relu":
            h = np.where(h > 0, h, 0.0)
        elif name == "leakyrelu":
            h = np.where(h < 0, h * 0.01, h)
        elif name == "sigmoid":
            with np.errstate(over="ignore"):
                h = 1.0 / (1.0 + np.exp(-h))
        elif name == "tanh":
            h = np.tanh(h)
    return h[:, 0]
