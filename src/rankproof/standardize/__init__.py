"""Targets: labels turned into the number per item that a loss should aim at, made for a metric."""

from __future__ import annotations

from rankproof.standardize.absence import Absence, absence_of
from rankproof.standardize.balance import Balance
from rankproof.standardize.base import CONDITIONS, TARGETS, Target
from rankproof.standardize.choose import candidates, target_for, why_none
from rankproof.standardize.f_share import FShare
from rankproof.standardize.gain import GainTarget
from rankproof.standardize.normalised_gain import NormalisedGain
from rankproof.standardize.pair_share import PairShare
from rankproof.standardize.pair_weight import PairWeight
from rankproof.standardize.parse import target
from rankproof.standardize.positional import Positional
from rankproof.standardize.rank_grade import RankGrade
from rankproof.standardize.relevance import Relevance
from rankproof.standardize.relevance_share import RelevanceShare
from rankproof.standardize.satisfaction import Satisfaction
from rankproof.standardize.user import UserTarget

__all__ = [
    "CONDITIONS",
    "TARGETS",
    "Absence",
    "Balance",
    "FShare",
    "GainTarget",
    "NormalisedGain",
    "PairShare",
    "PairWeight",
    "Positional",
    "RankGrade",
    "Relevance",
    "RelevanceShare",
    "Satisfaction",
    "Target",
    "UserTarget",
    "absence_of",
    "candidates",
    "target",
    "target_for",
    "why_none",
]
