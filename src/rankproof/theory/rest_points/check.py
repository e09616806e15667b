r"""That a face holds no rest point, and that a ranking has one: checked from the loss and the law alone.

Scores s of a face are a rest point when some mixture of the mean gradients of the rankings that sort s
vanishes at s. (Filippov's rule for gradients that jump. A face without ties has one ranking, and no mixture.)

**Elsewhere.** Inside of one ranking the mean gradient is that of a convex function
(`rankproof.theory.rest_points.field`), so a rest point there is its minimiser. If the ball method
(`rankproof.theory.minima.ball`) encloses that minimiser in a ball all over which an item i is above an item
j, where the ranking has i below j, then the ranking holds no rest point.

**Push.** Up to the factor sigma the gradient of item i is minus the sum over j of w_ij (A_ij h(-x_ij) - A_ji
h(x_ij)), with x_ij = sigma (s_i - s_j) and h the logistic function. Its product with a vector v is minus the
sum over pairs, i being the one above, of (v_i - v_j) w_ij ((A_ij + A_ji) y_ij - A_ji) with y_ij = h(-x_ij),
which is 1/2 for ties and between 0 and 1/2 otherwise. If that sum is below 0 for every ranking of the face
and every y between two bounds, it is below 0 for every mixture, which thus does not vanish there. Where a
face has two groups, all pairs across have the same y, so that the bounds may be taken part by part with a
vector each; otherwise one vector must do for all y from 0 to 1/2.

**A rest point** is the minimiser of the function of one ranking when it lies inside that ranking.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, pairwise

from rankproof.theory.arithmetic.intervals import Enclosure
from rankproof.theory.base.minimum import Minimum, sure_pairs
from rankproof.theory.base.rest_points import Face, NoRest, Push, rankings_of
from rankproof.theory.base.values import Ranking
from rankproof.theory.minima.ball import check_ball
from rankproof.theory.rest_points.field import MeanField

__all__ = ["broken_exclusion", "broken_rest_point", "leaves", "points_one_way"]

HALF = Fraction(1, 2)


def broken_exclusion(field: MeanField, one: NoRest) -> str | None:
    """None when the face is proven to hold no rest point, else what fails."""
    if sorted(item for group in one.face for item in group) != list(range(field.items)):
        return f"{one.face} is no order of the {field.items} items"
    if one.elsewhere is None:
        return _pushed(field, one.face, one.pushes)
    rankings = rankings_of(one.face)
    if len(rankings) != 1:
        return "a face with ties has more than one function"
    if not leaves(rankings[0], one.elsewhere):
        return f"the minimiser near {one.elsewhere} may have the ranking {rankings[0]}"
    return _enclosed(field, rankings[0], one.elsewhere)


def broken_rest_point(field: MeanField, ranking: Ranking, place: Minimum) -> str | None:
    """None when a rest point with this ranking is proven to be there, else what fails."""
    if sorted(ranking) != list(range(field.items)):
        return f"{ranking} is no ranking of the {field.items} items"
    sure = sure_pairs(place)
    if not all(pair in sure for pair in pairwise(ranking)):
        return f"the rest point near {place} is not proven to have the ranking {ranking}"
    return _enclosed(field, ranking, place)


def leaves(ranking: Ranking, place: Minimum) -> bool:
    """Whether all scores that the statement leaves possible have another ranking."""
    return any(ranking.index(i) > ranking.index(j) for i, j in sure_pairs(place))


def points_one_way(field: MeanField, face: Face, push: Push) -> bool:
    """The push theorem for one vector and bounds of y."""
    across = Enclosure.from_bounds(push.low, push.high)
    group = {item: rank for rank, items in enumerate(face) for item in items}
    for ranking in rankings_of(face):
        total = Enclosure.from_number(0)
        for i, j in combinations(ranking, 2):
            lead, back = field.leads.get((i, j), 0), field.leads.get((j, i), 0)
            y = HALF if group[i] == group[j] else across
            apart = push.direction[i] - push.direction[j]
            total = total + (y * (lead + back) - back) * field.weight(ranking, i, j) * apart
        if not total.high < 0:
            return False
    return True


def _pushed(field: MeanField, face: Face, pushes: Sequence[Push]) -> str | None:
    reached = Fraction(0)
    for push in pushes:
        if len(push.direction) != field.items:
            return "a direction has one number per item"
        if not 0 <= push.low <= reached <= push.high <= HALF:
            return f"what happens at y = {reached} is left out"
        if len(face) > 2 and not (push.low == 0 and push.high == HALF):
            return "only faces of two groups are looked at part by part"
        if not points_one_way(field, face, push):
            return f"not all gradients point the same way between y = {push.low} and {push.high}"
        reached = push.high
    return None if reached == HALF else f"what happens above y = {reached} is left out"


def _enclosed(field: MeanField, ranking: Ranking, place: Minimum) -> str | None:
    if place.method != "ball" or len(place.center) != field.items:
        return "where the gradient vanishes is shown by a ball around one score per item"
    return check_ball(field.function(ranking), place.center, place.radius, shift_invariant=True)
