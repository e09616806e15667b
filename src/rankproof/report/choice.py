"""The loss that is trained for a metric, and why: what is proven of it, or the warning that nothing is.

A loss optimises a metric when its minimiser sorts as the mean of its target does (the loss claims
``order_preserving``) and sorting by that mean is optimal for the metric (the target claims to standardise
it).
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from typing import Any

from rankproof.claims import Claim
from rankproof.losses.auto import choose
from rankproof.losses.base import Loss
from rankproof.losses.parse import aimed_at
from rankproof.metrics.base import Metric
from rankproof.metrics.parse import metric as metric_of
from rankproof.standardize.base import CONDITIONS, as_condition

__all__ = ["LossChoice", "loss_for"]


@dataclass(frozen=True)
class LossChoice:
    """A loss for a metric.

    ``asked`` is None when the loss was chosen. ``claim`` is that of the target, when the loss makes use of
    it: that it standardises the metric, always or under a condition.
    """

    metric: Metric
    loss: Loss
    asked: str | None
    claim: Claim | None
    warning: str | None

    def lines(self) -> list[tuple[str, str]]:
        """What a reader should know, as pairs of a word and a sentence."""
        how = "chosen" if self.asked is None else "as asked"
        told = [("metric", f"{self.metric}, {self.metric.direction} is better")]
        if self.claim is not None:
            always = self.claim.value is True
            condition = "" if always else f" if {CONDITIONS[str(self.claim.value)]}"
            why = f"sorting by its mean optimises {self.metric}{condition} ({self.claim.reference})"
            told.append(("target", f"{self.loss.target}: {why}"))
        facts = ["convex" if self.loss.claims.value("convex") else "not convex"]
        if self.claim is not None:
            reference = self.loss.claims["order_preserving"].reference
            facts.append(f"its minimiser sorts as the mean of the target does ({reference})")
        told.append(("loss", f"{self.loss!s}, {how}: {', '.join(facts)}"))
        return told

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "metric": str(self.metric),
            "loss": str(self.loss),
            "chosen": self.asked is None,
            "target": None if self.loss.target is None else str(self.loss.target),
            "condition": None if self.claim is None or self.claim.value is True else str(self.claim.value),
            "reasons": dict(self.lines()),
            "warning": self.warning,
        }


def loss_for(
    metric: str | Metric, loss: str = "auto", noise: str | None = None, *, engine: str | None = None
) -> LossChoice:
    """The loss asked for, or the consistent one, with its reason.

    Parameters
    ----------
    metric : metric or str
    loss : str
        ``auto``, a name (its target is then made for the metric), or a name with a target or metric of its
        own (``softmax:gain``).
    noise : str, optional
        What is known about the law of the labels, a key of `CONDITIONS`.
    engine : str, optional
        The engine that boosts trees: then ``auto`` is the best of its losses for them.

    >>> for word, sentence in loss_for("nDCG@10").lines():
    ...     print(f"{word}: {sentence}")
    metric: nDCG@10, higher is better
    target: normalised-gain@10: sorting by its mean optimises nDCG@10 (R11 ...)
    loss: softmax:normalised-gain@10, chosen: convex, its minimiser sorts as the mean of the target does (...)
    >>> print(loss_for("nDCG@10", "listnet").warning)
    listnet is not proven to optimise nDCG@10: it does not sort as a target does (R11 Prop. 7: ...), so its
    minimiser need not rank best. The loss 'auto' is one for which it is proven. To see whether it does:
    rankproof certify listnet --metric nDCG@10
    """
    asked = metric_of(metric)
    condition = None if noise is None else as_condition(noise)
    if loss == "auto":
        if engine is not None:
            from rankproof.fit.engines.default import boosting_loss, preferred

            chosen = boosting_loss(asked, noise, among=preferred(engine))
        else:
            chosen = choose(asked, noise)
        return LossChoice(asked, chosen.loss, None, chosen.claim, chosen.warning)
    made = aimed_at(asked, loss, noise)
    claims = () if made.target is None else made.target.claims_for(asked)
    gap = _gap(made, asked)
    if gap is not None:
        words = ["rankproof", "certify", loss, "--metric", str(asked)]
        question = shlex.join([*words, *(["--noise", noise] if noise else [])])
        unproven = (
            f"{made!s} is not proven to optimise {asked}: {gap}, so its minimiser need not rank best. "
            f"The loss 'auto' is one for which it is proven. To see whether it does: {question}"
        )
        return LossChoice(asked, made, loss, None, unproven)
    known = [claim for claim in claims if claim.value is True or claim.value == condition]
    claim = known[0] if known else claims[0]
    warning = (
        None
        if known
        else (
            f"{made!s} is consistent with {asked} if {CONDITIONS[str(claim.value)]}. "
            f"If that is known, say noise={str(claim.value)!r}."
        )
    )
    return LossChoice(asked, made, loss, claim, warning)


def _gap(loss: Loss, metric: Metric) -> str | None:
    """What a proof that the loss optimises the metric lacks."""
    sorts = loss.claims["order_preserving"]
    if sorts.value is not True:
        return f"it does not sort as a target does ({sorts.reference})"
    if loss.target is None:
        return "it reads the labels as they are"
    return None if loss.target.claims_for(metric) else f"{loss.target} does not standardise {metric}"
