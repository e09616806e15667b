"""The exact method: losses of lines and parabolas, whose minimisers are rational and proven in fractions.

**Pairs.** E[loss] = sum of W_ij phi(s_i - s_j) with weights W_ij >= 0 and phi convex, of a line, a parabola
and zero (`rankproof.theory.formulas.pairwise.Pieces`). Scores are a minimiser exactly when some choice of
slopes d_ij in the subdifferential of phi at s_i - s_j makes every sum_j W_ij d_ij - W_ji d_ji equal to 0.
Slopes are free only at kinks, between -kink and 0 times the weight (plus what is fixed). What a pair (i, j)
at a kink takes from item i it gives to item j, so a choice is a flow from items whose fixed slopes sum to
more than 0 to the others, along the pairs at kinks, with W_ij kink as the most that a pair carries. Whether
there is such a flow is decided by augmenting paths, in fractions: yes or no, without rounding.

**Squares.** squared, centred-squared, duchi with penalty=square and bregman with p=2 are least where a linear
equation holds: s = E[u], s = E[u] + c, s = E[u] / 2 nu, s = E[u]; lift and relative where their docstrings
say. The cosine (not normalised) and the q
family with q=2 are least exactly at the positive multiples of E[u], when that is not 0 (Cauchy-Schwarz).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise

from rankproof.losses.bregman import Bregman
from rankproof.losses.cosine import Cosine
from rankproof.losses.duchi import Duchi
from rankproof.losses.lift import Lift
from rankproof.losses.order_preserving import OrderPreserving
from rankproof.losses.preorder import Preorder
from rankproof.losses.q_family import QFamily
from rankproof.losses.relative import Relative
from rankproof.losses.squared import CentredSquared, Squared
from rankproof.theory.arithmetic.intervals import Interval
from rankproof.theory.formulas.formula import MeanLoss
from rankproof.theory.formulas.pairwise import Pieces, exact_pieces

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
    return None if any(isinstance(v, Interval) for v in mean) else [Fraction(v) for v in mean]  # type: ignore[arg-type]


def _closed_form(risk: MeanLoss) -> list[Fraction] | None:
    loss = risk.loss
    if isinstance(loss, Lift):
        return _lifted(_exact_mean(risk))
    if isinstance(loss, Relative):
        return _compared(_exact_mean(risk))
    square = isinstance(loss, Squared | CentredSquared) or (isinstance(loss, Bregman) and loss.p == 2)
    if not square and not _along_mean(loss) and not (isinstance(loss, Duchi) and loss.penalty == "square"):
        return None
    mean = _exact_mean(risk)
    if mean is None or (_along_mean(loss) and not any(mean)):
        return None
    return [v / (2 * Fraction(loss.nu)) for v in mean] if isinstance(loss, Duchi) else mean


def _lifted(mean: list[Fraction] | None) -> list[Fraction] | None:
    """1 less the harmonic mean of the m_j + mean(m), over m_i + mean(m): where `Lift` is least."""
    if mean is None or not any(mean):
        return None
    raised = [m + sum(mean, Fraction(0)) / len(mean) for m in mean]
    harmonic = len(mean) / sum((1 / r for r in raised), Fraction(0))
    return [1 - harmonic / r for r in raised]


def _compared(mean: list[Fraction] | None) -> list[Fraction] | None:
    """m_i over m_i + mean(m): where `Relative` is least."""
    if mean is None or not any(mean):
        return None
    middle = sum(mean, Fraction(0)) / len(mean)
    return [m / (m + middle) for m in mean]


def _along_mean(loss: object) -> bool:
    return (isinstance(loss, Cosine) and not loss.normalize) or (isinstance(loss, QFamily) and loss.q == 2)


def _check_square(risk: MeanLoss, center: Scores) -> str | None:
    closed = _closed_form(risk)
    if closed is None:
        return f"loss {risk.loss} has no rational minimiser that is known in closed form under this law"
    wanted, given = closed, list(center)
    if isinstance(risk.loss, CentredSquared | Lift):
        wanted, given = ([x - values[0] for x in values] for values in (closed, given))
    elif _along_mean(risk.loss):
        at = next(i for i, v in enumerate(closed) if v)
        if given[at] * closed[at] <= 0:
            return "the center is no positive multiple of E[u]"
        scale = closed[at] / given[at]
        given = [x * scale for x in given]
    return None if wanted == given else f"the minimiser is {_listed(closed)}, not the center"


def _listed(values: Sequence[Fraction]) -> str:
    return f"({', '.join(map(str, values))})"


# Pairs --------------------------------------------------------------------------------------------


def _pieces(loss: object) -> Pieces | None:
    if not isinstance(loss, Preorder | OrderPreserving):
        return None
    return exact_pieces(loss.margin, loss.width)


def _exact_weights(risk: MeanLoss) -> Weights | None:
    pairs = risk.pairs
    if any(isinstance(w, Interval) for w in pairs.values()):
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
    found: list[Fraction] = []
    for i, x in enumerate(start):
        for j in range(i):
            whole = round((x - start[j]) / size)
            if abs(x - start[j] - whole * size) < NEAR:
                found.append(found[j] + whole * step)
                break
        else:
            found.append(Fraction(float(x)).limit_denominator(MOST_DENOMINATOR))
    return tuple(found)


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
