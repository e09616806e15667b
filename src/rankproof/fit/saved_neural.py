"""What of a neural ranker is saved, and how it is put together again."""

from __future__ import annotations

from os import PathLike
from typing import Any

import numpy as np

from rankproof.errors import ArgumentError
from rankproof.fit.network import Network
from rankproof.fit.neural_training import Epoch, TrainingReport
from rankproof.fit.query_features import KINDS as FEATURE_KINDS
from rankproof.fit.query_features import QueryFeatures
from rankproof.fit.saved import Saved, write_model
from rankproof.fit.saved_parameters import as_text, from_text, printed

__all__ = ["KIND", "restore_neural", "save_neural"]

KIND = "NeuralRanker"


def save_neural(model: Any, path: str | PathLike[str]) -> None:
    """Write a fitted `NeuralRanker`."""
    kind = type(model).__name__
    if kind != KIND:
        raise ArgumentError(f"Only {KIND} is saved so, got a {kind}.")
    parameters = {name: as_text(kind, name, value) for name, value in model.get_params(deep=False).items()}
    names = getattr(model, "feature_names_in_", None)
    state = {
        "features": model.n_features_in_,
        "feature_names": None if names is None else [str(name) for name in names],
        "loss": printed(kind, "loss_", model.loss_),
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
    write_model(path, kind, parameters, state, arrays)


def restore_neural(saved: Saved) -> Any:
    """The fitted ranker that was saved."""
    from rankproof.fit.neural import NeuralRanker
    from rankproof.losses.parse import loss as parse_loss

    state, arrays = saved.state, saved.arrays
    try:
        features, layers, names = int(state["features"]), int(state["layers"]), state["feature_names"]
        parameters = from_text(saved.parameters)
        parameters["hidden"] = tuple(parameters["hidden"])
        model = NeuralRanker(**parameters)
        seen = QueryFeatures(state["scale"], arrays["centre"], arrays["divisor"])
        network = Network(
            tuple(arrays[f"weights{k}"] for k in range(layers)),
            tuple(arrays[f"biases{k}"] for k in range(layers)),
        )
        loss, report = parse_loss(state["loss"]), TrainingReport(**state["report"])
        told = zip(arrays["losses"].tolist(), arrays["metrics"].tolist(), strict=True)
    except (KeyError, TypeError) as error:
        raise saved.wrong(f"a part of the model is missing or of a wrong kind: {error}.") from None
    if seen.kind not in FEATURE_KINDS or not _fits(network, seen, features):
        raise saved.wrong(f"the arrays do not fit {features} features and scale {seen.kind!r}.")
    model.network_, model.features_, model.loss_, model.report_ = network, seen, loss, report
    model.history_ = [
        Epoch(k, value, None if np.isnan(metric) else metric)
        for k, (value, metric) in enumerate(told, start=1)
    ]
    model.n_features_in_, model.n_iter_ = features, report.epochs
    if names is not None:
        model.feature_names_in_ = np.array(names, dtype=object)
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
