"""Targets: labels turned into the number per item that a loss should aim at, made for a metric."""

from __future__ import annotations

from rankproof.targets.absence import Absence, absence_of
from rankproof.targets.balance import Balance
from rankproof.targets.base import CONDITIONS, TARGETS, Target
from rankproof.targets.choose import candidates, target_for, why_none
from rankproof.targets.f_share import FShare
from rankproof.targets.gain import GainTarget
from rankproof.targets.normalised_gain import NormalisedGain
from rankproof.targets.pair_share import PairShare
from rankproof.targets.pair_weight import PairWeight
from rankproof.targets.parse import target
from rankproof.targets.positional import PositionalTarget
from rankproof.targets.rank_grade import RankGrade
from rankproof.targets.relevance import Relevance
from rankproof.targets.relevance_share import RelevanceShare
from rankproof.targets.satisfaction import Satisfaction
from rankproof.targets.user import UserTarget

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
    "PositionalTarget",
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
