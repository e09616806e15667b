"""Plain JSON with a published schema, for services of one's own: every number of the form, and the rule."""

from __future__ import annotations

import json
from importlib.metadata import version
from typing import Any

import numpy as np

from rankproof.exports.check.plain import evaluate_plain
from rankproof.exports.forms.draft import Draft, Format, Request
from rankproof.exports.forms.linear import LinearForm
from rankproof.exports.forms.source import Form
from rankproof.exports.forms.trees import BoostedTree, TreeForm

__all__ = ["FORMATS"]

_MISSING = ("zero", "default", "default-or-zero")


def _write(request: Request) -> Draft:
    document = {
        "format": "rankproof export",
        "version": 1,
        "rankproof": version("rankproof"),
        "features": list(request.names),
        **_content(request),
    }
    raw = json.dumps(document, allow_nan=False, separators=(",", ":")).encode() + b"\n"
    form = request.form
    trees = isinstance(form, TreeForm)
    return Draft(
        {"": raw},
        lambda X: evaluate_plain(raw, X),
        "evaluator of the schema",
        precision=form.precision if isinstance(form, TreeForm) else "float64",
        sums=form.sums if isinstance(form, TreeForm) else "float64",
        sequential=trees,
    )


def _content(request: Request) -> dict[str, Any]:
    form: Form = request.form
    if isinstance(form, LinearForm):
        return {"model": "linear", "weights": form.weights.tolist(), "intercept": form.intercept}
    if isinstance(form, TreeForm):
        return {
            "model": "trees",
            "comparison": "<" if form.strict else "<=",
            "feature_precision": form.precision,
            "sum_precision": form.sums,
            "base": form.base,
            "base_added": "last" if form.base_last else "first",
            "categories": {
                request.names[column]: list(texts)
                for column, texts in request.category_names.items()
                if column in form.categorical
            },
            "trees": [_tree(tree) for tree in form.trees],
        }
    return {
        "model": "network",
        "centre": None if form.centre is None else form.centre.tolist(),
        "divisor": None if form.divisor is None else form.divisor.tolist(),
        "squash": form.squash,
        "layers": [
            {
                "weights": np.asarray(layer.weights, np.float64).tolist(),
                "biases": np.asarray(layer.biases, np.float64).tolist(),
                "activation": layer.activation,
            }
            for layer in form.layers
        ],
    }


def _tree(tree: BoostedTree) -> list[dict[str, Any]]:
    """Nodes in an order in which the root is first, numbered anew."""
    order = [node for node, _ in tree.walk()]
    number = {node: place for place, node in enumerate(order)}
    nodes: list[dict[str, Any]] = []
    for node in order:
        if tree.feature[node] < 0:
            nodes.append({"value": float(tree.value[node])})
            continue
        split: dict[str, Any] = {"feature": int(tree.feature[node])}
        if node in tree.categories:
            split["in"] = list(tree.categories[node])
        else:
            threshold = float(tree.threshold[node])
            # JSON has no infinity.
            split["threshold"] = threshold if np.isfinite(threshold) else ("inf" if threshold > 0 else "-inf")
        split["left"], split["right"] = number[int(tree.left[node])], number[int(tree.right[node])]
        split["missing"] = "default" if node in tree.categories else _MISSING[int(tree.missing[node])]
        split["default_left"] = bool(tree.default_left[node])
        nodes.append(split)
    return nodes


FORMATS = (
    Format(
        name="json",
        title="Plain JSON",
        holds=("trees", "a linear function", "a network"),
        suffix=".json",
        categories=True,
        missing="as the model",
        numbers="as the model",
        checked_by="an evaluator of the schema",
        versions=(),
        write=_write,
    ),
)
