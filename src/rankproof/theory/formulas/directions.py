"""The directions of losses that are least along a ray: the vector v that they average, and the ray d of v.

The theorems are in `rankproof.theory.minima.direction`.
"""

from __future__ import annotations

from collections.abc import Sequence

from rankproof.losses.cosine import Cosine
from rankproof.losses.q_family import QFamily
from rankproof.theory.arithmetic.functions import sqrt
from rankproof.theory.arithmetic.intervals import Enclosure
from rankproof.theory.formulas.lists import norm_exponent
from rankproof.theory.formulas.target_numbers import ExactOrInterval

__all__ = ["cosine_ray", "cosine_summand", "q_family_ray"]


def cosine_summand(loss: Cosine, values: Sequence[ExactOrInterval]) -> Sequence[ExactOrInterval]:
    """u, over |u| when it is normalised; a target of 0 is left as it is."""
    if not loss.normalize or all(not isinstance(u, Enclosure) and u == 0 for u in values):
        return values
    length = sqrt(sum((Enclosure.from_number(u).square() for u in values), Enclosure.from_number(0)))
    return [u / length for u in values]


def cosine_ray(loss: Cosine, v: Sequence[Enclosure]) -> list[Enclosure]:  # noqa: ARG001
    """v itself."""
    return list(v)


def q_family_ray(loss: QFamily, v: Sequence[Enclosure]) -> list[Enclosure]:
    """sign(v_i) |v_i|^(1 / (q - 1))."""
    rise = 1 / (Enclosure.from_number(norm_exponent(loss, len(v))) - 1)
    return [_signed_power(x, rise) for x in v]


def _signed_power(x: Enclosure, exponent: Enclosure) -> Enclosure:
    """sign(x) |x|^a for a > 0, which rises with x."""
    if x.low >= 0:
        return x**exponent
    if x.high <= 0:
        return -((-x) ** exponent)
    top, bottom = Enclosure(0, x.high) ** exponent, Enclosure(0, -x.low) ** exponent
    return Enclosure(-bottom.high, top.high)
