"""A law under which no rest point of a loss whose weights follow the ranking sorts best."""

from __future__ import annotations

from rankproof.losses.base import Loss
from rankproof.theory.base.question import Question
from rankproof.theory.base.reasons import REFERENCES, rest_point_words
from rankproof.theory.base.verdict import Inconsistent, Verdict
from rankproof.theory.formulas.table import theory_of
from rankproof.theory.rules.base import rule
from rankproof.theory.rules.evidence import rest_point_evidence
from rankproof.theory.rules.searches import searched, searches_of
from rankproof.theory.rules.ways_out import ways_out
from rankproof.theory.search.rest_points import find_rest_points

__all__ = ["rest_points"]

REFERENCE = REFERENCES["rest-points"]


@rule(
    "rest-points",
    needs="a loss whose gradient is that of no function, since the weights of its pairs follow the ranking, "
    "and a law of the labels (in the noise class asked for) under which its mean gradient is proven to "
    "vanish at no scores that sort best",
    concludes="the loss is not consistent with the metric: nothing that it can come to rest at is best",
    reference=REFERENCE,
)
def rest_points(question: Question) -> Verdict | None:
    loss = question.loss
    if not isinstance(loss, Loss) or theory_of(loss).follows_ranking is None:
        return None
    places = [question, *filter(None, [question.wider])]
    log = searches_of(question)
    rest_points = next(filter(None, (searched(find_rest_points, loss, place, log) for place in places)), None)
    if rest_points is None:
        return None
    piece = rest_point_evidence(question, rest_points)
    reason, short = rest_point_words(str(loss), str(question.metric), piece.data)
    return Inconsistent(
        **question.says(
            reason=reason,
            short=short,
            rule="rest-points",
            reference=REFERENCE,
            way_out=ways_out(question),
            evidence=(piece,),
        )
    )
