"""What a loss reads for one piece of feedback: one number per item, exact or enclosed.

That is its target of the feedback (`rankproof.theory.formulas.target_numbers`), or the labels themselves
without one. What it reads of a preference graph without a target, if it can, is said by its entry in
`rankproof.theory.formulas.table`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from rankproof.errors import ArgumentError
from rankproof.feedback import PreferenceGraph, as_feedback
from rankproof.losses.base import Loss
from rankproof.theory.formulas.target_numbers import (
    ExactOrInterval,
    exact_labels,
    exact_number,
    target_values,
)

__all__ = ["GraphNumbers", "exact_inputs", "net_weights"]

# One number per item of a preference graph.
GraphNumbers: TypeAlias = Callable[[PreferenceGraph], list[ExactOrInterval]]


def exact_inputs(
    loss: Loss, feedback: Any, graph_numbers: GraphNumbers | None = None
) -> list[ExactOrInterval]:
    """One number per item: the loss's target of the feedback, or the labels when it has none."""
    observed = as_feedback(feedback)
    if loss.target is not None:
        values = target_values(loss.target, observed)
    elif not isinstance(observed, PreferenceGraph):
        values = exact_labels(observed)
    elif graph_numbers is not None:
        values = graph_numbers(observed)
    else:
        raise ArgumentError(
            f"Loss {loss} reads one number per item, which a preference graph does not have: {observed!r}. "
            "Give it a target that is defined on preference graphs, such as balance."
        )
    if loss.needs == "nonnegative target" and not all(u >= 0 for u in values):
        raise ArgumentError(f"Loss {loss.name} needs targets of at least 0, got {values} for {observed!r}.")
    return values


def net_weights(graph: PreferenceGraph) -> list[ExactOrInterval]:
    """What leaves each item of a graph less what enters it."""
    values: list[ExactOrInterval] = [0] * graph.items
    for i, j, weight in graph.edges:
        values[i] = values[i] + exact_number(weight)
        values[j] = values[j] - exact_number(weight)
    return values
