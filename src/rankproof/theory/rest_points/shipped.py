r"""That a face holds no rest point of an engine's objective: checked from the formula and the law alone.

The mean field F of the objective under a law is smooth inside of a ranking and jumps where two items change
places. Scores of a face are a rest point when some mixture of the fields of the rankings that sort them
vanishes there (Filippov's rule). Where all scores are equal the engines leave out the division by c + |x|,
so that the fields without it take part in the mixture too.

**Theorem.** Let the gaps of a face, each from 0 to infinity, be covered by boxes, and let every box have a
vector v such that v F < 0 all over the box for every ranking that sorts the face, where F may be multiplied
by c plus one of the gaps, and bounds hold up to and including infinity. In a box that is unbounded in some
gaps, let v s not fall when one of those gaps grows and the others stay (scores centred). Then the face holds
no rest point, and no solution of ds/dt = F that stays in the face converges, neither to scores nor to a point
where gaps are infinite.

*Proof.* At a rest point a mixture of the fields vanishes, and so would its product with the v of a box that
holds it, which is below 0 for each field. Now let a solution in the face converge to a point where some gaps
are infinite. Bounds over closed boxes that include infinity hold, with half the margin, in a neighbourhood of
that point, by continuity of the multiplied field there (where two gaps are infinite, and it need not be
continuous, a single box holds a whole neighbourhood). So from some time on d(v s)/dt <= -e / (c + g) with e >
0 and g a gap. Since F is bounded, g grows at most linearly in time, and the integral of e / (c + g) is
infinite: v s falls below every bound. But on the face v s is a sum of gaps with factors, at least 0 for those
that become infinite, and the others converge; so it is bounded from below.

The last part is about the formula with the exact logistic function; LightGBM's table of it has steps. The
first part holds for the table as well, since the bounds do.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from rankproof.feedback import Law
from rankproof.theory.base.rest_points import Face, face_text, rankings_of
from rankproof.theory.base.shipped_rest_points import Cut, Direction, PushedApart
from rankproof.theory.shipped.field import Box, ShippedField

__all__ = [
    "MOST_ITEMS",
    "MOST_PARTS",
    "MOST_SIGMA",
    "MOST_WORK",
    "broken_pushes",
    "falls_never",
    "points_away",
    "work_of",
]

# Two gaps can be cut into boxes; with more items there would be too many.
MOST_ITEMS = 3
# The largest factor of the scores that is computed with.
MOST_SIGMA = 1000
# Label vectors of a law times all parts of all faces: some tens of seconds; proofs need a tenth of it.
MOST_WORK = 40_000
# Proofs need some dozens of boxes; a stored one may have so many, and cuts so deep.
MOST_PARTS, DEEPEST = 20_000, 60
# Cuts beyond this, or finer than one over this, are not needed.
LARGEST = 1 << 40


def broken_pushes(field: ShippedField, one: PushedApart) -> str | None:
    """None when the face is proven to hold no rest point, else what fails."""
    if sorted(item for group in one.face for item in group) != list(range(field.items)):
        return f"{one.face} is no order of the {field.items} items"
    if len(one.parts) > MOST_PARTS:
        return f"it has {len(one.parts)} parts, and at most {MOST_PARTS} are checked"
    boxes: list[tuple[Box, int]] = [(((Fraction(0), None),) * (len(one.face) - 1), 0)]
    for part in one.parts:
        if not boxes:
            return "it has more parts than boxes"
        box, depth = boxes.pop()
        if not isinstance(part, Cut):
            wrong = _wrong_direction(field, one.face, box, part)
            if wrong is not None:
                return wrong
        elif not 0 <= part.gap < len(box) or not _inside(box[part.gap], part.at):
            return f"a cut of gap {part.gap} at {part.at} is outside of its box"
        elif depth >= DEEPEST or max(part.at.denominator, part.at.numerator) > LARGEST:
            return "its cuts are finer than any proof needs"
        else:
            low, high = box[part.gap]
            below, above = (
                (*box[: part.gap], half, *box[part.gap + 1 :]) for half in ((low, part.at), (part.at, high))
            )
            boxes += [(above, depth + 1), (below, depth + 1)]
    return None if not boxes else f"{len(boxes)} of its boxes are left out"


def work_of(law: Law, excluded: Sequence[PushedApart]) -> int:
    """How much there is to check."""
    return len(law.support) * sum(len(one.parts) for one in excluded)


def points_away(field: ShippedField, face: Face, box: Box, direction: Direction) -> bool:
    """Whether every field of the face has a product below 0 with the direction, all over the box."""
    fields = [(ranking, True) for ranking in rankings_of(face)]
    if not box:
        fields += [(ranking, False) for ranking, _ in fields]
    for ranking, divided in fields:
        bound = field.upper_bound(face, ranking, box, direction, divided=divided)
        if bound is None or bound >= 0:
            return False
    return True


def _wrong_direction(field: ShippedField, face: Face, box: Box, direction: Direction) -> str | None:
    if len(direction) != field.items:
        return "a direction has one number per item"
    if any(abs(number) > LARGEST for number in direction):
        return "the numbers of a direction are larger than any proof needs"
    if not falls_never(face, box, direction):
        return f"the direction {direction} points to infinity in {face_text(face)}"
    if not points_away(field, face, box, direction):
        return f"the field may point along {direction} or vanish where the gaps are {_text(box)}"
    return None


def falls_never(face: Face, box: Box, direction: Sequence[int]) -> bool:
    """Whether v s, scores centred, does not fall when a gap that the box does not bound grows."""
    items = len(direction)
    above = total = 0
    for k, (_, high) in enumerate(box):
        total += len(face[k])
        above += sum(direction[item] for item in face[k])
        if high is None and above * items < total * sum(direction):
            return False
    return True


def _inside(bounds: tuple[Fraction, Fraction | None], at: Fraction) -> bool:
    return bounds[0] < at and (bounds[1] is None or at < bounds[1])


def _text(box: Box) -> str:
    ends = [(f"{float(low):g}", "infinity" if high is None else f"{float(high):g}") for low, high in box]
    return ", ".join(f"{low} to {high}" for low, high in ends)
