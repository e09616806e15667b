"""The scenes of a matrix of verdicts: for every metric, a law that shows something of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

from rankproof.experiments.laws.scene import LawScene
from rankproof.experiments.laws.scenes import law_scene
from rankproof.feedback import Graded, Law
from rankproof.theory.matrix import ANY, VerdictMatrix

__all__ = ["matrix_scenes"]

# What scenes show, where the matrix has it: the losses that people train with.
POPULAR = (
    *("softmax", "squared:gain", "pointwise-logistic", "listnet", "xe-ndcg"),
    *("listmle", "RankSVM", "RankNet", "RankBoost"),
)
MOST_LOSSES = 9


def matrix_scenes(
    matrix: VerdictMatrix, progress: Callable[[int, int, str], None] | None = None
) -> Iterator[LawScene]:
    """The scenes, each computed when it is asked for; ``progress(done, of, what)`` is called before each."""
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


def _telling_law(matrix: VerdictMatrix, metric: str) -> Law | None:
    """A law over two or three label vectors that shows something of the metric.

    One that splits the best rankings, if there is; else the one that most losses fail under, two label
    vectors before three.
    """
    shown_by: Counter[Law] = Counter()
    for row in matrix.losses:
        verdict = matrix.verdicts.get((row, metric))
        for piece in () if verdict is None else verdict.evidence:
            if piece.kind not in ("split", "counterexample", "rest-points"):
                continue
            law = Law.from_dict(piece.data["law"])
            if len(law) in (2, 3) and all(isinstance(y, Graded) for y in law.support):
                if piece.kind == "split":
                    return law
                shown_by[law] += 1
    return max(shown_by, key=lambda law: (len(law) == 2, shown_by[law]), default=None)
