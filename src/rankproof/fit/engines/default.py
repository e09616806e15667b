"""Which loss the engines minimise: the one asked for, or the default for boosting.

>>> chosen = boosting_loss("nDCG@10")
>>> str(chosen.loss), chosen.claim.value, chosen.warning is None
('lift:normalised-gain@10', True, True)
>>> boosting_loss("ERR@20", noise="independent").loss
lift:satisfaction
>>> boosting_loss("nDCG@10", among=preferred("catboost")).loss
centred-squared:normalised-gain@10
"""

from __future__ import annotations

import warnings
from dataclasses import replace

from rankproof.errors import ArgumentError, ConsistencyWarning
from rankproof.fit.resolve import asked_loss
from rankproof.losses.auto import Choice, choose
from rankproof.losses.base import Loss
from rankproof.losses.lift import Lift
from rankproof.losses.squared import CentredSquared
from rankproof.metrics.base import Metric
from rankproof.metrics.parse import metric as metric_of

__all__ = ["PREFERRED", "boosting_loss", "chosen", "engine_loss", "preferred"]

# In this order: what measurements say (docs/explanation/defaults.md); squared loss takes any target.
PREFERRED: tuple[type[Loss], ...] = (Lift, CentredSquared)
# CatBoost hands no groups to an objective of one's own, so that it has no lift.
_OF_ENGINES: dict[str, tuple[type[Loss], ...]] = {"catboost": (CentredSquared,)}


def preferred(engine: str) -> tuple[type[Loss], ...]:
    """The kinds of losses that this engine has, the best for boosting first; one of them takes any target."""
    return _OF_ENGINES.get(engine, PREFERRED)


def boosting_loss(
    metric: str | Metric, noise: str | None = None, *, among: tuple[type[Loss], ...] = PREFERRED
) -> Choice:
    """The loss to boost with for a metric: lift on the target that standardises it.

    It asks little of a model that sees one item at a time: neither what all items of a query have in common
    nor the unit of their targets need be learnt. A target that may be negative takes query-centred squares.
    Where no target standardises the metric under every law of the labels, the best one under a condition is
    taken, and ``warning`` says so.

    Parameters
    ----------
    metric : metric or str
    noise : str, optional
        What is known about the law of the labels, a key of `rankproof.standardize.base.CONDITIONS`.
    among : tuple of kinds of losses
        What to choose from, the best first: `preferred` of the engine.

    Raises
    ------
    ArgumentError
        When nothing is known to be consistent with the metric, not even under a condition, or when no kind
        among those takes its target.
    """
    found = choose(metric, noise)
    kinds = [kind for kind in among if kind.needs != "nonnegative target" or found.target.nonnegative]
    if not kinds:
        raise ArgumentError(
            f"Target {found.target} of {metric} may be negative, and none of the losses to choose from "
            f"({', '.join(kind.name for kind in among) or 'none'}) takes it. centred-squared does."
        )
    loss = kinds[0](target=found.target)
    text = found.warning
    if text is not None:
        text = text.replace(f"The choice is {found.loss},", f"The choice is {loss},")
    return replace(found, loss=loss, warning=text)


def engine_loss(
    metric: str | Metric,
    loss: str | Loss = "auto",
    noise: str | None = None,
    *,
    among: tuple[type[Loss], ...] = PREFERRED,
    stacklevel: int = 3,
) -> Loss:
    """The loss for these arguments of an adapter; warns when none is consistent with the metric.

    >>> engine_loss("nDCG@10"), engine_loss("nDCG@10", "softmax"), engine_loss("nDCG@10", "squared:gain")
    (lift:normalised-gain@10, softmax:normalised-gain@10, squared:gain)
    """
    known = metric_of(metric)
    asked = asked_loss(known, loss, noise)
    return chosen(known, noise, among=among, stacklevel=stacklevel + 1).loss if asked is None else asked


def chosen(
    metric: str | Metric,
    noise: str | None,
    *,
    among: tuple[type[Loss], ...] = PREFERRED,
    stacklevel: int,
) -> Choice:
    """`boosting_loss`, with its warning given to the caller that many levels up."""
    found = boosting_loss(metric, noise, among=among)
    if found.warning is not None:
        warnings.warn(found.warning, ConsistencyWarning, stacklevel=stacklevel)
    return found
