"""Find the proofs that faces hold no rest point of an engine's objective: by floats, then checked.

>>> from rankproof.theory.shipped.objective import engine_objective
>>> law = Law({(2, 1, 0): "9/10", (0, 0, 1): "1/10"})
>>> found = prove_shipped(engine_objective("lightgbm:lambdarank(lambdarank_norm=false)"), "nDCG", law)
>>> found.best_rankings, round(float(found.cost), 4)
(((0, 1, 2),), 0.0194)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from rankproof.arrays import Float64s
from rankproof.errors import PrecisionError
from rankproof.feedback import Law
from rankproof.feedback.spaces import space_of
from rankproof.theory.arithmetic.intervals import UnprovenError
from rankproof.theory.base.rest_points import Face, all_faces, rankings_of
from rankproof.theory.base.risk import best_rankings, risks, table_of
from rankproof.theory.base.shipped_rest_points import Cut, Direction, PushedApart, ShippedRestPoints
from rankproof.theory.base.values import as_any_metric
from rankproof.theory.rest_points.shipped import (
    MOST_ITEMS,
    MOST_SIGMA,
    MOST_WORK,
    falls_never,
    points_away,
    work_of,
)
from rankproof.theory.shipped.field import Box, ShippedField
from rankproof.theory.shipped.floats import FloatFields
from rankproof.theory.shipped.lambdas import formula_of
from rankproof.theory.shipped.objective import EngineObjective

__all__ = ["heights", "prove_shipped"]

# Boxes that are looked at, and how often one is cut.
MOST_BOXES, DEEPEST = 3000, 24
# How many directions are tried in a box.
TRIES = 3
# Upper and lower gaps from which a ranking is left, if no path stays in it.
GAPS = ((0.3, 0.3), (3.0, 0.3), (0.3, 3.0), (0.05, 0.05), (3.0, 3.0))
# Gaps are first cut as if they ended here.
FARTHEST = 64.0


def prove_shipped(
    objective: EngineObjective, metric: Any, law: Law, noise: str | None = None, most: int = MOST_BOXES
) -> ShippedRestPoints | None:
    """The statement that no rest point of the objective sorts best under the law; None if it is not proven.

    That the law meets the condition ``noise`` is for the caller to see to. ``most`` is how many boxes may be
    looked at for a face.
    """
    formula = formula_of(objective)
    if formula is None or not 2 <= law.items <= MOST_ITEMS or formula.sigma > MOST_SIGMA:
        return None
    if not formula.takes(law):
        return None
    measure = as_any_metric(metric)
    try:
        best = best_rankings(table_of(measure, law), law.probabilities, surely=True)
        worth = risks(measure, law)
    except (PrecisionError, UnprovenError):
        return None
    values = {
        face: sum((worth[r] for r in rankings_of(face)), Fraction(0)) / len(rankings_of(face))
        for face in all_faces(law.items)
    }
    prover = _Prover(ShippedField(formula, law), FloatFields(formula, space_of(law)), most)
    highest, left = worth[best[0]], None
    excluded: list[PushedApart] = []
    # From the best face down: below a face that may hold a rest point nothing is gained by going on.
    for face, value in sorted(values.items(), key=lambda entry: (-entry[1], len(rankings_of(entry[0])))):
        if left is not None and value < left:
            break
        one = None if prover.stays(face) else prover.pushed(face)
        if one is not None:
            excluded.append(one)
        elif value == highest:
            return None
        else:
            left = value
    if left is None or work_of(law, excluded) > MOST_WORK:
        return None
    cited = objective.shipped.cited
    return ShippedRestPoints(str(objective), cited, law, tuple(excluded), best, highest - left, noise)


def heights(gaps: Sequence[float], items: int) -> list[float]:
    """The scores of so many items, best first, that are these gaps apart.

    >>> heights((3.0, 0.5), 3), heights((3.0, 0.5), 2)
    ([3.5, 0.5, 0.0], [3.0, 0.0])
    """
    return [float(sum(gaps[k : items - 1])) for k in range(items)]


class _Prover:
    def __init__(self, field: ShippedField, floats: FloatFields, most: int) -> None:
        self.field, self.floats, self.most = field, floats, most
        self._fine = 1.0 if field.formula.by_gap is None else 2.0 * float(field.formula.by_gap)
        space = space_of(field.law)
        self._support = np.arange(len(space))[None, :]
        self._shares = np.array([[float(field.law[y]) for y in space.feedback]])
        # A shift of all scores changes nothing, so it is no direction.
        self._directions = [
            v for v in product((-1, 0, 1), repeat=field.items) if sum(map(abs, v)) < 3 and len(set(v)) > 1
        ]

    def stays(self, face: Face) -> bool:
        """Whether a path that starts inside of a ranking ends there in floats: then no proof is tried."""
        if len(face) < self.field.items:
            return False
        starts = np.zeros((len(GAPS), self.field.items))
        for k, gaps in enumerate(GAPS):
            starts[k, [item for group in face for item in group]] = heights(gaps, self.field.items)
        support, shares = (np.repeat(part, len(GAPS), axis=0) for part in (self._support, self._shares))
        ends = self.floats.ends(support, shares, starts)
        return bool((self.floats.ranking_index(ends) == self.floats.ranking_index(starts)).any())

    def pushed(self, face: Face) -> PushedApart | None:
        """The proof that a face holds no rest point, if one is found."""
        parts: list[Cut | Direction] = []
        boxes: list[tuple[Box, int]] = [(((Fraction(0), None),) * (len(face) - 1), 0)]
        looked = 0
        while boxes:
            box, depth = boxes.pop()
            looked += 1
            direction = self._direction(face, box)
            if direction is not None:
                parts.append(direction)
                continue
            if looked > self.most or depth >= DEEPEST or not box:
                return None
            cut = self._cut(face, box)
            low, high = box[cut.gap]
            parts.append(cut)
            halves = ((cut.at, high), (low, cut.at))
            boxes += [((*box[: cut.gap], half, *box[cut.gap + 1 :]), depth + 1) for half in halves]
        return PushedApart(face, tuple(parts))

    def _direction(self, face: Face, box: Box) -> Direction | None:
        for direction in self._likely(face, box)[:TRIES]:
            if points_away(self.field, face, box, direction):
                return direction
        return None

    def _likely(self, face: Face, box: Box) -> list[Direction]:
        """The directions that all fields point away from in the middle of the box, the clearest first."""
        fields = self._fields(face, box)
        size = np.linalg.norm(fields, axis=1, keepdims=True)
        if not size.min():
            return []
        vectors = np.array(self._directions, dtype=float)
        vectors -= vectors.mean(axis=1, keepdims=True)
        along = (fields / size) @ (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).T
        worst = along.max(axis=0)
        ordered = [self._directions[k] for k in np.argsort(worst, kind="stable") if worst[k] < 0]
        return [v for v in ordered if falls_never(face, box, v)]

    def _cut(self, face: Face, box: Box) -> Cut:
        """A cut of the gap without whose width the bound would be lowest."""
        likely = self._likely(face, box)
        gap = 0
        if len(box) > 1 and likely:
            ranking = rankings_of(face)[0]
            bounds = []
            for k in range(len(box)):
                middle = _middle(box[k], self._fine)
                thin = (*box[:k], (middle, middle), *box[k + 1 :])
                bound = self.field.upper_bound(face, ranking, thin, likely[0])
                bounds.append(math.inf if bound is None else float(bound))
            gap = int(np.argmin(bounds))
        elif len(box) > 1:
            gap = int(np.argmax([_width(bounds, self._fine) for bounds in box]))
        return Cut(gap, _middle(box[gap], self._fine))

    def _fields(self, face: Face, box: Box) -> Float64s:
        """The fields of the rankings of a face in the middle of a box."""
        gaps = [2.0 * float(low) + 1.0 if high is None else float(low + high) / 2.0 for low, high in box]
        scores = np.zeros((1, self.field.items))
        for k, group in enumerate(face):
            scores[0, list(group)] = sum(gaps[k:])
        rankings = [self.floats.rankings.index(ranking) for ranking in rankings_of(face)]
        rows = len(rankings)
        field, _ = self.floats.at(
            np.repeat(self._support, rows, axis=0),
            np.repeat(self._shares, rows, axis=0),
            np.repeat(scores, rows, axis=0),
            np.array(rankings),
        )
        return field


def _ends(bounds: tuple[Fraction, Fraction | None], fine: float) -> tuple[float, float]:
    """A gap x is taken as log(1 + x / fine)."""
    low, high = bounds
    far = max(FARTHEST, 4.0 * float(low)) if high is None else float(high)
    return math.log1p(float(low) / fine), math.log1p(far / fine)


def _width(bounds: tuple[Fraction, Fraction | None], fine: float) -> float:
    start, end = _ends(bounds, fine)
    return end - start


def _middle(bounds: tuple[Fraction, Fraction | None], fine: float) -> Fraction:
    """The middle, with few binary digits, since a cut is stored."""
    low, high = bounds
    at = fine * math.expm1(sum(_ends(bounds, fine)) / 2.0)
    unit = Fraction(2) ** math.floor(math.log2(at) - 3.0)
    rounded = round(Fraction(at) / unit) * unit
    return rounded if low < rounded and (high is None or rounded < high) else (low + (high or 4 * low)) / 2
