"""The pieces of stored evidence, each checked against the verdict that it stands in.

A check gives what was checked, in words, and None when it holds or else what is wrong.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from rankproof.errors import DataError
from rankproof.feedback import Law
from rankproof.losses.base import Loss
from rankproof.losses.parse import loss as loss_of
from rankproof.metrics.parse import metric as metric_of
from rankproof.standardize.parse import target as target_of
from rankproof.theory.existence.checks import check_contradiction, check_split, check_target
from rankproof.theory.existence.proofs import Contradiction, Split, TargetTable
from rankproof.theory.existence.target_table import target_table
from rankproof.theory.spaces import MOST_ITEMS, Space, space_from_plain, space_of
from rankproof.theory.stored.counterexample import broken_counterexample
from rankproof.theory.stored.metric import metric_from_plain
from rankproof.theory.stored.theorems import broken_theorem, is_whole, wrong_space
from rankproof.theory.user.code import is_place, load_function
from rankproof.theory.user.loss import UserLoss, as_user_loss
from rankproof.theory.values import ValueTable, value_table
from rankproof.theory.verdict import FUNCTION, Evidence, Verdict

__all__ = ["CHECKS"]

Check: TypeAlias = Callable[[Verdict, Evidence], tuple[str, str | None]]


def _theorem(verdict: Verdict, piece: Evidence) -> tuple[str, str | None]:
    values = None
    if _is_function(verdict.metric):
        values = _values(verdict, piece, None) if "values" in piece.data else None
    wrong = broken_theorem(verdict, piece.data, values)
    count = len(piece.data["claims"])
    claims = "its claim still stands" if count == 1 else f"its {count} claims still stand"
    return f"{piece.data['reference']}; {claims} (claimed, not proven here)", wrong


def _target(verdict: Verdict, piece: Evidence) -> tuple[str, str | None]:
    target = TargetTable.from_json(piece.data)
    values = _values(verdict, piece, target.space)
    theorem = verdict.find("theorem")
    shown = theorem is None or theorem.data.get("theorem") == "exhausted"
    wrong = check_target(values, target) or wrong_space(verdict, target.space, shown=shown)
    form = piece.data["closed_form"]
    if form is not None:
        named = target_table(target_of(form), target.space)
        if named is None or check_target(values, named) is not None:
            wrong = wrong or f"the target {form} does not standardise the metric there"
    return (
        f"every exchange of neighbours on {len(target.space)} feedbacks gains a multiple of u_i - u_j",
        wrong,
    )


def _contradiction(verdict: Verdict, piece: Evidence) -> tuple[str, str | None]:
    space = space_from_plain(piece.data["space"])
    found = Contradiction.from_json(piece.data)
    wrong = check_contradiction(_values(verdict, piece, space), found)
    return (
        f"laws: {len(found.parts)}, all rankings tried; the differences cancel",
        wrong or _excludes(verdict, space),
    )


def _split(verdict: Verdict, piece: Evidence) -> tuple[str, str | None]:
    space = space_from_plain(piece.data["space"])
    found = Split.from_json(piece.data)
    wrong = check_split(_values(verdict, piece, space), found)
    return (
        f"the law has {len(found.best)} best rankings, and each ranking is the only best one of some law",
        wrong or _excludes(verdict, space),
    )


def _counterexample(verdict: Verdict, piece: Evidence) -> tuple[str, str | None]:
    law = Law.from_json(piece.data["law"])
    if law.kind != verdict.scope["feedback"]:
        raise DataError(f"the law is on {law.kind} feedback, the verdict on {verdict.scope['feedback']}")
    table = _values(verdict, piece, space_of(law))
    wrong = broken_counterexample(_loss(verdict), table, verdict.noise, piece.data)
    method = piece.data["minimum"]["method"]
    return f"the minimiser is enclosed ({method}), and sorts into rankings that are not best", wrong


def _excludes(verdict: Verdict, space: Space) -> str | None:
    """What excludes all convex losses speaks of every law, and of convex losses alone."""
    if space.kind != verdict.scope["feedback"] or not is_whole(space):
        return "the feedback space is not the whole one of the verdict"
    if verdict.noise is not None:
        return f"it excludes losses that are consistent under every law, not under {verdict.noise} labels"
    if verdict.loss is None:
        return None
    loss = _loss(verdict)
    convex = loss.convex if isinstance(loss, UserLoss) else loss.claims.value("convex")
    return None if convex is True else f"the loss {verdict.loss} does not claim to be convex"


def _loss(verdict: Verdict) -> Loss | UserLoss:
    if verdict.loss is None:
        raise DataError("a counterexample needs the loss that it refutes")
    if verdict.loss.startswith(FUNCTION):
        raise DataError(
            f"the loss {verdict.loss} was given in Python and is not at hand; write it into a file, and ask "
            "for it as my_loss.py:name"
        )
    if is_place(verdict.loss):
        return as_user_loss(
            load_function(verdict.loss), convex=verdict.scope.get("convex"), name=verdict.loss
        )
    return loss_of(verdict.loss)


def _is_function(metric: str) -> bool:
    return metric.startswith(FUNCTION) or is_place(metric)


def _values(verdict: Verdict, piece: Evidence, space: Space | None) -> ValueTable:
    """The values of the metric: computed again, or for a user's function those that were stored."""
    stored = piece.data.get("values")
    if space is not None and space.items > MOST_ITEMS:
        raise DataError(f"at most {MOST_ITEMS} items can be checked, got {space.items}")
    if _is_function(verdict.metric):
        if stored is None:
            raise DataError(f"the values of {verdict.metric} are not stored")
        table = metric_from_plain(verdict.metric.removeprefix(FUNCTION), stored)
        if space is not None and table.space != space:
            raise DataError(f"the stored values of {verdict.metric} are on another feedback space")
        return table
    if stored is not None:
        raise DataError(f"values are stored for {verdict.metric}, which can be computed")
    if space is None:
        raise DataError("the evidence has no feedback space")
    return value_table(metric_of(verdict.metric), space)


CHECKS: dict[str, Check] = {
    "theorem": _theorem,
    "target": _target,
    "contradiction": _contradiction,
    "split": _split,
    "counterexample": _counterexample,
}
