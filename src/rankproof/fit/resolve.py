"""Which loss an estimator minimises: the one asked for, or the one that is consistent with the metric."""

from __future__ import annotations

import warnings
from typing import Any

from rankproof.errors import ArgumentError, ConsistencyWarning
from rankproof.losses.base import Loss
from rankproof.metrics.base import Metric
from rankproof.metrics.parse import metric as parse_metric

__all__ = ["asked_loss", "resolve_loss"]


def asked_loss(metric: Metric, loss: Any, noise: str | None) -> Loss | None:
    """The loss that is asked for by an object or by its name, aimed at the metric; None for ``"auto"``."""
    if isinstance(loss, Loss):
        return loss
    if not isinstance(loss, str):
        raise ArgumentError(f"Argument loss must be 'auto', the name of a loss or a loss, got {loss!r}.")
    if loss == "auto":
        return None
    from rankproof.losses.parse import aimed_at

    return aimed_at(metric, loss, noise)


def resolve_loss(metric: Any, loss: Any, noise: str | None) -> Loss:
    """The loss for these parameters of an estimator; warns when none is consistent with the metric."""
    known = parse_metric(metric)
    asked = asked_loss(known, loss, noise)
    if asked is not None:
        return asked
    from rankproof.losses.auto import choose

    choice = choose(known, noise)
    if choice.warning is not None:
        warnings.warn(choice.warning, ConsistencyWarning, stacklevel=3)
    return choice.loss
