"""The nodes of ai.onnx.ml that hold trees."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankproof.exports.forms.thresholds import thresholds_at_most
from rankproof.exports.forms.trees import BoostedTree, TreeForm

__all__ = ["ensemble_node", "regressor_node"]

# BRANCH_LEQ, BRANCH_LT and BRANCH_MEMBER of TreeEnsemble.
_AT_MOST, _BELOW, _MEMBER = 0, 1, 6
_SUM = 1


def ensemble_node(form: TreeForm, *, cast: bool) -> list[Any]:
    """TreeEnsemble of opset 5 in double precision; with ``cast`` its features come in float32."""
    from onnx import TensorProto, helper

    splits: dict[str, list[Any]] = {
        name: []
        for name in ("feature", "mode", "split", "true", "true_leaf", "false", "false_leaf", "missing")
    }
    members: list[float] = []
    leaves: list[float] = []
    roots: list[int] = []
    for tree in _with_base(form):
        order = [node for node, _ in tree.walk()]
        inner = [node for node in order if tree.feature[node] >= 0]
        number = {node: len(splits["feature"]) + place for place, node in enumerate(inner)}
        leaf = {}
        for node in order:
            if tree.feature[node] < 0:
                leaf[node] = len(leaves)
                leaves.append(float(tree.value[node]))
        roots.append(len(splits["feature"]))
        if not inner:
            # A root must be a split: one whose two sides are the same leaf.
            _add(splits, 0, _AT_MOST, 0.0, (leaf[0], 1), (leaf[0], 1), 0)
            continue
        for node in inner:
            children = [
                (leaf[child], 1) if child in leaf else (number[child], 0)
                for child in (int(tree.left[node]), int(tree.right[node]))
            ]
            if node in tree.categories:
                members += [*map(float, tree.categories[node]), np.nan]
                mode, split, missing = _MEMBER, 0.0, int(tree.default_left[node])
            else:
                mode, split = _BELOW if form.strict else _AT_MOST, float(tree.threshold[node])
                missing = int(form.goes_left_when_missing(tree, node))
            _add(splits, int(tree.feature[node]), mode, split, children[0], children[1], missing)

    def doubles(name: str, values: list[float]) -> Any:
        return helper.make_tensor(name, TensorProto.DOUBLE, [len(values)], values)

    more = {"membership_values": doubles("membership_values", members)} if members else {}
    node = helper.make_node(
        "TreeEnsemble",
        ["doubles" if cast else "features"],
        ["scores"],
        domain="ai.onnx.ml",
        aggregate_function=_SUM,
        n_targets=1,
        post_transform=0,
        nodes_featureids=splits["feature"],
        nodes_modes=helper.make_tensor(
            "nodes_modes", TensorProto.UINT8, [len(splits["mode"])], splits["mode"]
        ),
        nodes_splits=doubles("nodes_splits", splits["split"]),
        nodes_truenodeids=splits["true"],
        nodes_trueleafs=splits["true_leaf"],
        nodes_falsenodeids=splits["false"],
        nodes_falseleafs=splits["false_leaf"],
        nodes_missing_value_tracks_true=splits["missing"],
        tree_roots=roots,
        leaf_targetids=[0] * len(leaves),
        leaf_weights=doubles("leaf_weights", leaves),
        **more,
    )
    before = [helper.make_node("Cast", ["features"], ["doubles"], to=TensorProto.DOUBLE)] if cast else []
    return [*before, node]


def regressor_node(form: TreeForm) -> Any:
    """TreeEnsembleRegressor of opset 3 in float32: a float32 goes the same way as by the exact threshold."""
    from onnx import helper

    nodes: dict[str, list[Any]] = {
        name: []
        for name in (
            "treeids",
            "nodeids",
            "featureids",
            "modes",
            "values",
            "truenodeids",
            "falsenodeids",
            "missing",
        )
    }
    targets: dict[str, list[Any]] = {"treeids": [], "nodeids": [], "weights": []}
    for number, tree in enumerate(_with_base(form)):
        place = {node: at for at, (node, _) in enumerate(tree.walk())}
        for node, at in place.items():
            leaf = tree.feature[node] < 0
            nodes["treeids"].append(number)
            nodes["nodeids"].append(at)
            nodes["featureids"].append(0 if leaf else int(tree.feature[node]))
            nodes["modes"].append("LEAF" if leaf else "BRANCH_LEQ")
            nodes["values"].append(0.0 if leaf else float(thresholds_at_most(form, tree.threshold[node])))
            nodes["truenodeids"].append(0 if leaf else place[int(tree.left[node])])
            nodes["falsenodeids"].append(0 if leaf else place[int(tree.right[node])])
            nodes["missing"].append(0 if leaf else int(form.goes_left_when_missing(tree, node)))
            if leaf:
                targets["treeids"].append(number)
                targets["nodeids"].append(at)
                targets["weights"].append(float(np.float32(tree.value[node])))
    return helper.make_node(
        "TreeEnsembleRegressor",
        ["features"],
        ["scores"],
        domain="ai.onnx.ml",
        n_targets=1,
        aggregate_function="SUM",
        post_transform="NONE",
        **{f"nodes_{name}": values for name, values in nodes.items() if name != "missing"},
        nodes_missing_value_tracks_true=nodes["missing"],
        target_treeids=targets["treeids"],
        target_nodeids=targets["nodeids"],
        target_ids=[0] * len(targets["weights"]),
        target_weights=targets["weights"],
    )


def _with_base(form: TreeForm) -> list[BoostedTree]:
    """The trees, and one of a single leaf for the base."""
    one = np.zeros(1, dtype=np.int64)
    base = BoostedTree(
        one - 1,
        np.full(1, np.nan),
        one,
        one,
        one.astype(bool),
        one.astype(np.uint8),
        np.array([form.base]),
        {},
    )
    trees = list(form.trees)
    if not form.base and trees:
        return trees
    return [*trees, base] if form.base_last else [base, *trees]


def _add(
    splits: dict[str, list[Any]],
    feature: int,
    mode: int,
    split: float,
    true: tuple[int, int],
    false: tuple[int, int],
    missing: int,
) -> None:
    for name, value in zip(splits, (feature, mode, split, *true, *false, missing), strict=True):
        splits[name].append(value)
