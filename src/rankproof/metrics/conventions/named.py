"""The named conventions: metrics computed to the digit as a named tool computes them.

``rankproof`` is the exact value under ties with every metric as it is defined. The others reproduce a tool,
and each is proven equal to it in ``tests/agree``.

>>> " ".join(CONVENTIONS)
'catboost letor3 letor4 lightgbm mslr rankproof ranx sklearn trec_eval xgboost yahoo'
>>> CONVENTIONS["xgboost"].summary
'ties by row, in single precision; exponential gain; empty queries count 1; AP@k over min(R, k)'
"""

from __future__ import annotations

from rankproof.metrics.conventions.engines import CATBOOST, LIGHTGBM, XGBOOST
from rankproof.metrics.conventions.evaluators import RANX, SKLEARN, TREC_EVAL
from rankproof.metrics.conventions.letor import LETOR3, LETOR4, MSLR, YAHOO
from rankproof.metrics.conventions.rules import Convention, Offer
from rankproof.registry import Registry

__all__ = ["CONVENTIONS", "RANKPROOF", "Convention", "Offer"]

RANKPROOF = Convention(
    name="rankproof",
    tool="rankproof",
    summary="exact under ties: the mean over all rankings that sort the scores; metrics as they are defined",
    ties="average",
    whole=False,
)

CONVENTIONS: Registry[Convention] = Registry("convention")
for _convention in (
    *(RANKPROOF, TREC_EVAL, RANX, SKLEARN, LIGHTGBM, XGBOOST, CATBOOST),
    *(LETOR3, LETOR4, MSLR, YAHOO),
):
    CONVENTIONS.add(_convention.name, _convention)
