r"""The ball method: a small gradient and proven curvature enclose all minimisers of a convex function.

**Theorem.** Let F be convex on R^n, c a point, g a subgradient of F at c and r > 0. Let H - mu I be positive
definite for every second derivative H that F takes (or approaches, where the gradient has corners) in the
ball of radius r around c, with mu = 2 |g| / r. Then F has exactly one minimiser, and it lies inside the
ball.

*Proof.* On the ball F is strongly convex with some m > mu. At distance r from c, F(s) >= F(c) + <g, s - c> +
m r^2 / 2 >= F(c) + r (m r / 2 - |g|) > F(c). A convex function that is larger on a sphere than at its center
is larger outside as well. So the minimum over the closed ball, which is attained, is the minimum of F, it is
not on the sphere, and strong convexity makes it unique.

**Shifts.** When F does not change as a number is added to all scores, the same holds on the scores with the
same sum as c, where s - c is orthogonal to (1, ..., 1). There H and H + tau 11^T are the same, so it is
enough that H + tau 11^T - mu I is positive definite for one number tau.

A matrix of intervals is positive definite when elimination in interval arithmetic gives pivots above 0: the
pivots of every symmetric matrix in it lie in those intervals.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Protocol

import numpy as np

from rankproof.arrays import Float64s
from rankproof.theory.arithmetic.intervals import Enclosure
from rankproof.theory.arithmetic.jets import Jet

__all__ = ["Differentiable", "check_ball", "find_ball", "positive_definite", "rounded"]

# Digits after the point of a center that is found.
PLACES = 15
MOST_STEPS = 12
# Scores that spread farther than this are on their way to infinity.
FARTHEST = 500.0
WORST_CONDITION = 1e14
# The largest radius tried: wider, and the curvature over the ball says little.
WIDEST = Fraction(1, 100)


class Differentiable(Protocol):
    """What gives value, gradient and Hessian over boxes of scores."""

    items: int

    def jet(self, center: Sequence[Fraction], radius: Fraction) -> Jet:
        """The derivatives over the box of half-width ``radius`` around the center."""


def rounded(x: float | Fraction) -> Fraction:
    """A number cut to `PLACES` digits after the point."""
    return Fraction(round(Fraction(x) * 10**PLACES), 10**PLACES)


def positive_definite(matrix: Sequence[Sequence[Enclosure]]) -> bool:
    """Whether every symmetric matrix between the bounds is surely positive definite."""
    rows = [list(row) for row in matrix]
    n = len(rows)
    for k in range(n):
        pivot = rows[k][k]
        if pivot.low <= 0:
            return False
        for i in range(k + 1, n):
            factor = rows[k][i] / pivot
            for j in range(i, n):
                rows[i][j] = rows[i][j] - factor * rows[k][j]
    return True


def check_ball(
    risk: Differentiable, center: Sequence[Fraction], radius: Fraction, *, shift_invariant: bool
) -> str | None:
    """None when the theorem holds for the convex function ``risk``, else what fails."""
    n = risk.items
    here, around = risk.jet(center, Fraction(0)), risk.jet(center, radius)
    square = sum((here.slope(i).square() for i in range(n)), Enclosure.from_number(0))
    mu = square.sqrt() * 2 / radius
    matrix = [[around.bend(i, j) for j in range(n)] for i in range(n)]
    # Any number will do; one of the size of the curvature keeps the matrix well conditioned.
    tau = max([row[i].magnitude for i, row in enumerate(matrix)] + [Fraction(1, 2**60)])
    for i in range(n):
        for j in range(n) if shift_invariant else ():
            matrix[i][j] = matrix[i][j] + tau
        # The upper bound, so that one number is taken off for all gradients.
        matrix[i][i] = matrix[i][i] - Enclosure(mu.high, mu.high)
    if positive_definite(matrix):
        return None
    return (
        f"at the center the slope is up to {float(square.sqrt().upper):.2e}, and the curvature within "
        f"{float(radius):.2e} of it is not proven to be above {float(mu.upper):.2e}"
    )


def find_ball(
    risk: Differentiable, start: Sequence[float], *, shift_invariant: bool
) -> Iterator[tuple[tuple[Fraction, ...], Fraction]]:
    """Centers and radii to be checked, the smallest radius first: Newton's method from nearby scores."""
    center, n = [rounded(float(x)) for x in start], risk.items
    for _ in range(MOST_STEPS):
        gradient, curved = _middles(risk.jet(center, Fraction(0)), n)
        if shift_invariant:
            curved = curved + np.abs(np.diagonal(curved)).max()
        if not np.isfinite(curved).all() or np.linalg.cond(curved) > WORST_CONDITION:
            return
        move = np.linalg.solve(curved, -gradient)
        step = float(np.abs(move).max())
        if step < 10.0**-PLACES:
            break
        if not step < FARTHEST or max(abs(float(c)) for c in center) > FARTHEST:
            return
        center = [rounded(c + Fraction(float(d))) for c, d in zip(center, move, strict=True)]
    least = float(np.linalg.eigvalsh(curved).min())
    if least <= 0.0:
        return
    needed = max(4.0 * float(np.linalg.norm(gradient)) / least, 10.0 ** (1 - PLACES))
    radius = Fraction(10) ** math.ceil(math.log10(needed))
    while radius <= WIDEST:
        yield tuple(center), radius
        radius *= 100


def _middles(jet: Jet, n: int) -> tuple[Float64s, Float64s]:
    """Gradient and Hessian in floats."""
    gradient = np.array([float(jet.slope(i).middle) for i in range(n)])
    return gradient, np.array([[float(jet.bend(i, j).middle) for j in range(n)] for i in range(n)])
