"""Objectives and laws that the tests of shipped formulas share."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from rankproof.feedback import Law
from rankproof.theory.shipped.field import ShippedField
from rankproof.theory.shipped.lambdas import formula_of
from rankproof.theory.shipped.objective import engine_objective
from theory.shipped_by_hand import Weigh, weigh_ap, weigh_ndcg, weigh_one

__all__ = ["KINDS", "PLAIN", "drawn_law", "field_of"]

PLAIN = "lightgbm:lambdarank(lambdarank_norm=false)"
KINDS: dict[str, tuple[Weigh, float | None, bool]] = {
    "lightgbm:lambdarank": (weigh_ndcg, 0.01, True),
    PLAIN: (weigh_ndcg, None, False),
    "xgboost:rank:ndcg(lambdarank_normalization=false)": (weigh_ndcg, 0.01, False),
    "xgboost:rank:ndcg(lambdarank_score_normalization=false)": (weigh_ndcg, None, True),
    "xgboost:rank:pairwise": (weigh_one, 0.01, True),
    "xgboost:rank:map": (weigh_ap, 0.01, True),
}


def field_of(spec: str, law: Law) -> ShippedField:
    formula = formula_of(engine_objective(spec))
    assert formula is not None
    return ShippedField(formula, law)


def drawn_law(rng: np.random.Generator, grades: int) -> Law:
    shares: dict[tuple[int, ...], Fraction] = {}
    while len(shares) < 2:
        labels = tuple(int(y) for y in rng.integers(0, grades, 3))
        if len(set(labels)) > 1:
            shares[labels] = Fraction(int(rng.integers(1, 10)))
    return Law({labels: share / sum(shares.values()) for labels, share in shares.items()})
