"""The formula that a class from outside the package brings, held against the values that the loss gives.

What is proven is proven of the formula. So it must be that of the loss, and it is tried where the loss is.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rankproof.errors import ArgumentError
from rankproof.feedback import Feedback
from rankproof.losses.base import Loss
from rankproof.theory.arithmetic.intervals import Enclosure
from rankproof.theory.formulas.formula import formula, has_formula
from rankproof.theory.formulas.inputs import exact_inputs
from rankproof.theory.formulas.table import LOSS_THEORY

__all__ = ["brings_formula", "check_formula"]

MOST_FEEDBACK, SPREADS = 12, (0.3, 1.0, 3.0)
# Rounding of a few dozen floating-point operations.
SAME_VALUE = 1e-9


def brings_formula(loss: Loss) -> bool:
    """Whether the class of a loss is not one of the library, and has a formula of its own."""
    return type(loss) not in LOSS_THEORY and has_formula(loss)


def check_formula(loss: Loss, feedback: Sequence[Feedback], seed: int = 0) -> None:
    """Raise `ArgumentError` where the formula that a class brings is not its loss."""
    rng = np.random.default_rng(seed)
    chosen = rng.choice(len(feedback), min(MOST_FEEDBACK, len(feedback)), replace=False)
    for y in (feedback[k] for k in sorted(chosen.tolist())):
        targets = [float(u.middle if isinstance(u, Enclosure) else u) for u in exact_inputs(loss, y)]
        for spread in SPREADS:
            scores = rng.normal(size=y.items) * spread
            value = loss.evaluate(scores, targets, [0, y.items]).value
            stated: Any = formula(loss, scores.tolist(), y)
            if not isinstance(stated, float) or not abs(stated - value) <= SAME_VALUE * (1.0 + abs(value)):
                raise ArgumentError(
                    f"The formula of the class {type(loss).__name__} must be the loss itself: on scores "
                    f"{[round(s, 6) for s in scores.tolist()]} and feedback {y!r} it gives {stated!r}, where "
                    f"the loss is {value:.12g}. Correct formula(self, scores, targets), or leave it out."
                )
