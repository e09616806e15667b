"""What the theorems in stored evidence need: claims on the very loss and metric of the verdict.

A theorem is stored with the claims that it was applied to. Here it is said once more, apart from the rules,
which claims it takes, so that a verdict cannot rest on claims about something else. The claims themselves are
looked up by `rankproof.theory.replay.claims`; that they are true is believed, and so is the theorem.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from rankproof.feedback.spaces import Space, graded_space, graph_space, permutation_space
from rankproof.losses.parse import loss as loss_of
from rankproof.targets.base import CONDITIONS
from rankproof.theory.base.monotone import is_monotone
from rankproof.theory.base.reasons import NOT_NEGATIVE
from rankproof.theory.base.values import ValueTable
from rankproof.theory.base.verdict import FUNCTION, Verdict
from rankproof.theory.existence.symmetry import check_symmetry
from rankproof.theory.formulas.sorting import sorting_of
from rankproof.theory.formulas.table import loss_margin, theory_of
from rankproof.theory.replay.claims import CONSTANT, MARGIN, MONOTONE, SORTS, STANDARDIZES, broken_claim

__all__ = ["broken_theorem", "is_whole", "wrong_space"]

Claims: TypeAlias = Sequence[Mapping[str, Any]]
# Of the margin of a preorder loss (L12 Th. 5).
MARGIN_FACTS = ("convex", "nonnegative", "non_increasing", "differentiable", "falls_at_zero")


def broken_theorem(verdict: Verdict, data: Mapping[str, Any], values: ValueTable | None) -> str | None:
    """None when the claims stand and are what the theorem needs for this verdict, else what is wrong.

    ``values`` are those of a user's metric, which makes no claims.
    """
    name, claims = str(data["theorem"]), list(data["claims"])
    if name not in _NEEDS:
        return f"the theorem {name!r} is not known"
    if name != verdict.rule:
        return f"the verdict was given by the rule {verdict.rule}, not by {name}"
    for claim in claims:
        if values is not None and claim["claim"] == MONOTONE:
            if claim["value"] is not True or not is_monotone(values):
                return f"{claim['of']} is not monotone on its stored values"
            if claim["reference"] != f"all cases {values.space.description}":
                return f"that {claim['of']} is monotone was not shown as {claim['reference']!r:.60} says"
        else:
            wrong = broken_claim(claim)
            if wrong is not None:
                return wrong
    return _NEEDS[name](verdict, claims, values)


def _constant(verdict: Verdict, claims: Claims, _: ValueTable | None) -> str | None:
    claim = _one(claims, CONSTANT)
    right = claim is not None and claim["of"] == verdict.metric
    return None if right else _lacks(f"{verdict.metric} gives every ranking the same value")


def _standardised(verdict: Verdict, claims: Claims, _: ValueTable | None) -> str | None:
    wrong = _sorts(verdict, claims)
    if wrong is not None:
        return wrong
    sorts, stands = _one(claims, SORTS), _one(claims, f"{STANDARDIZES}{verdict.metric}")
    if sorts is None or stands is None or sorts["value"] != f"E[{stands['of']}]":
        return _lacks(f"what the loss sorts by standardises {verdict.metric}")
    return _under(verdict, stands["value"], stands["note"])


def _target_exists(verdict: Verdict, claims: Claims, _: ValueTable | None) -> str | None:
    stands = _one(claims, f"{STANDARDIZES}{verdict.metric}")
    if verdict.loss is not None or stands is None:
        return _lacks(f"a target standardises {verdict.metric}")
    return _under(verdict, stands["value"], stands["note"])


def _exhausted(verdict: Verdict, claims: Claims, _: ValueTable | None) -> str | None:
    wrong = _sorts(verdict, claims)
    if wrong is not None:
        return wrong
    sorts, table = _one(claims, SORTS), verdict.find("target")
    if sorts is None or table is None or sorts["value"] != f"E[{table.data['closed_form']}]":
        return _lacks("what the loss sorts by is a target of the metric")
    return None


def _rank_differentiable(verdict: Verdict, claims: Claims, values: ValueTable | None) -> str | None:
    loss = loss_of(str(verdict.loss))
    if not theory_of(loss).sorts_ratings or loss.target is not None:
        return f"{verdict.loss} is no preorder loss on labels"
    margin = f"{MARGIN}{loss_margin(loss).name}"
    proven = {claim["claim"] for claim in claims if claim["of"] == margin and claim["value"] is True}
    if not set(MARGIN_FACTS) <= proven:
        return _lacks(f"{margin} is {', '.join(sorted(set(MARGIN_FACTS) - proven))}")
    return _monotone(verdict, claims, values)


def _rising_target(verdict: Verdict, claims: Claims, values: ValueTable | None) -> str | None:
    wrong = _sorts(verdict, claims)
    if wrong is not None:
        return wrong
    sorting = sorting_of(loss_of(str(verdict.loss)))
    if sorting is None or not sorting.increasing:
        return f"higher grades need not be larger in {sorting}"
    if NOT_NEGATIVE not in verdict.conditions:
        return f"it holds only if {NOT_NEGATIVE}, which the verdict does not say"
    return _monotone(verdict, claims, values)


def _sorts(verdict: Verdict, claims: Claims) -> str | None:
    claim = _one(claims, SORTS)
    right = claim is not None and verdict.loss is not None and loss_of(claim["of"]) == loss_of(verdict.loss)
    return None if right else _lacks(f"the minimiser of {verdict.loss} sorts as a mean does")


def _monotone(verdict: Verdict, claims: Claims, values: ValueTable | None) -> str | None:
    claim = _one(claims, MONOTONE)
    if claim is None or claim["of"] != verdict.metric.removeprefix(FUNCTION):
        return _lacks(f"{verdict.metric} is monotone")
    if verdict.scope["feedback"] == "preferences":
        return "the theorem is about labels and permutations, not about preference graphs"
    wrong = _under(verdict, "rank-differentiable")
    if values is None:
        return wrong
    return wrong or check_symmetry(values) or wrong_space(verdict, values.space, shown=True)


def _under(verdict: Verdict, condition: Any, note: str = "") -> str | None:
    """Whether the verdict says the condition of a claim, and was asked under it."""
    if condition is True:
        return None
    if not {CONDITIONS.get(condition), *filter(None, [note])} <= set(verdict.conditions):
        return f"it holds only under the condition {condition!r}, which the verdict does not say"
    if verdict.noise == condition:
        return None
    return f"it holds only under the condition {condition!r}, which was not asked for"


def wrong_space(verdict: Verdict, space: Space, *, shown: bool) -> str | None:
    """Whether all feedback of the verdict's scope was looked at; with ``shown``, whether the verdict says so.

    On less feedback more would hold.
    """
    scope = verdict.scope
    if (space.kind, space.items) != (scope["feedback"], scope["items"]):
        return "it is on another feedback space than the verdict"
    if space.kind == "graded" and len(space.labels) != scope["grades"]:
        return f"it is on {len(space.labels)} grades, the verdict on {scope['grades']}"
    if not is_whole(space):
        return "the feedback space is not whole"
    said = not shown or space.shown in verdict.conditions
    return None if said else "it was shown on few items, which the verdict does not say"


def is_whole(space: Space) -> bool:
    """Whether the space has all feedback of its kind, each once."""
    if space.kind == "graded":
        whole = graded_space(space.items, space.labels)
    else:
        whole = (graph_space if space.kind == "preferences" else permutation_space)(space.items)
    return len(space) == len(whole) and set(space.feedback) == set(whole.feedback)


def _one(claims: Claims, name: str) -> Mapping[str, Any] | None:
    return next((claim for claim in claims if claim["claim"] == name), None)


def _lacks(what: str) -> str:
    return f"no claim says that {what}"


_NEEDS: dict[str, Callable[[Verdict, Claims, ValueTable | None], str | None]] = {
    "constant": _constant,
    "standardised": _standardised,
    "target-exists": _target_exists,
    "exhausted": _exhausted,
    "rank-differentiable": _rank_differentiable,
    "rising-target": _rising_target,
}
