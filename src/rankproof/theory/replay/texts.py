"""The texts and the scope of a stored verdict: made again from its evidence, and compared.

What a reader is shown beside the evidence (why, under which conditions, by which rule and theorem) follows
from the evidence, so a verdict whose texts were changed does not hold. What to do instead (``way_out``) is
advice, not a claim; it is neither checked nor shown.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from rankproof.claims import Claim
from rankproof.errors import DataError
from rankproof.feedback.spaces import FEEDBACK_KINDS, MOST_ITEMS, Space, space_from_plain
from rankproof.losses.base import Loss
from rankproof.losses.parse import loss as loss_of
from rankproof.metrics.parse import metric as metric_of
from rankproof.targets.base import CONDITIONS
from rankproof.targets.parse import target as target_of
from rankproof.theory.base.proofs import TargetTable
from rankproof.theory.base.reasons import (
    BUBBLE,
    CONTRADICTION,
    NOT_CONVEX,
    NOT_NEGATIVE,
    REFERENCES,
    SPLIT,
    Words,
    constant_conditions,
    constant_words,
    counterexample_words,
    exhausted_words,
    found_words,
    no_convex_loss_words,
    rank_differentiable_words,
    rest_point_words,
    rising_target_words,
    same_values_words,
    shipped_rest_point_words,
    standardised_words,
    stated_conditions,
    target_words,
)
from rankproof.theory.base.rounding import FLOATS
from rankproof.theory.base.verdict import FUNCTION, Verdict
from rankproof.theory.formulas.believed import believed
from rankproof.theory.formulas.orders import Sorting
from rankproof.theory.formulas.sorting import sorting_of
from rankproof.theory.replay.claims import MONOTONE, STANDARDIZES
from rankproof.theory.shipped.objective import is_engine_objective
from rankproof.user_code import is_place

__all__ = ["wrong_scope", "wrong_texts"]

MOST_GRADES = 100


class _Said(NamedTuple):
    """What a verdict must say."""

    rule: str
    words: Words
    conditions: tuple[str, ...] = ()
    reference: str | None = None


def wrong_scope(verdict: Verdict) -> str | None:
    """Whether the scope says where something can have been tried, and nothing else."""
    scope = dict(verdict.scope)
    convex = scope.pop("convex", None)
    if set(scope) != {"items", "grades", "feedback"}:
        return f"its scope must have items, grades and feedback, got {', '.join(map(str, scope))}"
    if scope["feedback"] not in FEEDBACK_KINDS:
        return f"feedback of the kind {scope['feedback']!r} is not known"
    for name, most in (("items", MOST_ITEMS), ("grades", MOST_GRADES)):
        if type(scope[name]) is not int or not 2 <= scope[name] <= most:
            return f"its scope has {scope[name]!r:.40} {name}, where 2 to {most} can be tried"
    own = verdict.loss is not None and (verdict.loss.startswith(FUNCTION) or is_place(verdict.loss))
    if ("convex" in verdict.scope) and (not own or convex not in (True, False, None)):
        return "its scope says whether the loss is convex, which only the user of a function says"
    return None


def wrong_texts(verdict: Verdict) -> str | None:
    """The first of rule, reason, reference and conditions that does not follow from the evidence."""
    if verdict.outcome == "undecided":
        claims = (verdict.rule, verdict.reference, *verdict.conditions)
        return "an undecided verdict has no rule, reference or conditions" if any(claims) else None
    try:
        said = _said(verdict)
    except (DataError, LookupError, TypeError, ValueError, AttributeError) as error:
        return f"what it must say cannot be made from its evidence: {error}"
    more = _on_their_word(verdict)
    reference = REFERENCES[said.rule] if said.reference is None else said.reference
    expected = {
        "rule": (verdict.rule, said.rule),
        "reason": (verdict.reason, said.words[0]),
        "short": (verdict.short, said.words[1]),
        "reference": (verdict.reference, reference),
        "conditions": (verdict.conditions, (*said.conditions, *more)),
    }
    for name, (stored, should) in expected.items():
        if stored != should:
            return f"its {name} is {stored!r:.80}, but the evidence says {should!r:.80}"
    return None


def _said(verdict: Verdict) -> _Said:
    theorem = verdict.find("theorem")
    if verdict.outcome == "inconsistent":
        example = verdict.find("counterexample")
        if example is not None:
            return _Said("counterexample", counterexample_words(_bare(verdict.metric), example.data))
        resting = verdict.find("rest-points")
        if resting is not None:
            words = rest_point_words(str(verdict.loss), _bare(verdict.metric), resting.data)
            return _Said("rest-points", words)
        shipped = verdict.find("shipped-rest-points")
        if shipped is not None:
            words = shipped_rest_point_words(str(verdict.loss), _bare(verdict.metric), shipped.data)
            return _Said("shipped-rest-points", words)
        kinds = [piece.kind for piece in verdict.evidence]
        loss = None if verdict.loss is None else _bare(verdict.loss)
        words = no_convex_loss_words(loss, _bare(verdict.metric), kinds, verdict.noise)
        return _Said("no-convex-loss", words, (), SPLIT if "split" in kinds else CONTRADICTION)
    same = verdict.find("same-values")
    if same is not None:
        return _same_values(verdict, same.data)
    if theorem is None:
        piece = verdict.find("target")
        if piece is None:
            raise DataError("there is none")
        space = TargetTable.from_dict(piece.data).space
        words = found_words(_bare(verdict.metric), space.description, piece.data["closed_form"])
        return _Said("target-exists", words, _shown(space, piece.data), BUBBLE)
    name = str(theorem.data["theorem"])
    if theorem.data["reference"] != REFERENCES.get(name):
        raise DataError(f"the reference of the theorem {name} is another one")
    return _BY_THEOREM[name](verdict, theorem.data)


def _same_values(verdict: Verdict, data: Any) -> _Said:
    proven = Verdict.from_dict(data["verdict"])
    space = space_from_plain(data["values"]["space"])
    words = same_values_words(_bare(verdict.metric), space.description, str(data["metric"]), proven)
    return _Said("same-values", words, (*proven.conditions, space.shown))


def _constant(verdict: Verdict, _: Any) -> _Said:
    metric = metric_of(verdict.metric)
    words = constant_words(metric)
    if words is None:
        raise DataError(f"{verdict.metric} is not known to be constant")
    return _Said("constant", words, constant_conditions(metric))


def _standardised(verdict: Verdict, data: Any) -> _Said:
    loss, sorting = _sorted_loss(verdict)
    claim = _claim(str(sorting.target), verdict, data)
    words = standardised_words(str(loss), str(sorting), sorting.reference, metric_of(verdict.metric), claim)
    caveat = (NOT_CONVEX,) if loss.claims.value("convex") is False else ()
    return _Said("standardised", words, (*stated_conditions(claim), *caveat))


def _target_exists(verdict: Verdict, data: Any) -> _Said:
    name = str(_stored_claim(verdict, data)["of"])
    claim = _claim(name, verdict, data)
    return _Said("target-exists", target_words(name, verdict.metric, claim), stated_conditions(claim))


def _exhausted(verdict: Verdict, _: Any) -> _Said:
    loss, sorting = _sorted_loss(verdict)
    piece = verdict.find("target")
    if piece is None:
        raise DataError("it has no table of the target")
    space = TargetTable.from_dict(piece.data).space
    grades = len(space.labels) or int(verdict.scope["grades"])
    words = exhausted_words(
        *(str(loss), str(sorting), sorting.reference, _bare(verdict.metric), space.description),
        (space.items, grades),
    )
    return _Said("exhausted", words, _shown(space, piece.data))


def _rank_differentiable(verdict: Verdict, data: Any) -> _Said:
    why, shown = _monotone(verdict, data)
    words = rank_differentiable_words(str(verdict.loss), _bare(verdict.metric), why)
    return _Said("rank-differentiable", words, (CONDITIONS["rank-differentiable"], *shown))


def _rising_target(verdict: Verdict, data: Any) -> _Said:
    loss, sorting = _sorted_loss(verdict)
    why, shown = _monotone(verdict, data)
    words = rising_target_words(
        *(str(loss), str(sorting), sorting.reference, sorting.text, _bare(verdict.metric), why)
    )
    return _Said("rising-target", words, (CONDITIONS["rank-differentiable"], NOT_NEGATIVE, *shown))


_BY_THEOREM: dict[str, Callable[[Verdict, Any], _Said]] = {
    "constant": _constant,
    "standardised": _standardised,
    "target-exists": _target_exists,
    "exhausted": _exhausted,
    "rank-differentiable": _rank_differentiable,
    "rising-target": _rising_target,
}


def _sorted_loss(verdict: Verdict) -> tuple[Loss, Sorting]:
    loss = loss_of(str(verdict.loss))
    sorting = sorting_of(loss)
    if sorting is None:
        raise DataError(f"what {loss} sorts by is not known")
    return loss, sorting


def _claim(target: str, verdict: Verdict, data: Any) -> Claim:
    """The claim of the target that the evidence rests on."""
    stored = _stored_claim(verdict, data)
    for claim in target_of(target).claims_for(metric_of(verdict.metric)):
        if (claim.value, claim.note) == (stored["value"], stored["note"]):
            return claim
    raise DataError(f"{target} does not claim to standardise {verdict.metric} like that")


def _stored_claim(verdict: Verdict, data: Any) -> Any:
    wanted = f"{STANDARDIZES}{verdict.metric}"
    stored = [claim for claim in data["claims"] if claim["claim"] == wanted]
    if not stored:
        raise DataError(f"no claim says that a target standardises {verdict.metric}")
    return stored[0]


def _monotone(verdict: Verdict, data: Any) -> tuple[str, tuple[str, ...]]:
    """Why the metric is monotone, and where that was tried."""
    if "values" in data:
        space = space_from_plain(data["values"]["space"])
        return f"all cases {space.description}", _shown(space, data)
    return metric_of(verdict.metric).claims[MONOTONE].reference, ()


def _shown(space: Space, data: Any) -> tuple[str, ...]:
    floats = "values" in data and data["values"]["slack"] != "0"
    return (space.shown, *([FLOATS] if floats else []))


def _on_their_word(verdict: Verdict) -> list[str]:
    """What is believed of classes from outside, as far as they are known here."""
    outside = verdict.loss is None or is_place(verdict.loss) or is_engine_objective(verdict.loss)
    named = None if outside else verdict.loss
    loss = None if named is None or named.startswith(FUNCTION) else loss_of(named)
    own = verdict.metric.startswith(FUNCTION) or is_place(verdict.metric)
    metric = None if own else metric_of(verdict.metric)
    by_theorem = verdict.find("theorem") is not None
    return believed(loss, metric, verdict.rule, by_theorem=by_theorem)


def _bare(name: str) -> str:
    return name.removeprefix(FUNCTION)
