"""The matrix of verdicts as tables: all reasons in short, and the grid of loss by metric."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankproof.evaluation.tables import Table
from rankproof.theory.base.verdict import Verdict

if TYPE_CHECKING:
    from rankproof.theory.matrix import VerdictMatrix

__all__ = ["SIGNS", "grid_table", "matrix_tables"]

SIGNS = {"consistent": "yes", "inconsistent": "no", "undecided": "?"}


def matrix_tables(matrix: VerdictMatrix) -> list[Table]:
    """One table with the reason of every cell, and the grid."""
    return [_reasons(matrix), grid_table(matrix)]


def _reasons(matrix: VerdictMatrix) -> Table:
    rows = [
        [metric, loss, SIGNS[matrix[loss, metric].outcome], _why(matrix[loss, metric])]
        for metric in matrix.metrics
        for loss in matrix.losses
    ]
    return Table(["metric", "loss", "consistent", "why"], rows, text_columns=["loss", "consistent", "why"])


def _why(verdict: Verdict) -> str:
    aim = "" if verdict.loss is None or ":" not in verdict.loss else f" [{verdict.loss}]"
    return f"{verdict.short}{aim}"


def grid_table(matrix: VerdictMatrix) -> Table:
    """The outcomes by loss and metric."""
    rows = [
        [loss, *(SIGNS[matrix[loss, metric].outcome] for metric in matrix.metrics)] for loss in matrix.losses
    ]
    outcomes = [verdict.outcome for verdict in matrix.verdicts.values()]
    counts = ", ".join(f"{outcomes.count(outcome)} {outcome}" for outcome in SIGNS)
    noise = "every law" if matrix.noise is None else f"{matrix.noise} labels"
    notes = [
        (
            f"yes: consistent under {noise}, that is, minimising the loss gives the best ranking by the "
            "metric with unlimited data and a model that can represent any scores. (A law: the probability "
            "of each set of labels.)"
        ),
        f"Counterexamples were searched with {matrix.items} items and {matrix.grades} grades: {counts}.",
        "A loss that takes a target is given the target of the column's metric, unless it names another.",
    ]
    return Table(["loss", *matrix.metrics], rows, notes, text_columns=matrix.metrics)
