"""Loss formulas on the whole list of a query: softmax and its kin, ListMLE, ApproxNDCG, norms.

Each takes the loss, the scores and what the loss reads (`rankproof.theory.formulas.inputs`), and follows
the definition in the docstring of the loss, written out without regard to speed.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from rankproof.losses.approx_ndcg import ApproxNDCG
from rankproof.losses.bregman import Bregman
from rankproof.losses.cosine import Cosine
from rankproof.losses.listmle import ListMLE
from rankproof.losses.listnet import ListNet
from rankproof.losses.q_family import QFamily
from rankproof.losses.softmax import Softmax
from rankproof.losses.xe_ndcg import XENDCG
from rankproof.theory.arithmetic.functions import absolute_power, exp, log, log_sum_exp, power, sigmoid, sqrt
from rankproof.theory.arithmetic.intervals import Enclosure, UnprovenError
from rankproof.theory.formulas.items import total
from rankproof.theory.formulas.target_numbers import ExactOrInterval

__all__ = [
    "approx_ndcg",
    "bregman",
    "cosine",
    "listmle",
    "listnet",
    "norm_exponent",
    "q_family",
    "softmax",
    "xe_ndcg",
]


def _inner(one: Sequence[Any], other: Sequence[Any]) -> Any:
    return total([a * b for a, b in zip(one, other, strict=True)])


def softmax(loss: Softmax, scores: Sequence[Any], u: Sequence[Any]) -> Any:  # noqa: ARG001
    """-sum_i u_i log softmax(s)_i."""
    return _cross_entropy(scores, u)


def _cross_entropy(scores: Sequence[Any], shares: Sequence[Any]) -> Any:
    return log_sum_exp(scores) * total(shares) - _inner(scores, shares)


def listnet(loss: ListNet, scores: Sequence[Any], labels: Sequence[Any]) -> Any:  # noqa: ARG001
    """sum_i p_i log(p_i / q_i), p = softmax(y), q = softmax(s)."""
    mass = log_sum_exp(labels)
    logs = [y - mass for y in labels]
    shares = [exp(x) for x in logs]
    return _cross_entropy(scores, shares) + _inner(shares, logs)


def listmle(loss: ListMLE, scores: Sequence[Any], labels: Sequence[Any]) -> Any:
    """sum_i (log sum_{j in B_i} e^s_j - s_i), B_i being the items left when i is picked."""
    n = len(scores)
    terms = []
    for i in range(n):
        left = [
            scores[j]
            for j in range(n)
            if j == i
            or labels[j] < labels[i]
            or (not labels[j] > labels[i] and (loss.ties == "together" or j > i))
        ]
        terms.append(log_sum_exp(left) - scores[i])
    return total(terms)


def xe_ndcg(loss: XENDCG, scores: Sequence[Any], labels: Sequence[Any]) -> Any:
    """-sum_i phi_i log softmax(s)_i, phi_i = (2^y_i - gamma) / sum_j (2^y_j - gamma)."""
    parts = [_two_to(y if y > 0 else y * 0) - Fraction(loss.gamma) for y in labels]
    mass = total(parts)
    if not mass > 0:
        return scores[0] * 0
    return _cross_entropy(scores, [part / mass for part in parts])


def _two_to(y: Any) -> Any:
    if isinstance(y, float):
        return 2.0**y
    if not isinstance(y, Enclosure) and y == int(y):
        return Fraction(2) ** int(y)
    return exp(log(2) * y)


def approx_ndcg(loss: ApproxNDCG, scores: Sequence[Any], u: Sequence[Any]) -> Any:
    """-sum_i u_i / log2(1 + r_i), r_i = 1 + sum_{j != i} sigmoid((s_j - s_i) / T)."""
    rate = 1 / Fraction(loss.temperature)
    terms = [scores[0] * 0]
    for i, x in enumerate(u):
        above = [sigmoid((s - scores[i]) * rate) for j, s in enumerate(scores) if j != i]
        rank = total([scores[i] * 0 + 1, *above])
        terms.append(_log_of_2(scores) * x / log(1 + rank) * -1)
    return total(terms)


def _log_of_2(scores: Sequence[Any]) -> Any:
    return log(2.0 if isinstance(scores[0], float) else 2)


def cosine(loss: Cosine, scores: Sequence[Any], u: Sequence[Any]) -> Any:
    """1 - <s, u> / |s|, over |u| too when normalize (a target of 0 is not divided); 1 at s = 0."""
    if _all_zero(scores):
        return scores[0] * 0 + 1
    part = _inner(scores, u) / _length(scores)
    if loss.normalize and not _all_zero(u):
        part = part / _length(u)
    return 1 - part


def _length(x: Sequence[Any]) -> Any:
    return sqrt(total([a**2 for a in x]))


def _all_zero(x: Sequence[Any]) -> bool:
    """Whether all are exactly 0; intervals around 0 count as not, and are refused where it matters."""
    return all(isinstance(a, int | float | Fraction) and a == 0 for a in x)


def norm_exponent(loss: QFamily, items: int) -> ExactOrInterval:
    """q of the q-norm: an exact number, or an interval around log(m) + 2."""
    if not isinstance(loss.q, str):
        return Fraction(loss.q)
    if items == 1:
        return 2
    enclosed: Enclosure = log(items) + 2
    return enclosed


def _q_norm(scores: Sequence[Any], q: ExactOrInterval) -> Any:
    return power(total([absolute_power(s, q) for s in scores]), 1 / Enclosure.from_number(q))


def q_family(loss: QFamily, scores: Sequence[Any], u: Sequence[Any]) -> Any:
    """-<s, u> / |s|_q; 0 at s = 0."""
    if _all_zero(scores):
        return scores[0] * 0
    return -_inner(scores, u) / _q_norm(scores, norm_exponent(loss, len(scores)))


def bregman(loss: Bregman, scores: Sequence[Any], u: Sequence[Any]) -> Any:
    """|s|_q^2 - 2 <s, u>, or the user's conjugate of s less <s, u>."""
    if loss.p is None:
        return _users_conjugate(loss, scores) - _inner(scores, u)
    p = Fraction(loss.p)
    q = p / (p - 1)
    if q == 2:
        return total([s**2 for s in scores]) - 2 * _inner(scores, u)
    if _all_zero(scores):
        return scores[0] * 0
    return power(total([absolute_power(s, q) for s in scores]), 2 / Enclosure.from_number(q)) - 2 * _inner(
        scores, u
    )


def _users_conjugate(loss: Bregman, scores: Sequence[Any]) -> Any:
    plain = all(isinstance(s, float) for s in scores)
    array = np.array(scores, dtype=np.float64 if plain else object)
    try:
        value: Any = loss.conjugate(array)  # type: ignore[misc]
    except UnprovenError:
        raise
    except Exception as error:
        raise UnprovenError(
            f"The conjugate of loss bregman cannot be run on {type(scores[0]).__name__} "
            f"({type(error).__name__}: {error}). Write it with arithmetic, np.exp, np.log and np.sqrt."
        ) from error
    return float(value) if plain else value
