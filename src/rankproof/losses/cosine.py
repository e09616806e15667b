"""Cosine loss: the angle between the scores and the targets of a query."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

from rankproof.arrays import Float64s, Int64s
from rankproof.claims import Claim, Claims
from rankproof.losses.base import Loop, Loss, Needs, linear, not_linear, registered
from rankproof.metrics.parameters import choice

__all__ = ["Cosine"]

_PLAIN = "R11 Prop. 7: it sorts as E[u / |u|] does (§3.2.2 prints the DCG norm there by mistake)"
_CONSISTENT = "R11 §3.3: <s, E[u]> / |s| is largest for s along E[u], when that is not 0"


@registered
@dataclass(frozen=True, kw_only=True, repr=False)
class Cosine(Loss):
    r"""Cosine of the angle between scores and targets, from 1.

    **Definition.** :math:`1 - \langle s, u \rangle / \|s\|`: with a target that is already divided by the
    DCG norm, the consistent cosine of R11. ``normalize=true`` divides by :math:`\|u\|` too, the loss of
    RankCosine as published, which sorts as E[u/|u|] and not as E[u]. A target of 0 is not divided.
    **At s = 0** the loss jumps. There its value is 1 and its gradient -u, the direction of the steepest fall,
    so that a solver may start at 0.

    Parameters
    ----------
    target : Target, optional
        What the loss aims at, made of the labels (`rankproof.target_for`); without one it reads the numbers
        that it is given as they are.
    normalize : bool
        Whether to divide by the norm of the target as well, as RankCosine does.

    Examples
    --------
    >>> Cosine(normalize=True).evaluate([3.0, 4.0], [0.0, 2.0], [0, 2]).value  # 1 - 4*2 / (5*2)
    0.19999...
    """

    name: ClassVar[str] = "cosine"
    aliases: ClassVar[tuple[str, ...]] = ("rankcosine",)
    summary: ClassVar[str] = "one less the cosine of the angle between scores and targets"
    definition: ClassVar[str] = r"1 - \langle s, u \rangle / \|s\|"
    reference: ClassVar[str] = "Qin et al., Information Processing & Management 2008; R11 §3"
    needs: ClassVar[Needs] = "target"
    examples: ClassVar[dict[str, tuple[Any, ...]]] = {"normalize": (True,)}

    normalize: bool = False

    def __post_init__(self) -> None:
        choice(self.name, "normalize", self.normalize, (False, True))

    def linearity(self) -> Claim:
        if self.normalize:
            return not_linear(
                "targets (2, 0) and (0, 1), half each, have the mean direction (1/2, 1/2); the mean (1, 1/2) "
                "is "
                "another"
            )
        return linear("1 - <s, u> / |s|")

    @property
    def claims(self) -> Claims:
        preserves = not self.normalize
        return Claims(
            Claim("convex", value=False, reference="constant on rays, so it would have to be constant"),
            Claim("smooth", value=False, reference="it jumps at s = 0; smooth everywhere else"),
            Claim("shift_invariant", value=False, reference="a shift turns the vector of scores"),
            Claim("bounded_below", value=True, reference="Cauchy-Schwarz: at least 1 - |u|"),
            Claim("order_preserving", value=preserves, reference=_CONSISTENT if preserves else _PLAIN),
            Claim("hessian", value="exact", reference="second derivative of <s, u> / |s|; of either sign"),
        )

    def kernel(
        self,
        scores: Float64s,
        targets: Float64s,
        offsets: Int64s,
        item_weights: Float64s,  # noqa: ARG002 - not a sum over items
    ) -> Loop:
        from rankproof.kernels.losses.cosine import cosine

        return partial(cosine, scores, targets, offsets, self.normalize)
