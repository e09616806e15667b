"""What the minimiser of an expected loss sorts by, where that is known: the mean of some v of the labels.

For a loss that claims ``order_preserving`` v is its target. Some losses on labels have a v of their own:
ListNet sorts as E[softmax(y)] does, whatever the law.

>>> from rankproof.losses.parse import loss
>>> str(sorting_of(loss("softmax:nDCG@10")))
'E[normalised-gain@10]'
>>> str(sorting_of(loss("listnet"))), sorting_of(loss("RankNet")) is None
('E[softmax(y)]', True)
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from rankproof.losses.base import LOSSES, Loss
from rankproof.losses.cosine import Cosine
from rankproof.losses.listnet import ListNet
from rankproof.losses.pointwise import PointwiseLogistic
from rankproof.losses.q_family import QFamily
from rankproof.losses.xe_ndcg import XENDCG
from rankproof.standardize.base import Target
from rankproof.standardize.gain import GainTarget
from rankproof.standardize.relevance import Relevance

__all__ = ["Sorting", "increases_with_labels", "sorting_of"]

# Targets that are larger for an item of a higher grade, on labels of at least 0, whatever the others are.
_INCREASING = ("balance", "gain", "normalised-gain", "pair-weight", "rank-grade", "satisfaction")


@dataclass(frozen=True)
class Sorting:
    """The minimiser sorts as E[v(Y)] does.

    Attributes
    ----------
    words : str
        v as text.
    target : Target or None
        v as a target, where it is one.
    increasing : bool
        Whether an item of a higher grade always has a larger v (on labels of at least 0).
    reference : str
    """

    words: str
    target: Target | None
    increasing: bool
    reference: str

    def __str__(self) -> str:
        return f"E[{self.words}]"


def sorting_of(loss: Any) -> Sorting | None:
    """What the minimiser of the expected loss sorts by, or None when that is not known."""
    if not isinstance(loss, Loss) or (loss.needs == "labels" and loss.target is not None):
        # What is known of a loss on labels does not hold for what a target makes of them.
        return None
    # A class of the user's own that is derived from one of these need not sort as it does.
    known = LOSSES.has_class_of(loss)
    if known and isinstance(loss, PointwiseLogistic):
        target = Relevance(rel=loss.rel)
        return Sorting(
            str(target), target, increasing=False, reference="the log-odds of P(y >= rel) rise with it"
        )
    if known and isinstance(loss, ListNet):
        return Sorting("softmax(y)", None, increasing=True, reference="R11 Prop. 7")
    if known and isinstance(loss, XENDCG):
        why = "cross-entropy with a normalised target: softmax(s) is its mean at the minimum"
        return Sorting("the target of XE-NDCG", None, increasing=True, reference=why)
    claim = loss.claims.get("order_preserving")
    if known and isinstance(loss, (Cosine, QFamily)) and claim is not None and not claim.value:
        aim = _aim(loss)
        return Sorting(f"{aim} / its norm", None, increases_with_labels(aim), claim.reference)
    if claim is None or not claim.value:
        return None
    aim = _aim(loss)
    return Sorting(str(aim), aim, increases_with_labels(aim), claim.reference)


def _aim(loss: Loss) -> Target:
    """The target of a loss; one that is aimed at nothing reads the labels as they are."""
    return GainTarget(gain="linear") if loss.target is None else loss.target


def increases_with_labels(target: Target) -> bool:
    """Whether u_i(y) > u_j(y) whenever y_i > y_j >= 0, whatever the other labels are."""
    if target.name not in _INCREASING:
        return False
    return all(
        getattr(target, field.name) in ("exp", "linear") for field in fields(target) if field.name == "gain"
    )
