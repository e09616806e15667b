"""What Vespa computes: trees by the rule of ``LightGBMParser.nodeToRankingExpression``, and sums of products.

A split is ``if (!(feature >= threshold), left, right)`` where default_left holds, and
``if (feature < threshold, left, right)`` elsewhere; every comparison with NaN is false; all
in double precision, trees added in order.
"""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankproof.arrays import Float64s, Int64s
from rankproof.exports.check.divide import divide

__all__ = ["evaluate_expression", "evaluate_vespa"]


def evaluate_vespa(raw: bytes, X: NDArray[Any], names: tuple[str, ...]) -> Float64s:
    """The scores of the trees in a document."""
    document = json.loads(raw)
    document["pandas_categorical"], document["objective"]  # without them the importer fails
    place = [names.index(name) for name in document["feature_names"]]
    values = np.asfortranarray(X, dtype=np.float64)

    def step(node: dict[str, Any], rows: Int64s) -> Any:
        if "left_child" not in node:
            return node["leaf_value"]
        x, t = values[rows, place[node["split_feature"]]], node["threshold"]
        return node["left_child"], node["right_child"], ~(x >= t) if node["default_left"] else x < t

    total = np.zeros(len(X))
    with np.errstate(invalid="ignore"):
        for tree in document["tree_info"]:
            total += divide(tree["tree_structure"], len(X), step)
    return total


def evaluate_expression(raw: bytes, X: NDArray[Any], names: tuple[str, ...]) -> Float64s:
    """The scores of a sum of products of numbers and features."""
    total = np.zeros(len(X))
    for term in raw.decode().strip().split(" + "):
        number, _, name = term.partition(" * ")
        if not re.fullmatch(r"-?[0-9.]+(e[-+]?[0-9]+)?", number):
            raise ValueError(f"{number!r} is no number of a ranking expression")
        total += float(number) * (X[:, names.index(name)] if name else 1.0)
    return total
