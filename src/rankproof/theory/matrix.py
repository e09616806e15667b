"""The matrix: every loss with every metric, each cell a verdict.

A loss that takes a target stands in it twice: aimed at the metric of the column, and where people use it so,
on raw gains. `LOSS_ROWS` and `metric_columns` say what is asked: all that is registered.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rankproof.errors import DataError
from rankproof.evaluation.tables import as_html, as_text
from rankproof.feedback.spaces import graded_space
from rankproof.losses import LOSSES
from rankproof.losses.parse import loss as loss_of
from rankproof.metrics.base import METRICS, Metric
from rankproof.plain import json_text
from rankproof.theory.base.stored_text import plain_from_json
from rankproof.theory.base.values import value_table
from rankproof.theory.base.verdict import Verdict
from rankproof.theory.certify import certify, certify_metric
from rankproof.theory.defaults import EFFORT, ITEMS, MATRIX_GRADES
from rankproof.theory.matrix_tables import grid_table

__all__ = ["FORMAT", "LOSS_ROWS", "VerdictMatrix", "certify_matrix", "metric_columns"]

FORMAT, VERSION = "rankproof.matrix", 1
# Aimed at the metric of the column unless a target is named.
_FIRST_ROWS = (
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
# Losses of the registry that none of these is follow.
LOSS_ROWS = (*_FIRST_ROWS, *sorted(set(LOSSES) - {loss_of(row).name for row in _FIRST_ROWS}))
# The row that asks whether any convex loss will do.
ANY = "any convex loss"


@dataclass(frozen=True, eq=False)
class VerdictMatrix:
    """Verdicts by (loss as asked, metric); the row `ANY` is that of the metric alone."""

    losses: tuple[str, ...]
    metrics: tuple[str, ...]
    items: int
    grades: int
    noise: str | None
    verdicts: Mapping[tuple[str, str], Verdict]

    def __getitem__(self, cell: tuple[str, str]) -> Verdict:
        return self.verdicts[cell]

    def to_dict(self) -> dict[str, Any]:
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
                {"row": row, "column": column, "verdict": verdict.to_dict()}
                for (row, column), verdict in self.verdicts.items()
            ],
        }

    def to_json(self) -> str:
        """`to_dict` as JSON text."""
        return json_text(self.to_dict())

    def to_frame(self, backend: str = "pandas") -> Any:
        """A pandas, polars or pyarrow frame: one row per cell."""
        from rankproof.data.frames import frame_of_rows

        return frame_of_rows(
            [
                {
                    "loss": row,
                    "metric": column,
                    "outcome": verdict.outcome,
                    "as": verdict.loss,
                    "why": verdict.short,
                    "rule": verdict.rule,
                    "reference": verdict.reference,
                    "conditions": "; ".join(verdict.conditions),
                }
                for (row, column), verdict in self.verdicts.items()
            ],
            backend,
        )

    def __str__(self) -> str:
        return as_text(grid_table(self))

    def _repr_html_(self) -> str:
        return as_html(grid_table(self), title="Is minimising the loss consistent with the metric?")

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> VerdictMatrix:
        """The matrix of what `to_dict` wrote."""
        if not isinstance(plain, Mapping) or plain.get("format") != FORMAT:
            raise DataError(f"A stored matrix is a dict with format {FORMAT!r}, got {plain!r:.80}.")
        try:
            cells = {(c["row"], c["column"]): Verdict.from_dict(c["verdict"]) for c in plain["cells"]}
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

    @classmethod
    def from_json(cls, text: str) -> VerdictMatrix:
        """The matrix of the text that `to_json` wrote."""
        return cls.from_dict(plain_from_json(text, "matrix"))


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
    items: int = ITEMS,
    grades: int = MATRIX_GRADES,
    effort: float = EFFORT,
    progress: Callable[[int, int, str], None] | None = None,
) -> VerdictMatrix:
    """The verdict of every loss with every metric, and of every metric alone.

    Parameters
    ----------
    losses : strings
        The rows: a loss without a target is aimed at the metric of the column.
    metrics : strings, optional
        The columns; by default every metric.
    noise, items, grades, effort
        As in `rankproof.certify`.
    progress : function, optional
        Is called with (cells done, cells in all, what comes next).

    Examples
    --------
    >>> matrix = certify_matrix(["softmax", "listnet"], ["nDCG"], grades=2)
    >>> matrix["softmax", "nDCG"].outcome, matrix["listnet", "nDCG"].outcome
    ('consistent', 'inconsistent')
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
    return VerdictMatrix(rows, columns, items, grades, noise, verdicts)
