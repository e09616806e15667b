"""Solr LTR: the JSON of a model and of its features.

A split sends ``value <= threshold + 1e-6f`` to the left, in float32 (MultipleAdditiveTreesModel). The
threshold that is written is one to which adding 1e-6 gives the model's own. From 9.2 on (SOLR-16596) a
missing value can go its own way; a feature then needs NaN as its default value.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from rankproof.errors import ArgumentError
from rankproof.exports.check.solr import evaluate_solr
from rankproof.exports.forms.draft import Draft, Format, Request
from rankproof.exports.forms.linear import LinearForm
from rankproof.exports.forms.network import NetworkForm
from rankproof.exports.forms.thresholds import thresholds_at_most
from rankproof.exports.forms.trees import BoostedTree, TreeForm
from rankproof.exports.write.refusals import (
    refuse_categories,
    refuse_deep,
    refuse_missing,
    refuse_zero_as_missing,
)

__all__ = ["FORMATS"]

_CLASS = "org.apache.solr.ltr.model."
_SLACK = np.float32(1e-6)
# Sums of the slack and a float32 near it are multiples of about half of this: no threshold is nearer to 0.
_TINY = 1.2e-13


def _write(request: Request) -> Draft:
    form, notes, shift, missing = request.form, [], 0.0, False
    params: dict[str, Any]
    features = [{"name": name} for name in request.names]
    if isinstance(form, LinearForm):
        name, params = (
            "LinearModel",
            {"weights": dict(zip(request.names, form.weights.tolist(), strict=True))},
        )
        shift = form.intercept
        if shift:
            notes.append(
                f"LinearModel has no intercept: scores are {shift:g} below those of the model, all alike"
            )
    elif isinstance(form, NetworkForm):
        if form.squash or form.centre is not None:
            raise ArgumentError(
                "Solr's NeuralNetworkModel gets features as they are, and this ranker's network gets "
                "sign(z) log(1 + |z|) "
                "of standardised ones, which Solr has no normalizer for. Export to onnx or json, or fit "
                "a linear "
                "ranker or trees."
            )
        name, params = "NeuralNetworkModel", {"layers": [_layer(layer) for layer in form.layers]}
    else:
        refuse_categories(form, "Solr LTR")
        refuse_zero_as_missing(form, "Solr LTR")
        refuse_deep(form, "Solr LTR")
        by_split = request.version != "9.1" and request.missing != "never"
        missing = by_split or refuse_missing(
            request,
            "Solr LTR before 9.2",
            "zero",
            "Use Solr 9.2 or later (version='9.2'), or train with 0 for it.",
        )
        base: list[Any] = [{"weight": "1", "root": {"value": _text(form.base)}}] if form.base else []
        trees = [{"weight": "1", "root": _nested(request, form, tree, by_split)} for tree in form.trees]
        name = "MultipleAdditiveTreesModel"
        params = {"trees": [*trees, *base] if form.base_last else [*base, *trees]}
        if by_split:
            params["isNullSameAsZero"] = "false"
            notes.append("features need NaN as their default value, for Solr to tell a missing one")
        notes.append(f"numbers nearer to 0 than {_TINY:g} count as 0")
    if not missing:
        notes.append("every feature must have a value for every document")
    model = {"class": _CLASS + name, "name": request.name, "features": features, "params": params}
    store = [
        {"name": one, "class": None, "params": {}} | dict(request.definitions.get(one, {}))
        for one in request.names
    ]
    if any(one not in request.definitions for one in request.names):
        notes.append("the classes of the features are empty (null): write the Solr feature of each there")
    raw = json.dumps(model, allow_nan=False).encode() + b"\n"
    return Draft(
        {"": raw, ".features.json": json.dumps(store, indent=1).encode() + b"\n"},
        lambda X: evaluate_solr(raw, X, request.names),
        "arithmetic of Solr LTR",
        sequential=isinstance(form, TreeForm),
        shift=shift,
        missing=missing,
        infinite=False,
        tiny=_TINY if isinstance(form, TreeForm) else 0.0,
        notes=tuple(notes),
    )


def _layer(layer: Any) -> dict[str, Any]:
    return {
        "matrix": layer.weights.astype(np.float64).tolist(),
        "bias": layer.biases.astype(np.float64).tolist(),
        "activation": layer.activation,
    }


def _text(value: Any) -> str:
    return repr(float(np.float32(value)))


def _nested(request: Request, form: TreeForm, tree: BoostedTree, by_split: bool) -> dict[str, Any]:
    nodes: dict[int, dict[str, Any]] = {}
    for node, _ in reversed(list(tree.walk())):
        if tree.feature[node] < 0:
            nodes[node] = {"value": _text(tree.value[node])}
            continue
        name = request.names[int(tree.feature[node])]
        nodes[node] = {
            "feature": name,
            "threshold": _text(_before_slack(thresholds_at_most(form, tree.threshold[node]), name)),
            "left": nodes[int(tree.left[node])],
            "right": nodes[int(tree.right[node])],
        }
        if by_split:
            nodes[node]["missing"] = "left" if form.goes_left_when_missing(tree, node) else "right"
    return nodes[0]


def _before_slack(wanted: np.float32, name: str) -> np.float32:
    """The float32 whose sum with the slack is ``wanted``, or not told from it by any number there."""
    if np.isinf(wanted):
        return np.float32(np.copysign(np.finfo(np.float32).max, wanted))
    guess = np.float32(wanted - _SLACK)
    for near in (guess, np.nextafter(guess, np.float32(-1e38)), np.nextafter(guess, np.float32(1e38))):
        sum_ = near + _SLACK
        if (
            sum_ == wanted
            or (0 <= wanted < _TINY and 0 <= sum_ < _TINY)
            or (-_TINY < wanted < 0 and -_TINY < sum_ < 0)
        ):
            return np.float32(near)
    raise ArgumentError(
        f"Solr adds 1e-6 to every threshold in float32, and no number gives {wanted!r} of feature "
        f"{name!r} by that: "
        f"thresholds of this size are too near to 0. Multiply the feature by 1e6 before training and in Solr."
    )


FORMATS = (
    Format(
        name="solr",
        title="Solr LTR",
        holds=("trees", "a linear function", "a network"),
        suffix=".json",
        categories=False,
        missing="by split from 9.2, before as 0",
        numbers="float32, 0 up to 1.2e-13",
        checked_by="Solr's arithmetic",
        versions=("9.1", "9.2"),
        write=_write,
    ),
)
