r"""Pairs of items weighted by where they are in the current list, as LambdaRank has it, but consistent.

Every pair counts in both directions, with the target of the winner:

    F_i(s) = sum_j W_ij(s) [u_j sigma(s_i - s_j) - u_i sigma(s_j - s_i)],    W_ij = W_ji > 0

where W may look at the scores, not at the labels. That is no gradient of a fixed loss. But when m = E[u] is
positive for all items, the mean of F is zero at s = log m, and nowhere else but for a number added to all
scores: with d_i = s_i - log m_i the bracket has the sign of d_i - d_j (it is m_i m_j (e^d_i - e^d_j), over
something positive), so that over the items of the greatest d, among which pairs cancel, F adds up to
something positive unless all d are equal. Some W may be 0, as long as the others link all items.

``difference`` has max(u_i - u_j, 0) in place of u_i, as LambdaRank and YetiRank do. Its zero depends on W. It
is the right one when u is a gain, a function of the item's own label, and labels are independent with
proportional odds: logit P(y_i >= g) = t_i + c_g. Then a difference is the sum, over the grades between the
two, of pairs of binary labels whose odds are e^(t_i - t_j), and the argument above gives s = t. Divided by
the ideal DCG, as LambdaRank does for nDCG, it is not: that weighs the pairs of grades by the other labels.
``tests/theory/test_attention.py`` tries all of this.
"""

from __future__ import annotations

import numba
import numpy as np

__all__ = ["ATTENTION", "PAIRS", "derivatives"]

ATTENTION = {"one": 0, "log": 1, "1/rank": 2, "adjacent": 3}
PAIRS = {"winner": 0, "difference": 1}
ORDERS, DECAY = 10, 0.85  # what YetiRank has

# Not cached: a cached function that takes a Generator cannot be loaded again by another process.


@numba.njit(nogil=True)
def derivatives(
    scores: np.ndarray,
    u: np.ndarray,
    offsets: np.ndarray,
    of_query: np.ndarray,
    attention: int,
    pairs: int,
    noise: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray]:
    """F and its derivative by the item's own score, W held.

    Attention ``one`` weighs all pairs alike; ``log`` and ``1/rank`` by the difference of 1 / log2(1 + rank)
    or 1 / rank; ``adjacent`` those that are next to each other in noisy orders, as YetiRank does.
    """
    gradient, hessian = np.zeros(u.size), np.zeros(u.size)
    for q in range(offsets.size - 1):
        a, n = offsets[q], offsets[q + 1] - offsets[q]
        weights = np.ones((n, n))
        if attention == 3:
            weights[:] = _adjacent(scores[a : a + n], noise)
        elif attention > 0:
            order = np.argsort(-scores[a : a + n])
            discount = np.empty(n)
            for r in range(n):
                discount[order[r]] = 1 / np.log2(2.0 + r) if attention == 1 else 1 / (1.0 + r)
            for i in range(n):
                for j in range(n):
                    weights[i, j] = abs(discount[i] - discount[j])
        for i in range(a, a + n):
            for j in range(i + 1, a + n):
                first, second = u[i], u[j]
                if pairs == 1:
                    first, second = max(first - second, 0.0), max(second - first, 0.0)
                w = weights[i - a, j - a] * of_query[q]
                if w == 0 or (first == 0 and second == 0):
                    continue
                ahead = 1 / (1 + np.exp(scores[j] - scores[i]))
                g = w * (second * ahead - first * (1 - ahead))
                h = w * (first + second) * ahead * (1 - ahead)
                gradient[i] += g
                gradient[j] -= g
                hessian[i] += h
                hessian[j] += h
    return gradient, hessian


@numba.njit(nogil=True)
def _adjacent(scores: np.ndarray, noise: np.random.Generator) -> np.ndarray:
    """How often two items are neighbours in orders of scores with logistic noise, less further down."""
    n = scores.size
    weights = np.zeros((n, n))
    noisy = np.empty(n)
    for _ in range(ORDERS):
        for i in range(n):
            x = noise.random()
            noisy[i] = scores[i] + np.log((x + 1e-12) / (1 - x))
        order = np.argsort(-noisy)
        w = 1.0 / ORDERS
        for r in range(n - 1):
            i, j = order[r], order[r + 1]
            weights[i, j] += w
            weights[j, i] += w
            w *= DECAY
    return weights
