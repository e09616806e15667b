"""Evidence: plain data that a file can hold and that `rankproof.theory.replay` checks again.

- ``theorem``: a theorem and the claims of the objects that it rests on;
- ``target``: a table u on a feedback space that standardises the metric, which is checked by exchanges;
- ``contradiction``: laws that no target can serve together, so there is none;
- ``split``: a law whose best rankings no convex loss can give (C12 Theorem 3);
- ``clash``: exchanges of neighbours whose gains fit no target, where no other target can exist;
- ``counterexample``: a law under which the loss is proven to converge to a ranking that is not best;
- ``same-values``: a user's metric that has the values of a metric of the library, and a verdict on that one;
- ``rest-points``: a law under which the mean gradient of a loss vanishes at no scores that sort best;
- ``shipped-rest-points``: the same for an objective as LightGBM or XGBoost ship it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Evidence"]


@dataclass(frozen=True)
class Evidence:
    """One piece of evidence: its kind, and plain data that a file can hold."""

    kind: str
    data: Mapping[str, Any] = field(hash=False)
