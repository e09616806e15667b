"""Linear functions and networks by the standard operators of ONNX."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankproof.exports.forms.linear import LinearForm
from rankproof.exports.forms.network import NetworkForm

__all__ = ["linear_nodes", "network_nodes"]

_OPERATORS = {"relu": "Relu", "sigmoid": "Sigmoid", "tanh": "Tanh", "leakyrelu": "LeakyRelu"}


def linear_nodes(form: LinearForm) -> tuple[list[Any], list[Any]]:
    """``features @ weights + intercept`` in double precision."""
    from onnx import helper, numpy_helper

    nodes = [
        helper.make_node("MatMul", ["features", "weights"], ["products"]),
        helper.make_node("Add", ["products", "intercept"], ["scores"]),
    ]
    constants = [
        numpy_helper.from_array(form.weights.reshape(-1, 1).astype(np.float64), "weights"),
        numpy_helper.from_array(np.array([form.intercept]), "intercept"),
    ]
    return nodes, constants


def network_nodes(form: NetworkForm) -> tuple[list[Any], list[Any]]:
    """The transform of the features in double precision, the layers in float32."""
    from onnx import TensorProto, helper, numpy_helper

    nodes, constants, last = [], [], "features"
    if form.squash and form.centre is not None and form.divisor is not None:
        constants += [
            numpy_helper.from_array(form.centre.astype(np.float64), "centre"),
            numpy_helper.from_array(form.divisor.astype(np.float64), "divisor"),
            numpy_helper.from_array(np.array(1.0), "one"),
        ]
        nodes += [
            helper.make_node("Sub", ["features", "centre"], ["centred"]),
            helper.make_node("Div", ["centred", "divisor"], ["z"]),
            helper.make_node("Sign", ["z"], ["sign"]),
            helper.make_node("Abs", ["z"], ["size"]),
            helper.make_node("Add", ["size", "one"], ["more"]),
            helper.make_node("Log", ["more"], ["log"]),
            helper.make_node("Mul", ["sign", "log"], ["squashed"]),
            helper.make_node("Cast", ["squashed"], ["input"], to=TensorProto.FLOAT),
        ]
        last = "input"
    for number, layer in enumerate(form.layers):
        constants += [
            numpy_helper.from_array(
                np.ascontiguousarray(layer.weights.T, dtype=np.float32), f"weights{number}"
            ),
            numpy_helper.from_array(layer.biases.astype(np.float32), f"biases{number}"),
        ]
        plain = layer.activation == "identity"
        end = "scores" if number == len(form.layers) - 1 else f"layer{number}"
        name = end if plain else f"sum{number}"
        nodes.append(helper.make_node("MatMul", [last, f"weights{number}"], [f"products{number}"]))
        nodes.append(helper.make_node("Add", [f"products{number}", f"biases{number}"], [name]))
        if not plain:
            more = {"alpha": 0.01} if layer.activation == "leakyrelu" else {}
            nodes.append(helper.make_node(_OPERATORS[layer.activation], [name], [end], **more))
        last = end
    return nodes, constants
