"""Metrics: definitions with their claims, one metric a file, exact under ties."""

from __future__ import annotations

from rankproof.claims import Claim, Claims
from rankproof.metrics.ap import AP
from rankproof.metrics.auc import AUC
from rankproof.metrics.base import METRICS, Explanation, Metric, registered
from rankproof.metrics.bpref import Bpref
from rankproof.metrics.dcg import DCG
from rankproof.metrics.err import ERR
from rankproof.metrics.f import F
from rankproof.metrics.judged import Judged
from rankproof.metrics.mean_ndcg import MeanNDCG
from rankproof.metrics.ndcg import NDCG
from rankproof.metrics.on_feedback import of_scores
from rankproof.metrics.parse import metric
from rankproof.metrics.pd import PD
from rankproof.metrics.precision import P
from rankproof.metrics.ranked.ties import group_means
from rankproof.metrics.rbp import RBP
from rankproof.metrics.recall import R
from rankproof.metrics.rprec import Rprec
from rankproof.metrics.rr import RR
from rankproof.metrics.success import Success
from rankproof.metrics.tau import Tau
from rankproof.metrics.wpdl import WPDL
from rankproof.metrics.zero_one import ZeroOne

__all__ = [
    "AP",
    "AUC",
    "DCG",
    "ERR",
    "METRICS",
    "NDCG",
    "PD",
    "RBP",
    "RR",
    "WPDL",
    "Bpref",
    "Claim",
    "Claims",
    "Explanation",
    "F",
    "Judged",
    "MeanNDCG",
    "Metric",
    "P",
    "R",
    "Rprec",
    "Success",
    "Tau",
    "ZeroOne",
    "group_means",
    "metric",
    "of_scores",
    "registered",
]
