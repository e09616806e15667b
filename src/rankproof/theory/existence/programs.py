"""Linear programs over laws: the law, or laws, that keep an order with the widest margin.

Solved in floats by HiGHS, so what comes out is a proposal: callers round it to fractions and check it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from rankproof.arrays import Float64s

__all__ = ["Widest", "widest"]


class Widest(NamedTuple):
    """The margin, and one vector of masses per block of inequalities; all masses together add up to 1."""

    margin: float
    masses: Float64s


def widest(gains: Sequence[Float64s], equal: Float64s, allowed: np.ndarray) -> Widest | None:
    """Maximise t with ``gains[b] @ masses[b] >= t`` for every block and ``equal @ masses.ravel() == 0``.

    Parameters
    ----------
    gains : one array (inequalities, feedbacks) per block
    equal : array (equations, blocks * feedbacks)
    allowed : bools (blocks, feedbacks)
        Where masses may differ from 0.
    """
    # Without whole numbers asked for this is `linprog`, and checks less of what it is handed.
    from scipy.optimize import Bounds, LinearConstraint, milp

    blocks, feedbacks = allowed.shape
    kept = np.flatnonzero(allowed.ravel())
    rows = sum(len(block) for block in gains)
    left = np.zeros((rows + len(equal) + 1, blocks * feedbacks + 1))
    left[:rows, -1] = 1.0
    start = 0
    for number, block in enumerate(gains):
        left[start : start + len(block), number * feedbacks : (number + 1) * feedbacks] = -block
        start += len(block)
    left[rows:-1, :-1] = equal
    left[-1, :-1] = 1.0
    least, most = np.full(len(left), -np.inf), np.zeros(len(left))
    least[rows:] = 0.0
    least[-1] = most[-1] = 1.0
    cost, lowest = np.zeros(kept.size + 1), np.zeros(kept.size + 1)
    cost[-1], lowest[-1] = -1.0, -np.inf
    solved = milp(
        cost,
        constraints=LinearConstraint(left[:, np.append(kept, blocks * feedbacks)], least, most),
        bounds=Bounds(lowest, np.full(kept.size + 1, np.inf)),
    )
    if solved.status != 0 or solved.x is None:
        return None
    masses = np.zeros(blocks * feedbacks)
    masses[kept] = np.clip(solved.x[:-1], 0.0, None)
    return Widest(float(solved.x[-1]), masses.reshape(blocks, feedbacks))
