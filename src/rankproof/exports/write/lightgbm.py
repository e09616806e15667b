"""LightGBM's model text: trees of any engine for whatever loads LightGBM's models."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankproof.errors import ArgumentError
from rankproof.exports.check.runtimes import evaluate_lightgbm
from rankproof.exports.forms.draft import Draft, Format, Request
from rankproof.exports.forms.thresholds import thresholds_at_most
from rankproof.exports.forms.trees import ZERO_BELOW, BoostedTree, TreeForm

__all__ = ["FORMATS"]

# Of a form to the text: 0 none, 1 zero, 2 NaN.
_MISSING = (0, 2, 1)


def _write(request: Request) -> Draft:
    form = request.form
    if not isinstance(form, TreeForm):
        raise ArgumentError(
            f"LightGBM's model text holds trees, and the model is {form.kind}. Export to json or onnx."
        )
    if any(tree.default_left[node] for tree in form.trees for node in tree.categories):
        raise ArgumentError(
            "LightGBM sends a missing category to the right of every split, and the model sends some to "
            "the left. "
            "Export to onnx, treelite or json."
        )
    blocks = [_leaf(form.base)] if form.base else []
    trees = [_block(form, tree) for tree in form.trees]
    whole = [*trees, *blocks] if form.base_last else [*blocks, *trees]
    whole = [f"Tree={number}\n{block}\n\n" for number, block in enumerate(whole or [_leaf(0.0)])]
    head = [
        *("tree", "version=v4", "num_class=1", "num_tree_per_iteration=1", "label_index=0"),
        *(f"max_feature_idx={form.features - 1}", "objective=regression"),
        f"feature_names={' '.join(request.names)}",
        f"feature_infos={' '.join(_info(form, column) for column in range(form.features))}",
        f"tree_sizes={' '.join(str(len(block.encode())) for block in whole)}",
    ]
    text = (
        "\n".join(head)
        + "\n\n"
        + "".join(whole)
        + "end of trees\n\nparameters:\n[objective: regression]\nend of parameters\n\n"
        + "pandas_categorical:null\n"
    )
    raw = text.encode()
    return Draft(
        {"": raw},
        lambda X: evaluate_lightgbm(raw, X),
        "LightGBM",
        precision=form.precision,
        sums="float64",
        sequential=True,
        tiny=ZERO_BELOW,
        missing=request.missing != "never",
    )


def _info(form: TreeForm, column: int) -> str:
    codes = sorted(
        {
            code
            for tree in form.trees
            for node, inside in tree.categories.items()
            if tree.feature[node] == column
            for code in inside
        }
    )
    return ":".join(map(str, codes)) if codes else "[-1e+300:1e+300]"


def _leaf(value: float) -> str:
    empty = ("split_feature", "split_gain", "threshold", "decision_type", "left_child", "right_child")
    after = ("leaf_weight", "leaf_count", "internal_value", "internal_weight", "internal_count")
    lines = ["num_leaves=1", "num_cat=0", *(f"{name}=" for name in empty), f"leaf_value={value!r}"]
    return "\n".join([*lines, *(f"{name}=" for name in after), "is_linear=0", "shrinkage=1"])


def _block(form: TreeForm, tree: BoostedTree) -> str:
    if tree.feature[0] < 0:
        return _leaf(float(tree.value[0]))
    order = [node for node, _ in tree.walk()]
    splits = [node for node in order if tree.feature[node] >= 0]
    leaves = [node for node in order if tree.feature[node] < 0]
    place = {node: number for number, node in enumerate(splits)} | {
        node: ~number for number, node in enumerate(leaves)
    }
    thresholds, kinds = [], []
    edges, words = [0], []
    for node in splits:
        if node in tree.categories:
            codes = np.array(tree.categories[node] or (0,), dtype=np.int64)
            bits = np.zeros(32 * (int(codes.max()) // 32 + 1), dtype=np.uint8)
            bits[np.array(tree.categories[node], dtype=np.int64)] = 1
            thresholds.append(repr(float(len(edges) - 1)))
            words += np.packbits(bits, bitorder="little").view("<u4").tolist()
            edges.append(len(words))
            kinds.append(1 | _MISSING[int(tree.missing[node])] << 2)
            continue
        exact = form.precision == "float64" and not form.strict
        value = tree.threshold[node] if exact else float(thresholds_at_most(form, tree.threshold[node]))
        thresholds.append(repr(float(value)))
        kinds.append(2 * int(tree.default_left[node]) | _MISSING[int(tree.missing[node])] << 2)

    def line(name: str, values: Any) -> str:
        return f"{name}={' '.join(map(str, values))}"

    lines = [
        *(f"num_leaves={len(leaves)}", f"num_cat={len(edges) - 1}"),
        line("split_feature", (int(tree.feature[node]) for node in splits)),
        line("split_gain", (0 for _ in splits)),
        *(line("threshold", thresholds), line("decision_type", kinds)),
        line("left_child", (place[int(tree.left[node])] for node in splits)),
        line("right_child", (place[int(tree.right[node])] for node in splits)),
        line("leaf_value", (repr(float(tree.value[node])) for node in leaves)),
        *(line("leaf_weight", (0 for _ in leaves)), line("leaf_count", (0 for _ in leaves))),
        *(line("internal_value", (0 for _ in splits)), line("internal_weight", (0 for _ in splits))),
        line("internal_count", (0 for _ in splits)),
        *((line("cat_boundaries", edges), line("cat_threshold", words)) if words else ()),
        *("is_linear=0", "shrinkage=1"),
    ]
    return "\n".join(lines)


FORMATS = (
    Format(
        name="lightgbm",
        title="LightGBM's model text",
        holds=("trees",),
        suffix=".txt",
        categories=True,
        missing="by split, or with 0",
        numbers="float64",
        checked_by="LightGBM",
        versions=(),
        write=_write,
        name_rule=r"[^\s\x00-\x1f,\[\]{}\":]+",
        name_advice='have no spaces and none of , : " [ ] { }',
    ),
)
