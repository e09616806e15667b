"""Which loss is trained for a metric, and why: what is proven of it, or the warning that nothing is.

A loss optimises a metric when its minimiser sorts as the mean of its target does (the loss claims
``order_preserving``) and sorting by that mean is optimal for the metric (the target claims to standardise
it). `choose_loss` is the one answer for linear models, engines, networks and commands.

>>> choice = choose_loss("nDCG@10")
>>> str(choice.loss), choice.warning is None
('softmax:normalised-gain@10', True)
>>> choose_loss("nDCG@10", engine="lightgbm").loss, choose_loss("nDCG@10", engine="catboost").loss
(query-ordinal:normalised-gain@10, centred-squared:normalised-gain@10)
>>> choice = choose_loss("ERR@20")
>>> str(choice.loss), choice.claim.value
('softmax:satisfaction', 'independent')
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

from rankproof.claims import Claim
from rankproof.errors import ArgumentError, ConsistencyWarning
from rankproof.losses.base import LOSSES, Loss
from rankproof.losses.parse import aimed_at
from rankproof.metrics.base import METRICS, Metric, MetricLike
from rankproof.metrics.parse import metric as metric_of
from rankproof.plain import html_table, json_text
from rankproof.targets.base import CONDITIONS, TARGETS, TRIED_ONLY, Target, as_condition
from rankproof.targets.binary import BINARY_METRICS, same_for_all
from rankproof.targets.choose import candidates, nearest, no_target, unconditional, why_none

__all__ = ["PREFERRED", "PROOF", "LossChoice", "choose_loss", "proof_text"]

# The losses that "auto" takes, the best first; the last of each row takes any target. Without an engine,
# softmax takes linear time and is blind to the scale of scores. For boosting, docs/explanation/defaults.md
# has the measurements; CatBoost hands no groups to a custom objective, so it has its own losses only.
PREFERRED: dict[str | None, tuple[str, ...]] = {
    None: ("softmax", "centred-squared"),
    "lightgbm": ("query-ordinal",),
    "xgboost": ("query-ordinal",),
    "catboost": ("centred-squared",),
}


# Where it is proven that a loss is consistent with a metric if it sorts as the mean of a target does, and the
# target standardises the metric.
PROOF = "B11 Th. 2; R11 Th. 8, 9"


@dataclass(frozen=True)
class LossChoice:
    """A loss for a metric.

    Attributes
    ----------
    metric : Metric
    loss : Loss
    requested : str or None
        The loss as it was asked for; None when it was chosen.
    claim : Claim or None
        That the target standardises the metric, always or under a condition. None when the loss makes no
        use of such a claim, so that nothing is proven of it.
    warning : str or None
        What is not proven, or which condition was taken for granted.
    """

    metric: Metric
    loss: Loss
    requested: str | None
    claim: Claim | None
    warning: str | None

    @property
    def proof(self) -> str | None:
        """Why the loss optimises the metric whatever the law of the labels; None unless the claims settle it.

        They do for the losses that "auto" takes, with targets and metrics of the library. Whatever is left
        open is a question to `rankproof.theory.certify`, which gives the same reason.
        """
        claim, kind = self.claim, type(self.metric)
        if claim is None or claim.value is not True:
            return None
        if isinstance(self.metric, BINARY_METRICS) and same_for_all(self.metric) is not None:
            # Another theorem says more: every loss is consistent with it.
            return None
        chosen = {LOSSES[name] for names in PREFERRED.values() for name in names}
        derived = not set(METRICS.values()).isdisjoint(kind.__mro__[1:])
        if type(self.loss) not in chosen or not METRICS.has_class_of(self.metric) or derived:
            return None
        if not TARGETS.has_class_of(self.target):
            return None
        sorts = self.loss.claims["order_preserving"].reference
        return proof_text(str(self.loss), f"E[{self.target}]", sorts, self.metric, claim)

    @property
    def target(self) -> Target | None:
        """What the loss aims at; None when it reads the labels."""
        return self.loss.target

    def warned(self, stacklevel: int = 3) -> LossChoice:
        """The choice itself, after a `ConsistencyWarning` about what it took for granted, if anything.

        A loss that was asked for by name gives none: whoever names a loss in code has chosen it.
        """
        if self.requested is None and self.warning is not None:
            warnings.warn(self.warning, ConsistencyWarning, stacklevel=stacklevel)
        return self

    def lines(self) -> list[tuple[str, str]]:
        """What a reader should know, as pairs of a word and a sentence."""
        how = "chosen" if self.requested is None else "as asked"
        lines = [("metric", f"{self.metric}, {self.metric.direction} is better")]
        facts = ["convex" if self.loss.claims.value("convex") else "not convex"]
        if self.claim is not None:
            always = self.claim.value is True
            condition = "" if always else f" if {CONDITIONS[str(self.claim.value)]}"
            limits = f"; {self.claim.limits}" if self.claim.limits else ""
            tried = "in all that was tried " if self.claim.note == TRIED_ONLY else ""
            why = f"{tried}sorting by its mean optimises {self.metric}{condition}"
            lines.append(("target", f"{self.target}: {why} ({self.claim.reference}{limits})"))
            reference = self.loss.claims["order_preserving"].reference
            facts.append(f"its minimiser sorts as the mean of the target does ({reference})")
        lines.append(("loss", f"{self.loss!s}, {how}: {', '.join(facts)}"))
        return lines

    def summary(self) -> str:
        """One sentence: which loss, consistent with what, and under which premises.

        >>> print(choose_loss("nDCG@10").summary())
        softmax:normalised-gain@10, chosen because it is consistent with nDCG@10: with unlimited data and a
        model that can represent any scores, minimising it gives the best ranking by nDCG@10.
        """
        limit = "unlimited data and a model that can represent any scores"
        if self.claim is None:
            how = "as requested" if self.requested is not None else "the nearest that has a target"
            return (
                f"{self.loss!s}, {how}: not proven to be consistent with {self.metric}, so it may "
                f"miss the best ranking even with {limit}."
            )
        how = "chosen because it is" if self.requested is None else "as requested. It is"
        if self.claim.note == TRIED_ONLY:
            how = f"{'chosen' if self.requested is None else 'as requested'}. In all that was tried it is"
        always = self.claim.value is True
        condition = "" if always else f" if {CONDITIONS[str(self.claim.value)]}"
        limits = f" ({self.claim.limits})" if self.claim.limits else ""
        then = ":" if always else ": then,"
        return (
            f"{self.loss!s}, {how} consistent with {self.metric}{condition}{limits}{then} with {limit}, "
            f"minimising it gives the best ranking by {self.metric}."
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "metric": str(self.metric),
            "loss": str(self.loss),
            "chosen": self.requested is None,
            "target": None if self.target is None else str(self.target),
            "condition": None if self.claim is None or self.claim.value is True else str(self.claim.value),
            "reasons": dict(self.lines()),
            "warning": self.warning,
            **self._of_users(),
        }

    def _of_users(self) -> dict[str, Any]:
        """What else to keep of a user's metric: where its target holds, or that it is the nearest."""
        if not self.metric.by_users:
            return {}
        limits = None if self.claim is None else self.claim.limits
        return {"limits": limits, "nearest": self.claim is None and self.requested is None}

    def to_json(self) -> str:
        """`to_dict` as JSON text."""
        return json_text(self.to_dict())

    def _repr_html_(self) -> str:
        notes = () if self.warning is None else (self.warning,)
        return html_table(["", "choice"], self.lines(), notes=notes, left=range(2))


