"""Metrics that read labels only as relevant or not, and why any target of relevance serves them.

Exchange two neighbours a, b of a ranking, all other labels held fixed. A metric that reads relevance alone
changes only when just one of the two is relevant, and one that is monotone then gains by having it first, by
some d >= 0 that is the same whether it is a or b. So the expected gain of a before b is the mean of
d (P(a relevant, b not | others) - P(b relevant, a not | others)).

- *Independent labels*: that is the mean of d times P(a) - P(b), so sorting by P(relevant) is optimal.
- *Rank-differentiable laws*: the bracket has one sign for all the other labels.
- *One relevant item*: the value depends on the rank of that item alone, as c_rank, and c never rises.

A target 1[relevant] / D(R), where D > 0 depends on the number R of relevant items alone, sorts the items in
the very same order in all three cases, because R is the same for the two labellings.
"""

from __future__ import annotations

from rankproof.arrays import Float64s, Int64s
from rankproof.claims import Claim
from rankproof.metrics.ap import AP
from rankproof.metrics.auc import AUC
from rankproof.metrics.base import Metric
from rankproof.metrics.bpref import Bpref
from rankproof.metrics.f import F
from rankproof.metrics.precision import P
from rankproof.metrics.rbp import RBP
from rankproof.metrics.recall import R
from rankproof.metrics.rprec import Rprec
from rankproof.metrics.rr import RR
from rankproof.metrics.success import Success
from rankproof.targets.base import always, fill, under

__all__ = ["BINARY_METRICS", "conditional", "same_for_all", "shares"]

BINARY_METRICS = (AP, AUC, Bpref, F, P, R, RBP, RR, Rprec, Success)

EXCHANGE = (
    "an exchange of neighbours changes the value only when just one of them is relevant, and the metric is "
    "monotone: the expected change has the sign of P(a relevant) - P(b relevant)"
)
ALL_PAIRS = (
    "an exchange of neighbours changes the value only when just one of them is relevant, and the metric is "
    "monotone: the expected change has the sign in which the law prefers one of the two (L12 Th. 2 for WPDL)"
)
ONE = "with one relevant item the value is c_rank of that item: c_k never rises and u_i = 1[i relevant]"


def conditional(metric: Metric, rel: float) -> tuple[Claim, ...]:
    """The claims of a target 1[y >= rel] / D(R) for a metric that reads 1[y >= rel] alone."""
    if not isinstance(metric, BINARY_METRICS) or metric.rel != rel:
        return ()
    return (
        under("independent", EXCHANGE),
        under("one relevant", ONE),
        under("rank-differentiable", ALL_PAIRS),
    )


def same_for_all(metric: Metric) -> Claim | None:
    """The claim for metrics that give every ranking of all items the same value, if this is one."""
    if isinstance(metric, (F, P, R, Success)) and metric.cutoff is None:
        return always("without a cutoff every ranking of all items has the same value")
    return None


def shares(
    labels: Float64s,
    offsets: Int64s,
    rel: float,
    *,
    per_relevant: float = 0.0,
    per_item: float = 0.0,
    constant: float = 0.0,
    pairs: bool = False,
) -> Float64s:
    """1[y >= rel] over per_relevant R + per_item n + constant, or over R (n - R) with ``pairs``; 0/0 is 0."""
    from rankproof.kernels.targets.values import relevance_shares

    divisor = (per_relevant, per_item, constant, pairs)
    return fill(
        offsets,
        lambda low, high, out: relevance_shares(labels, offsets, float(rel), *divisor, low, high, out),
    )
