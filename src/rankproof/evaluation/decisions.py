"""Which tests of a family Holm's correction rejects when some p-values are known by sampling only.

Holm's correction multiplies p-values by up to the number of tests, so that a sampling error which nobody
would notice in one p-value can change a decision. Here every p-value has bounds; a decision is taken when it
is the same at both ends, and p-values on which one hangs are looked at again: enclosed for certain where that
can be done, sampled further where not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankproof.evaluation.holm import holm
from rankproof.evaluation.sign_flips import SignFlips, TailBounds, TailEstimate

__all__ = ["RISK", "Decisions", "decide"]

# The accepted chance that sampling changes any decision of a family.
RISK = 1e-3
# How often one p-value is looked at again, and how many signs are drawn for it at most (some seconds).
_ROUNDS = 6
_MOST_SIGNS = 1e10


@dataclass(frozen=True, eq=False)
class Decisions:
    """What became of every test.

    Attributes
    ----------
    estimates : the p-value of each that was looked at again, else None
    undecided : whether sampling does not tell on which side of the level the adjusted p-value lies
    """

    estimates: list[TailEstimate | None]
    undecided: list[bool]


def decide(ps: Sequence[float], sampled: Sequence[SignFlips | None], level: float) -> Decisions:
    """Decide every test at ``level``; ``sampled`` has the sign patterns of each p-value that was sampled."""
    looked_at = sum(flips is not None for flips in sampled)
    estimates: list[TailEstimate | None] = [None] * len(ps)
    if not looked_at:
        return Decisions(estimates, [False] * len(ps))
    risk = RISK / (looked_at * (_ROUNDS + 1))
    bounds = [
        TailBounds(p, p) if flips is None else flips.chance(risk)
        for p, flips in zip(ps, sampled, strict=True)
    ]
    settled = [False] * len(ps)
    for round_ in range(_ROUNDS):
        again = [
            (at, flips)
            for at in _undecided(bounds, level)
            if (flips := sampled[at]) is not None and not settled[at]
        ]
        for at, flips in again:
            certain = flips.enclosure() if round_ == 0 else None
            more = min(3 * flips.samples, int(_MOST_SIGNS / flips.sizes.size) - flips.samples)
            if certain is not None:
                bounds[at], estimates[at], settled[at] = certain, _as_estimate(certain, flips), True
            elif more > 0:
                estimates[at] = flips.draw(more)
                bounds[at] = flips.chance(risk)
            else:
                settled[at] = True
    left = set(_undecided(bounds, level))
    return Decisions(estimates, [at in left for at in range(len(ps))])


def _undecided(bounds: Sequence[TailBounds], level: float) -> list[int]:
    """Holm's adjusted values grow with every p-value: they lie between those of the lower and upper ends."""
    low = holm([bound.low for bound in bounds])
    high = holm([bound.high for bound in bounds])
    open_: NDArray[np.int64] = np.flatnonzero((low <= level) & (high > level))
    return [int(at) for at in open_]


def _as_estimate(certain: TailBounds, flips: SignFlips) -> TailEstimate:
    """The upper end, which as a p-value keeps its level."""
    how = (
        f"at most this and at least {certain.low:.6g}: exact distribution of {flips.sizes.size} non-zero "
        "differences, rounded to a millionth of their sum"
    )
    return TailEstimate(certain.high, certain.high - certain.low, how)
