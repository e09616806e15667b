"""The matrix: every loss with every metric, each cell a verdict.

A loss that takes a target stands in it twice: aimed at the metric of the column, and where people use it so,
on raw gains. `LOSS_ROWS` and `metric_columns` say what is asked; a loss or a metric that is registered and
missing fails a test.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rankproof.errors import DataError
from rankproof.metrics.base import METRICS, Metric
from rankproof.theory.certify import certify, certify_metric
from rankproof.theory.spaces import graded_space
from rankproof.theory.values import value_table
from rankproof.theory.verdict import Verdict

__all__ = ["FORMAT", "LOSS_ROWS", "Matrix", "certify_matrix", "metric_columns"]

FORMAT, VERSION = "rankproof.matrix", 1
# Aimed at the metric of the column unless a target is named.
LOSS_ROWS = (
    "softmax",
    "squared",
    "centred-squared",
    "kl",
    "bregman",
    "order-preserving",
    "lift",
    "relative",
    "duchi",
    "cosine",
    "q-family",
    "approx-ndcg",
    "squared:gain",
    "cosine(normalize=true):gain",
    "ordinal",
    "pointwise-logistic",
    "listnet",
    "xe-ndcg",
    "listmle",
    "RankSVM",
    "RankNet",
    "RankBoost",
    "preorder(weight=gain)",
    "lambdarank",
    "lambdaloss",
)
# The row that asks whether any convex loss will do.
ANY = "any convex loss"


@dataclass(frozen=True, eq=False)
class Matrix:
    """Verdicts by (loss as asked, metric); the row `ANY` is that of the metric alone."""

    losses: tuple[str, ...]
    metrics: tuple[str, ...]
    items: int
    grades: int
    noise: str | None
    verdicts: Mapping[tuple[str, str], Verdict]

    def __getitem__(self, cell: tuple[str, str]) -> Verdict:
        return self.verdicts[cell]

    def to_json(self) -> dict[str, Any]:
        """Plain data, from which `replay` checks every cell again."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "items": self.items,
            "grades": self.grades,
            "noise": self.noise,
            "losses": list(self.losses),
            "metrics": list(self.metrics),
            "cells": [
                {"row": row, "column": column, "verdict": verdict.to_json()}
                for (row, column), verdict in self.verdicts.items()
            ],
        }

    @classmethod
    def from_json(cls, plain: Mapping[str, Any]) -> Matrix:
        """The matrix of what `to_json` wrote."""
        if not isinstance(plain, Mapping) or plain.get("format") != FORMAT:
            raise DataError(f"A stored matrix is a dict with format {FORMAT!r}, got {plain!r:.80}.")
        try:
            cells = {(c["row"], c["column"]): Verdict.from_json(c["verdict"]) for c in plain["cells"]}
            return cls(
                tuple(plain["losses"]),
                tuple(plain["metrics"]),
                plain["items"],
                plain["grades"],
                plain["noise"],
                cells,
            )
        except (KeyError, TypeError) as error:
            raise DataError(f"The stored matrix is damaged: {type(error).__name__}: {error}.") from error


def metric_columns() -> tuple[str, ...]:
    """Every metric as it is by default; at cutoff 2 where it else gives all rankings the same value.

    >>> metric_columns()[:4]
    ('AP', 'AUC', 'bpref', 'DCG')
    """
    return tuple(str(_telling(cls())) for cls in METRICS.values())


def _telling(metric: Metric) -> Metric:
    rows = value_table(metric, graded_space(3, 2)).values
    if any(row != rows[0] for row in rows) or not hasattr(metric, "cutoff"):
        return metric
    return metric @ 2


def certify_matrix(
    losses: Sequence[str] = LOSS_ROWS,
    metrics: Sequence[str] | None = None,
    *,
    noise: str | None = None,
    items: int = 3,
    grades: int = 3,
    effort: float = 1.0,
    progress: Callable[[int, int, str], None] | None = None,
) -> Matrix:
    """The verdict of every loss with every metric, and of every metric alone.

    ``progress`` is called with (cells done, cells in all, what comes next).
    """
    columns = metric_columns() if metrics is None else tuple(metrics)
    rows = (ANY, *losses)
    cells = [(row, column) for column in columns for row in rows]
    verdicts: dict[tuple[str, str], Verdict] = {}
    for done, (row, column) in enumerate(cells):
        if progress is not None:
            progress(done, len(cells), f"{row} and {column}")
        if row == ANY:
            verdicts[row, column] = certify_metric(column, noise, items, grades)
        else:
            verdicts[row, column] = certify(row, column, noise, items, grades, effort=effort)
    if progress is not None:
        progress(len(cells), len(cells), "done")
    return Matrix(rows, columns, items, grades, noise, verdicts)
