"""What is said when no rule decides: what was tried, where, and how much of it."""

from __future__ import annotations

import math

from rankproof.errors import PrecisionError
from rankproof.losses.base import Loss
from rankproof.theory.base.question import Question
from rankproof.theory.base.verdict import Undecided, Verdict
from rankproof.theory.custom.loss import UserLoss
from rankproof.theory.existence.decide import existence_of
from rankproof.theory.formulas.formula import has_formula
from rankproof.theory.rules.cutoffs import past_cutoffs
from rankproof.theory.rules.searches import searches_of
from rankproof.theory.rules.ways_out import ways_out
from rankproof.theory.search.find import Searched

__all__ = ["undecided"]

# What formulas are written with.
FUNCTIONS = "the functions of rankproof.arithmetic"
NO_PROOF = "That is no proof that there is none."


def undecided(question: Question, unclear: list[str]) -> Verdict:
    """The verdict, with what was tried; ``unclear`` says where values were not exact enough to tell."""
    reason, short, more = _why(question)
    if unclear:
        reason = f"{' '.join(dict.fromkeys(unclear))} {reason}"
        short = "the metric's values are not exact enough"
    return Undecided(
        **question.says(
            reason=reason, short=short, rule=None, reference="", way_out=(*more, *_ways_out(question))
        )
    )


def _ways_out(question: Question) -> tuple[str, ...]:
    try:
        return ways_out(question)
    except PrecisionError:
        return ()


def _why(question: Question) -> tuple[str, str, tuple[str, ...]]:
    """The reason, the same in a few words, and what to do."""
    loss, under = question.loss, "" if question.noise is None else f" under {question.noise} labels"
    start = f"No rule decides {loss or 'a target'} with {question.metric}{under}"
    if question.constant:
        reason = (
            f"{question.metric} gives every ranking the same value {question.here}, so nothing can be tried "
            "there, and no rule decides. Take more items or grades, or a smaller cutoff."
        )
        return reason, "the same value for all that was tried", ()
    if loss is None:
        return f"{start}. {_tried_targets(question)}", "no rule, no target found or excluded", ()
    if isinstance(loss, UserLoss) and not loss.convex:
        reason = (
            f"Nothing can be proven of {loss}, a function that is not known to be convex, so no law was "
            "looked for under which it fails."
        )
        more: tuple[str, ...] = ("If the loss is convex in the scores, say so: convex=True (--convex).",)
        return reason, "not known to be convex, nothing was searched", more
    if isinstance(loss, Loss) and not has_formula(loss):
        reason = (
            f"{start} from what the loss claims, and without its formula in exact arithmetic no "
            "counterexample to it could be proven, so none was looked for."
        )
        more = (
            "Give the loss as a function (scores, feedback) -> number with convex=True.",
            f"Or give its class a method formula(self, scores, targets), written with {FUNCTIONS}.",
        )
        return reason, "no rule; its formula is not known", more
    reason = f"{start}. {_tried_laws(question)}"
    if not past_cutoffs(question):
        reason += " Lists so short say nothing about what the cutoff does: take more items, or a smaller one."
    return reason, "no rule, no counterexample found", ()


def _tried_targets(question: Question) -> str:
    """What is known of targets on the spaces that were tried; they serve every law, not a condition."""
    if question.noise is not None:
        return (
            "Whether a target exists is decided for all laws together, not under a condition, so nothing was "
            "searched for."
        )
    words = {"target": "it has one", "none": "it has none", "trivial": "every ranking has the same value"}
    texts = []
    for other in (question, *question.beyond):
        try:
            outcome = existence_of(other).outcome
        except PrecisionError:
            outcome = ""
        texts.append(f"{other.here} {words.get(outcome, 'it was neither found nor excluded')}")
    return f"A target was looked for by exchanges of neighbours: {'; '.join(texts)}."


def _tried_laws(question: Question) -> str:
    """Where counterexamples were searched for, and how many laws were looked at."""
    log = searches_of(question)
    places: dict[str, Searched] = {}
    for done in log:
        before = places.get(done.space.description)
        if before is None or (before.laws, before.programs) < (done.laws, done.programs):
            places[done.space.description] = done
    looked = [str(done) for done in places.values() if done.skipped is None]
    skipped = [str(done) for done in places.values() if done.skipped is not None]
    text = ""
    if looked:
        seconds = math.ceil(sum(done.seconds for done in log))
        text = (
            "The search for a law under which it fails proved none. It looked at: "
            f"{'; '.join(looked)}, in {seconds} s. "
        )
    if skipped:
        text += f"It did not look at: {'; '.join(skipped)}. "
    return f"{text or 'No law was searched for. '}{NO_PROOF if looked else ''}".strip()
