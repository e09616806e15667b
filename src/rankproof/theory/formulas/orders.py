"""`Sorting`: the mean that a minimiser sorts by; and the losses that have one without claiming it.

Each function takes a loss of one class, and gives None where nothing is known.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

from rankproof.losses.base import Loss
from rankproof.losses.cosine import Cosine
from rankproof.losses.listnet import ListNet
from rankproof.losses.pointwise import PointwiseLogistic
from rankproof.losses.q_family import QFamily
from rankproof.losses.xe_ndcg import XENDCG
from rankproof.targets.base import Target
from rankproof.targets.gain import GainTarget
from rankproof.targets.relevance import Relevance

__all__ = [
    "Sorting",
    "aim_of",
    "by_normed_target",
    "by_relevance",
    "by_softmax",
    "by_xe_ndcg",
    "increases_with_labels",
]

# Targets that are larger for an item of a higher grade, on labels of at least 0, whatever the others are.
_INCREASING = ("balance", "gain", "normalised-gain", "pair-weight", "rank-grade", "satisfaction")


@dataclass(frozen=True)
class Sorting:
    """The minimiser sorts as E[v(Y)] does.

    Attributes
    ----------
    text : str
        v as text.
    target : Target or None
        v as a target, where it is one.
    increasing : bool
        Whether an item of a higher grade always has a larger v (on labels of at least 0).
    reference : str
    """

    text: str
    target: Target | None
    increasing: bool
    reference: str

    def __str__(self) -> str:
        return f"E[{self.text}]"


def by_relevance(loss: PointwiseLogistic) -> Sorting | None:
    """The probability that an item is relevant."""
    target = Relevance(rel=loss.rel)
    return Sorting(
        str(target), target, increasing=False, reference="the log-odds of P(y >= rel) rise with it"
    )


def by_softmax(loss: ListNet) -> Sorting | None:  # noqa: ARG001
    """E[softmax(y)], whatever the law."""
    return Sorting("softmax(y)", None, increasing=True, reference="R11 Prop. 7")


def by_xe_ndcg(loss: XENDCG) -> Sorting | None:  # noqa: ARG001
    """The mean of its normalised target."""
    why = "cross-entropy with a normalised target: softmax(s) is its mean at the minimum"
    return Sorting("the target of XE-NDCG", None, increasing=True, reference=why)


def by_normed_target(loss: Cosine | QFamily) -> Sorting | None:
    """The mean of the target over its norm, where the loss is not order-preserving."""
    claim = loss.claims.get("order_preserving")
    if claim is None or claim.value:
        return None
    aim = aim_of(loss)
    return Sorting(f"{aim} / its norm", None, increases_with_labels(aim), claim.reference)


def aim_of(loss: Loss) -> Target:
    """The target of a loss; one that is aimed at nothing reads the labels as they are."""
    return GainTarget(gain="linear") if loss.target is None else loss.target


def increases_with_labels(target: Target) -> bool:
    """Whether u_i(y) > u_j(y) whenever y_i > y_j >= 0, whatever the other labels are."""
    if target.name not in _INCREASING:
        return False
    return all(
        getattr(target, field.name) in ("exp", "linear") for field in fields(target) if field.name == "gain"
    )
