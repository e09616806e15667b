"""Verdicts on objectives of the engines in stored evidence: which loss they are, or their rest points.

The proof is checked from the formula and the law alone, and every number that people are shown is computed
again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from rankproof.theory.base.rest_points import all_faces, face_text
from rankproof.theory.base.shipped_rest_points import ShippedRestPoints
from rankproof.theory.base.values import ValueTable
from rankproof.theory.base.verdict import Verdict
from rankproof.theory.noise.membership import in_class
from rankproof.theory.replay.rest_points import wrong_numbers
from rankproof.theory.rest_points.shipped import (
    MOST_ITEMS,
    MOST_SIGMA,
    MOST_WORK,
    broken_pushes,
    work_of,
)
from rankproof.theory.shipped.field import ShippedField
from rankproof.theory.shipped.lambdas import formula_of
from rankproof.theory.shipped.objective import engine_objective
from rankproof.theory.shipped.plain import is_words, plain_loss_of

__all__ = ["as_plain_loss", "broken_shipped"]


def as_plain_loss(verdict: Verdict) -> tuple[Verdict, str | None]:
    """A verdict on an objective that is a loss as one on that loss; and what is wrong with it."""
    plain = plain_loss_of(verdict.loss)
    if plain is None:
        return verdict, None
    objective, loss = plain
    words = is_words(objective, loss)
    if verdict.outcome == "undecided":
        return replace(verdict, loss=str(loss)), None
    wrong = None if verdict.conditions[-1:] == (words,) else f"it does not say that {words}"
    return replace(verdict, loss=str(loss), conditions=verdict.conditions[:-1]), wrong


def broken_shipped(
    loss: str | None, table: ValueTable, noise: str | None, data: Mapping[str, Any]
) -> str | None:
    """None when no rest point of the objective sorts best and all is as stored, else what is wrong."""
    stored = ShippedRestPoints.from_dict(data)
    law = stored.law
    if stored.objective != loss:
        return f"it is about {stored.objective}, the verdict about {loss}"
    objective = engine_objective(stored.objective)
    formula = formula_of(objective)
    if formula is None:
        return f"the gradient of {objective} is not known as a formula"
    if stored.source != objective.shipped.cited:
        return f"the formula was read in {objective.shipped.cited}, not in {stored.source:.80}"
    if stored.noise != noise:
        return f"it is about noise={stored.noise!r}, the verdict about noise={noise!r}"
    if not in_class(law, noise, table.metric):
        return f"the law is not {noise}"
    if not {*law.support} <= {*table.space.feedback} or law.items != table.space.items:
        return "the law is not on the feedback of the stored values"
    if law.items > MOST_ITEMS or formula.sigma > MOST_SIGMA:
        return f"it is checked on at most {MOST_ITEMS} items, with a factor of scores up to {MOST_SIGMA}"
    if not formula.takes(law):
        return f"the labels of {objective} are whole numbers from 0 to {formula.most_label}"
    return _wrong_proof(ShippedField(formula, law), stored) or wrong_numbers(stored, table, data)


def _wrong_proof(field: ShippedField, stored: ShippedRestPoints) -> str | None:
    work = work_of(stored.law, stored.excluded)
    if work > MOST_WORK:
        return f"its parts times the sets of labels are {work}, and at most {MOST_WORK} are checked"
    if len(stored.excluded) > len(all_faces(field.items)):
        return "there are more faces than orders of the items"
    for one in stored.excluded:
        wrong = broken_pushes(field, one)
        if wrong is not None:
            return f"that {face_text(one.face)} holds no rest point is not proven: {wrong}"
    return None
