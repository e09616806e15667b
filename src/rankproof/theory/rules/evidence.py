"""Evidence made of what was found: plain data that `rankproof.theory.replay.replay` can check again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import factorial
from typing import Any

from rankproof.errors import PrecisionError
from rankproof.feedback import Graded, Law
from rankproof.feedback.spaces import MOST_ITEMS, graded_space, space_of, space_to_plain
from rankproof.metrics.base import Metric
from rankproof.targets.absence import absence_of
from rankproof.theory.base.counterexample import Counterexample
from rankproof.theory.base.evidence import Evidence
from rankproof.theory.base.proofs import Contradiction, ForcedOrder, TargetTable
from rankproof.theory.base.query_factors import unit_of
from rankproof.theory.base.question import Question
from rankproof.theory.base.rest_points import RestPoints
from rankproof.theory.base.risk import risks
from rankproof.theory.base.shipped_rest_points import ShippedRestPoints
from rankproof.theory.base.stored_values import metric_to_plain
from rankproof.theory.base.values import AnyMetric, ValueTable, value_table
from rankproof.theory.existence.checks import check_contradiction
from rankproof.theory.existence.decide import Existence, existence_of

__all__ = [
    "counterexample_evidence",
    "known_absence",
    "none_evidence",
    "rest_point_evidence",
    "shipped_evidence",
    "table_evidence",
    "target_evidence",
    "theorem",
    "values_evidence",
]

# A table beside a theorem is for the reader: not worth minutes.
MOST_VALUES = 50_000


def theorem(name: str, reference: str, claims: Sequence[Mapping[str, Any]], **more: Any) -> Evidence:
    """A theorem, by the name of its rule, and the claims that it needs; `replay` knows what it needs too."""
    return Evidence("theorem", {"theorem": name, "reference": reference, "claims": list(claims), **more})


def target_evidence(question: Question) -> list[Evidence]:
    """The table of the target on the question's space, when it is one where the metric has a target."""
    if len(question.space) * factorial(question.space.items) > MOST_VALUES:
        return []
    try:
        existence = existence_of(question)
    except PrecisionError:
        return []
    return (
        []
        if existence.target is None
        else [table_evidence(question, existence.target, existence.closed_form)]
    )


def table_evidence(question: Question, target: TargetTable, closed_form: str | None) -> Evidence:
    """A target as a table, and the target of the registry that it is, if it is one."""
    return Evidence(
        "target", {**target.to_dict(), "closed_form": closed_form, **values_evidence(question.table)}
    )


def none_evidence(table: ValueTable, existence: Existence) -> list[Evidence]:
    """Why the metric has no target: a law that splits its best rankings, laws that contradict each other."""
    more = {"space": space_to_plain(table.space), **values_evidence(table)}
    evidence = []
    if existence.split is not None:
        evidence.append(Evidence("split", {**existence.split.to_dict(), **more}))
    if existence.contradiction is not None:
        evidence.append(Evidence("contradiction", {**existence.contradiction.to_dict(), **more}))
    if not evidence and existence.clash is not None and table.exact:
        evidence.append(Evidence("clash", {**existence.clash.to_dict(), **more}))
    return evidence


def known_absence(metric: AnyMetric) -> list[Evidence]:
    """Laws on few items that are known to contradict each other, for a metric of the registry."""
    absence = absence_of(metric) if isinstance(metric, Metric) else None
    if absence is None:
        return []
    parts = tuple(
        ForcedOrder(Law({Graded(labels): p for labels, p in law.items()}), share)
        for share, law in absence.laws()
    )
    if parts[0].law.items > MOST_ITEMS:
        # Too many rankings to check it.
        return []
    labels = {y for _, law in absence.laws() for feedback in law for y in feedback}
    space = graded_space(parts[0].law.items, sorted(labels))
    proof = Contradiction(parts)
    if check_contradiction(value_table(metric, space), proof) is not None:
        return []
    return [Evidence("contradiction", {**proof.to_dict(), "space": space_to_plain(space)})]


def counterexample_evidence(question: Question, example: Counterexample) -> Evidence:
    """The law, the proven minimum, and what the rankings are worth."""
    return Evidence(
        "counterexample",
        {
            **example.to_dict(),
            "scores": _scores(example),
            **_worth(question, example),
            **_unit(question, example.law),
        },
    )


def rest_point_evidence(question: Question, rest_points: RestPoints) -> Evidence:
    """The law, the faces without rest points, and what the rankings are worth."""
    more = {**_worth(question, rest_points), **_unit(question, rest_points.law)}
    return Evidence("rest-points", {**rest_points.to_dict(), **more})


def shipped_evidence(question: Question, rest_points: ShippedRestPoints) -> Evidence:
    """The law, the faces without rest points, and what the rankings are worth."""
    return Evidence("shipped-rest-points", {**rest_points.to_dict(), **_worth(question, rest_points)})


def _worth(
    question: Question, rest_points: Counterexample | RestPoints | ShippedRestPoints
) -> dict[str, Any]:
    best = risks(question.metric, rest_points.law)[rest_points.best_rankings[0]]
    sign = -1 if getattr(question.metric, "direction", "higher") == "lower" else 1
    return {
        "metric": str(question.metric),
        "value_best": _number(sign * best),
        "value_reached": _number(sign * (best - rest_points.cost)),
        **values_evidence(value_table(question.metric, space_of(rest_points.law))),
    }


def _unit(question: Question, law: Law) -> dict[str, str]:
    """The unit of the factors per query of the loss's target: the values of the law alone do not tell it."""
    unit = unit_of(question.loss, question.metric, law.items)
    if unit is None:
        return {}
    if value_table(question.metric, space_of(law)).slack:
        raise PrecisionError(f"The factors of {question.loss} are known up to the rounding of floats only.")
    return {"unit": str(unit)}


def values_evidence(table: ValueTable) -> dict[str, Any]:
    """The values of a user's metric, which stand beside what was found with them."""
    stored = metric_to_plain(table)
    return {} if stored is None else {"values": stored}


def _scores(example: Counterexample) -> list[float]:
    """The minimiser: where only its direction is known, a vector of that direction."""
    along = example.minimum.method == "direction"
    return [float(x) for x in example.minimum.center] if along else list(example.scores)


def _number(value: Fraction) -> str | float:
    # Fractions of thirty digits stand for irrational numbers.
    return str(value) if value.denominator < 10**12 else float(value)
