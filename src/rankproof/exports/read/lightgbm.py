"""LightGBM's model text. What its lines mean: LightGBM, ``Tree::ToString`` and ``Tree::Decision``."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankproof.errors import ArgumentError
from rankproof.exports.forms.trees import BoostedTree, TreeForm

__all__ = ["lightgbm_form"]

_CATEGORICAL, _DEFAULT_LEFT = 1, 2


def lightgbm_form(text: str) -> TreeForm:
    """The trees of a model text."""
    head, *blocks = text.split("\nTree=")
    about = _fields(head)
    if not head.startswith("tree") or "feature_names" not in about:
        raise ArgumentError("This is not a model text of LightGBM: it has no feature_names.")
    # LightGBM itself ends with the whole process when its parameters have no end.
    for mark in ("\nend of trees", "\nend of parameters"):
        if mark not in text:
            raise ArgumentError(
                f"The model text of LightGBM has no {mark[1:]!r}: it is cut off. Save it again."
            )
    if int(about.get("num_class", 1)) != 1 or int(about.get("num_tree_per_iteration", 1)) != 1:
        raise ArgumentError(
            f"The model has {about.get('num_class')} classes, and so several scores per item. A ranker "
            f"has one: "
            "train with a ranking or regression objective."
        )
    sizes = about.get("tree_sizes", "").split()
    if len(sizes) != len(blocks):
        raise ArgumentError(f"The model text says {len(sizes)} trees and holds {len(blocks)}: it is damaged.")
    names = tuple(about["feature_names"].split(" "))
    if len(names) != int(about["max_feature_idx"]) + 1:
        raise ArgumentError(
            f"The model text names {len(names)} features for {int(about['max_feature_idx']) + 1}."
        )
    # A random forest is the mean of its trees.
    share = len(blocks) if "average_output" in head.split("\n") else 1
    trees = tuple(_tree(block.split("\n\n")[0], number, share) for number, block in enumerate(blocks))
    return TreeForm(names, trees, source="LightGBM")


def _fields(block: str) -> dict[str, str]:
    return dict(line.split("=", 1) for line in block.split("\n") if "=" in line)


def _tree(block: str, number: int, share: int) -> BoostedTree:
    about = _fields(block)
    try:
        return _read_tree(about, number, share)
    except (KeyError, ValueError, IndexError) as error:
        raise ArgumentError(
            f"Tree {number} of the model text is damaged ({type(error).__name__}: {error})."
        ) from None


def _read_tree(about: dict[str, str], number: int, share: int) -> BoostedTree:
    if about.get("is_linear", "0").strip() == "1":
        raise ArgumentError(
            f"Tree {number} has linear functions in its leaves (linear_tree=true), which no format here "
            f"holds. "
            "Train without linear_tree."
        )
    leaves = int(about["num_leaves"])
    splits = leaves - 1

    def numbers(name: str, kind: Any, size: int) -> Any:
        values = np.array(about[name].split(), dtype=kind) if size else np.zeros(0, dtype=kind)
        if values.size != size:
            raise ValueError(f"{name} has {values.size} entries for {size}")
        return values

    kinds = numbers("decision_type", np.int64, splits)
    feature = np.full(splits + leaves, -1, dtype=np.int64)
    feature[:splits] = numbers("split_feature", np.int64, splits)
    threshold = np.full(splits + leaves, np.nan)
    threshold[:splits] = numbers("threshold", np.float64, splits)
    left, right = (np.full(splits + leaves, -1, dtype=np.int64) for _ in range(2))
    for name, child in (("left_child", left), ("right_child", right)):
        raw = numbers(name, np.int64, splits)
        # Leaf k is written as ~k.
        child[:splits] = np.where(raw >= 0, raw, splits + ~raw)
    if (feature[:splits] < 0).any():
        raise ValueError("split_feature has a number below 0")
    value = np.zeros(splits + leaves)
    value[splits:] = numbers("leaf_value", np.float64, leaves) / share
    default_left = np.zeros(splits + leaves, dtype=bool)
    default_left[:splits] = (kinds & _DEFAULT_LEFT) > 0
    missing = np.zeros(splits + leaves, dtype=np.uint8)
    # Of the text: 0 none, 1 zero, 2 NaN.
    missing[:splits] = np.array([0, 2, 1, 1], dtype=np.uint8)[(kinds >> 2) & 3]
    categories = {}
    if int(about.get("num_cat", 0)):
        edges = np.array(about["cat_boundaries"].split(), dtype=np.int64)
        words = np.array(about["cat_threshold"].split(), dtype=np.uint32)
        for node in np.flatnonzero(kinds & _CATEGORICAL):
            at = int(threshold[node])
            bits = np.unpackbits(
                words[edges[at] : edges[at + 1]].astype("<u4").view(np.uint8), bitorder="little"
            )
            categories[int(node)] = tuple(np.flatnonzero(bits).tolist())
            threshold[node] = np.nan
            # A missing category is none of those on the left.
            default_left[node] = False
    elif (kinds & _CATEGORICAL).any():
        raise ValueError("a categorical split without num_cat")
    return BoostedTree(feature, threshold, left, right, default_left, missing, value, categories)
