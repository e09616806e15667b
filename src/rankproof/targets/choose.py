"""The target for a metric, or the reason why there is none.

>>> from rankproof.metrics.parse import metric
>>> target_for(metric("nDCG@10"))
normalised-gain@10
>>> target_for("ERR@20", noise="independent")
satisfaction
>>> why_none("nDCG@10") is None
True
"""

from __future__ import annotations

from collections.abc import Iterator

from rankproof.claims import Claim
from rankproof.errors import ArgumentError
from rankproof.metrics.base import Metric, MetricLike
from rankproof.metrics.judged import Judged
from rankproof.metrics.parse import metric as metric_of
from rankproof.targets.absence import absence_of
from rankproof.targets.base import CONDITIONS, TARGETS, Target, as_condition
from rankproof.targets.positional import PositionalTarget

__all__ = ["candidates", "nearest", "no_target", "target_for", "unconditional", "why_none"]

NO_LOSS = "so no convex loss on scores is consistent with it under every law (Calauzènes & Usunier 2020)"


def candidates(metric: MetricLike) -> list[tuple[Target, Claim]]:
    """Every target made for the metric with every claim on it: those without a condition first.

    >>> [(str(target), claim.value) for target, claim in candidates("PD")]
    [('balance', 'low noise'), ('balance', 'binary'), ('balance', 'rank-differentiable'),
     ('rank-grade', 'rank-differentiable')]
    """
    return sorted(_claimed(metric_of(metric)), key=lambda pair: pair[1].value is not True)


def unconditional(metric: Metric) -> tuple[Target, Claim] | None:
    """The first of the `candidates` if it needs no condition; those behind it are not asked.

    >>> unconditional(metric_of("nDCG@10"))[0], unconditional(metric_of("PD"))
    (normalised-gain@10, None)
    """
    return next((pair for pair in _claimed(metric) if pair[1].value is True), None)


def _claimed(metric: Metric) -> Iterator[tuple[Target, Claim]]:
    """Targets with their claims, those made for a few metrics before the general ones."""
    if metric.by_users:
        from rankproof.targets.label_worth import claimed_by_rule

        yield from claimed_by_rule(metric)  # type: ignore[arg-type]
        return
    kinds: list[type[Target]] = [*sorted(TARGETS.values(), key=lambda cls: cls.general), PositionalTarget]
    for kind in kinds:
        target = kind.for_metric(metric) if isinstance(metric, kind.made_for) else None
        if target is not None:
            yield from ((target, claim) for claim in target.claims_for(metric))


def target_for(metric: MetricLike, noise: str | None = None) -> Target:
    """The target that standardises ``metric``.

    Parameters
    ----------
    metric : Metric, str or function
        The metric to find a target for, such as ``"nDCG@10"``, or a function of your own
        ``(ranking, feedback) -> number``.
    noise : str, optional
        A condition on the law of the labels: ``"independent"`` (the labels of the items are, given the
        query), ``"one relevant"`` (exactly one item of every query is), ``"binary"`` (every label is 0 or
        1), ``"low noise"``, ``"order-preserving"`` or ``"rank-differentiable"``. Only metrics that have no
        target under every law need it.

    Returns
    -------
    Target

    Raises
    ------
    ArgumentError
        When no target is known. The message says why, and which conditions would give one.

    Examples
    --------
    >>> target_for("P@5"), target_for("AUC"), target_for("WPDL(weight=gain)")
    (relevance, pair-share, pair-weight(weight=gain))
    """
    resolved = metric_of(metric)
    condition = None if noise is None else as_condition(noise)
    always = unconditional(resolved)
    if always is not None:
        return always[0]
    for target, claim in candidates(resolved):
        if claim.value == condition:
            return target
    near = nearest(resolved)
    if near is not None:
        return near
    raise no_target(resolved, condition)


def nearest(metric: Metric) -> Target | None:
    """What is trained on in place of a metric of a user's that has no target, if that was asked for."""
    if not metric.by_users:
        return None
    from rankproof.targets.label_worth import nearest_target

    return nearest_target(metric)


def no_target(metric: Metric, condition: str | None = None) -> ArgumentError:
    """The error for a metric without a target (under the condition): why, and what would give one."""
    by_condition = {str(claim.value): str(target) for target, claim in reversed(candidates(metric))}
    listed = "; ".join(
        f"noise={name!r} ({CONDITIONS[name]}) gives {by_condition[name]}"
        for name in CONDITIONS
        if name in by_condition
    )
    hint = f" If it is known that the labels are of one of these kinds, say so: {listed}." if listed else ""
    under = "" if condition is None else f" None is known under noise={condition!r} either."
    return ArgumentError(f"{why_none(metric, laws=False)}{under}{hint}")


def why_none(metric: MetricLike, *, laws: bool = True) -> str | None:
    """Why no target standardises ``metric`` under every law, with the reference; None when one does.

    With ``laws``, the laws of the labels that prove it are written out.

    >>> print(why_none("RR"))
    No target standardises RR: under each of the laws 2/7 001 + 3/7 011 + 2/7 100 and 1/3 010 + 1/2 101 +
    1/6 110 every best ranking has item 0 above item 1, yet their mixture in shares 7/13, 6/13 stays the
    same when the two are exchanged, so E[u_0] would be larger and smaller than E[u_1] (RR is ERR with
    readers who stop at a relevant item); so no convex loss on scores is consistent with it under every law
    (Calauzènes & Usunier 2020).
    """
    resolved = metric_of(metric)
    if unconditional(resolved) is not None:
        return None
    if resolved.by_users:
        from rankproof.targets.label_worth import reason_of

        return reason_of(resolved)
    if isinstance(resolved, Judged):
        return (
            f"No target standardises {resolved}: it measures the judgments, not the ranking, and gives every "
            "ranking of judged items the value 1 (by definition)."
        )
    absence = absence_of(resolved)
    if absence is not None:
        why = f": {absence};" if laws else f" ({absence.reference}),"
        return f"No target standardises {resolved}{why} {NO_LOSS}."
    positional = resolved.claims.get("positional")
    if positional is None:
        why = "it does not claim to be positional, and whether another kind of target exists was not decided"
    elif positional.value:
        why = "it claims to be positional, but not to be monotone, so the weights of its ranks may rise"
    else:
        why = (
            f"it is not positional ({positional.reference}), and whether another kind of target exists was "
            "not decided"
        )
    return f"No target is known that standardises {resolved}: {why}."
