"""The loss for a metric: convex and order preserving, with the target that standardises the metric.

>>> chosen = choose("nDCG@10")
>>> str(chosen.loss), chosen.warning is None
('softmax:normalised-gain@10', True)
>>> chosen = choose("ERR@20")
>>> str(chosen.loss), chosen.claim.value
('softmax:satisfaction', 'independent')
"""

from __future__ import annotations

from dataclasses import dataclass

from rankproof.claims import Claim
from rankproof.errors import ArgumentError
from rankproof.losses.base import LOSSES, Loss
from rankproof.metrics.base import Metric
from rankproof.metrics.parse import metric as metric_of
from rankproof.standardize.base import CONDITIONS, Target, as_condition
from rankproof.standardize.choose import candidates, no_target, why_none

__all__ = ["Choice", "choose"]

# In this order: softmax takes linear time and is blind to the scale of scores; squared loss takes any target.
PREFERRED = ("softmax", "centred-squared")


@dataclass(frozen=True)
class Choice:
    """A loss for a metric, and the claim on which its consistency rests.

    ``claim`` says that the target standardises the metric: always, or under a condition. ``warning`` is a
    text when the condition was not given but taken for granted, else None.
    """

    loss: Loss
    target: Target
    claim: Claim
    warning: str | None


def choose(metric: str | Metric, noise: str | None = None) -> Choice:
    """The loss that is consistent with ``metric``, or the best known one with a warning.

    Parameters
    ----------
    metric : metric or str
    noise : str, optional
        What is known about the law of the labels, a key of `CONDITIONS`: for metrics that have a consistent
        convex loss only then.

    Raises
    ------
    ArgumentError
        When nothing is known to be consistent with the metric, not even under a condition; or not under the
        one that was given.
    """
    asked = metric_of(metric)
    condition = None if noise is None else as_condition(noise)
    found = candidates(asked)
    for target, claim in found:
        if claim.value is True or claim.value == condition:
            return Choice(_loss_with(target), target, claim, None)
    if condition is not None or not found:
        raise no_target(asked, condition)
    target, claim = found[0]
    loss = _loss_with(target)
    return Choice(loss, target, claim, _warning(asked, loss, claim, found))


def _loss_with(target: Target) -> Loss:
    """The first preferred loss that is defined on the target, convex, and sorts as its mean does."""
    for name in PREFERRED:
        cls = LOSSES[name]
        if cls.needs == "labels" or (cls.needs == "nonnegative target" and not target.nonnegative):
            continue
        loss = cls(target=target)
        if loss.claims.value("convex") is True and loss.claims.value("order_preserving") is True:
            return loss
    raise ArgumentError(f"None of the losses {', '.join(PREFERRED)} is known to be consistent with {target}.")


def _warning(asked: Metric, loss: Loss, claim: Claim, found: list[tuple[Target, Claim]]) -> str:
    others = dict.fromkeys(str(other.value) for _, other in found if other.value != claim.value)
    also = f" Other conditions that are known to do: {', '.join(map(repr, others))}." if others else ""
    return (
        f"{why_none(asked, laws=False)} The choice is {loss!s}, which is consistent with {asked} if "
        f"{CONDITIONS[str(claim.value)]}. If that is known, say noise={claim.value!r}.{also}"
    )
