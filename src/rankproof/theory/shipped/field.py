r"""Bounds of the mean field of a shipped formula over boxes of gaps, bounded or not.

Scores with the groups of equal items of a face, best first, are given by their *gaps*: how far each group is
above the next. A box gives every gap a range, from a number of at least 0 to another one or to infinity. For
a vector v, `ShippedField.upper_bound` bounds v F over a box, F the mean field (minus the mean gradient) of
one ranking of the face, times a positive factor that may depend on the scores.

Where pairs are divided by c + x, x their distance, that factor may be c + g with one of the gaps g: as scores
move apart all forces fade, and only relative to each other do they have a limit. Gaps that are bounded enter
through derivatives (`rankproof.theory.shipped.slopes`), the others as plain intervals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, TypeAlias

from rankproof.feedback import Law
from rankproof.theory.arithmetic.intervals import ONE, ZERO, Enclosure, UnprovenError
from rankproof.theory.shipped.lambdas import Deltas, LambdaFormula, whole_labels
from rankproof.theory.shipped.logistic import TABLE_ERROR, logistic, shrinking
from rankproof.theory.shipped.slopes import Slope, constant

__all__ = ["Box", "ShippedField"]

# From, to; None is infinity.
Range: TypeAlias = tuple[Fraction, Fraction | None]
Box: TypeAlias = tuple[Range, ...]
Face: TypeAlias = tuple[tuple[int, ...], ...]


# Forces are needed again for other directions; only those of the last boxes are kept.
MOST_FORCES = 64


@dataclass(frozen=True)
class _Draw:
    share: Fraction
    deltas: Deltas


@dataclass(frozen=True)
class _Place:
    """Where the field is looked at: the group of every item, the ranges of the gaps, v, c and the factor."""

    group: dict[int, int]
    box: Box
    direction: Sequence[int]
    by_gap: Fraction | None
    scale: int | None


class ShippedField:
    """The mean field of a formula under a law."""

    def __init__(self, formula: LambdaFormula, law: Law) -> None:
        self.formula, self.law, self.items = formula, law, law.items
        self._draws: dict[tuple[int, ...], list[_Draw]] = {}
        self._forces: dict[Any, Slope] = {}
        self._log2 = Enclosure.from_number(2).log()

    def draws(self, ranking: tuple[int, ...]) -> list[_Draw]:
        """The weights of the pairs of every draw of the law, in a ranking."""
        if ranking not in self._draws:
            self._draws[ranking] = [
                _Draw(p, self.formula.deltas(whole_labels(y), ranking)) for y, p in self.law.pairs()
            ]
        return self._draws[ranking]

    def upper_bound(
        self,
        face: Face,
        ranking: tuple[int, ...],
        box: Box,
        direction: Sequence[int],
        *,
        divided: bool = True,
    ) -> Fraction | None:
        """A bound from above of v F times a positive factor over the box; None where there is none.

        F is the field of a ranking that sorts the face. If the bound is below 0, so is v F everywhere in the
        box. ``divided`` is False for equal scores as the engines treat them, without the division by c + x.
        """
        by_gap = self.formula.by_gap if divided else None
        endless = any(high is None for _, high in box)
        scales = [*range(len(box)), None] if by_gap is not None and endless else [None]
        group = {item: k for k, items in enumerate(face) for item in items}
        bounds: list[Fraction] = []
        for scale in scales:
            try:
                bounds.append(self._bound(ranking, _Place(group, box, direction, by_gap, scale)))
            except UnprovenError:
                continue
            if bounds[-1] < 0:
                break
        return min(bounds, default=None)

    def _bound(self, ranking: tuple[int, ...], place: _Place) -> Fraction:
        whole = self._product(ranking, place)
        if whole.value.high < 0 or all(high is None for _, high in place.box):
            return whole.value.upper
        thin = tuple((low, None) if high is None else ((low + high) / 2,) * 2 for low, high in place.box)
        bound = self._product(ranking, replace(place, box=thin)).value
        for (low, high), slope in zip(place.box, whole.by, strict=True):
            if high is not None:
                half = (high - low) / 2
                bound = bound + slope * Enclosure.from_bounds(-half, half)
        return min(bound.upper, whole.value.upper)

    def _product(self, ranking: tuple[int, ...], place: _Place) -> Slope:
        gaps = len(place.box)
        total = constant(0, gaps)
        for draw in self.draws(ranking):
            if draw.deltas:
                total = total + self._of_draw(draw, place).times(draw.share * self.formula.sigma)
        return total

    def _of_draw(self, draw: _Draw, place: _Place) -> Slope:
        """v F of one draw, without sigma; with the factor of the sum in two forms that bound the same."""
        scale = place.scale
        pull, size = self._sums(draw, place, scale)
        if not self.formula.by_sum:
            return pull
        if scale is not None:
            size = self._sums(draw, place, None)[1]
        size = size.times(2 * self.formula.sigma)
        bound = pull * self._factor(size)
        if scale is not None:
            return bound
        # With the smallest gap as a factor above and below the line, what is large near ties cancels.
        nearest = min(range(len(place.box)), key=lambda k: place.box[k][0], default=None)
        try:
            above, below = self._sums(draw, place, nearest)
            part = above / below.times(2 * self.formula.sigma)
        except UnprovenError:
            return bound
        return bound.meet((size.log1p() * part).times(ONE / self._log2))

    def _sums(self, draw: _Draw, place: _Place, scale: int | None) -> tuple[Slope, Slope]:
        """The sum of the forces of the pairs, each times v_i - v_j; and without that factor.

        All are multiplied by c plus the gap number ``scale``. A pair that v does not tell apart, and that
        has no bound then, is left out of the first sum and must not be in the second.
        """
        pull = size = constant(0, len(place.box))
        unbounded = False
        for (i, j), delta in draw.deltas.items():
            apart = place.direction[i] - place.direction[j]
            try:
                force = self._force(place, i, j, scale).times(delta)
            except UnprovenError:
                if apart:
                    raise
                unbounded = True
                continue
            size = size + force
            pull = pull + force.times(apart)
        if unbounded and scale == place.scale and scale is not None:
            return pull, constant(0, len(place.box))
        if unbounded:
            raise UnprovenError("A gap without bounds is not bounded by another.")
        return pull, size

    def _force(self, place: _Place, i: int, j: int, scale: int | None) -> Slope:
        """h / (c + x) of a pair, i the better item, times c plus the gap number ``scale``."""
        key = (place.box, place.group[i], place.group[j], place.by_gap, scale)
        if key not in self._forces:
            if len(self._forces) > MOST_FORCES:
                self._forces.clear()
            self._forces[key] = self._new_force(place, i, j, scale)
        return self._forces[key]

    def _new_force(self, place: _Place, i: int, j: int, scale: int | None) -> Slope:
        first, last = sorted((place.group[i], place.group[j]))
        low, high = _distance(place.box, first, last)
        between = tuple(first <= k < last for k in range(len(place.box)))
        value, rise = logistic(low, high, self.formula.sigma, above=place.group[i] <= place.group[j])
        h = Slope(value, tuple(rise if inside else ZERO for inside in between))
        if self.formula.table:
            h = h.plus(Enclosure.from_bounds(-TABLE_ERROR, TABLE_ERROR))
        c = place.by_gap
        if c is None:
            return h
        inverse = Enclosure.from_bounds(0 if high is None else 1 / (c + high), 1 / (c + low))
        if scale is not None:
            return h * _ratio(c, place.box, scale, between, inverse)
        fall = -inverse.square()
        return h * Slope(inverse, tuple(fall if inside else ZERO for inside in between))

    def _factor(self, size: Slope) -> Slope:
        """log2(1 + S) / S, which falls in S, ever more slowly.

        S is at least 0 where the engine computes it. In the middle of a box, with the error that the table
        has elsewhere in the box, it may be a little less: the function is taken there as well, since the mean
        value theorem needs one that is smooth.
        """
        low, high = shrinking(size.value.lower), shrinking(size.value.upper)
        value = Enclosure(high[0].low, low[0].high) / self._log2
        slope = Enclosure(low[1].low, high[1].high) / self._log2
        return Slope(value, tuple(a * slope for a in size.by))


def _distance(box: Box, first: int, last: int) -> Range:
    """How far two groups are apart."""
    low = sum((low for low, _ in box[first:last]), Fraction(0))
    high = Fraction(0)
    for _, end in box[first:last]:
        if end is None:
            return low, None
        high += end
    return low, high


def _ratio(c: Fraction, box: Box, scale: int, between: tuple[bool, ...], inverse: Enclosure) -> Slope:
    """(c + g) / (c + x), g the gap number ``scale``, x the sum of the gaps ``between`` two groups."""
    g_low, g_high = box[scale]
    low, high = Fraction(0), Fraction(0)
    endless = False
    for (start, end), inside in zip(box, between, strict=True):
        low += start if inside else 0
        high += end if inside and end is not None else 0
        endless = endless or (inside and end is None)
    if between[scale]:
        # x = g + r, so it is 1 / (1 + r / (c + g)).
        others = any(inside and box[k][1] is None for k, inside in enumerate(between) if k != scale)
        r_low, r_high = low - g_low, high - (g_high or 0)
        least = Fraction(0) if others else 1 / (1 + r_high / (c + g_low))
        most = Fraction(1) if g_high is None else 1 / (1 + r_low / (c + g_high))
    elif g_high is None:
        raise UnprovenError("A gap without bounds is not bounded by another.")
    else:
        least = Fraction(0) if endless else (c + g_low) / (c + high)
        most = (c + g_high) / (c + low)
    value = Enclosure.from_bounds(least, most)
    fall = -(value * inverse)
    by = tuple(
        (inverse if k == scale else ZERO) + (fall if inside else ZERO) for k, inside in enumerate(between)
    )
    return Slope(value, by)
