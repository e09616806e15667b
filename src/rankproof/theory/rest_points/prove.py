"""Find the proofs that faces hold no rest point: in floats, then checked.

>>> from rankproof.losses import LambdaRank
>>> law = Law({(1, 2, 0): "9/10", (0, 0, 1): "1/10"})
>>> found = prove_rest_points(LambdaRank(), "nDCG", law)
>>> found.best_rankings, [ranking for ranking, _ in found.resting], round(float(found.cost), 4)
(((1, 0, 2),), [(1, 2, 0)], 0.0194)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np

from rankproof.arrays import Float64s
from rankproof.errors import PrecisionError
from rankproof.feedback import Law
from rankproof.losses.base import Loss
from rankproof.theory.arithmetic.intervals import Enclosure, UnprovenError
from rankproof.theory.base.minimum import Minimum
from rankproof.theory.base.rest_points import (
    MOST_ITEMS,
    Face,
    NoRest,
    Push,
    RestPoints,
    all_faces,
    rankings_of,
)
from rankproof.theory.base.risk import best_rankings, risks, table_of
from rankproof.theory.base.values import Ranking, as_any_metric
from rankproof.theory.minima.ball import find_ball
from rankproof.theory.rest_points.check import (
    HALF,
    broken_exclusion,
    broken_rest_point,
    leaves,
    points_one_way,
)
from rankproof.theory.rest_points.field import MeanField
from rankproof.theory.rest_points.minimise import gradients, minimise_pairs

__all__ = ["prove_rest_points"]

# How finely the range of y is cut for a face of two groups.
FINEST = Fraction(1, 256)


def prove_rest_points(loss: Loss, metric: Any, law: Law, noise: str | None = None) -> RestPoints | None:
    """The statement that no rest point of the loss sorts best under the law; None when it is not proven.

    That the law meets the condition ``noise`` is for the caller to see to.
    """
    measure = as_any_metric(metric)
    if law.items > MOST_ITEMS:
        return None
    try:
        best = best_rankings(table_of(measure, law), law.probabilities, surely=True)
        return _statement(MeanField(loss, law), law, best, risks(measure, law), noise)
    except (PrecisionError, UnprovenError):
        return None


def _statement(
    field: MeanField, law: Law, best: tuple[Ranking, ...], worth: dict[Ranking, Fraction], noise: str | None
) -> RestPoints | None:
    values = {
        face: sum((worth[r] for r in rankings_of(face)), Fraction(0)) / len(rankings_of(face))
        for face in all_faces(law.items)
    }
    most = worth[best[0]]
    excluded: dict[Face, NoRest] = {}
    resting: list[tuple[Ranking, Minimum]] = []
    left = min(values.values()) - 1
    # From the best face down: below a face that holds a rest point, or may, nothing is lost by stopping.
    for face, value in sorted(values.items(), key=lambda entry: (-entry[1], len(rankings_of(entry[0])))):
        if value < left:
            break
        one = _no_rest(field, face)
        if one is not None:
            excluded[face] = one
            continue
        if value == most:
            return None
        left = value
        rests = _rest_point(field, face)
        if rests is not None:
            resting.append(rests)
    return RestPoints(law, tuple(excluded.values()), tuple(resting), best, most - left, noise)


def _no_rest(field: MeanField, face: Face) -> NoRest | None:
    rankings = rankings_of(face)
    for pushes in _candidates(field, face, rankings):
        if pushes:
            return NoRest(face, pushes)
    if len(rankings) > 1:
        return None
    for place in _minima(field, rankings[0]):
        one = NoRest(face, elsewhere=place)
        if leaves(rankings[0], place) and broken_exclusion(field, one) is None:
            return one
    return None


def _rest_point(field: MeanField, face: Face) -> tuple[Ranking, Minimum] | None:
    rankings = rankings_of(face)
    if len(rankings) > 1:
        return None
    for place in _minima(field, rankings[0]):
        if broken_rest_point(field, rankings[0], place) is None:
            return rankings[0], place
    return None


def _minima(field: MeanField, ranking: Ranking) -> Iterator[Minimum]:
    scores, reached = minimise_pairs(_matrix(field, ranking)[None], float(field.sigma))
    if reached[0]:
        for center, radius in find_ball(field.function(ranking), scores[0].tolist(), shift_invariant=True):
            yield Minimum("ball", center, radius)


def _candidates(
    field: MeanField, face: Face, rankings: Sequence[Ranking]
) -> Iterator[tuple[Push, ...] | None]:
    """Items that are pushed down wherever they are, then, for one gap, directions part by part."""
    upper: list[int] = []
    for group in face:
        for many in range(1, len(group) + 1):
            for part in combinations(group, many):
                pushed = {*upper, *part}
                direction = tuple(Fraction(int(item in pushed)) for item in range(field.items))
                push = Push(Fraction(0), HALF, direction)
                if len(pushed) < field.items and points_one_way(field, face, push):
                    yield (push,)
        upper += group
    if len(face) <= 2 and len(rankings) > 1:
        yield _part_by_part(field, face, rankings)


def _part_by_part(field: MeanField, face: Face, rankings: Sequence[Ranking]) -> tuple[Push, ...] | None:
    matrices = np.array([_matrix(field, ranking) for ranking in rankings])
    pushes: list[Push] = []
    waiting = [(Fraction(0), HALF)]
    while waiting:
        low, high = waiting.pop()
        push = Push(low, high, _direction(field, face, matrices, float((low + high) / 2)))
        if points_one_way(field, face, push):
            pushes.append(push)
        elif high - low <= FINEST or len(face) == 1:
            return None
        else:
            middle = (low + high) / 2
            waiting += [(middle, high), (low, middle)]
    return tuple(pushes)


def _direction(field: MeanField, face: Face, matrices: Float64s, y: float) -> tuple[Fraction, ...]:
    """The direction that all gradients at a place of the face have most in common, in round numbers."""
    sigma = float(field.sigma)
    gap = -np.log(y / (1.0 - y)) / sigma if len(face) == 2 else 0.0
    scores = np.zeros(field.items)
    scores[list(face[0])] = gap
    rows = gradients(matrices, np.broadcast_to(scores, (len(matrices), field.items)), sigma)
    nearest = _nearest(rows)
    size = float(np.abs(nearest).max())
    return tuple(Fraction(round(100 * float(x) / size), 100) if size else Fraction(0) for x in nearest)


def _nearest(rows: Float64s) -> Float64s:
    """The point of the hull of the rows that is nearest to 0, closely enough (Frank-Wolfe)."""
    point: Float64s = rows.mean(0)
    for _ in range(200):
        corner = rows[np.argmin(rows @ point)]
        step = point - corner
        length = float(step @ step)
        if length == 0.0 or point @ step <= 1e-12 * length:
            break
        point = point - step * min(1.0, float(point @ step) / length)
    return point


def _matrix(field: MeanField, ranking: Ranking) -> Float64s:
    matrix = np.zeros((field.items, field.items))
    for (i, j), lead in field.leads.items():
        matrix[i, j] = float(Enclosure.from_number(field.weight(ranking, i, j) * lead).middle)
    return matrix
