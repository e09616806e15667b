"""What an experiment was run with: checked once, printed in JSON, so that its numbers can be had again."""

from __future__ import annotations

import math
import platform
from collections.abc import Iterable, Sequence
from typing import Any

from rankproof.errors import ArgumentError
from rankproof.experiments.reproduce.experiment import Experiment, FoldFacts
from rankproof.runs.versions import package_versions

__all__ = [
    "SCHEMA",
    "as_l2_values",
    "as_scale",
    "data_facts",
    "unconverged_note",
    "versions",
]

SCHEMA = "rankproof.reproduction/1"


def as_l2_values(values: Iterable[float]) -> tuple[float, ...]:
    """The strengths of the penalty to choose from, from strong to weak, each once."""
    penalties = tuple(sorted({float(value) for value in values}, reverse=True))
    if not penalties or not all(math.isfinite(value) and value >= 0 for value in penalties):
        raise ArgumentError(f"Argument l2 must hold finite numbers of at least 0, got {list(penalties)}.")
    return penalties


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
    return {"python": platform.python_version(), **package_versions(*names)}


def unconverged_note(experiment: Experiment) -> list[str]:
    """A line on fits that ended early, when there are any."""
    some = {ranker: count for ranker, count in experiment.unconverged.items() if count}
    if not some:
        return []
    return ["fits that ended before they had converged: " + ", ".join(f"{r} {n}" for r, n in some.items())]
