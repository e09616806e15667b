"""Loss formulas that are sums over the items of a query: squared, KL, Duchi's, logistic and ordinal.

Each takes the loss, the scores and what the loss reads (`rankproof.theory.formulas.inputs`), and follows
the definition in the docstring of the loss, written out without regard to speed.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from rankproof.losses.duchi import Duchi
from rankproof.losses.kl import KL
from rankproof.losses.lift import Lift
from rankproof.losses.pointwise import Ordinal, PointwiseLogistic
from rankproof.losses.relative import Relative
from rankproof.losses.squared import CentredSquared, Squared
from rankproof.theory.arithmetic.functions import cosh, exp, log, softplus

__all__ = [
    "centred_squared",
    "duchi",
    "kl",
    "lift",
    "ordinal",
    "pointwise_logistic",
    "relative",
    "squared",
    "total",
]


def total(terms: Sequence[Any]) -> Any:
    """The sum of at least one term."""
    result = terms[0]
    for term in terms[1:]:
        result = result + term
    return result


def squared(loss: Squared, scores: Sequence[Any], u: Sequence[Any]) -> Any:  # noqa: ARG001
    """sum_i (s_i - u_i)^2."""
    return total([(s - x) ** 2 for s, x in zip(scores, u, strict=True)])


def centred_squared(loss: CentredSquared, scores: Sequence[Any], u: Sequence[Any]) -> Any:  # noqa: ARG001
    """The same of s and u less their means."""
    gaps = [s - x for s, x in zip(scores, u, strict=True)]
    mean = total(gaps) * Fraction(1, len(gaps))
    return total([(gap - mean) ** 2 for gap in gaps])


def lift(loss: Lift, scores: Sequence[Any], u: Sequence[Any]) -> Any:  # noqa: ARG001
    """1/n sum_i u_i sum_{j != i} (1 - s_i + s_j)^2."""
    n = len(scores)
    pairs = [(1 - scores[i] + scores[j]) ** 2 * u[i] for i in range(n) for j in range(n) if i != j]
    return total(pairs) * Fraction(1, n) if pairs else scores[0] * 0


def relative(loss: Relative, scores: Sequence[Any], u: Sequence[Any]) -> Any:  # noqa: ARG001
    """sum_i u_i (1 - s_i)^2 + mean(u) s_i^2."""
    mean = total(u) * Fraction(1, len(u))
    return total([(1 - s) ** 2 * x + s**2 * mean for s, x in zip(scores, u, strict=True)])


def kl(loss: KL, scores: Sequence[Any], u: Sequence[Any]) -> Any:  # noqa: ARG001
    """sum_i (u_i log u_i - u_i s_i - u_i + e^s_i), with 0 log 0 = 0."""
    return total(
        [
            exp(s) - x * s + (x * log(x) - x if not x == 0 else 0)  # noqa: SIM201 - an interval may refuse
            for s, x in zip(scores, u, strict=True)
        ]
    )


def duchi(loss: Duchi, scores: Sequence[Any], u: Sequence[Any]) -> Any:
    """nu sum_i r(s_i) - sum_i s_i u_i."""
    nu = Fraction(loss.nu)
    penalties = [s**2 if loss.penalty == "square" else cosh(s) - 1 for s in scores]
    return total([r * nu - s * x for r, s, x in zip(penalties, scores, u, strict=True)])


def pointwise_logistic(loss: PointwiseLogistic, scores: Sequence[Any], labels: Sequence[Any]) -> Any:
    """sum_i log(1 + e^(-z_i s_i)), z_i = 1 when y_i >= rel, else -1."""
    return total([softplus(-s if y >= loss.rel else s) for s, y in zip(scores, labels, strict=True)])


def ordinal(loss: Ordinal, scores: Sequence[Any], labels: Sequence[Any]) -> Any:
    """sum_i sum_k log(1 + e^(-z_ik (s_i - t_k))), z_ik = 1 when y_i >= k, else -1."""
    return total(
        [
            softplus(Fraction(t) - s if y >= k else s - Fraction(t))
            for s, y in zip(scores, labels, strict=True)
            for k, t in enumerate(loss.thresholds, start=1)
        ]
    )
