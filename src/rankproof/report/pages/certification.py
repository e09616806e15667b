"""The certification page: every loss with every metric, each cell with its reason, and laws to play with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

from rankproof.feedback import Graded, Law
from rankproof.report.content import (
    Block,
    Cell,
    Command,
    DataTable,
    Facts,
    LawScene,
    LawScenes,
    MatrixGrid,
    Report,
    Section,
    Text,
)
from rankproof.report.matrix import SIGNS, matrix_tables
from rankproof.report.pages.laws import law_scene
from rankproof.report.pages.origin import versions_fact
from rankproof.report.pages.verdict import verdict_box
from rankproof.theory.matrix import ANY, Matrix
from rankproof.theory.verdict import Verdict

__all__ = ["certification_report"]

# What scenes show, where the matrix has it: the losses that people train with.
POPULAR = (
    *("softmax", "squared:gain", "pointwise-logistic", "listnet", "xe-ndcg"),
    *("listmle", "RankSVM", "RankNet", "RankBoost"),
)
MOST_LOSSES = 9
EXPLAINED = (
    "The labels of a query follow a law: with some probability they are one vector, else another. The strips "
    "(or triangles) show which ranking is best under each law, and at which ranking each loss ends with "
    "unlimited data. A consistent loss changes its ranking exactly where the best one does. Items are "
    "numbered from 0; 102 stands for the labels 1, 0, 2 of items 0, 1, 2."
)


def certification_report(
    matrix: Matrix, command: str | None = None, progress: Callable[[int, int, str], None] | None = None
) -> Report:
    """The page of a matrix; ``progress`` is told of the scenes, which are computed here."""
    known = [verdict.outcome for verdict in matrix.verdicts.values()]
    counts = ", ".join(f"{known.count(outcome)} {outcome}" for outcome in SIGNS)
    noise = "every law of the labels" if matrix.noise is None else f"every law of {matrix.noise} labels"
    question = f"Does minimising the loss (row) optimise the metric (column), under {noise}?"
    reasons, _ = matrix_tables(matrix)
    sections = [
        Section(
            "Every loss with every metric",
            [
                Text([question]),
                _grid(matrix),
                DataTable(reasons, "All reasons in short", folded=True),
            ],
        )
    ]
    scenes = list(_scenes(matrix, progress))
    if scenes:
        sections.append(Section("Move the law", [Text([EXPLAINED]), LawScenes(scenes)]))
    sections.append(Section("Reproduce", _origin(matrix, command)))
    lead = (
        f"{len(matrix.losses)} rows, {len(matrix.metrics)} metrics: {counts}. Counterexamples were searched "
        f"on lists of {matrix.items} items with {matrix.grades} grades; theorems hold for all."
    )
    return Report("Which loss optimises which metric?", sections, lead)


def _grid(matrix: Matrix) -> MatrixGrid:
    cells = [
        [Cell(_sign(matrix[row, column]), verdict_box(matrix[row, column])) for column in matrix.metrics]
        for row in matrix.losses
    ]
    return MatrixGrid("loss", matrix.losses, matrix.metrics, cells)


def _sign(verdict: Verdict) -> str:
    star = "*" if verdict.outcome == "consistent" and verdict.conditions else ""
    return SIGNS[verdict.outcome] + star


def _scenes(matrix: Matrix, progress: Callable[[int, int, str], None] | None) -> Iterator[LawScene]:
    shown = [name for name in POPULAR if name in matrix.losses]
    shown = shown or [name for name in matrix.losses if name != ANY][:MOST_LOSSES]
    # What most people report is seen first.
    for done, metric in enumerate(sorted(matrix.metrics, key=lambda name: not name.startswith("nDCG"))):
        if progress is not None:
            progress(done, len(matrix.metrics), f"laws for {metric}")
        law = _telling_law(matrix, metric)
        if law is not None:
            yield law_scene(metric, law.support, shown, noise=matrix.noise)
    if progress is not None:
        progress(len(matrix.metrics), len(matrix.metrics), "done")


def _telling_law(matrix: Matrix, metric: str) -> Law | None:
    """A law over two or three label vectors that shows something of the metric.

    One that splits the best rankings, if there is; else the one that most losses fail under, two label
    vectors before three.
    """
    found: Counter[Law] = Counter()
    for row in matrix.losses:
        verdict = matrix.verdicts.get((row, metric))
        for piece in () if verdict is None else verdict.evidence:
            if piece.kind not in ("split", "counterexample"):
                continue
            law = Law.from_json(piece.data["law"])
            if len(law) in (2, 3) and all(isinstance(y, Graded) for y in law.support):
                if piece.kind == "split":
                    return law
                found[law] += 1
    return max(found, key=lambda law: (len(law) == 2, found[law]), default=None)


def _origin(matrix: Matrix, command: str | None) -> list[Block]:
    rows = [
        ("items", str(matrix.items)),
        ("grades", str(matrix.grades)),
        ("noise", matrix.noise or "any"),
        versions_fact(),
    ]
    return [*([] if command is None else [Command(command)]), Facts(rows)]
