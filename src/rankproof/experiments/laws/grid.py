"""The grid of laws over two or three label vectors, in the order in which scenes list them.

>>> grid(2, 2)
[(2, 0), (1, 1), (0, 2)]
>>> grid(3, 1)
[(1, 0, 0), (0, 0, 1), (0, 1, 0)]
"""

from __future__ import annotations

__all__ = ["grid"]


def grid(corners: int, steps: int) -> list[tuple[int, ...]]:
    """All laws with probabilities in ``steps``-ths; what the first corner has is what the others leave."""
    if corners == 2:
        return [(steps - i, i) for i in range(steps + 1)]
    return [(steps - i - j, i, j) for i in range(steps + 1) for j in range(steps + 1 - i)]
