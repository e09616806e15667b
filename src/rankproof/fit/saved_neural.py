"""What of a neural ranker is saved, and how it is put together again."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankproof.fit.network import Network
from rankproof.fit.neural_training import Epoch, TrainingReport
from rankproof.fit.query_features import KINDS, QueryFeatures
from rankproof.fit.saved import Saved

__all__ = ["parts", "restore"]


def parts(model: Any) -> tuple[dict[str, Any], dict[str, Any], dict[str, bytes]]:
    """State, arrays and files of a fitted `NeuralRanker`."""
    state = {
        "scale": model.features_.kind,
        "layers": len(model.network_.weights),
        "report": model.report_.as_dict(),
    }
    arrays = {
        "centre": model.features_.centre,
        "divisor": model.features_.divisor,
        "losses": np.array([epoch.loss for epoch in model.history_]),
        "metrics": np.array([np.nan if e.metric is None else e.metric for e in model.history_]),
    }
    for k, (weights, biases) in enumerate(zip(model.network_.weights, model.network_.biases, strict=True)):
        arrays |= {f"weights{k}": weights, f"biases{k}": biases}
    return state, arrays, {}


def restore(saved: Saved, parameters: dict[str, Any]) -> Any:
    """The fitted ranker, but for its loss and its features."""
    from rankproof.fit.neural import NeuralRanker

    state, arrays = saved.state, saved.arrays
    model = NeuralRanker(**{**parameters, "hidden": tuple(parameters["hidden"])})
    features, layers = int(state["features"]), int(state["layers"])
    model.features_ = QueryFeatures(state["scale"], arrays["centre"], arrays["divisor"])
    model.network_ = Network(
        tuple(arrays[f"weights{k}"] for k in range(layers)),
        tuple(arrays[f"biases{k}"] for k in range(layers)),
    )
    if model.features_.kind not in KINDS or not _fits(model.network_, model.features_, features):
        raise saved.wrong(f"the arrays do not fit {features} features and scale {model.features_.kind!r}.")
    told = zip(arrays["losses"].tolist(), arrays["metrics"].tolist(), strict=True)
    model.history_ = [
        Epoch(k, value, None if np.isnan(metric) else metric)
        for k, (value, metric) in enumerate(told, start=1)
    ]
    model.report_ = TrainingReport(**state["report"])
    model.n_iter_ = model.report_.epochs
    return model


def _fits(network: Network, seen: QueryFeatures, features: int) -> bool:
    """Whether every layer takes what the one before gives, and the last gives one score."""
    if seen.centre.shape != (features,) or seen.divisor.shape != (features,) or not network.weights:
        return False
    width = seen.columns
    for weights, biases in zip(network.weights, network.biases, strict=True):
        if weights.ndim != 2 or weights.shape[1] != width or biases.shape != weights.shape[:1]:
            return False
        width = weights.shape[0]
    return width == 1
