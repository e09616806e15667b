"""A module of torch that is a chain of linear layers, as a source."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankproof.arrays import Float64s
from rankproof.errors import ArgumentError
from rankproof.exports.forms.network import Layer, NetworkForm
from rankproof.exports.forms.source import Source

__all__ = ["is_module", "module_source"]

_ACTIVATIONS = {
    "ReLU": "relu",
    "Sigmoid": "sigmoid",
    "Tanh": "tanh",
    "LeakyReLU": "leakyrelu",
    "Identity": "identity",
}
_SLOPE = 0.01


def is_module(model: Any) -> bool:
    """Whether this is a module of torch, which need not be installed."""
    return any(
        f"{kind.__module__}.{kind.__name__}" == "torch.nn.modules.module.Module"
        for kind in type(model).__mro__
    )


def module_source(module: Any) -> Source:
    """The source for ``torch.nn.Sequential`` of Linear layers and activations; dropout does nothing here."""
    import torch

    if not isinstance(module, torch.nn.Sequential | torch.nn.Linear):
        raise ArgumentError(
            f"A network of torch must be a torch.nn.Sequential of Linear layers and activations, got "
            f"{type(module).__name__}. "
            "Put it into that form, or export it by torch.onnx."
        )
    layers: list[Layer] = []
    parts: Any = module if isinstance(module, torch.nn.Sequential) else [module]
    for part in parts:
        name = type(part).__name__
        if name == "Linear":
            weights = part.weight.detach().cpu().numpy().astype(np.float32)
            biases = (
                np.zeros(len(weights), np.float32) if part.bias is None else part.bias.detach().cpu().numpy()
            )
            layers.append(Layer(weights, biases.astype(np.float32), "identity"))
        elif name in ("Dropout", "Identity"):
            continue
        elif name in _ACTIVATIONS and layers and layers[-1].activation == "identity":
            if name == "LeakyReLU" and part.negative_slope != _SLOPE:
                raise ArgumentError(f"LeakyReLU must have the slope {_SLOPE}, got {part.negative_slope}.")
            layers[-1] = Layer(layers[-1].weights, layers[-1].biases, _ACTIVATIONS[name])
        else:
            raise ArgumentError(
                f"The network has a {name} that no format here holds at this place: use Linear layers, "
                f"each with one of "
                f"{', '.join(_ACTIVATIONS)}, or export it by torch.onnx."
            )
    if not layers:
        raise ArgumentError("The network has no Linear layer.")
    names = tuple(f"f{column}" for column in range(layers[0].weights.shape[1]))
    form = NetworkForm(names, tuple(layers), source="torch")

    def scores(X: NDArray[Any]) -> Float64s:
        was = module.training
        module.eval()
        with torch.no_grad():
            device = next(module.parameters()).device
            out = module(torch.as_tensor(np.asarray(X, dtype=np.float32), device=device))
        module.train(was)
        return np.asarray(out.cpu().numpy()[:, 0], dtype=np.float64)

    return Source(form, scores, f"torch {torch.__version__}", missing=False, infinite=False)
