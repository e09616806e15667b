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

from typing import Any

from rankproof.losses.base import Loss
from rankproof.theory.formulas.orders import Sorting, aim_of, increases_with_labels
from rankproof.theory.formulas.table import theory_of

__all__ = ["sorting_of"]


def sorting_of(loss: Any) -> Sorting | None:
    """What the minimiser of the expected loss sorts by, or None when that is not known."""
    if not isinstance(loss, Loss) or (loss.needs == "labels" and loss.target is not None):
        # What is known of a loss on labels does not hold for what a target makes of them.
        return None
    own = theory_of(loss).sorting
    sorting = None if own is None else own(loss)
    if sorting is not None:
        return sorting
    claim = loss.claims.get("order_preserving")
    if claim is None or not claim.value:
        return None
    aim = aim_of(loss)
    return Sorting(str(aim), aim, increases_with_labels(aim), claim.reference)
