"""Elasticsearch LTR and OpenSearch LTR: the requests that upload a model and its feature set.

Trees go as ``model/xgboost+json``: an object of ``objective`` and ``splits``. Splits ask
``threshold > value`` in float32, and the scores of the trees are added in float32
(NaiveAdditiveDecisionTree of both plugins). The
parsers refuse unknown fields and have no base score, so that a tree of one leaf holds it.
"""

from __future__ import annotations

import json
from typing import Any

from rankproof.errors import ArgumentError
from rankproof.exports.check.elasticsearch import evaluate_elasticsearch
from rankproof.exports.forms.draft import Draft, Format, Request
from rankproof.exports.forms.linear import LinearForm
from rankproof.exports.forms.thresholds import thresholds_below
from rankproof.exports.forms.trees import BoostedTree, TreeForm
from rankproof.exports.write.refusals import (
    refuse_categories,
    refuse_deep,
    refuse_missing,
    refuse_zero_as_missing,
)

__all__ = ["FORMATS"]

_OPENSEARCH = ("3.2", "3.3", "3.6")
_ABSENT = (
    "A feature whose query does not match a document is missing there: give its query a score in any "
    "case, such as "
    "a constant_score of 0 beside it."
)


def _elasticsearch(request: Request) -> Draft:
    return _write(request, "Elasticsearch LTR", "right")


def _opensearch(request: Request) -> Draft:
    if request.version is None:
        raise ArgumentError(
            "OpenSearch LTR reads a missing feature in three ways, by its version. Say version='3.2' for "
            "this and "
            "all before, '3.3' for 3.3 to 3.5, or '3.6' for this and later (--es-version)."
        )
    rule = {"3.2": "zero", "3.3": "right", "3.6": "split"}[request.version]
    return _write(request, f"OpenSearch LTR {request.version}", rule)


def _write(request: Request, title: str, rule: str) -> Draft:
    form, notes = request.form, []
    if isinstance(form, LinearForm):
        kind = "model/linear"
        definition: Any = dict(zip(request.names, form.weights.tolist(), strict=True))
        missing, shift = False, form.intercept
        if shift:
            notes.append(
                f"model/linear has no intercept: scores are {shift:g} below those of the model, all alike"
            )
    else:
        if not isinstance(form, TreeForm):
            raise ArgumentError(
                f"{title} has no networks. Export to onnx or json, or fit a linear ranker or trees."
            )
        refuse_categories(form, title)
        refuse_zero_as_missing(form, title)
        refuse_deep(form, title)
        missing = rule == "split" and request.missing != "never"
        if rule != "split":
            missing = refuse_missing(
                request, title, rule, _ABSENT if rule == "right" else "Train with 0 for what is missing."
            )
        kind, shift = "model/xgboost+json", 0.0
        definition = {"objective": "rank:pairwise", "splits": _splits(request, form)}
    text = json.dumps(definition, allow_nan=False)
    body = {"model": {"name": request.name, "model": {"type": kind, "definition": text}}}
    features = {"featureset": {"features": [_feature(name, request) for name in request.names]}}
    if any(name not in request.definitions for name in request.names):
        notes.append(
            "the templates of the feature set are empty (null): write the query of each feature there"
        )
    if not missing:
        notes.append("every feature must have a value for every document")
    raw = json.dumps(body).encode() + b"\n"
    reads = "zero" if rule == "zero" else rule
    return Draft(
        {"": raw, ".features.json": json.dumps(features, indent=1).encode() + b"\n"},
        lambda X: evaluate_elasticsearch(raw, X, request.names, missing=reads),
        f"arithmetic of {title}",
        sequential=isinstance(form, TreeForm),
        shift=shift,
        missing=missing,
        infinite=False,
        notes=tuple(notes),
    )


def _feature(name: str, request: Request) -> dict[str, Any]:
    return {"name": name, "params": [], "template_language": "mustache", "template": None} | dict(
        request.definitions.get(name, {})
    )


def _splits(request: Request, form: TreeForm) -> list[dict[str, Any]]:
    base = [{"nodeid": 0, "leaf": _number(form.base)}] if form.base else []
    trees = [_nested(request, form, tree) for tree in form.trees]
    whole: list[dict[str, Any]] = [*trees, *base] if form.base_last else [*base, *trees]
    return whole or [{"nodeid": 0, "leaf": 0.0}]


def _number(value: float) -> float:
    """A float32 as the double that JSON is written from: all of its digits."""
    import numpy as np

    with np.errstate(over="ignore", under="ignore"):
        near = np.float32(value)
    if not np.isfinite(near):
        # A threshold above every number that float32 holds.
        near = np.copysign(np.finfo(np.float32).max, near)
    return float(near)


def _nested(request: Request, form: TreeForm, tree: BoostedTree) -> dict[str, Any]:
    order = list(tree.walk())
    number = {node: place for place, (node, _) in enumerate(order)}
    nodes: dict[int, dict[str, Any]] = {}
    for node, depth in reversed(order):
        if tree.feature[node] < 0:
            nodes[node] = {"nodeid": number[node], "leaf": _number(tree.value[node])}
            continue
        left, right = int(tree.left[node]), int(tree.right[node])
        missing = left if form.goes_left_when_missing(tree, node) else right
        nodes[node] = {
            "nodeid": number[node],
            "depth": depth,
            "split": request.names[int(tree.feature[node])],
            "split_condition": _number(float(thresholds_below(form, tree.threshold[node]))),
            "yes": number[left],
            "no": number[right],
            "missing": number[missing],
            "children": [nodes[left], nodes[right]],
        }
    return nodes[0]


def _format(name: str, title: str, versions: tuple[str, ...], missing: str, write: Any) -> Format:
    return Format(
        name=name,
        title=title,
        holds=("trees", "a linear function"),
        suffix=".json",
        categories=False,
        missing=missing,
        numbers="float32",
        checked_by="the plugin's arithmetic",
        versions=versions,
        write=write,
    )


FORMATS = (
    _format("elasticsearch", "Elasticsearch LTR", (), "right in every split", _elasticsearch),
    _format(
        "opensearch",
        "OpenSearch LTR",
        _OPENSEARCH,
        "by version: as 0 (to 3.2), right (3.3 to 3.5), by split (from 3.6)",
        _opensearch,
    ),
)
