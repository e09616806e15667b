"""Vespa: the JSON that its LightGBM importer reads, and a ranking expression for linear functions.

The importer turns every split into ``feature < threshold``, or ``!(feature >= threshold)`` where a missing
value goes left (LightGBMParser), compared in double precision. So thresholds are written for ``<``. Its
importer of
XGBoost's JSON has no base score and, in older versions, compares printed digits; so trees of any
engine go the same way here.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from rankproof.errors import ArgumentError
from rankproof.exports.check.vespa import evaluate_expression, evaluate_vespa
from rankproof.exports.forms.draft import Draft, Format, Request
from rankproof.exports.forms.linear import LinearForm
from rankproof.exports.forms.thresholds import thresholds_below
from rankproof.exports.forms.trees import BoostedTree, TreeForm
from rankproof.exports.write.refusals import refuse_categories, refuse_deep, refuse_zero_as_missing

__all__ = ["FORMATS"]


def _write(request: Request) -> Draft:
    form = request.form
    if isinstance(form, LinearForm):
        raw = _expression(request, form).encode()
        return Draft(
            {"": raw},
            lambda X: evaluate_expression(raw, X, request.names),
            "Vespa's ranking expression",
            precision="float64",
            sums="float64",
            missing=False,
            infinite=False,
        )
    if not isinstance(form, TreeForm):
        raise ArgumentError(
            "Vespa serves networks as ONNX: export to onnx, and name the file in an onnx-model."
        )
    refuse_categories(form, "Vespa's importer")
    refuse_zero_as_missing(form, "Vespa's importer")
    refuse_deep(form, "Vespa")
    missing = request.missing != "never"
    raw = json.dumps(_document(request, form), allow_nan=False).encode() + b"\n"
    return Draft(
        {"": raw},
        lambda X: evaluate_vespa(raw, X, request.names),
        "rule of Vespa's LightGBM importer",
        sums="float64",
        sequential=True,
        missing=missing,
        infinite=False,
        notes=("features are float32 numbers", *(() if missing else ("every feature must have a value",))),
    )


def _expression(request: Request, form: LinearForm) -> str:
    terms = [
        f"{weight!r} * {name}" for weight, name in zip(form.weights.tolist(), request.names, strict=True)
    ]
    return " + ".join([*terms, repr(form.intercept)]) + "\n"


def _document(request: Request, form: TreeForm) -> dict[str, Any]:
    base = [{"leaf_index": 0, "leaf_value": form.base}] if form.base else []
    trees = [_nested(form, tree) for tree in form.trees]
    whole: list[dict[str, Any]] = [*trees, *base] if form.base_last else [*base, *trees]
    return {
        "name": "tree",
        "objective": "regression",
        "max_feature_idx": form.features - 1,
        "feature_names": list(request.names),
        "tree_info": [
            {"tree_index": number, "tree_structure": one}
            for number, one in enumerate(whole or [{"leaf_value": 0.0}])
        ],
        "pandas_categorical": [],
    }


def _nested(form: TreeForm, tree: BoostedTree) -> dict[str, Any]:
    nodes: dict[int, dict[str, Any]] = {}
    largest = float(np.finfo(np.float32).max)
    for node, _ in reversed(list(tree.walk())):
        if tree.feature[node] < 0:
            nodes[node] = {"leaf_value": float(tree.value[node])}
            continue
        nodes[node] = {
            "split_feature": int(tree.feature[node]),
            "threshold": float(
                np.clip(float(thresholds_below(form, tree.threshold[node])), -largest, largest)
            ),
            "decision_type": "<=",
            "default_left": form.goes_left_when_missing(tree, node),
            "missing_type": "NaN",
            "left_child": nodes[int(tree.left[node])],
            "right_child": nodes[int(tree.right[node])],
        }
    return nodes[0]


FORMATS = (
    Format(
        name="vespa",
        title="Vespa",
        holds=("trees", "a linear function"),
        suffix=".json",
        categories=False,
        missing="by split",
        numbers="float32 (linear: float64)",
        checked_by="the rule of its importer",
        versions=(),
        write=_write,
        name_rule=r"[A-Za-z_][A-Za-z0-9_]*(\([^()\"]*\))?(\.[A-Za-z0-9_.]+)?",
        name_advice="be a rank feature or function of Vespa, such as bm25(title) or attribute(price)",
    ),
)
