"""A law under which the loss is proven to converge to a ranking that is not best."""

from __future__ import annotations

from collections.abc import Iterator

from rankproof.losses.base import Loss
from rankproof.theory.base.question import Question
from rankproof.theory.base.reasons import REFERENCES, counterexample_words
from rankproof.theory.base.verdict import Inconsistent, Verdict
from rankproof.theory.existence.agreement import agreeing_target
from rankproof.theory.formulas.formula import has_formula
from rankproof.theory.rules.base import rule
from rankproof.theory.rules.evidence import counterexample_evidence
from rankproof.theory.rules.searches import searched, searches_of
from rankproof.theory.rules.ways_out import ways_out
from rankproof.theory.search.find import Searched, find_counterexample

__all__ = ["counterexample"]

REFERENCE = REFERENCES["counterexample"]


@rule(
    "counterexample",
    needs="a law of the labels (in the noise class asked for) whose expected loss has a minimiser that is "
    "proven to sort into a ranking that is not best",
    concludes="the loss is not consistent with the metric",
    reference=REFERENCE,
)
def counterexample(question: Question) -> Verdict | None:
    if question.loss is None or (isinstance(question.loss, Loss) and not has_formula(question.loss)):
        # Without the formula in exact arithmetic nothing that a search finds could be proven.
        return None
    examples = (searched(find_counterexample, question.loss, place, log) for place, log in _places(question))
    example = next(filter(None, examples), None)
    if example is None:
        return None
    piece = counterexample_evidence(question, example)
    reason, short = counterexample_words(str(question.metric), piece.data)
    return Inconsistent(
        **question.says(
            reason=reason,
            short=short,
            rule="counterexample",
            reference=REFERENCE,
            way_out=ways_out(question),
            evidence=(piece,),
        )
    )


def _places(question: Question) -> Iterator[tuple[Question, list[Searched]]]:
    """Where to look: the space, then more grades, then, where no law on so few items can tell, more items."""
    log = searches_of(question)
    questions = [question, *filter(None, [question.wider])]
    for place in questions:
        yield place, log
    for place in questions:
        if place.larger is not None and _hopeless(place):
            yield place.larger, log


def _hopeless(question: Question) -> bool:
    """Whether no law on so few items can tell: it takes longer lists to see that the loss fails."""
    return question.constant or agreeing_target(question) is not None
