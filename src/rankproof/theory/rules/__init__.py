"""The rules that decide consistency, in the order in which they are tried; one theorem a file."""

from __future__ import annotations

from rankproof.theory.rules.base import Rule
from rankproof.theory.rules.constant import constant
from rankproof.theory.rules.counterexample import counterexample
from rankproof.theory.rules.exhausted import exhausted
from rankproof.theory.rules.no_convex_loss import no_convex_loss
from rankproof.theory.rules.rank_differentiable import rank_differentiable
from rankproof.theory.rules.rest_points import rest_points
from rankproof.theory.rules.rising_target import rising_target
from rankproof.theory.rules.same_values import same_values
from rankproof.theory.rules.shipped import shipped_rest_points
from rankproof.theory.rules.standardised import standardised
from rankproof.theory.rules.target_exists import target_exists

__all__ = ["RULES", "Rule"]

# In the order in which they are tried.
RULES: dict[str, Rule] = {
    rule.name: rule
    for rule in (
        # Theorems that hold for all lists.
        constant,
        standardised,
        rank_differentiable,
        rising_target,
        # What was tried in all cases on few items.
        target_exists,
        exhausted,
        # One law is more convincing than a theorem that excludes all convex losses at once.
        counterexample,
        # Of what is no function, there is no minimum to look at.
        rest_points,
        no_convex_loss,
        same_values,
        # Objectives of the engines: only this one speaks of them.
        shipped_rest_points,
    )
}
