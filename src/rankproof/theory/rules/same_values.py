"""A user's metric that has the values of one of the library: what is proven for that one holds here too."""

from __future__ import annotations

from dataclasses import replace

from rankproof.errors import RankproofError
from rankproof.losses.base import Loss
from rankproof.metrics.base import Metric
from rankproof.theory.base.evidence import Evidence
from rankproof.theory.base.question import Question
from rankproof.theory.base.reasons import REFERENCES, same_values_words
from rankproof.theory.base.same_values import same_to_every_law
from rankproof.theory.base.verdict import Consistent, Verdict
from rankproof.theory.existence.like_library import library_metrics
from rankproof.theory.formulas.believed import believed
from rankproof.theory.rules.base import rule
from rankproof.theory.rules.evidence import values_evidence
from rankproof.theory.rules.rank_differentiable import rank_differentiable
from rankproof.theory.rules.rising_target import rising_target
from rankproof.theory.rules.standardised import standardised
from rankproof.theory.rules.target_exists import target_exists

__all__ = ["same_values"]

# Those that say yes by a theorem.
THEOREMS = (standardised, rank_differentiable, rising_target, target_exists)


@rule(
    "same-values",
    needs="a user's metric whose values differ between rankings as those of a metric of the library do, up "
    "to a factor, in all cases on few items; and a theorem on that metric",
    concludes="the same, on lists as short as those that were tried",
    reference=REFERENCES["same-values"],
)
def same_values(question: Question) -> Verdict | None:
    if question.known_metric is not None or question.constant or question.table.slack:
        return None
    for metric in library_metrics(question.space.items):
        library_question = replace(question, metric=metric)
        if not _alike(question, library_question):
            continue
        verdict = next(filter(None, (theorem.apply(library_question) for theorem in THEOREMS)), None)
        if verdict is not None and verdict.outcome == "consistent" and verdict.find("theorem") is not None:
            return _of_the_user(question, metric, verdict)
    return None


def _alike(question: Question, library_question: Question) -> bool:
    try:
        pairs = zip((question, *question.beyond), (library_question, *library_question.beyond), strict=True)
        return all(same_to_every_law(mine.table, theirs.table) for mine, theirs in pairs)
    except (RankproofError, ValueError):
        # The metric of the library is about other feedback, or not made for so many grades.
        return False


def _of_the_user(question: Question, metric: Metric, verdict: Verdict) -> Verdict:
    loss = question.loss if isinstance(question.loss, Loss) else None
    words = believed(loss, metric, verdict.rule, by_theorem=True)
    proven = replace(verdict, conditions=(*verdict.conditions, *words))
    reason, short = same_values_words(str(question.metric), question.here, str(metric), proven)
    return Consistent(
        **question.says(
            reason=reason,
            short=short,
            rule="same-values",
            reference=REFERENCES["same-values"],
            conditions=(*proven.conditions, question.space.shown),
            way_out=proven.way_out,
            evidence=(
                Evidence(
                    "same-values",
                    {
                        "metric": str(metric),
                        "verdict": proven.to_dict(),
                        **values_evidence(question.table),
                    },
                ),
            ),
        )
    )
