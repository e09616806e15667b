"""Exact minimisers of expected losses that are quadratic, from the mean m = E[u] in fractions.

squared, centred-squared, duchi with penalty=square and bregman with p=2 are least where a linear equation
holds: s = E[u], s = E[u] + c, s = E[u] / 2 nu, s = E[u]; lift and relative where their docstrings say. The
cosine (not normalised) and the q family with q=2 are least exactly at the positive multiples of E[u], when
that is not 0 (Cauchy-Schwarz). Each function gives None where the minimiser is not of that form.
"""

from __future__ import annotations

from fractions import Fraction

from rankproof.losses.base import Loss
from rankproof.losses.bregman import Bregman
from rankproof.losses.cosine import Cosine
from rankproof.losses.duchi import Duchi
from rankproof.losses.lift import Lift
from rankproof.losses.q_family import QFamily
from rankproof.losses.relative import Relative

__all__ = ["bregman", "cosine", "duchi", "lift", "mean_itself", "q_family", "relative"]

Scores = list[Fraction] | None


def mean_itself(loss: Loss, mean: list[Fraction]) -> Scores:  # noqa: ARG001
    """s = m."""
    return mean


def bregman(loss: Bregman, mean: list[Fraction]) -> Scores:
    """s = m, for p = 2."""
    return mean if loss.p == 2 else None


def duchi(loss: Duchi, mean: list[Fraction]) -> Scores:
    """s = m / 2 nu, with the square as penalty."""
    return [m / (2 * Fraction(loss.nu)) for m in mean] if loss.penalty == "square" else None


def cosine(loss: Cosine, mean: list[Fraction]) -> Scores:
    """A multiple of m, when the targets are not normalised and m is not 0."""
    return mean if not loss.normalize and any(mean) else None


def q_family(loss: QFamily, mean: list[Fraction]) -> Scores:
    """A multiple of m, for q = 2, when m is not 0."""
    return mean if loss.q == 2 and any(mean) else None


def lift(loss: Lift, mean: list[Fraction]) -> Scores:  # noqa: ARG001
    """1 less the harmonic mean of the m_j + mean(m), over m_i + mean(m)."""
    if not any(mean):
        return None
    raised = [m + sum(mean, Fraction(0)) / len(mean) for m in mean]
    harmonic = len(mean) / sum((1 / r for r in raised), Fraction(0))
    return [1 - harmonic / r for r in raised]


def relative(loss: Relative, mean: list[Fraction]) -> Scores:  # noqa: ARG001
    """m_i over m_i + mean(m)."""
    if not any(mean):
        return None
    middle = sum(mean, Fraction(0)) / len(mean)
    return [m / (m + middle) for m in mean]
