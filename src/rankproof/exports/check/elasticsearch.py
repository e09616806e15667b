"""What the LTR plugins of Elasticsearch and OpenSearch compute from an upload request.

Trees, ``NaiveAdditiveDecisionTree.Split.eval``: to the left where ``threshold > value``, so that NaN goes to
the right; from OpenSearch 3.6 on (pull request 379) NaN goes the way of ``missing``; to 3.2 an absent feature
is 0 (``DenseFeatureVector``). Sums of float32. Linear, ``LinearRanker.score``: float32 products and sums.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankproof.arrays import Float64s, Int64s
from rankproof.exports.check.divide import divide

__all__ = ["evaluate_elasticsearch"]

_NODE = {"nodeid", "depth", "split", "split_condition", "yes", "no", "missing", "leaf", "children"}


def evaluate_elasticsearch(raw: bytes, X: NDArray[Any], names: tuple[str, ...], *, missing: str) -> Float64s:
    """The scores of rows with the features of the set; ``missing`` is "right", "zero" or "split"."""
    model = json.loads(raw)["model"]["model"]
    definition = json.loads(model["definition"])
    values = np.asfortranarray(X, dtype=np.float32)
    total = np.zeros(len(X), dtype=np.float32)
    if model["type"] == "model/linear":
        for name, weight in definition.items():
            total += np.float32(weight) * values[:, names.index(name)]
        return total.astype(np.float64)
    if missing == "zero":
        values = np.where(np.isnan(values), np.float32(0), values)
    place = {name: column for column, name in enumerate(names)}

    def step(node: dict[str, Any], rows: Int64s) -> Any:
        if not _NODE.issuperset(node) or any(entry is None for entry in node.values()):
            raise ValueError("a field that the parser does not know, or null")
        if "leaf" in node:
            return float(np.float32(node["leaf"]))
        first, second = node["children"]
        if node["yes"] != first["nodeid"] or node["no"] != second["nodeid"]:
            raise ValueError("children in another order than yes and no")
        value = values[rows, place[node["split"]]]
        goes = np.greater(np.float32(node["split_condition"]), value)
        if missing == "split" and node["missing"] == node["yes"]:
            goes |= np.isnan(value)
        return first, second, goes

    with np.errstate(invalid="ignore"):
        for tree in definition["splits"]:
            total += divide(tree, len(X), step).astype(np.float32)
    return total.astype(np.float64)
