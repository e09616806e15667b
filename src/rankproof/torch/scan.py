"""Running sums of exponentials that neither overflow nor vanish, along the rows of tensors.

A sum is kept as ``m e^c``, c the largest exponent in it. Logarithms of the sums would not do: beside a score
of 1e300 the logarithm of a count is lost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["difference", "running_sums", "shifted", "times"]


def shifted(x: Tensor, by: int, fill: float) -> Tensor:
    """The rows moved ``by`` places to the right, ``fill`` in front."""
    import torch

    front = x.new_full((*x.shape[:-1], min(by, x.shape[-1])), fill)
    return torch.cat((front, x[..., : max(x.shape[-1] - by, 0)]), dim=-1)


def running_sums(m: Tensor, c: Tensor) -> tuple[Tensor, Tensor]:
    """The sums of m e^c up to each place, the place included, in the same form; by doubling the reach."""
    c, by = c.masked_fill(m == 0, -float("inf")), 1
    while by < m.shape[-1]:
        other_m, other_c = shifted(m, by, 0.0), shifted(c, by, -float("inf"))
        top = c.maximum(other_c)
        safe = top.masked_fill(top == -float("inf"), 0.0)
        m, c, by = m * (c - safe).exp() + other_m * (other_c - safe).exp(), top, 2 * by
    return m, c.masked_fill(c == -float("inf"), 0.0)


def times(m: Tensor, c: Tensor, e: Tensor) -> Tensor:
    """m e^(c + e): halved exponents keep a small m with a large exponent finite; 0 where m is."""
    half = (0.5 * (c + e)).exp()
    return (m * half * half).where(m > 0, m.new_zeros(()))


def difference(plus: Tensor, m: Tensor, c: Tensor, minus: Tensor, w: Tensor, e: Tensor) -> Tensor:
    """m e^c - w e^e, which are ``plus`` and ``minus``: when both overflow, the exponents tell the sign."""
    inf = float("inf")
    shared = c.maximum(e)
    sign = (m * (c - shared).exp() - w * (e - shared).exp()) * inf
    return (plus - minus).where((plus < inf) | (minus < inf), sign)
