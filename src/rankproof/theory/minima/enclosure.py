"""Where the minimisers of an expected loss lie: found near given scores, and proven.

`enclose` looks for a `Minimum` near approximate minimising scores; whatever it returns has passed
`check_minimum`, which proves the statement from the loss, the law and the numbers alone, in fractions and
intervals. Each method has its theorem in the docstring of its file: `ball`, `stationary` (method ``exact``)
and `direction` (methods ``direction`` and ``mean``).

>>> from rankproof.losses import Softmax, Squared
>>> from rankproof.theory.base.minimum import sure_pairs
>>> p = Law({(3, 1): "1/4", (0, 2): "3/4"})
>>> enclose(Squared(), p, [0.7, 1.8])  # E[y]
Minimum(method='exact', center=(Fraction(3, 4), Fraction(7, 4)), radius=Fraction(0, 1))
>>> found = enclose(Softmax(), p, [0.0, 0.8])  # s_1 - s_0 = log(7/3)
>>> print(found, check_minimum(Softmax(), p, found), sorted(sure_pairs(found)))
(-0.0236489, 0.823649) up to 1e-14 None [(1, 0)]
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

from rankproof.errors import ArgumentError, RankproofError
from rankproof.feedback import Law
from rankproof.losses.base import Loss
from rankproof.theory.arithmetic.intervals import UnprovenError
from rankproof.theory.base.minimum import Minimum
from rankproof.theory.formulas.formula import Function, MeanLoss
from rankproof.theory.formulas.table import theory_of
from rankproof.theory.minima.ball import check_ball, find_ball
from rankproof.theory.minima.direction import check_direction, check_mean, find_direction, find_mean
from rankproof.theory.minima.stationary import check_exact, find_exact

__all__ = ["check_minimum", "enclose"]


def enclose(loss: Loss | Function, law: Law, center: Sequence[float]) -> Minimum | None:
    """A proven statement on the minimisers near the given scores, or None when none was found.

    Parameters
    ----------
    loss : Loss, or an object with a ``function (scores, feedback) -> number`` that says that it is ``convex``
    law : Law
        On graded feedback, permutations or preference graphs.
    center : numbers, one per item
        Scores near a minimiser of the expected loss.
    """
    start = [float(x) for x in center]
    if len(start) != law.items or not all(map(math.isfinite, start)):
        raise ArgumentError(
            f"Argument center must hold {law.items} finite numbers, one per item of the law, got {start}."
        )
    try:
        for minimum in _candidates(MeanLoss(loss, law), start):
            if check_minimum(loss, law, minimum) is None:
                return minimum
    except UnprovenError:
        pass
    return None


def _candidates(risk: MeanLoss, start: Sequence[float]) -> Iterator[Minimum]:
    """What is to be checked, the first choice first."""
    loss, method = risk.loss, theory_of(risk.loss).minimum
    if method == "mean":
        yield Minimum("mean", *find_mean(risk))
        return
    exact = find_exact(risk, start)
    if exact is not None:
        yield Minimum("exact", exact, Fraction(0))
    if method == "direction":
        for direction, radius in find_direction(risk):
            yield Minimum("direction", direction, radius)
    elif _convex(risk):
        for center, radius in find_ball(risk, start, shift_invariant=_shift_invariant(loss)):
            yield Minimum("ball", center, radius)


def check_minimum(loss: Loss | Function, law: Law, minimum: Minimum) -> str | None:
    """None when the statement is proven for this loss and law, else the reason why it is not."""
    if len(minimum.center) != law.items:
        return f"the center has {len(minimum.center)} numbers, but the law is on {law.items} items"
    try:
        risk = MeanLoss(loss, law)
        if minimum.method == "exact":
            return check_exact(risk, minimum.center)
        if minimum.method == "direction":
            return check_direction(risk, minimum.center, minimum.radius)
        if minimum.method == "mean":
            return check_mean(risk, minimum.center, minimum.radius)
        if not _convex(risk):
            return f"the method ball is for convex losses, which {loss} does not claim to be"
        return check_ball(risk, minimum.center, minimum.radius, shift_invariant=_shift_invariant(loss))
    except RankproofError as error:
        return str(error)


def _convex(risk: MeanLoss) -> bool:
    """Whether the expected loss is convex: by the claim of the loss, or what is said of a user's function.

    Losses whose weights follow the ranking are on two items: both orders have ranks 1 and 2, so the weight of
    the pair is the same for all scores, and what remains is a sum of logistic terms.
    """
    if theory_of(risk.loss).follows_ranking is not None:
        return risk.items == 2
    return (risk.loss.claims.value("convex") if isinstance(risk.loss, Loss) else risk.loss.convex) is True


def _shift_invariant(loss: Loss | Function) -> bool:
    if isinstance(loss, Loss):
        return loss.claims.value("shift_invariant") is True
    return getattr(loss, "shift_invariant", None) is True
