"""Parameters of a ranker as words and numbers, for the JSON of a saved model, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from rankproof.errors import ArgumentError
from rankproof.losses.base import Loss
from rankproof.metrics.base import Metric

__all__ = ["as_text", "from_text", "printed"]

_PLAIN = (str, int, float, bool, type(None))


def as_text(kind: str, name: str, value: Any) -> Any:
    """A parameter as JSON can hold it."""
    if name == "metric" and not isinstance(value, str):
        value = _parsed(value)
        if value.by_users:
            # Its name, and not its function: a model is data.
            from rankproof.metrics.own_named import to_plain

            return to_plain(value)
    if isinstance(value, Metric):
        return printed(kind, name, value)
    if isinstance(value, Loss):
        # Not the bare text: as a parameter that would stand for a loss whose target comes from the metric.
        return {"loss": printed(kind, name, value)}
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, Mapping):
        return {key: as_text(kind, f"{name}[{key!r}]", entry) for key, entry in value.items()}
    if isinstance(value, tuple | list | np.ndarray):
        return [as_text(kind, name, entry) for entry in value]
    if not isinstance(value, _PLAIN):
        raise ArgumentError(
            f"Argument {name} of {kind} cannot be saved: it must be a number, a word or None, got {value!r}."
        )
    return value


def from_text(parameters: dict[str, Any]) -> dict[str, Any]:
    """Parameters as a constructor takes them, from what `as_text` made of them."""
    from rankproof.losses.parse import loss as parse_loss

    values: dict[str, Any] = {
        name: parse_loss(value["loss"]) if name == "loss" and isinstance(value, dict) else value
        for name, value in parameters.items()
    }
    if isinstance(values.get("metric"), dict):
        from rankproof.metrics.own_named import from_plain

        values["metric"] = from_plain(values["metric"])
    return values


def _parsed(value: Any) -> Metric:
    from rankproof.metrics.parse import metric as parse_metric

    return parse_metric(value)


def printed(kind: str, name: str, value: Loss | Metric) -> str:
    """The printed form, after a check that it stands for the same thing."""
    from rankproof.losses.parse import loss as parse_loss
    from rankproof.metrics.parse import metric as parse_metric

    text = str(value)
    parsed = parse_metric(text) if isinstance(value, Metric) else parse_loss(text)
    if parsed != value:
        raise ArgumentError(
            f"Argument {name} of {kind} cannot be saved: its printed form {text!r} does not describe it."
        )
    return text
