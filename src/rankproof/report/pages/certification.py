"""The certification page: every loss with every metric, each cell with its reason, and laws to play with."""

from __future__ import annotations

from collections.abc import Sequence

from rankproof.experiments.laws.scene import LawScene
from rankproof.report.content import (
    Block,
    Cell,
    Command,
    DataTable,
    Facts,
    LawScenes,
    MatrixGrid,
    Paragraphs,
    Report,
    Section,
)
from rankproof.report.pages.origin import versions_fact
from rankproof.report.pages.verdict import verdict_box
from rankproof.theory.base.verdict import Verdict
from rankproof.theory.matrix import VerdictMatrix
from rankproof.theory.matrix_tables import SIGNS, matrix_tables

__all__ = ["certification_report"]

EXPLAINED = (
    "The labels of a query follow a law: the probability of each set of labels. The strips (or triangles) "
    "show the best ranking under each law, and the ranking that each loss gives with unlimited data and a "
    "model that can represent any scores. A consistent loss changes its ranking exactly where the best one "
    "changes. Items are numbered from 0; 102 means the labels 1, 0, 2 of items 0, 1, 2."
)


def certification_report(
    matrix: VerdictMatrix, scenes: Sequence[LawScene], command: str | None = None
) -> Report:
    """The page of a matrix, with scenes of its laws."""
    outcomes = [verdict.outcome for verdict in matrix.verdicts.values()]
    counts = ", ".join(f"{outcomes.count(outcome)} {outcome}" for outcome in SIGNS)
    noise = "every law of the labels" if matrix.noise is None else f"every law of {matrix.noise} labels"
    question = (
        f"Does minimising the loss (row) optimise the metric (column), under {noise}? If so, the loss is "
        "called consistent with the metric. It is a question about the limit: unlimited data and a model "
        "that can represent any scores. A law is the probability of each set of labels that a query can "
        "have."
    )
    reasons, _ = matrix_tables(matrix)
    sections = [
        Section(
            "Every loss with every metric",
            [
                Paragraphs([question]),
                _grid(matrix),
                DataTable(reasons, "All reasons, in short", folded=True),
            ],
        )
    ]
    if scenes:
        sections.append(Section("Move the law", [Paragraphs([EXPLAINED]), LawScenes(scenes)]))
    sections.append(Section("Reproduce", _origin(matrix, command)))
    lead = (
        f"{len(matrix.losses)} rows, {len(matrix.metrics)} metrics: {counts}. Counterexamples were searched "
        f"with {matrix.items} items and {matrix.grades} grades per query; theorems hold for any number."
    )
    return Report("Which loss optimises which metric?", sections, lead)


def _grid(matrix: VerdictMatrix) -> MatrixGrid:
    cells = [
        [Cell(_sign(matrix[row, column]), verdict_box(matrix[row, column])) for column in matrix.metrics]
        for row in matrix.losses
    ]
    return MatrixGrid("loss", matrix.losses, matrix.metrics, cells)


def _sign(verdict: Verdict) -> str:
    star = "*" if verdict.outcome == "consistent" and verdict.conditions else ""
    return SIGNS[verdict.outcome] + star


def _origin(matrix: VerdictMatrix, command: str | None) -> list[Block]:
    rows = [
        ("items", str(matrix.items)),
        ("grades", str(matrix.grades)),
        ("noise", matrix.noise or "any"),
        versions_fact(),
    ]
    return [*([] if command is None else [Command(command)]), Facts(rows)]
