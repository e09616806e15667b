"""The pieces of stored evidence, each checked against the verdict that it stands in.

A check gives what was checked, in words, and None when it holds or else what is wrong. It is handed whether
code of the user's may be run.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from rankproof.errors import DataError
from rankproof.feedback import Law
from rankproof.feedback.spaces import MOST_ITEMS, Space, space_from_plain, space_of
from rankproof.metrics.parse import metric as metric_of
from rankproof.targets.parse import target as target_of
from rankproof.theory.base.evidence import Evidence
from rankproof.theory.base.proofs import Clash, Contradiction, SplitLaw, TargetTable
from rankproof.theory.base.query_factors import with_stored_values
from rankproof.theory.base.same_values import same_to_every_law
from rankproof.theory.base.stored_values import metric_from_plain
from rankproof.theory.base.values import ValueTable, value_table
from rankproof.theory.base.verdict import FUNCTION, Verdict
from rankproof.theory.custom.loss import UserLoss
from rankproof.theory.existence.checks import (
    check_clash,
    check_contradiction,
    check_split,
    check_target,
)
from rankproof.theory.existence.target_table import target_table
from rankproof.theory.replay.code import loss_of_verdict
from rankproof.theory.replay.counterexample import broken_counterexample
from rankproof.theory.replay.query_factors import loss_on_values
from rankproof.theory.replay.rest_points import broken_rest_points
from rankproof.theory.replay.shipped import broken_shipped
from rankproof.theory.replay.theorems import broken_theorem, is_whole, wrong_space
from rankproof.user_code import is_place

__all__ = ["CHECKS"]

Check: TypeAlias = Callable[[Verdict, Evidence, bool], tuple[str, str | None]]


def _theorem(verdict: Verdict, piece: Evidence, _: bool) -> tuple[str, str | None]:
    values = None
    if _is_function(verdict.metric):
        values = _values(verdict, piece, None) if "values" in piece.data else None
    wrong = broken_theorem(verdict, piece.data, values)
    count = len(piece.data["claims"])
    claims = "its claim still holds" if count == 1 else f"its {count} claims still hold"
    return f"{piece.data['reference']}; {claims} (claimed, not proven here)", wrong


def _target(verdict: Verdict, piece: Evidence, _: bool) -> tuple[str, str | None]:
    target = TargetTable.from_dict(piece.data)
    values = _values(verdict, piece, target.space)
    theorem = verdict.find("theorem")
    shown = theorem is None or theorem.data.get("theorem") == "exhausted"
    wrong = check_target(values, target) or wrong_space(verdict, target.space, shown=shown)
    form = piece.data["closed_form"]
    if form is not None:
        named = target_table(with_stored_values(target_of(form), values), target.space)
        if named is None or check_target(values, named) is not None:
            wrong = wrong or f"the target {form} does not standardise the metric there"
    return (
        f"every exchange of neighbours on {len(target.space)} feedbacks gains a multiple of u_i - u_j",
        wrong,
    )


def _contradiction(verdict: Verdict, piece: Evidence, run_code: bool) -> tuple[str, str | None]:
    space = space_from_plain(piece.data["space"])
    proof = Contradiction.from_dict(piece.data)
    wrong = check_contradiction(_values(verdict, piece, space), proof)
    return (
        f"laws: {len(proof.parts)}, all rankings tried; the differences cancel",
        wrong or _excludes(verdict, space, run_code),
    )


def _split(verdict: Verdict, piece: Evidence, run_code: bool) -> tuple[str, str | None]:
    space = space_from_plain(piece.data["space"])
    proof = SplitLaw.from_dict(piece.data)
    wrong = check_split(_values(verdict, piece, space), proof)
    return (
        f"the law has {len(proof.best)} best rankings, and each ranking is the only best one of some law",
        wrong or _excludes(verdict, space, run_code),
    )


def _clash(verdict: Verdict, piece: Evidence, run_code: bool) -> tuple[str, str | None]:
    space = space_from_plain(piece.data["space"])
    proof = Clash.from_dict(piece.data)
    values = _values(verdict, piece, space)
    wrong = None if values.exact else "values that are not exact may clash by their rounding"
    if (piece.data["feedback"], piece.data["items"]) != (space.kind, space.items):
        wrong = "its feedback is not that of the values"
    return (
        f"the gains of {len(proof.rankings)} exchanges of neighbours fit no target, and no other can exist",
        wrong or check_clash(values, proof) or _excludes(verdict, space, run_code),
    )


def _counterexample(verdict: Verdict, piece: Evidence, run_code: bool) -> tuple[str, str | None]:
    law = Law.from_dict(piece.data["law"])
    if law.kind != verdict.scope["feedback"]:
        raise DataError(f"the law is on {law.kind} feedback, the verdict on {verdict.scope['feedback']}")
    table = _values(verdict, piece, space_of(law))
    loss, wrong_unit = loss_on_values(verdict, piece, table, run_code)
    wrong = wrong_unit or broken_counterexample(loss, table, verdict.noise, piece.data)
    method = piece.data["minimum"]["method"]
    return f"the minimiser is enclosed ({method}), and sorts into rankings that are not best", wrong


def _rest_points(verdict: Verdict, piece: Evidence, run_code: bool) -> tuple[str, str | None]:
    law = Law.from_dict(piece.data["law"])
    if law.kind != verdict.scope["feedback"]:
        raise DataError(f"the law is on {law.kind} feedback, the verdict on {verdict.scope['feedback']}")
    table = _values(verdict, piece, space_of(law))
    loss, wrong_unit = loss_on_values(verdict, piece, table, run_code)
    if isinstance(loss, UserLoss):
        raise DataError("a user's loss has no rest points that could be checked")
    wrong = wrong_unit or broken_rest_points(loss, table, verdict.noise, piece.data)
    return "the mean gradient vanishes at no scores that sort best", wrong


def _shipped(verdict: Verdict, piece: Evidence, _: bool) -> tuple[str, str | None]:
    law = Law.from_dict(piece.data["law"])
    if law.kind != "graded" or law.kind != verdict.scope["feedback"]:
        raise DataError(f"the law is on {law.kind} feedback, the verdict on {verdict.scope['feedback']}")
    table = _values(verdict, piece, space_of(law))
    wrong = broken_shipped(verdict.loss, table, verdict.noise, piece.data)
    return "the mean gradient of the formula vanishes at no scores that sort best", wrong


def _same_values(verdict: Verdict, piece: Evidence, _: bool) -> tuple[str, str | None]:
    """That the values are the same; the verdict on the metric of the library is checked on its own."""
    proven = Verdict.from_dict(piece.data["verdict"])
    library_metric, table = metric_of(piece.data["metric"]), _values(verdict, piece, None)
    wrong = wrong_space(verdict, table.space, shown=True)
    alike = ("outcome", "loss", "noise", "scope")
    if any(getattr(proven, name) != getattr(verdict, name) for name in alike) or proven.metric != str(
        library_metric
    ):
        wrong = wrong or f"the verdict on {library_metric} answers another question"
    if proven.find("same-values") is not None or not _is_function(verdict.metric):
        wrong = wrong or "the verdict must be on a metric of the library"
    if not same_to_every_law(table, value_table(library_metric, table.space)):
        wrong = wrong or f"the stored values of {verdict.metric} are not those of {library_metric}"
    return f"its values are those of {library_metric} in all cases {table.space.description}", wrong


def _excludes(verdict: Verdict, space: Space, run_code: bool) -> str | None:
    """What excludes all convex losses speaks of every law, and of convex losses alone."""
    if space.kind != verdict.scope["feedback"] or not is_whole(space):
        return "the feedback space is not the whole one of the verdict"
    if verdict.noise is not None and not (verdict.noise == "binary" and {*space.labels} <= {0, 1}):
        return f"it excludes losses that are consistent under every law, not under {verdict.noise} labels"
    if verdict.loss is None:
        return None
    loss = loss_of_verdict(verdict, run_code)
    convex = loss.convex if isinstance(loss, UserLoss) else loss.claims.value("convex")
    return None if convex is True else f"the loss {verdict.loss} does not claim to be convex"


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
    "clash": _clash,
    "counterexample": _counterexample,
    "rest-points": _rest_points,
    "shipped-rest-points": _shipped,
    "same-values": _same_values,
}
