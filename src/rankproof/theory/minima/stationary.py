"""The exact method: losses of lines and parabolas, whose minimisers are rational and proven in fractions.

**Pairs.** E[loss] = sum of W_ij phi(s_i - s_j) with weights W_ij >= 0 and phi convex, of a line, a parabola
and zero (`rankproof.theory.formulas.margins.Pieces`). Scores are a minimiser exactly when some choice of
slopes d_ij in the subdifferential of phi at s_i - s_j makes every sum_j W_ij d_ij - W_ji d_ji equal to 0.
Slopes are free only at kinks, between -kink and 0 times the weight (plus what is fixed). What a pair (i, j)
at a kink takes from item i it gives to item j, so a choice is a flow from items whose fixed slopes sum to
more than 0 to the others, along the pairs at kinks, with W_ij kink as the most that a pair carries. Whether
there is such a flow is decided by augmenting paths, in fractions: yes or no, without rounding.

**Squares.** Where the expected loss is quadratic, its minimiser is a closed form of E[u]
(`rankproof.theory.formulas.closed_forms`), unique, or up to a shift of all scores or a positive factor.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

from rankproof.theory.arithmetic.intervals import Enclosure
from rankproof.theory.formulas.formula import MeanLoss
from rankproof.theory.formulas.margins import Pieces, exact_pieces
from rankproof.theory.formulas.table import theory_of

__all__ = ["check_exact", "find_exact", "unmet"]

# How near a float must be to a number that it is taken for.
NEAR = 1e-6
MOST_DENOMINATOR = 1000

Scores = tuple[Fraction, ...]
Weights = dict[tuple[int, int], Fraction]


def check_exact(risk: MeanLoss, center: Scores) -> str | None:
    """None when the center is a minimiser of the expected loss, else why that is not shown."""
    pieces = _pieces(risk.loss)
    if pieces is None:
        return _check_square(risk, center)
    weights = _exact_weights(risk)
    if weights is None:
        return "the weights of the pairs are not rational"
    needed, carried = [Fraction(0)] * len(center), {}
    for (i, j), weight in weights.items():
        low, high = (weight * slope for slope in pieces.slopes(center[i] - center[j]))
        needed[i] += high
        needed[j] -= high
        if low < high:
            carried[i, j] = high - low
    left = unmet(needed, carried)
    return None if not left else f"0 is no subgradient at the center: slopes of {left} are left over"


def find_exact(risk: MeanLoss, start: Sequence[float]) -> Scores | None:
    """An exact minimiser near the scores, or None."""
    pieces = _pieces(risk.loss)
    if pieces is None:
        closed = _closed_form(risk)
        return None if closed is None else tuple(closed)
    weights = _exact_weights(risk)
    if weights is None:
        return None
    if pieces.kink:
        tries: list[Scores | None] = [_snapped(start, pieces.flat)]
    else:
        tries = [_solved(weights, pieces, start, shift) for shift in (0.0, -NEAR, NEAR)]
    for center in tries:
        if center is not None:
            least = min(center)
            moved = tuple(x - least for x in center)
            if check_exact(risk, moved) is None:
                return moved
    return None


# Squares ------------------------------------------------------------------------------------------


def _exact_mean(risk: MeanLoss) -> list[Fraction] | None:
    mean = risk.mean()
    return None if any(isinstance(v, Enclosure) for v in mean) else [Fraction(v) for v in mean]  # type: ignore[arg-type]


def _closed_form(risk: MeanLoss) -> list[Fraction] | None:
    closed_form = theory_of(risk.loss).closed_form
    mean = None if closed_form is None else _exact_mean(risk)
    return None if closed_form is None or mean is None else closed_form(risk.loss, mean)


def _check_square(risk: MeanLoss, center: Scores) -> str | None:
    closed = _closed_form(risk)
    if closed is None:
        return f"loss {risk.loss} has no rational minimiser that is known in closed form under this law"
    wanted, stated = closed, list(center)
    up_to = theory_of(risk.loss).unique_up_to
    if up_to == "shift":
        wanted, stated = ([x - values[0] for x in values] for values in (closed, stated))
    elif up_to == "scale":
        at = next(i for i, v in enumerate(closed) if v)
        if stated[at] * closed[at] <= 0:
            return "the center is no positive multiple of E[u]"
        scale = closed[at] / stated[at]
        stated = [x * scale for x in stated]
    return None if wanted == stated else f"the minimiser is {_listed(closed)}, not the center"


def _listed(values: Sequence[Fraction]) -> str:
    return f"({', '.join(map(str, values))})"


# Pairs --------------------------------------------------------------------------------------------


def _pieces(loss: Any) -> Pieces | None:
    return None if theory_of(loss).pair_weights is None else exact_pieces(loss.margin, loss.width)


def _exact_weights(risk: MeanLoss) -> Weights | None:
    pairs = risk.pairs
    if any(isinstance(w, Enclosure) for w in pairs.values()):
        return None
    return {pair: Fraction(w) for pair, w in pairs.items()}  # type: ignore[arg-type]


def unmet(needed: Sequence[Fraction], carried: Weights) -> Fraction:
    """How much of the flow from items that need to give to those that need to take finds no way."""
    give = {i: x for i, x in enumerate(needed) if x > 0}
    take = {i: -x for i, x in enumerate(needed) if x < 0}
    room = dict(carried)
    while give:
        path = _path(give, take, room)
        if path is None:
            break
        steps = list(pairwise(path))
        most = min([give[path[0]], take[path[-1]], *(room[step] for step in steps)])
        for i, j in steps:
            room[i, j] -= most
            room[j, i] = room.get((j, i), Fraction(0)) + most
        for side, item in ((give, path[0]), (take, path[-1])):
            side[item] -= most
            if not side[item]:
                del side[item]
    return sum(give.values(), Fraction(0)) + sum(take.values(), Fraction(0))


def _path(give: dict[int, Fraction], take: dict[int, Fraction], room: Weights) -> list[int] | None:
    """A shortest way from an item that gives to one that takes, over pairs with room."""
    paths = [[i] for i in give]
    seen = set(give)
    while paths:
        longer = []
        for path in paths:
            if path[-1] in take:
                return path
            for (i, j), space in room.items():
                if i == path[-1] and space > 0 and j not in seen:
                    seen.add(j)
                    longer.append([*path, j])
        paths = longer
    return None


def _snapped(start: Sequence[float], step: Fraction) -> Scores:
    """Scores with differences that are multiples of the step where they nearly were, and few digits."""
    size = float(step)
    snapped: list[Fraction] = []
    for i, x in enumerate(start):
        for j in range(i):
            whole = round((x - start[j]) / size)
            if abs(x - start[j] - whole * size) < NEAR:
                snapped.append(snapped[j] + whole * step)
                break
        else:
            snapped.append(Fraction(float(x)).limit_denominator(MOST_DENOMINATOR))
    return tuple(snapped)


def _solved(weights: Weights, pieces: Pieces, start: Sequence[float], shift: float) -> Scores | None:
    """The scores at which all slopes cancel, when every pair stays in the piece it is in at the start."""
    n = len(start)
    base = [Fraction(float(x)).limit_denominator(MOST_DENOMINATOR) for x in start]
    matrix = [[Fraction(0)] * n for _ in range(n)]
    right = [Fraction(0)] * n
    for (i, j), weight in weights.items():
        t = start[i] - start[j] + shift
        if t >= pieces.flat:
            continue
        curve = 2 * pieces.bend * weight
        if pieces.line is not None and t < pieces.line:
            right[i] += curve * (pieces.flat - pieces.line)
            right[j] -= curve * (pieces.flat - pieces.line)
            continue
        # The slope is curve * (s_i - s_j - flat): unknown is what is added to the base.
        gap = pieces.flat - (base[i] - base[j])
        for a, b, sign in ((i, j, 1), (j, i, -1)):
            matrix[a][a] += curve
            matrix[a][b] -= curve
            right[a] += sign * curve * gap
    moves = _eliminate(matrix, right)
    return None if moves is None else tuple(x + d for x, d in zip(base, moves, strict=True))


def _eliminate(matrix: list[list[Fraction]], right: list[Fraction]) -> list[Fraction] | None:
    """A solution with 0 for unknowns that are free, or None."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    n, used = len(right), 0
    pivots: list[int] = []
    for column in range(n):
        lead = next((r for r in range(used, n) if rows[r][column]), None)
        if lead is None:
            continue
        rows[used], rows[lead] = rows[lead], rows[used]
        for r in range(n):
            if r != used and rows[r][column]:
                factor = rows[r][column] / rows[used][column]
                rows[r] = [x - factor * y for x, y in zip(rows[r], rows[used], strict=True)]
        pivots.append(column)
        used += 1
    if any(row[-1] for row in rows[used:]):
        return None
    solution = [Fraction(0)] * n
    for r, column in enumerate(pivots):
        solution[column] = rows[r][-1] / rows[r][column]
    return solution
