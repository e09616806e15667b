"""CatBoost's model as JSON (catboost.ai, *JSON model format*): symmetric trees and others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from rankproof.errors import ArgumentError
from rankproof.exports.forms.trees import MISSING_DEFAULT, BoostedTree, TreeForm

__all__ = ["catboost_form"]

_MOST_LEVELS = 20


def catboost_form(document: Mapping[str, Any], names: tuple[str, ...] | None = None) -> TreeForm:
    """The trees of a model document."""
    try:
        return _form(document, names)
    except ArgumentError:
        raise
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise ArgumentError(
            f"The model of CatBoost is damaged or of an unknown version ({type(error).__name__}: {error})."
        ) from None


def _form(document: Mapping[str, Any], names: tuple[str, ...] | None) -> TreeForm:
    about = document["features_info"]
    for kind in ("categorical_features", "ctrs", "text_features", "embedding_features"):
        if about.get(kind):
            raise ArgumentError(
                f"The model of CatBoost has {kind}: it reads hashes or statistics of the training data "
                f"instead of "
                "codes, which no format here holds. Train with numbers, or with engine='lightgbm' or "
                "'xgboost', "
                "whose categories can be exported; or serve it by CatBoost."
            )
    columns = about["float_features"]
    width = 1 + max((int(one["flat_feature_index"]) for one in columns), default=-1)
    if names is None:
        names = tuple(f"f{column}" for column in range(width))
        for one in columns:
            if one.get("feature_id"):
                at = int(one["flat_feature_index"])
                names = (*names[:at], one["feature_id"], *names[at + 1 :])
    place = {int(one["feature_index"]): int(one["flat_feature_index"]) for one in columns}
    # A missing value is smaller than every border unless the column says that it is larger.
    left = {int(one["flat_feature_index"]): one.get("nan_value_treatment") != "AsTrue" for one in columns}
    scale, biases = document["scale_and_bias"]
    if len(biases) != 1:
        raise ArgumentError(f"The model has {len(biases)} scores per item. A ranker has one.")
    if "oblivious_trees" in document:
        flat = [_symmetric(tree, place) for tree in document["oblivious_trees"]]
    else:
        flat = [_other(tree, place) for tree in document["trees"]]
    trees = tuple(_tree(nodes, left, float(scale)) for nodes in flat)
    return TreeForm(
        names,
        trees,
        base=float(biases[0]),
        precision="float32",
        base_last=True,
        source="CatBoost",
    )


# A node as (feature, border, left, right, value).
_Nodes = list[tuple[int, float, int, int, float]]


def _split(raw: Mapping[str, Any], place: Mapping[int, int]) -> tuple[int, float]:
    if raw.get("split_type", "FloatFeature") != "FloatFeature":
        raise ArgumentError(
            f"The model of CatBoost has splits of the kind {raw['split_type']}, not of numbers."
        )
    return place[int(raw["float_feature_index"])], float(np.float32(raw["border"]))


def _symmetric(raw: Mapping[str, Any], place: Mapping[int, int]) -> _Nodes:
    """All nodes of a level have the same split; that of level k is bit k of the number of a leaf."""
    splits = [_split(one, place) for one in raw.get("splits") or []]
    values = raw["leaf_values"]
    levels = len(splits)
    if levels > _MOST_LEVELS or len(values) != 1 << levels:
        raise ArgumentError(
            f"A symmetric tree of {levels} splits has {len(values)} values, and not one for each of its "
            "leaves. A ranker has one score per item."
        )
    nodes: _Nodes = []
    for level, (feature, border) in enumerate(splits):
        first = (1 << level) - 1
        for place_in in range(1 << level):
            child = 2 * (first + place_in) + 1
            nodes.append((feature, border, child, child + 1, 0.0))
    for number in range(1 << levels):
        # The path from the root reads the bits from the lowest on.
        leaf = int(format(number, f"0{levels}b")[::-1], 2) if levels else 0
        nodes.append((-1, np.nan, -1, -1, float(values[leaf])))
    return nodes


def _other(raw: Mapping[str, Any], place: Mapping[int, int]) -> _Nodes:
    nodes: _Nodes = [(-1, np.nan, -1, -1, 0.0)]
    todo = [(raw, 0)]
    while todo:
        one, at = todo.pop()
        if "split" in one:
            feature, border = _split(one["split"], place)
            child = len(nodes)
            nodes += [(-1, np.nan, -1, -1, 0.0)] * 2
            nodes[at] = (feature, border, child, child + 1, 0.0)
            todo += [(one["right"], child + 1), (one["left"], child)]
        else:
            nodes[at] = (-1, np.nan, -1, -1, float(one["value"]))
    return nodes


def _tree(nodes: _Nodes, left: Mapping[int, bool], scale: float) -> BoostedTree:
    feature = np.array([node[0] for node in nodes], dtype=np.int64)
    return BoostedTree(
        feature,
        np.array([node[1] for node in nodes]),
        np.array([node[2] for node in nodes], dtype=np.int64),
        np.array([node[3] for node in nodes], dtype=np.int64),
        np.array([left.get(int(one), False) for one in feature]),
        np.full(len(nodes), MISSING_DEFAULT, dtype=np.uint8),
        np.array([node[4] for node in nodes]) * scale,
        {},
    )
