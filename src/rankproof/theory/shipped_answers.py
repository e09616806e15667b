"""What `certify` answers on objectives of the engines: a proof, the verdict on a loss, or why not."""

from __future__ import annotations

import math
from dataclasses import replace

from rankproof.errors import ArgumentError, PrecisionError
from rankproof.feedback.spaces import Space
from rankproof.losses.base import Loss
from rankproof.theory.base.question import Question
from rankproof.theory.base.verdict import Undecided, Verdict
from rankproof.theory.rules.searches import searches_of
from rankproof.theory.rules.shipped import shipped_rest_points
from rankproof.theory.rules.ways_out import ways_out
from rankproof.theory.shipped.lambdas import why_no_formula
from rankproof.theory.shipped.objective import EngineObjective
from rankproof.theory.shipped.plain import is_words

__all__ = ["answer_shipped", "check_feedback", "of_objective"]


def check_feedback(objective: EngineObjective, space: Space) -> None:
    """The engines train on labels."""
    if space.kind != "graded":
        raise ArgumentError(
            f"{objective} is trained on graded labels, got feedback of the kind {space.kind!r}. Leave out "
            "feedback, or take a loss of the library."
        )


def of_objective(verdict: Verdict, objective: EngineObjective, loss: Loss) -> Verdict:
    """The verdict on the loss that an objective is, as one on the objective."""
    words = is_words(objective, loss)
    if verdict.outcome == "undecided":
        return replace(verdict, loss=str(objective), reason=f"{words}. {verdict.reason}")
    return replace(verdict, loss=str(objective), conditions=(*verdict.conditions, words))


def answer_shipped(question: Question, objective: EngineObjective) -> Verdict:
    """The verdict on an objective that is no loss."""
    question = replace(question, shipped=objective)
    try:
        verdict = shipped_rest_points.apply(question)
        ways = () if verdict is not None else ways_out(question)
        unclear = ""
    except PrecisionError as error:
        verdict, ways, unclear = None, (), f"{error} "
    if verdict is not None:
        return verdict
    reason, short = _why(question, objective)
    return Undecided(
        **question.says(reason=unclear + reason, short=short, rule=None, reference="", way_out=ways)
    )


def _why(question: Question, objective: EngineObjective) -> tuple[str, str]:
    why = why_no_formula(objective)
    if why is not None:
        reason = f"Nothing is proven of {objective}: {why} ({objective.shipped.cited})."
        return reason, "no formula of the scores, nothing can be proven"
    if question.constant:
        reason = (
            f"{question.metric} gives every ranking the same value {question.here}, so nothing was tried."
        )
        return reason, "the same value for all that was tried"
    log = searches_of(question)
    looked = "; ".join(str(done) for done in log if done.skipped is None)
    skipped = "; ".join(str(done) for done in log if done.skipped is not None)
    seconds = math.ceil(sum(done.seconds for done in log))
    text = f"No law was proven under which no rest point of {objective} sorts best for {question.metric}."
    if looked:
        text += f" The search looked at: {looked}, in {seconds} s. That is no proof that there is none."
    if skipped:
        text += f" It did not look at: {skipped}."
    return text, "no law found under which it fails"
