"""Without a loss: a convex loss that is consistent exists when the metric has a target."""

from __future__ import annotations

from rankproof.errors import ArgumentError
from rankproof.losses.choose import choose_loss
from rankproof.targets.choose import candidates
from rankproof.theory.base.question import Question
from rankproof.theory.base.reasons import BUBBLE, REFERENCES, found_words, stated_conditions, target_words
from rankproof.theory.base.verdict import Consistent, Verdict
from rankproof.theory.existence.agreement import lasting_form
from rankproof.theory.existence.decide import existence_of
from rankproof.theory.existence.standing import standing_of_function
from rankproof.theory.rules.base import rule
from rankproof.theory.rules.cutoffs import past_cutoffs
from rankproof.theory.rules.evidence import known_absence, table_evidence, target_evidence, theorem
from rankproof.theory.rules.ways_out import ways_of

__all__ = ["target_exists"]

REFERENCE = REFERENCES["target-exists"]


@rule(
    "target-exists",
    needs="no loss: a metric with a target, known for all items and grades or found by trying all cases on "
    "few",
    concludes="a convex loss that is consistent with the metric exists: softmax or squared loss on that "
    "target",
    reference=REFERENCE,
)
def target_exists(question: Question) -> Verdict | None:
    if question.loss is not None:
        return None
    return _from_registry(question) or _from_search(question)


def _from_registry(question: Question) -> Verdict | None:
    """A target that the registry claims."""
    metric = question.known_metric
    if metric is None:
        return None
    wanted = [True, question.noise]
    targets = candidates(metric)
    pair = next(
        ((t, c) for value in wanted for t, c in targets if value is not None and c.value == value), None
    )
    if pair is None:
        return None
    target, claim = pair
    condition = None if claim.value is True else str(claim.value)
    loss = choose_loss(metric, noise=condition).loss
    reason, short = target_words(str(target), str(metric), claim)
    claims = [
        {
            "of": str(target),
            "claim": f"standardizes {metric}",
            "value": claim.value,
            "note": claim.note,
            "reference": claim.reference,
        }
    ]
    evidence = [theorem("target-exists", REFERENCE, claims)]
    if condition in (None, "binary"):
        evidence += target_evidence(question)
    return Consistent(
        **question.says(
            reason=reason,
            short=short,
            rule="target-exists",
            reference=REFERENCE,
            conditions=stated_conditions(claim),
            way_out=(f"Train with {loss}: rankproof.loss({str(loss)!r}).",),
            evidence=tuple(evidence),
        )
    )


def _from_search(question: Question) -> Verdict | None:
    """A target that was found by trying all cases; longer lists may have none."""
    if known_absence(question.metric) or not past_cutoffs(question):
        return None
    existence = existence_of(question)
    if existence.outcome == "trivial" and question.known_metric is None:
        standing = standing_of_function(question.metric, question.grades) if question.labels else None
        if standing is not None and standing.rule is not None:
            # Longer lists tell something, though not by trying all cases.
            return None
        raise ArgumentError(
            f"{question.metric} gives every ranking the same value {question.here}, so there is nothing to "
            "decide. Take more items or grades."
        )
    if existence.target is None:
        return None
    if any(existence_of(more).outcome not in ("target", "trivial") for more in question.beyond):
        return None
    closed_form = lasting_form(question)
    reason, short = found_words(str(question.metric), question.here, closed_form)
    return Consistent(
        **question.says(
            reason=reason,
            short=short,
            rule="target-exists",
            reference=BUBBLE,
            conditions=question.shown_here,
            way_out=_how(question),
            evidence=(table_evidence(question, existence.target, closed_form),),
        )
    )


def _how(question: Question) -> tuple[str, ...]:
    """How to train on a target that was found."""
    standing = standing_of_function(question.metric, question.grades) if question.labels else None
    if standing is not None:
        return ways_of(standing, question.metric)
    return ("Regress on the target: squared loss on it is consistent.",)
