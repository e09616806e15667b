"""The normalised q family: scores divided by their q-norm, against the targets."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

from rankproof.arrays import Float64s, Int64s
from rankproof.claims import Claim, Claims
from rankproof.losses.base import Loop, Loss, Needs, linear, registered
from rankproof.losses.parameters import number

__all__ = ["QFamily"]


@registered
@dataclass(frozen=True, kw_only=True, repr=False)
class QFamily(Loss):
    r"""Inner product of the targets with the scores divided by their q-norm, negated.

    **Definition.** :math:`-\langle s / \|s\|_q, u \rangle`; ``q`` is a number of at least 2, or ``log`` for
    :math:`q = \log(m) + 2` with m the number of items of the query, the choice of the paper (also written
    ``log(m)+2``). q = 2 is the consistent cosine less 1. **Minimum.** Expected loss:
    :math:`s_i \propto sign(v_i) |v_i|^{1/(q-1)}` with v = E[u], which sorts as v does.
    **At s = 0** the loss jumps. There its value is 0 and its gradient -u, so that a solver may start at 0.

    Parameters
    ----------
    target : Target, optional
        What the loss aims at, made of the labels (`rankproof.target_for`); without one it reads the numbers
        that it is given as they are.
    q : float or "log"
        The norm: a number of at least 2, or log(m) + 2 for a query of m items.

    Examples
    --------
    >>> QFamily(q=2).evaluate([3.0, 4.0], [0.0, 2.0], [0, 2]).value  # -4*2 / 5
    -1.6
    """

    name: ClassVar[str] = "q-family"
    aliases: ClassVar[tuple[str, ...]] = ("normalised-q", "normalized-q")
    summary: ClassVar[str] = "scores over their q-norm, against targets"
    definition: ClassVar[str] = r"-\langle s / \|s\|_q, u \rangle"
    reference: ClassVar[str] = "R11 eq. 4 and §6"
    needs: ClassVar[Needs] = "target"
    examples: ClassVar[dict[str, tuple[Any, ...]]] = {"q": (2, 3.5)}

    q: float | str = "log"

    def __post_init__(self) -> None:
        rule = "of at least 2, or the word log (for log(m) + 2, m the number of items)"
        q = "log" if self.q in ("log", "log(m)+2") else number(self.name, "q", self.q, rule, _at_least_2)
        object.__setattr__(self, "q", q)

    def linearity(self) -> Claim:
        return linear("-<s, u> times a function of the scores")

    @property
    def claims(self) -> Claims:
        return Claims(
            Claim("convex", value=False, reference="constant on rays, so it would have to be constant"),
            Claim("smooth", value=False, reference="it jumps at s = 0; smooth everywhere else"),
            Claim("shift_invariant", value=False, reference="a shift turns the vector of scores"),
            Claim("bounded_below", value=True, reference="Hölder: at least minus the dual norm of u"),
            Claim(
                "order_preserving",
                value=True,
                reference="R11 §4: equality in Hölder's inequality gives the direction of s (E[u] not 0)",
            ),
            Claim("hessian", value="exact", reference="second derivative of <s, u> / |s|_q; of either sign"),
        )

    def kernel(
        self,
        scores: Float64s,
        targets: Float64s,
        offsets: Int64s,
        item_weights: Float64s,  # noqa: ARG002 - not a sum over items
    ) -> Loop:
        from rankproof.kernels.losses.q_family import q_family

        exponent = 0.0 if isinstance(self.q, str) else float(self.q)
        return partial(q_family, scores, targets, offsets, exponent)


def _at_least_2(q: float) -> bool:
    return q >= 2
