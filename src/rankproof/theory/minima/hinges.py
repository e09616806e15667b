"""Pairwise losses with the hinge as their margin: minimisers of the expected loss among finitely many scores.

The expected loss is a sum of hinges max(0, c - (s_i - s_j)) with weights of at least 0: linear between the
planes s_i - s_j = c. The planes of all pairs cut the space (up to shifts) into cells with corners, and on
each the least value is at a corner. A corner joins all items by differences of c, so its sorted scores go
down in steps of 0 or c: one corner per weak order of the items.

>>> corners(2)
array([[0, 0],
       [1, 0],
       [0, 1]])
>>> len(corners(3)), len(corners(4))
(13, 75)
"""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankproof.theory.formulas.table import loss_margin, theory_of

__all__ = ["corners", "hinge_step"]


def hinge_step(loss: Any) -> float | None:
    """The c of a pairwise loss whose margin is max(0, c - t) times a number, else None.

    >>> from rankproof.losses import Preorder
    >>> hinge_step(Preorder(margin="hinge")), hinge_step(Preorder(margin="huber"))
    (1.0, None)
    """
    if theory_of(loss).pair_weights is None:
        return None
    pieces = loss_margin(loss).pieces
    if pieces is None:
        return None
    line, flat, _, slope, level = pieces
    # A line that ends where zero starts, with no parabola between, and no jump.
    return line if line == flat and slope > 0 and level == 0 and line > 0 else None


@lru_cache(maxsize=8)
def corners(items: int) -> NDArray[np.int64]:
    """One row of whole scores per weak order of the items: each of 0, 1, ..., the largest occurs."""
    rows = [
        scores
        for levels in range(1, items + 1)
        for scores in sorted(product(range(levels), repeat=items), reverse=True)
        if len(set(scores)) == levels
    ]
    return np.array(rows, dtype=np.int64)
