"""Linear programs over laws: the law that is worst for a ranking among those with a given minimiser.

That scores s minimise the expected loss says that the mean of the gradients at s is 0, which is linear in the
law; so is what a ranking is worth. So for given s the law under which the ranking by s loses most to another
ranking is the solution of a linear program (HiGHS), and the solution has few feedbacks. Some conditions on
the noise are linear too, once it is said which items the law favours (`cones`).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, permutations

import numpy as np
from numpy.typing import NDArray

from rankproof.arrays import Float64s
from rankproof.feedback import Graded, Permutation, PreferenceGraph
from rankproof.feedback.spaces import Space

__all__ = ["cones", "meets", "restricted", "widest_law", "worst_law"]

# What a program reports below this is rounding.
NOTHING = 1e-9
# A difference of probabilities that shows.
STRICTLY = 1 / 500


def worst_law(gain: Float64s, zero: Float64s, least: Float64s) -> Float64s | None:
    """The law p with the largest p @ gain, among those with zero @ p = 0 and least @ p >= 0.

    None when that is not above 0, or when there is no such law.
    """
    from scipy.optimize import linprog

    kinds = gain.size
    equal = np.concatenate([zero.reshape(-1, kinds), np.ones((1, kinds))])
    solution = linprog(
        -gain,
        A_ub=-least if least.size else None,
        b_ub=np.zeros(len(least)) if least.size else None,
        A_eq=equal,
        b_eq=np.concatenate([np.zeros(len(equal) - 1), [1.0]]),
        method="highs-ds",
    )
    if (
        solution.status != 0
        or solution.x is None
        or solution.x @ gain <= NOTHING * np.abs(gain).max(initial=0.0)
    ):
        return None
    return _cleaned(solution.x)


def widest_law(rows: Float64s, least: Float64s) -> Float64s | None:
    """The law for which the smallest of rows @ p, in units of the rows, is largest; least @ p >= 0 besides.

    None when that is not above 0, or when there is no such law.
    """
    from scipy.optimize import linprog

    kinds = rows.shape[1]
    units = np.abs(rows).max(axis=1)
    if (units == 0.0).any():
        return None
    above = np.concatenate([rows, np.reshape(least, (-1, kinds))])
    slack = np.concatenate([units, np.zeros(len(above) - len(rows))])
    solution = linprog(
        np.concatenate([np.zeros(kinds), [-1.0]]),
        A_ub=np.concatenate([-above, slack[:, None]], axis=1),
        b_ub=np.zeros(len(above)),
        A_eq=np.concatenate([np.ones(kinds), [0.0]])[None],
        b_eq=[1.0],
        method="highs-ds",
    )
    if solution.status != 0 or solution.x is None or solution.x[kinds] <= NOTHING:
        return None
    return _cleaned(solution.x[:kinds])


def _cleaned(p: Float64s) -> Float64s:
    kept = np.where(p > 1e-12, p, 0.0)
    share: Float64s = kept / kept.sum()
    return share


def cones(noise: str | None, space: Space) -> list[Float64s] | None:
    """Conditions on laws as lists of rows with rows @ p >= 0, one list per ranking that the law may favour.

    Laws that meet a list meet the condition. None for conditions that are not of this kind.
    """
    kinds = len(space)
    if noise is None:
        return [np.empty((0, kinds))]
    if noise == "low noise":
        differences = _mean_preferences(space)
        return [_adding_up(differences, order) for order in permutations(range(space.items))]
    if noise in ("rank-differentiable", "order-preserving"):
        # Order-preserving asks for strict inequalities; probabilities have sum 1.
        least = STRICTLY if noise == "order-preserving" else 0.0
        return [_exchanges(space, order) - least for order in permutations(range(space.items))]
    return None


def meets(noise: str | None, space: Space, rows: Float64s) -> NDArray[np.bool_]:
    """Which laws, one row each, seem to meet the condition (for those with `cones`: are in one of them)."""
    if noise == "independent":
        return _independent(space, rows)
    lists = cones(noise, space)
    inside = [(rows @ least.T >= -1e-12).all(axis=1) for least in lists or [np.empty((0, len(space)))]]
    return np.asarray(np.array(inside).any(axis=0))


def _independent(space: Space, rows: Float64s) -> NDArray[np.bool_]:
    product = np.ones(rows.shape)
    for item in range(space.items):
        grades = [y[item] for y in space.feedback if not isinstance(y, PreferenceGraph)]
        same = np.array([[float(a == b) for b in grades] for a in grades])
        product *= rows @ same
    return np.asarray((np.abs(product - rows) <= 1e-12).all(axis=1))


def _mean_preferences(space: Space) -> Float64s:
    """d[i, j, y]: the weight of i over j less that of j over i."""
    n = space.items
    d = np.zeros((n, n, len(space)))
    for place, y in enumerate(space.feedback):
        graph = y if isinstance(y, PreferenceGraph) else y.preferences()
        for i, j, weight in graph.edges:
            d[i, j, place] += float(weight)
            d[j, i, place] -= float(weight)
    return d


def _adding_up(d: Float64s, order: Sequence[int]) -> Float64s:
    rows = [d[i, j] for i, j in combinations(order, 2)]
    rows += [d[i, j] - d[i, k] - d[k, j] for i, k, j in combinations(order, 3)]
    return np.array(rows)


def _exchanges(space: Space, order: Sequence[int]) -> Float64s:
    """P(y) is at least P(y with i and j exchanged) for all y in favour of i, i before j in the order."""
    rows = []
    for i, j in combinations(order, 2):
        swap = list(range(space.items))
        swap[i], swap[j] = j, i
        there = space.relabelled(swap)
        for place, y in enumerate(space.feedback):
            if isinstance(y, PreferenceGraph):
                continue
            ahead = y[i] < y[j] if isinstance(y, Permutation) else y[i] > y[j]
            if ahead:
                row = np.zeros(len(space))
                row[place], row[there[place]] = 1.0, -1.0
                rows.append(row)
    return np.array(rows).reshape(-1, len(space))


def restricted(space: Space, noise: str | None) -> Space:
    """The space without feedback that the condition rules out by itself."""
    if space.kind != "graded" or noise not in ("binary", "one relevant"):
        return space
    graded = [y for y in space.feedback if isinstance(y, Graded)]
    if noise == "binary":
        kept = [y for y in graded if all(grade in (0, 1) for grade in y)]
    else:
        kept = [y for y in graded if sum(grade >= 1 for grade in y) == 1]
    return Space(space.kind, space.items, tuple(kept))
