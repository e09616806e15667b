"""A small network: what is done to the features, and layers with an activation each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankproof.arrays import Float64s
from rankproof.errors import ArgumentError

__all__ = ["ACTIVATIONS", "Layer", "NetworkForm", "network_form_scores"]

ACTIVATIONS = ("identity", "relu", "sigmoid", "tanh", "leakyrelu")


@dataclass(frozen=True, eq=False)
class Layer:
    """``activation(weights @ x + biases)``; weights of shape (outputs, inputs)."""

    weights: NDArray[np.float32]
    biases: NDArray[np.float32]
    activation: str


@dataclass(frozen=True, eq=False)
class NetworkForm:
    """Layers over features; with ``squash`` these are sign(z) log(1 + |z|) of z = (x - centre) / divisor."""

    names: tuple[str, ...]
    layers: tuple[Layer, ...]
    centre: Float64s | None = None
    divisor: Float64s | None = None
    squash: bool = False
    source: str = ""

    def __post_init__(self) -> None:
        width = len(self.names)
        for number, layer in enumerate(self.layers):
            if layer.weights.ndim != 2 or layer.weights.shape[1] != width:
                raise ArgumentError(
                    f"Layer {number} takes {layer.weights.shape[-1]} numbers, and gets {width}."
                )
            if layer.activation not in ACTIVATIONS:
                raise ArgumentError(
                    f"Layer {number} has the activation {layer.activation!r}; one of {ACTIVATIONS} is needed."
                )
            width = layer.weights.shape[0]
        if width != 1:
            raise ArgumentError(f"The network gives {width} numbers per item; a ranker gives one score.")

    @property
    def kind(self) -> str:
        """The word for it in messages."""
        return "a network"

    @property
    def features(self) -> int:
        """How many features an item has."""
        return len(self.names)


def network_form_scores(form: NetworkForm, X: NDArray[Any]) -> Float64s:
    """The score of every row, in double precision."""
    h = np.asarray(X, dtype=np.float64)
    if form.centre is not None and form.divisor is not None:
        h = (h - form.centre) / form.divisor
    if form.squash:
        h = np.sign(h) * np.log1p(np.abs(h))
    for layer in form.layers:
        h = activated(layer.activation, h @ layer.weights.T.astype(np.float64) + layer.biases)
    return np.asarray(h[:, 0])


def activated(name: str, h: Float64s) -> Float64s:
    """The values of an activation function."""
    if name == "relu":
        return np.maximum(h, 0.0)
    if name == "leakyrelu":
        return np.where(h < 0, 0.01 * h, h)
    if name == "tanh":
        return np.tanh(h)
    if name == "sigmoid":
        with np.errstate(over="ignore"):
            return np.asarray(1.0 / (1.0 + np.exp(-h)))
    return h
