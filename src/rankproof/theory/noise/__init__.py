"""Conditions on the noise of labels: which hold of a law, and laws of each class."""

from rankproof.theory.noise.answer import Answer, Answers, Violation
from rankproof.theory.noise.conditions import (
    KINDS_OF,
    check,
    is_binary,
    is_independent,
    is_low_noise,
    is_one_relevant,
    mean_differences,
)
from rankproof.theory.noise.exchange import (
    Rdps,
    differentiates,
    dual,
    is_order_preserving,
    is_rank_differentiable,
    preferred_pairs,
    rdps,
)

__all__ = [
    "KINDS_OF",
    "Answer",
    "Answers",
    "Rdps",
    "Violation",
    "check",
    "differentiates",
    "dual",
    "is_binary",
    "is_independent",
    "is_low_noise",
    "is_one_relevant",
    "is_order_preserving",
    "is_rank_differentiable",
    "mean_differences",
    "preferred_pairs",
    "rdps",
]
