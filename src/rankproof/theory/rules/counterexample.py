"""A law under which the loss is proven to converge to a ranking that is not best."""

from __future__ import annotations

from rankproof.losses.base import Loss
from rankproof.theory.base.counterexample import Counterexample
from rankproof.theory.base.question import Question
from rankproof.theory.base.verdict import Inconsistent, Verdict
from rankproof.theory.base.verdict_text import number_text, ranking_text
from rankproof.theory.existence.agreement import agreeing_target
from rankproof.theory.formulas.formula import has_formula
from rankproof.theory.rules.base import rule
from rankproof.theory.rules.evidence import counterexample_evidence
from rankproof.theory.rules.ways_out import ways_out
from rankproof.theory.search.find import find_counterexample

__all__ = ["counterexample"]

REFERENCE = "C12 Def. 1 and Lemma 5: a minimiser that sorts into a ranking that is not best"


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
    example = _search(question)
    if example is None and question.larger is not None and _hopeless(question):
        example = _search(question.larger)
    if example is None:
        return None
    cost = number_text(example.cost if example.cost.denominator < 10**12 else float(example.cost))
    reached, best = ranking_text(example.minimiser_rankings[0]), ranking_text(example.best_rankings[0])
    reason = (
        f"Under the law below the expected loss is least at scores that rank {reached}, where {best} is "
        f"best: {cost} of {question.metric} is lost however much data there is."
    )
    return Inconsistent(
        **question.says(
            reason=reason,
            short=f"loses {float(example.cost):.2g} under a law on {example.law.items} items",
            rule="counterexample",
            reference=REFERENCE,
            way_out=ways_out(question),
            evidence=(counterexample_evidence(question, example),),
        )
    )


def _search(question: Question) -> Counterexample | None:
    if question.loss is None:
        return None
    return find_counterexample(
        question.loss,
        question.metric,
        question.space,
        noise=question.noise,
        seed=question.seed,
        effort=question.effort,
    )


def _hopeless(question: Question) -> bool:
    """Whether no law on so few items can tell: it takes longer lists to see that the loss fails."""
    return question.constant or agreeing_target(question) is not None
