"""Is a metric positional? Decided on all rankings and all labels of a small size.

A value of the form const(y) + sum_k c_k u_(item at k)(y), with c the same for all y, is known by what an
exchange of neighbours does: items i and j at places k and k+1 change it by (c_k - c_(k+1)) (u_i - u_j)(y).
So the change must depend on y, k, i and j alone, have rank one as a matrix of k against (y, i, j), and add up
along i, j, l. The other way round, these three give c and u back.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import permutations, product
from typing import Any

SLACK = 1e-12


def _equal(a: Any, b: Any) -> bool:
    return a == b or abs(a - b) <= SLACK * max(1.0, abs(a), abs(b))


def breaks_positional(value: Callable[[Sequence[Any]], Any], n: int, grades: Sequence[Any]) -> str:
    """Why the metric is not positional on n items with these grades; empty when it is."""
    changes: dict[tuple[int, tuple[Any, ...], int, int], Any] = {}
    for y in product(grades, repeat=n):
        of = {p: value([y[i] for i in p]) for p in permutations(range(n))}
        if any(v is None for v in of.values()):
            continue
        for p, v in of.items():
            for k in range(n - 1):
                swapped = (*p[:k], p[k + 1], p[k], *p[k + 2 :])
                d = v - of[swapped]
                if not _equal(changes.setdefault((k, y, p[k], p[k + 1]), d), d):
                    return f"labels {y}: exchanging items {p[k]}, {p[k + 1]} at {k + 1} depends on the others"
    if not changes:
        return ""
    k0, *column0 = max(changes, key=lambda key: abs(changes[key]))
    pivot = changes[k0, *column0]  # type: ignore[index]
    if pivot == 0:
        return ""
    for (k, y, i, j), d in changes.items():
        if not _equal(d * pivot, changes[k, *column0] * changes[k0, y, i, j]):  # type: ignore[index]
            return f"labels {y}: the worth of place {k + 1} against place {k0 + 1} depends on the labels"
    for y in {key[1] for key in changes}:
        for i, j, m in permutations(range(n), 3):
            if not _equal(changes[k0, y, i, j] + changes[k0, y, j, m], changes[k0, y, i, m]):
                return f"labels {y}: what items {i}, {j}, {m} are worth does not add up"
    return ""
