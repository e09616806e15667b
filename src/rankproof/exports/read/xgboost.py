"""XGBoost's model as JSON, or in its binary form (xgboost.readthedocs.io, *Introduction to Model IO*)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from rankproof.errors import ArgumentError
from rankproof.exports.forms.trees import MISSING_DEFAULT, BoostedTree, TreeForm

__all__ = ["xgboost_form"]

# Objectives whose base_score is not a margin -> the function that makes it one.
_LOGISTIC = ("binary:logistic", "binary:logitraw", "reg:logistic")
_LOG = ("count:poisson", "reg:gamma", "reg:tweedie")
_PLAIN = (
    *("reg:squarederror", "reg:linear", "reg:squaredlogerror", "reg:absoluteerror", "reg:pseudohubererror"),
    *("reg:quantileerror", "rank:ndcg", "rank:map", "rank:pairwise", "binary:hinge"),
)


def xgboost_form(document: Mapping[str, Any]) -> TreeForm:
    """The trees of a model document."""
    try:
        return _form(document["learner"])
    except ArgumentError:
        raise
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise ArgumentError(
            f"The model of XGBoost is damaged or of an unknown version ({type(error).__name__}: {error})."
        ) from None


def _form(learner: Mapping[str, Any]) -> TreeForm:
    about, booster = learner["learner_model_param"], learner["gradient_booster"]
    if int(about.get("num_class", 0)) > 1 or int(about.get("num_target", 1)) > 1:
        raise ArgumentError(
            "The model has several scores per item (num_class or num_target). A ranker has one: train with a "
            "ranking or regression objective."
        )
    name, weights = booster["name"], None
    if name == "gblinear":
        raise ArgumentError(
            "The model is XGBoost's gblinear, which has no trees. Use LinearRanker for such a function."
        )
    if name == "dart":
        weights, booster = np.asarray(booster["weight_drop"], dtype=np.float32), booster["gbtree"]
    elif name != "gbtree":
        raise ArgumentError(f"The model is of the booster {name!r}; only gbtree and dart have trees.")
    features = int(about["num_feature"])
    names = tuple(learner.get("feature_names") or ()) or tuple(f"f{column}" for column in range(features))
    raw = booster["model"]["trees"]
    # In newer versions of XGBoost (as of 3.4) dropout is a part of gbtree, and its weights are in the model.
    dropped = booster["model"].get("weight_drop")
    if weights is None and dropped:
        weights = np.asarray(dropped, dtype=np.float32)
    trees = tuple(
        _tree(tree, number, np.float32(1) if weights is None else weights[number])
        for number, tree in enumerate(raw)
    )
    base = _margin(learner["objective"]["name"], about["base_score"])
    return TreeForm(
        names, trees, base=base, strict=True, precision="float32", sums="float32", source="XGBoost"
    )


def _margin(objective: str, text: Any) -> float:
    value = json.loads(text) if isinstance(text, str) else text
    if isinstance(value, list):
        if len(value) != 1:
            raise ArgumentError(f"The model has {len(value)} base scores; a ranker has one.")
        value = value[0]
    base = np.float32(value)
    if objective in _LOGISTIC:
        return float(-np.log(np.float32(1) / base - np.float32(1)))
    if objective in _LOG:
        return float(np.log(base))
    if objective in _PLAIN:
        return float(base)
    raise ArgumentError(
        f"The model was trained for {objective!r}, and how its base_score enters the score is not known "
        f"here. "
        "Train with a ranking or regression objective."
    )


def _tree(raw: Mapping[str, Any], number: int, weight: np.float32) -> BoostedTree:
    if int(raw["tree_param"].get("size_leaf_vector", 1)) > 1:
        raise ArgumentError(
            "The trees have several values per leaf (multi_strategy). A ranker has one score."
        )
    left = np.asarray(raw["left_children"], dtype=np.int64)
    nodes = left.size
    right = np.asarray(raw["right_children"], dtype=np.int64)
    conditions = np.asarray(raw["split_conditions"], dtype=np.float32)
    indices = np.asarray(raw["split_indices"], dtype=np.int64)
    default_left = np.asarray(raw["default_left"]).astype(bool)
    kinds = np.asarray(raw.get("split_type", np.zeros(nodes)), dtype=np.int64)
    if not right.size == conditions.size == indices.size == default_left.size == kinds.size == nodes:
        raise ValueError(f"the arrays of tree {number} have different lengths")
    leaf = left < 0
    categories = {}
    for node, start, size in zip(
        *(
            np.asarray(raw.get(f"categories{part}", []), dtype=np.int64)
            for part in ("_nodes", "_segments", "_sizes")
        ),
        strict=True,
    ):
        codes = np.asarray(raw["categories"][start : start + size], dtype=np.int64)
        # Here the codes of the set go to the right, and in a form to the left.
        categories[int(node)] = tuple(sorted(codes.tolist()))
        left[node], right[node] = right[node], left[node]
        default_left[node] = not default_left[node]
    if set(categories) != set(np.flatnonzero((kinds == 1) & ~leaf).tolist()):
        raise ValueError(f"tree {number} has categorical splits without categories")
    threshold = np.where(leaf | (kinds == 1), np.nan, conditions.astype(np.float64))
    value = np.where(leaf, (conditions * weight).astype(np.float64), 0.0)
    missing = np.full(nodes, MISSING_DEFAULT, dtype=np.uint8)
    return BoostedTree(
        np.where(leaf, -1, indices), threshold, left, right, default_left, missing, value, categories
    )
