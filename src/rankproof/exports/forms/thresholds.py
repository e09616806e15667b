"""Thresholds in other arithmetic: the number that sends every float32 to the same side as before."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from rankproof.exports.forms.trees import TreeForm

__all__ = ["below32", "down32", "next32", "splits_of", "thresholds_at_most", "thresholds_below", "up32"]

_INF = np.float32(np.inf)


def down32(value: float) -> np.float32:
    """The largest float32 that is at most ``value``.

    >>> float(down32(0.1)) < 0.1 < float(up32(0.1)), down32(0.5)
    (True, np.float32(0.5))
    """
    with np.errstate(over="ignore", under="ignore"):
        near = np.float32(value)
    return below32(near) if float(near) > value else near


def up32(value: float) -> np.float32:
    """The smallest float32 that is at least ``value``."""
    return -down32(-value)


def next32(value: np.float32) -> np.float32:
    """The next larger float32."""
    with np.errstate(over="ignore", under="ignore"):
        return np.float32(np.nextafter(value, _INF))


def below32(value: np.float32) -> np.float32:
    """The next smaller float32."""
    return -next32(-value)


def thresholds_below(form: TreeForm, threshold: float) -> np.float32:
    """T such that a float32 goes left exactly when ``x < T``."""
    return up32(threshold) if form.strict else next32(down32(threshold))


def thresholds_at_most(form: TreeForm, threshold: float) -> np.float32:
    """T such that a float32 goes left exactly when ``x <= T``."""
    return below32(up32(threshold)) if form.strict else down32(threshold)


def splits_of(form: TreeForm) -> Iterator[tuple[int, int, int]]:
    """Tree, node and feature of every split that a root leads to."""
    for number, tree in enumerate(form.trees):
        for node, _ in tree.walk():
            if tree.feature[node] >= 0:
                yield number, node, int(tree.feature[node])
