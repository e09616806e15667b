"""Claims in stored evidence, looked up again on the objects that make them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rankproof.losses.margins import MARGINS
from rankproof.losses.parse import loss as loss_of
from rankproof.metrics.judged import Judged
from rankproof.metrics.parse import metric as metric_of
from rankproof.targets.binary import same_for_all
from rankproof.targets.parse import target as target_of
from rankproof.theory.formulas.sorting import sorting_of

__all__ = ["CONSTANT", "MARGIN", "MONOTONE", "SORTS", "STANDARDIZES", "broken_claim"]

MARGIN, STANDARDIZES = "margin ", "standardizes "
SORTS, CONSTANT, MONOTONE = "sorts as", "constant", "monotone"


def broken_claim(stored: Mapping[str, Any]) -> str | None:
    """None when the object named in a stored claim still claims it, else what it says now.

    >>> hinge = MARGINS["hinge"].claims["convex"].reference
    >>> broken_claim({"of": "margin hinge", "claim": "convex", "value": True, "reference": hinge})
    >>> broken_claim({"of": "margin hinge", "claim": "differentiable", "value": True})
    'margin hinge does not claim differentiable = True, but False'
    """
    of, claim, value = str(stored["of"]), str(stored["claim"]), stored["value"]
    now: Any
    reference: str | None
    if claim == SORTS:
        sorting = sorting_of(loss_of(of))
        now, reference = (None, None) if sorting is None else (str(sorting), sorting.reference)
    elif claim.startswith(STANDARDIZES):
        claims = target_of(of).claims_for(metric_of(claim.removeprefix(STANDARDIZES)))
        fitting = [one for one in claims if one.note == stored["note"]]
        chosen = next((one for one in fitting if one.value == value), None)
        now = [one.value for one in fitting] if chosen is None else chosen.value
        reference = None if chosen is None else chosen.reference
    elif claim == CONSTANT:
        metric = metric_of(of)
        now, reference = isinstance(metric, Judged) or same_for_all(metric) is not None, "by definition"
    else:
        own = MARGINS[of.removeprefix(MARGIN)] if of.startswith(MARGIN) else metric_of(of)
        now = own.claims.value(claim)
        reference = own.claims[claim].reference if claim in own.claims else None
    if now != value or isinstance(now, bool) != isinstance(value, bool):
        return f"{of} does not claim {claim} = {value}, but {now}"
    if stored["reference"] != reference:
        return f"the reference for {claim} of {of} is {reference!r}, not {stored['reference']!r:.60}"
    return None
