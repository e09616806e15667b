r"""The direction and mean methods: losses that read the law through one vector v, with no bounded minimum.

**Direction.** The cosine's mean is 1 - <s, v> / |s| with v = E[u] (v = E[u / |u|] when it is normalised, a
target of 0 being left as it is). By Cauchy-Schwarz <s, v> <= |s| |v|, with equality exactly for s = t v, t >
0, when v is not 0. At s = 0 the loss is 1, larger than 1 - |v|. The q family's mean is -<s, v> / |s|_q with
v = E[u]. By Hölder <s, v> <= |s|_q |v|_p, 1/p + 1/q = 1, with equality exactly for the positive multiples of
d_i = sign(v_i) |v_i|^(1 / (q - 1)), when v is not 0. So every minimiser is a positive multiple of d, and all
these are minimisers.

**Mean.** ApproxNDCG's mean is -sum_i v_i / log2(1 + r_i) with v = E[u] >= 0 and smooth ranks r that lie in
the permutahedron (the hull of the vectors of ranks of all rankings). 1 / log2(1 + r) is convex and falls, so
the mean is a concave function of r, strictly in every r_i with v_i > 0: its least value over the
permutahedron is taken at rankings that sort v, all of which give the same (rearrangement), and at those
mixtures of them that move no r_i with v_i > 0. Scores spread without end in the order of a ranking bring r to
that ranking, so the infimum is that value. Conversely let scores have s_b >= s_a for a pair with v_a > v_b:
then r_b <= r_a, a closed set that holds none of those points, and the mean stays above the infimum by a fixed
amount. So the rankings that sort scores towards the infimum are exactly those that sort E[u].
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from rankproof.theory.arithmetic.intervals import Enclosure
from rankproof.theory.formulas.formula import MeanLoss
from rankproof.theory.formulas.table import theory_of
from rankproof.theory.formulas.target_numbers import ExactOrInterval
from rankproof.theory.minima.ball import PLACES, rounded

__all__ = ["check_direction", "check_mean", "find_direction", "find_mean"]


def _vector(risk: MeanLoss) -> list[ExactOrInterval]:
    """v of the theorems above."""
    summand = theory_of(risk.loss).summand
    if summand is None:
        return risk.mean()
    total: list[ExactOrInterval] = [0] * risk.items
    for inputs, p in risk.terms:
        values: Sequence[ExactOrInterval] = [] if isinstance(inputs, Mapping) else inputs
        total = [t + u * p for t, u in zip(total, summand(risk.loss, values), strict=True)]
    return total


def _direction(risk: MeanLoss) -> list[Enclosure]:
    """d of the theorem above, when v is surely not 0; else an empty list."""
    ray = theory_of(risk.loss).ray
    v = [Enclosure.from_number(x) for x in _vector(risk)]
    if ray is None or not any(x.low > 0 or x.high < 0 for x in v):
        return []
    return ray(risk.loss, v)


def _within(values: Sequence[Enclosure], center: Sequence[Fraction], radius: Fraction) -> bool:
    square = sum(((x - c).square() for x, c in zip(values, center, strict=True)), Enclosure.from_number(0))
    return square.upper < radius**2


def check_direction(risk: MeanLoss, center: tuple[Fraction, ...], radius: Fraction) -> str | None:
    """None when every minimiser is a positive multiple of a vector within the radius of the center."""
    if theory_of(risk.loss).minimum != "direction":
        return f"the method direction is for the cosine and the q family, not for {risk.loss}"
    d = _direction(risk)
    if not d:
        return "the mean target is not proven to be different from 0, so there is no direction"
    # The multiple of d that agrees with the center where that is largest.
    at = max(range(len(center)), key=lambda i: abs(center[i]))
    if not (d[at].low > 0 or d[at].high < 0):
        return f"the direction is not proven to be different from 0 at item {at}"
    scale = abs(center[at]) / abs(d[at])
    if _within([x * scale for x in d], center, radius):
        return None
    return f"the direction is not within {float(radius):.2e} of the center"


def find_direction(risk: MeanLoss) -> Iterator[tuple[tuple[Fraction, ...], Fraction]]:
    """The direction with 1 as its largest number, and radii to be checked, the smallest first."""
    d = _direction(risk)
    size = max((abs(x.middle) for x in d), default=Fraction(0))
    if size:
        center = tuple(rounded(x.middle / size) for x in d)
        for digits in range(PLACES - 1, 1, -1):
            yield center, Fraction(1, 10**digits)


def check_mean(risk: MeanLoss, center: tuple[Fraction, ...], radius: Fraction) -> str | None:
    """None when E[u] is within the radius of the center (with radius 0: equal to it)."""
    if theory_of(risk.loss).minimum != "mean":
        return f"the method mean is for approx-ndcg, not for {risk.loss}"
    mean = risk.mean()
    if radius == 0:
        exact = all(not isinstance(v, Enclosure) and v == c for v, c in zip(mean, center, strict=True))
        return None if exact else "E[u] is not the center"
    if _within([Enclosure.from_number(v) for v in mean], center, radius):
        return None
    return f"E[u] is not within {float(radius):.2e} of the center"


def find_mean(risk: MeanLoss) -> tuple[tuple[Fraction, ...], Fraction]:
    """E[u], exact where it is rational."""
    mean = risk.mean()
    if not any(isinstance(v, Enclosure) for v in mean):
        return tuple(Fraction(v) for v in mean), Fraction(0)  # type: ignore[arg-type]
    return tuple(rounded(Enclosure.from_number(v).middle) for v in mean), Fraction(10) ** (1 - PLACES)
