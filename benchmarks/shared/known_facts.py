"""What is known of losses and metrics, from the papers and by a line of proof: the matrix must not say else.

Written down apart from the claims of the code. B11 Theorem 2 and R11 Theorems 8, 9: a loss whose minimiser
sorts as E[u] is consistent with the metrics that u standardises, and with no others; C12 Corollary 4, B11
Theorem 3 and Calauzènes & Usunier (2020): no convex loss is consistent with AP, ERR or the pairwise
disagreement, and likewise with what needs more than one number per item.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["contradictions", "known_outcome"]

YES, NO = "consistent", "inconsistent"
ANY = "any convex loss"
# Sums over ranks of a weight times a number of the item (C12: DCG; B11 section 5.1; the definitions).
POSITIONAL = ("AUC", "DCG", "F@2", "nDCG", "P@2", "R@2", "RBP")
# No target (C12 Corollary 4; B11 Th. 3; laws that contradict each other).
NO_TARGET = ("AP", "bpref", "ERR", "MeanNDCG", "Rprec", "RR", "Success@2")
# The same from three grades on; with two grades the pairs lost are linear in the ranks.
NO_TARGET_ON_GRADES = ("PD", "tau", "WPDL", "ZeroOne")
# Aimed at the target of the metric, these sort as its mean does (R11 Th. 8, 9; B11 Th. 1; R11 section 3.3;
# for lift the normal equations give s_i = c - h / (E[u_i] + mean E[u]), for relative s_i = E[u_i] / (E[u_i] +
# mean E[u])).
ORDER_PRESERVING = (
    *("softmax", "squared", "centred-squared", "kl", "bregman", "order-preserving", "lift", "duchi"),
    "relative",
    *("cosine", "q-family", "approx-ndcg"),
)
CONVEX = (
    *ORDER_PRESERVING[:9],
    *("squared:gain", "ordinal", "pointwise-logistic", "listnet", "xe-ndcg", "listmle"),
    *("RankSVM", "RankNet", "RankBoost", "preorder(weight=gain)"),
)
# R11 Prop. 7 and section 3.2 (ListNet, cosine, raw gains), B11 section 3 (pairs weigh pairs, not items), and
# targets divided by their own sum.
NOT_NDCG = (
    *("squared:gain", "cosine(normalize=true):gain", "listnet", "xe-ndcg", "ordinal", "pointwise-logistic"),
    *("RankSVM", "RankNet", "RankBoost", "preorder(weight=gain)"),
)
# u = 2^y - 1 is the target of DCG; of the others, u depends on the other labels of the query, or on rel.
GAIN_IS_FOR = ("DCG",)
# P(y >= rel) is the target of P@k and RBP. For F and R it is divided by what depends on R, for AUC by
# R (n - R), which varies from four items on.
RELEVANCE_IS_FOR = ("P@2", "RBP")


def known_outcome(row: str, column: str, grades: int) -> str | None:
    """What is known of a cell, or None."""
    if column.startswith("judged"):
        return YES
    without = column in NO_TARGET or (column in NO_TARGET_ON_GRADES and grades > 2)
    if row == ANY:
        return YES if column in POSITIONAL else NO if without else None
    if without:
        # No target: no convex loss; nor one that sorts by the mean of a target.
        return NO if row in CONVEX or row in ORDER_PRESERVING else None
    if row in ORDER_PRESERVING:
        return YES if column in POSITIONAL else None
    if column == "nDCG" and row in NOT_NDCG and (grades > 2 or row not in ("ordinal", "pointwise-logistic")):
        return NO
    if row == "squared:gain" and column in POSITIONAL:
        return _fits(column in GAIN_IS_FOR, grades)
    if row == "pointwise-logistic" and column in POSITIONAL:
        return _fits(column in RELEVANCE_IS_FOR, grades)
    return None


def _fits(fits: bool, grades: int) -> str | None:
    """With two grades the gain of an item is its relevance, so what fits one may fit the other."""
    if fits:
        return YES
    return NO if grades > 2 else None


def contradictions(verdicts: Mapping[tuple[str, str], Any], grades: int) -> list[str]:
    """The cells that say the opposite of what is known; undecided ones do not."""
    found = []
    for (row, column), verdict in verdicts.items():
        known = known_outcome(row, column, grades)
        if known is not None and {known, verdict.outcome} == {YES, NO}:
            found.append(f"{row} and {column}: {verdict.outcome}, but it is known to be {known}")
    return found