def choose_loss(
    metric: MetricLike,
    loss: str | Loss = "auto",
    noise: str | None = None,
    *,
    engine: str | None = None,
    among: tuple[str, ...] | None = None,
) -> LossChoice:
    """The loss that was asked for, or the one that is consistent with the metric, and why.

    Parameters
    ----------
    metric : metric, str or function
    loss : str or Loss
        ``auto``, a name (its target is then made for the metric), a name with a target or metric of its own
        (``softmax:gain``), or a loss object.
    noise : str, optional
        A condition on the law of the labels, a key of `rankproof.targets.CONDITIONS`: for metrics that
        have a consistent convex loss only then.
    engine : "lightgbm", "xgboost" or "catboost", optional
        The engine that boosts trees: then ``auto`` is the best of its losses for them. They ask little of a
        model that sees one item at a time: with ``query-ordinal``, what all items of a query have in common
        need not be learnt, and items that are far above or below a threshold add little noise.
    among : tuple of str, optional
        The names that ``auto`` chooses from, the best first, in place of those of the engine.

    Raises
    ------
    ArgumentError
        With ``auto``, when nothing is known to be consistent with the metric, not even under a condition, or
        not under the one that is given; or when no loss to choose from takes the target.

    >>> for word, sentence in choose_loss("nDCG@10").lines():
    ...     print(f"{word}: {sentence}")
    metric: nDCG@10, higher is better
    target: normalised-gain@10: sorting by its mean optimises nDCG@10 (R11 ...)
    loss: softmax:normalised-gain@10, chosen: convex, its minimiser sorts as the mean of the target does (...)
    >>> print(choose_loss("nDCG@10", "listnet").warning)
    listnet is not proven to optimise nDCG@10: it does not sort as a target does (R11 Prop. 7: ...), so
    minimising it may not give the best ranking. The loss 'auto' takes one that is proven to.
    """
    wanted = metric_of(metric)
    condition = None if noise is None else as_condition(noise)
    if not isinstance(loss, (str, Loss)):
        raise ArgumentError(f"Argument loss must be 'auto', the name of a loss or a loss, got {loss!r}.")
    if isinstance(loss, Loss):
        return _examined(wanted, loss, str(loss), condition)
    if loss != "auto":
        return _examined(wanted, aimed_at(wanted, loss, noise), loss, condition)
    if among is None:
        if engine not in PREFERRED:
            names = ", ".join(repr(name) for name in PREFERRED if name is not None)
            raise ArgumentError(
                f"Argument engine of choose_loss must be one of {names}, or None, got {engine!r}."
            )
        among = PREFERRED[engine]
    return _consistent(wanted, condition, among)


