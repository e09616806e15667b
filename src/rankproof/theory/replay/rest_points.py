"""Rest points in stored evidence: the proof, and every number that people are shown, computed again."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from rankproof.losses.base import Loss
from rankproof.theory.base.rest_points import MOST_ITEMS, RestPoints, all_faces, face_text, rankings_of
from rankproof.theory.base.risk import best_rankings, expected_values
from rankproof.theory.base.shipped_rest_points import ShippedRestPoints
from rankproof.theory.base.values import ValueTable
from rankproof.theory.noise.membership import in_class
from rankproof.theory.replay.numbers import same_number
from rankproof.theory.rest_points.check import broken_exclusion, broken_rest_point
from rankproof.theory.rest_points.field import MeanField

__all__ = ["broken_rest_points", "wrong_numbers"]


def broken_rest_points(
    loss: Loss, table: ValueTable, noise: str | None, data: Mapping[str, Any]
) -> str | None:
    """None when no rest point of the loss sorts best and all is as stored, else what is wrong."""
    stored = RestPoints.from_dict(data)
    law = stored.law
    if stored.noise != noise:
        return f"it is about noise={stored.noise!r}, the verdict about noise={noise!r}"
    if not in_class(law, noise, table.metric):
        return f"the law is not {noise}"
    if not {*law.support} <= {*table.space.feedback} or law.items != table.space.items:
        return "the law is not on the feedback of the stored values"
    if law.items > MOST_ITEMS:
        return f"rest points are checked on at most {MOST_ITEMS} items"
    return _wrong_proof(MeanField(loss, law), stored) or wrong_numbers(stored, table, data)


def _wrong_proof(field: MeanField, stored: RestPoints) -> str | None:
    for one in stored.excluded:
        wrong = broken_exclusion(field, one)
        if wrong is not None:
            return f"that {face_text(one.face)} holds no rest point is not proven: {wrong}"
    for ranking, place in stored.resting:
        wrong = broken_rest_point(field, ranking, place)
        if wrong is not None:
            return f"the rest point is not proven: {wrong}"
    return None


def wrong_numbers(
    stored: RestPoints | ShippedRestPoints, table: ValueTable, data: Mapping[str, Any]
) -> str | None:
    """What is wrong with the best rankings and the numbers of a statement whose excluded faces hold."""
    masses = [stored.law[y] for y in table.space.feedback]
    best = best_rankings(table, masses, surely=True)
    if sorted(stored.best_rankings) != sorted(best):
        return f"the best rankings are {best}, not {stored.best_rankings}"
    worth = dict(zip(table.rankings, expected_values(table, masses), strict=True))
    excluded = {one.face for one in stored.excluded}
    # Equal scores are ranked at random.
    left = {
        face: sum((worth[ranking] for ranking in rankings_of(face)), Fraction(0)) / len(rankings_of(face))
        for face in all_faces(stored.law.items)
        if face not in excluded
    }
    most = worth[best[0]]
    may = next((face for face in left if set(rankings_of(face)) <= set(best)), None)
    if may is not None:
        return f"{face_text(may)} is best, and may hold a rest point"
    if not left:
        return "every order is excluded, so that nothing is said of any rest point"
    cost = most - max(left.values())
    sign = 1 if table.metric.direction == "higher" else -1
    shown = {
        "cost": cost,
        "cost_value": cost,
        "value_best": sign * most,
        "value_reached": sign * (most - cost),
    }
    for name, value in shown.items():
        if not same_number(data[name], value):
            return f"the {name.replace('_', ' ')} is {float(value):.9g}, not {data[name]}"
    if data["metric"] != str(table.metric):
        return f"its numbers are about {data['metric']}, not about {table.metric}"
    return None
