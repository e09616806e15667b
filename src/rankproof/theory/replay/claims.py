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

    >>> broken_claim({"of": "margin hinge", "claim": "convex", "value": True})
    >>> broken_claim({"of": "margin hinge", "claim": "differentiable", "value": True})
    'margin hinge does not claim differentiable = True, but False'
    """
    of, claim, value = str(stored["of"]), str(stored["claim"]), stored["value"]
    now: Any
    if claim == SORTS:
        now = None if (sorting := sorting_of(loss_of(of))) is None else str(sorting)
    elif claim.startswith(STANDARDIZES):
        claims = target_of(of).claims_for(metric_of(claim.removeprefix(STANDARDIZES)))
        values = [one.value for one in claims if one.note == stored["note"]]
        now = value if value in values else values
    elif of.startswith(MARGIN):
        now = MARGINS[of.removeprefix(MARGIN)].claims.value(claim)
    elif claim == CONSTANT:
        metric = metric_of(of)
        now = isinstance(metric, Judged) or same_for_all(metric) is not None
    else:
        now = metric_of(of).claims.value(claim)
    same = now == value and isinstance(now, bool) == isinstance(value, bool)
    return None if same else f"{of} does not claim {claim} = {value}, but {now}"