def _consistent(metric: Metric, condition: str | None, among: tuple[str, ...]) -> LossChoice:
    """The first of the losses that takes the metric's target; with a warning if that needs a condition."""
    always = unconditional(metric)
    if always is not None:
        return LossChoice(metric, _first_with(always[0], metric, among), None, always[1], None)
    offers = candidates(metric)
    for target, claim in offers:
        if claim.value == condition:
            return LossChoice(metric, _first_with(target, metric, among), None, claim, None)
    near = nearest(metric)
    if near is not None:
        warning = (
            f"{why_none(metric, laws=False)} It is what is trained for, as you asked, in place of {metric}."
        )
        return LossChoice(metric, _first_with(near, metric, among), None, None, warning)
    # A condition that a function of a user's has a target under need not be likely, so it must be stated.
    if condition is not None or not offers or metric.by_users:
        raise no_target(metric, condition)
    target, claim = offers[0]
    loss = _first_with(target, metric, among)
    others = dict.fromkeys(str(other.value) for _, other in offers if other.value != claim.value)
    also = f" Other conditions that are sufficient: {', '.join(map(repr, others))}." if others else ""
    under = _under_condition(f"The choice is {loss!s}, which", metric, claim)
    return LossChoice(metric, loss, None, claim, f"{why_none(metric, laws=False)} {under}{also}")


def proof_text(loss: str, mean: str, sorts: str, metric: Metric, claim: Claim) -> str:
    """Why a loss is consistent with a metric: it sorts as a mean does (``sorts`` says why), which is best."""
    condition = "" if claim.value is True else f" if {CONDITIONS[str(claim.value)]}"
    return (
        f"The minimiser of {loss} sorts as {mean} does ({sorts}), and sorting by that mean optimises "
        f"{metric}{condition} ({claim.reference})."
    )


def _first_with(target: Target, metric: Metric, among: tuple[str, ...]) -> Loss:
    """The first of the losses that is defined on the target, convex, and sorts as its mean does."""
    for name in among:
        cls = LOSSES[name]
        if cls.needs == "labels" or (cls.needs == "nonnegative target" and not target.nonnegative):
            continue
        loss = cls(target=target)
        if loss.claims.value("convex") is True and loss.claims.value("order_preserving") is True:
            return loss
    if target.nonnegative:
        raise ArgumentError(f"None of the losses {', '.join(among)} is known to be consistent with {target}.")
    raise ArgumentError(
        f"Target {target} of {metric} may be negative, and none of the losses to choose from "
        f"({', '.join(among)}) takes it. centred-squared does."
    )


def _examined(metric: Metric, loss: Loss, requested: str, condition: str | None) -> LossChoice:
    """A loss that was asked for, with what is proven of it."""
    negative = loss.target is not None and not loss.target.nonnegative
    if metric.by_users and negative and loss.needs == "nonnegative target":
        raise ArgumentError(
            f"Loss {requested} takes targets of at least 0, and labels may be worth less to {metric}: "
            f"{loss.target}. Use centred-squared or squared."
        )
    gap = _gap(loss, metric)
    if gap is not None:
        unproven = (
            f"{loss!s} is not proven to optimise {metric}: {gap}, so minimising it may not give the best "
            "ranking. The loss 'auto' takes one that is proven to."
        )
        return LossChoice(metric, loss, requested, None, unproven)
    claims = () if loss.target is None else loss.target.claims_for(metric)
    holding = [claim for claim in claims if claim.value is True or claim.value == condition]
    if holding:
        return LossChoice(metric, loss, requested, holding[0], None)
    return LossChoice(metric, loss, requested, claims[0], _under_condition(str(loss), metric, claims[0]))


def _gap(loss: Loss, metric: Metric) -> str | None:
    """What a proof that the loss optimises the metric lacks."""
    if not loss.states_its_claims:
        return f"its class {type(loss).__name__} has a kernel of its own, but the claims of another loss"
    sorts = loss.claims.get("order_preserving")
    if sorts is None:
        return "it does not claim to sort as a target does"
    if sorts.value is not True:
        return f"it does not sort as a target does ({sorts.reference})"
    if loss.target is None:
        return "it reads the labels as they are"
    return None if loss.target.claims_for(metric) else f"{loss.target} does not standardise {metric}"


def _under_condition(subject: str, metric: Metric, claim: Claim) -> str:
    condition = str(claim.value)
    return (
        f"{subject} is consistent with {metric} if {CONDITIONS[condition]}. "
        f"If you know that this holds, set noise={condition!r}."
    )
