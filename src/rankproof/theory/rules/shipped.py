"""A law under which no rest point of an objective, as an engine ships it, sorts best."""

from __future__ import annotations

from rankproof.theory.base.question import Question
from rankproof.theory.base.reasons import REFERENCES, shipped_rest_point_words
from rankproof.theory.base.verdict import Inconsistent, Verdict
from rankproof.theory.rules.base import rule
from rankproof.theory.rules.evidence import shipped_evidence
from rankproof.theory.rules.searches import searched, searches_of
from rankproof.theory.rules.ways_out import ways_out
from rankproof.theory.search.shipped import find_shipped
from rankproof.theory.shipped.lambdas import formula_of

__all__ = ["shipped_rest_points"]

REFERENCE = REFERENCES["shipped-rest-points"]


@rule(
    "shipped-rest-points",
    needs="an objective of LightGBM or XGBoost whose gradient is a formula of the scores, and a law of the "
    "labels (in the noise class asked for) under which its mean gradient is proven to vanish at no scores "
    "that sort best, and not to fade out as such scores move apart",
    concludes="the objective is not consistent with the metric: nothing that it can come to rest at is best",
    reference=REFERENCE,
)
def shipped_rest_points(question: Question) -> Verdict | None:
    objective = question.shipped
    formula = None if objective is None else formula_of(objective)
    if objective is None or formula is None or question.space.kind != "graded":
        return None
    # With one grade more there are laws that lose more; those of fewer grades are among them.
    place = question.binary if formula.most_label == 1 else question.wider or question
    rest_points = searched(find_shipped, objective, place, searches_of(question))
    if rest_points is None:
        return None
    piece = shipped_evidence(question, rest_points)
    reason, short = shipped_rest_point_words(str(objective), str(question.metric), piece.data)
    return Inconsistent(
        **question.says(
            reason=reason,
            short=short,
            rule="shipped-rest-points",
            reference=REFERENCE,
            way_out=ways_out(question),
            evidence=(piece,),
        )
    )
