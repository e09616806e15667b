"""Pairs of items whose labels differ: how many a ranking puts in the wrong order, exact under ties.

A pair is lost when the better item stands below the worse one; in a group of equal scores half of the
rankings lose it. With ``below(g)`` the number of items seen so far with a lower grade than g, an item of
grade g loses ``below(g)`` pairs, and an item of a tie group the mean of ``below(g)`` before and after it.
All counts are whole numbers, so nothing is rounded.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankproof.kernels.compiled import kernel
from rankproof.kernels.metrics.grades import Grades, longest_query, whole_grades

__all__ = ["LOST", "PAIRS", "SCORE_TIES", "TIED", "all_apart", "count_pairs"]

# Columns of the result: twice the pairs lost (tied ones by half), the tied pairs among them, all pairs with
# different labels, and all pairs with equal scores.
LOST, TIED, PAIRS, SCORE_TIES = 0, 1, 2, 3

_ONE = np.uint64(1)


@kernel
def all_apart(ends: NDArray[np.int32], depth: int, items: int) -> bool:
    """Whether no two items share a place; items beyond ``depth`` share the last one."""
    apart = items - depth <= 1
    for i in range(min(depth, items)):
        apart = apart & (ends[i] == i + 1)
    return apart


@kernel
def _packed(
    grades: Grades,
    top: int,
    bits: int,
    steps: NDArray[np.uint64],
    ends: NDArray[np.int32],
    depth: int,
    out: NDArray[np.int64],
) -> None:
    """Few grades: all the ``below(g)`` live in one 64-bit word, ``bits`` bits each.

    An item of grade h raises ``below(g)`` of every g > h: one addition of ``steps[h]``, no memory touched.
    """
    items = grades.size
    width = np.uint64(bits)
    mask = (_ONE << width) - _ONE
    step = np.uint64(0)
    for g in range(top, -1, -1):
        steps[g] = step
        step += _ONE << (np.uint64(g) * width)
    state = np.uint64(0)
    lost, tied, score_ties = np.uint64(0), np.uint64(0), np.int64(0)
    if all_apart(ends, depth, items):
        for i in range(items):
            g = grades[i]
            lost += (state >> (np.uint64(g) * width)) & mask
            state += steps[g]
        lost += lost
    else:
        i = 0
        while i < items:
            end = int(ends[i]) if i < depth else items
            before = state
            for j in range(i, end):
                state += steps[grades[j]]
            for j in range(i, end):
                shift = np.uint64(grades[j]) * width
                above, all_seen = (before >> shift) & mask, (state >> shift) & mask
                lost += above + all_seen
                tied += all_seen - above
            score_ties += (end - i) * (end - i - 1) // 2
            i = end
    pairs = np.int64(0)
    for g in range(1, top + 1):
        below = np.int64((state >> (np.uint64(g) * width)) & mask)
        upto = np.int64((state >> (np.uint64(g + 1) * width)) & mask) if g < top else np.int64(items)
        pairs += below * (upto - below)
    out[LOST], out[TIED], out[PAIRS], out[SCORE_TIES] = np.int64(lost), np.int64(tied), pairs, score_ties


@kernel
def _seen_below(tree: NDArray[np.int64], grade: int) -> int:
    """The items in the Fenwick tree with a lower grade."""
    total, k = 0, np.int64(grade)
    while k > 0:
        total += tree[k]
        k -= k & -k
    return total


@kernel
def _by_tree(
    grades: Grades,
    top: int,
    tree: NDArray[np.int64],
    ends: NDArray[np.int32],
    depth: int,
    out: NDArray[np.int64],
) -> None:
    """Many grades: ``below(g)`` is a prefix sum of a Fenwick tree."""
    items, size = grades.size, top + 1
    tree[: size + 1] = 0
    lost, tied, score_ties = np.int64(0), np.int64(0), np.int64(0)
    i = 0
    while i < items:
        end = int(ends[i]) if i < depth else items
        before = 0
        for j in range(i, end):
            before += _seen_below(tree, grades[j])
        for j in range(i, end):
            k = np.int64(grades[j]) + 1
            while k <= size:
                tree[k] += 1
                k += k & -k
        after = before
        if end - i > 1:
            after = 0
            for j in range(i, end):
                after += _seen_below(tree, grades[j])
        lost += before + after
        tied += after - before
        score_ties += (end - i) * (end - i - 1) // 2
        i = end
    pairs, below = np.int64(0), np.int64(0)
    for g in range(1, size + 1):
        upto = _seen_below(tree, g)
        pairs += below * (upto - below)
        below = upto
    out[LOST], out[TIED], out[PAIRS], out[SCORE_TIES] = lost, tied, pairs, score_ties


@kernel
def count_pairs(
    labels: NDArray[np.float64],
    ends: NDArray[np.int32],
    offsets: NDArray[np.int64],
    depth: NDArray[np.int64],
    numbers: Grades,
    low: int,
    high: int,
    out: NDArray[np.int64],
) -> None:
    """Fill the four columns of ``out`` for queries low..high.

    With empty ``numbers``, queries with labels other than 0..63 are only marked, by -1 in column `LOST`;
    with numbered labels, the marked ones are counted.
    """
    longest = longest_query(offsets, low, high)
    scratch = np.empty(longest, np.int32)
    steps = np.empty(64, np.uint64)
    tree = np.empty(max(longest, 64) + 1, np.int64)
    for q in range(low, high):
        a, b = offsets[q], offsets[q + 1]
        items = b - a
        if numbers.size == 0:
            grades = scratch[:items]
            top = whole_grades(labels[a:b], grades)
            if top < 0 and items > 0:
                out[q, LOST] = -1
                continue
        else:
            if out[q, LOST] >= 0:
                continue
            grades = numbers[a:b]
            top = -1
            for grade in grades:
                top = max(top, int(grade))
        bits = 1
        while (items >> bits) > 0:
            bits += 1
        if (top + 1) * bits <= 64:
            _packed(grades, top, bits, steps, ends[a:b], depth[q], out[q])
        else:
            _by_tree(grades, top, tree, ends[a:b], depth[q], out[q])
