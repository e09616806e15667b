"""What an experiment was run with: checked once, printed in JSON, so that its numbers can be had again."""

from __future__ import annotations

import math
import platform
from collections.abc import Iterable, Sequence
from importlib.metadata import version
from typing import Any

from rankproof.arrays import Float64s
from rankproof.errors import ArgumentError
from rankproof.evaluation.tables import as_csv
from rankproof.report.reproduce.experiment import Experiment, FoldFacts

__all__ = [
    "SCHEMA",
    "as_l2_values",
    "as_scale",
    "data_facts",
    "finite",
    "per_query_csv",
    "unconverged_note",
    "versions",
]

SCHEMA = "rankproof.reproduction/1"


def as_l2_values(values: Iterable[float]) -> tuple[float, ...]:
    """The strengths of the penalty to choose from, from strong to weak, each once."""
    found = tuple(sorted({float(value) for value in values}, reverse=True))
    if not found or not all(math.isfinite(value) and value >= 0 for value in found):
        raise ArgumentError(f"Argument l2 must hold finite numbers of at least 0, got {list(found)}.")
    return found


def as_scale(scale: str) -> None:
    """Raise `ArgumentError` unless ``scale`` is a scaling of the linear ranker."""
    from rankproof.fit.scaling import SCALES

    if scale not in SCALES:
        raise ArgumentError(f"Argument scale must be one of {', '.join(SCALES)}, got {scale!r}.")


def data_facts(directory: str, folds: Sequence[FoldFacts]) -> dict[str, Any]:
    """The directory as it was given, and what its folds hold."""
    parts = ("train", "valid", "test")
    return {
        "directory": directory,
        "features": max(fold.features for fold in folds),
        "folds": [
            {
                "queries": dict(zip(parts, fold.queries, strict=True)),
                "items": dict(zip(parts, fold.items, strict=True)),
            }
            for fold in folds
        ],
    }


def versions() -> dict[str, str]:
    """Of the interpreter and of the packages whose arithmetic the numbers come from."""
    names = ("rankproof", "numpy", "scipy", "numba")
    return {"python": platform.python_version(), **{name: version(name) for name in names}}


def finite(value: float) -> float | None:
    """A number as JSON can hold it: None for NaN and infinities."""
    return float(value) if math.isfinite(value) else None


def per_query_csv(found: Experiment) -> str:
    """One row per fold, test query and ranker, one column per metric; empty where a query does not count."""
    measured = found.measured
    rows = []
    for number, facts in enumerate(found.folds):
        queries = [str(query) for query in facts.test_queries.tolist()]
        for ranker in measured.rankers:
            columns: list[Float64s] = [
                measured.outcomes[ranker][metric].folds[number] for metric in measured.metrics
            ]
            rows += [
                [str(number + 1), query, ranker, *("" if v != v else repr(float(v)) for v in values)]
                for query, *values in zip(queries, *columns, strict=True)
            ]
    return as_csv(["fold", "query", "ranker", *measured.metrics], rows)


def unconverged_note(found: Experiment) -> list[str]:
    """A line on fits that ended early, when there are any."""
    some = {ranker: count for ranker, count in found.unconverged.items() if count}
    if not some:
        return []
    return ["fits that ended before they had converged: " + ", ".join(f"{r} {n}" for r, n in some.items())]
