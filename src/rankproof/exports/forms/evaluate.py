"""The scores of a form, computed from its definition: what exports are compared with, beside the engine."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankproof.arrays import Float64s, Int64s
from rankproof.exports.forms.trees import MISSING_IS_ZERO, MISSING_OR_ZERO, ZERO_BELOW, BoostedTree, TreeForm

__all__ = ["leaf_values", "tree_scores"]


def leaf_values(form: TreeForm, X: NDArray[Any]) -> Iterator[Float64s]:
    """For every tree in order: the value of the leaf of each row."""
    columns = np.asfortranarray(X, dtype=np.float32 if form.precision == "float32" else np.float64)
    with np.errstate(invalid="ignore"):
        for tree in form.trees:
            yield tree.value[_leaves(form, tree, columns)]


def tree_scores(form: TreeForm, X: NDArray[Any], sums: str | None = None) -> Float64s:
    """The score of every row, added as the engine adds (or in another precision)."""
    kind: Any = np.float32 if (sums or form.sums) == "float32" else np.float64
    total = np.full(len(X), 0.0 if form.base_last else form.base, dtype=kind)
    for values in leaf_values(form, X):
        total += values.astype(kind)
    if form.base_last:
        total = total + kind(form.base)
    return total.astype(np.float64)


def _leaves(form: TreeForm, tree: BoostedTree, columns: NDArray[Any]) -> Int64s:
    """The leaf of every row: rows are divided from the root on."""
    out = np.zeros(len(columns), dtype=np.int64)
    todo = [(0, np.arange(len(columns)))]
    while todo:
        node, rows = todo.pop()
        feature = int(tree.feature[node])
        if feature < 0:
            out[rows] = node
            continue
        left = _goes_left(form, tree, node, columns[rows, feature])
        for child, part in ((tree.left[node], rows[left]), (tree.right[node], rows[~left])):
            if part.size:
                todo.append((int(child), part))
    return out


def _goes_left(form: TreeForm, tree: BoostedTree, node: int, x: NDArray[Any]) -> NDArray[np.bool_]:
    unknown = np.isnan(x)
    if node in tree.categories:
        left = np.isin(np.trunc(x), np.array(tree.categories[node], dtype=np.float64))
        left[unknown] = tree.default_left[node]
        return np.asarray(left, dtype=np.bool_)
    threshold = tree.threshold[node].astype(x.dtype) if form.precision == "float32" else tree.threshold[node]
    missing = int(tree.missing[node])
    if missing == MISSING_IS_ZERO:
        x = np.where(unknown, x.dtype.type(0), x)
    left = x < threshold if form.strict else x <= threshold
    if missing != MISSING_IS_ZERO:
        if missing == MISSING_OR_ZERO:
            unknown = unknown | (np.abs(x) <= ZERO_BELOW)
        left[unknown] = tree.default_left[node]
    return np.asarray(left, dtype=np.bool_)
