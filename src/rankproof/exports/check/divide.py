"""Rows that go down a tree together: the one thing that evaluators of trees share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankproof.arrays import Float64s, Int64s

__all__ = ["divide"]

# Of a node and the rows that reach it: the value of a leaf, or the two nodes after it and which rows go to
# the first.
Step = Callable[[Any, Int64s], "float | tuple[Any, Any, NDArray[np.bool_]]"]


def divide(root: Any, rows: int, step: Step) -> Float64s:
    """The value that every row ends with."""
    out = np.zeros(rows)
    todo = [(root, np.arange(rows))]
    while todo:
        node, part = todo.pop()
        what = step(node, part)
        if not isinstance(what, tuple):
            out[part] = what
            continue
        first, second, goes = what
        for child, some in ((first, part[goes]), (second, part[~goes])):
            if some.size:
                todo.append((child, some))
    return out
