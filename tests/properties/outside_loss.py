"""A loss from outside the package: one class that states what it is, with a kernel in plain numpy.

Nothing else in the library or its tests knows it. `test_a_loss_from_outside` drives it through everything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

import rankproof as rp
from rankproof.claims import Claim, Claims
from rankproof.losses.base import Loop, Needs
from rankproof.losses.parameters import number


@dataclass(frozen=True, kw_only=True, repr=False)
class Quartic(rp.Loss):
    r"""Linear in the targets, with a penalty of the fourth degree on every score.

    **Definition.** :math:`\sum_i v_i (\tfrac b4 s_i^4 + \tfrac12 s_i^2 - u_i s_i)`, with item weights
    :math:`v_i` (1 when none are given). **Minimum.** Expected loss: :math:`b s_i^3 + s_i = E[u_i]`, whose
    left side rises with :math:`s_i`, so it sorts as E[u] does.
    """

    name: ClassVar[str] = "quartic"
    aliases: ClassVar[tuple[str, ...]] = ("fourth-power",)
    summary: ClassVar[str] = "linear in the targets, with a penalty of the fourth degree on the scores"
    definition: ClassVar[str] = r"\sum_i v_i (\tfrac b4 s_i^4 + \tfrac12 s_i^2 - u_i s_i)"
    reference: ClassVar[str] = "Duchi, Mackey & Jordan, ICML 2010, with another penalty"
    needs: ClassVar[Needs] = "target"
    takes_item_weights: ClassVar[bool] = True
    examples: ClassVar[dict[str, tuple[Any, ...]]] = {"bend": (0.25, 3)}
    finite_up_to: ClassVar[float] = 1e70

    bend: float = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "bend", number(self.name, "bend", self.bend, "above 0", lambda b: b > 0))

    @property
    def claims(self) -> Claims:
        return Claims(
            Claim("convex", value=True, reference="the second derivative, 3 b s^2 + 1, is positive"),
            Claim("smooth", value=True, reference="a polynomial"),
            Claim("shift_invariant", value=False, reference="the penalty grows with a shift"),
            Claim("bounded_below", value=True, reference="the penalty outgrows every linear function"),
            Claim("order_preserving", value=True, reference="b s^3 + s = E[u] at the minimum, rising in s"),
            Claim("hessian", value="exact", reference="v_i (3 b s_i^2 + 1)"),
        )

    def kernel(self, scores: Any, targets: Any, offsets: Any, item_weights: Any) -> Loop:
        weights = item_weights if item_weights.size else np.ones(scores.size)

        def fill(low: int, high: int, values: Any, gradient: Any, hessian: Any) -> None:
            # Beyond the largest float the value is infinite; as a product it never is infinity less infinity.
            with np.errstate(over="ignore"):
                for q in range(low, high):
                    at = slice(offsets[q], offsets[q + 1])
                    s, u, v = scores[at], targets[at], weights[at]
                    values[q] = (v * (s * (self.bend / 4 * s**3 + s / 2 - u))).sum()
                    gradient[at] = v * (self.bend * s**3 + s - u)
                    if hessian.size:
                        hessian[at] = v * (3 * self.bend * s**2 + 1)

        return fill

    def torch_form(self, scores: Any, targets: Any, item_weights: Any, layout: Any) -> Any:
        terms = self.bend / 4 * scores**4 + scores**2 / 2 - targets * scores
        return layout.total(terms if item_weights is None else item_weights * terms)

    def formula(self, scores: Sequence[Any], targets: Sequence[Any]) -> Any:
        terms = (
            s * s * s * s * self.bend / 4 + s * s / 2 - s * u for s, u in zip(scores, targets, strict=True)
        )
        return sum(terms, scores[0] * 0)
