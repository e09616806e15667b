"""The common course of an experiment: fold by fold, every ranker is fitted and scored on the test part.

Folds are read one at a time, so that memory holds one of them; the rankers of a fold are fitted side by side.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rankproof.arrays import Float64s
from rankproof.data.letor.folds import find_folds, read_folds
from rankproof.data.ranking import RankingData
from rankproof.data.split import Split
from rankproof.errors import DataError
from rankproof.experiments.reproduce.measured import Measured, Outcome
from rankproof.experiments.reproduce.tasks import Stop, run_all

__all__ = ["Experiment", "FoldFacts", "FoldScores", "Progress", "max_grade_of", "run_experiment"]

# (done, of, what is done): called from the main thread.
Progress: TypeAlias = Callable[[int, int, str], None]


@dataclass(frozen=True, eq=False)
class FoldScores:
    """One ranker on one fold: a value per test query for each metric, the l2 chosen for it, and how many fits
    ended before they had converged."""

    values: Mapping[str, Float64s]
    l2: Mapping[str, float]
    unconverged: int


@dataclass(frozen=True, eq=False)
class FoldFacts:
    """What there was in a fold."""

    queries: tuple[int, int, int]
    items: tuple[int, int, int]
    features: int
    test_queries: NDArray[Any]


@dataclass(frozen=True, eq=False)
class Experiment:
    """What came out, over all folds."""

    measured: Measured
    l2: Mapping[str, Mapping[str, list[float]]]
    unconverged: Mapping[str, int]
    folds: Sequence[FoldFacts]


# Fit the ranker of this name on the fold, and score its test part.
Fit: TypeAlias = Callable[[str, Split, Stop], FoldScores]
# Look at a fold before its rankers are fitted: (number from 1, fold).
Look: TypeAlias = Callable[[int, Split], None]


def run_experiment(
    directory: str | PathLike[str],
    rankers: Sequence[str],
    fit: Fit,
    *,
    look: Look | None = None,
    progress: Progress | None = None,
) -> Experiment:
    """Run ``fit`` for every ranker on every fold of ``directory``."""
    total = len(find_folds(directory)) * len(rankers)
    facts: list[FoldFacts] = []
    scored: list[list[FoldScores]] = []
    done = 0
    for number, fold in enumerate(map(_same_width, read_folds(directory)), start=1):
        facts.append(_facts(number, fold))
        if look is not None:
            look(number, fold)

        def tick(task: int, number: int = number) -> None:
            nonlocal done
            done += 1
            if progress is not None:
                progress(done, total, f"fold {number}: {rankers[task]}")

        tasks = [lambda stop, r=ranker, f=fold: fit(r, f, stop) for ranker in rankers]
        scored.append(run_all(tasks, tick=tick))
    outcomes = {
        ranker: {m: Outcome([fold[at].values[m] for fold in scored]) for m in scored[0][at].values}
        for at, ranker in enumerate(rankers)
    }
    l2 = {
        ranker: {m: [fold[at].l2[m] for fold in scored] for m in scored[0][at].l2}
        for at, ranker in enumerate(rankers)
    }
    unconverged = {ranker: sum(fold[at].unconverged for fold in scored) for at, ranker in enumerate(rankers)}
    return Experiment(Measured(outcomes), l2, unconverged, facts)


def _facts(number: int, fold: Split) -> FoldFacts:
    for name, part in zip(Split._fields, fold, strict=True):
        if not part.queries:
            raise DataError(f"The {name} part of fold {number} has no queries.")
        if not part.features:
            raise DataError(f"The {name} part of fold {number} has no features.")
    return FoldFacts(
        (fold.train.queries, fold.valid.queries, fold.test.queries),
        (fold.train.items, fold.valid.items, fold.test.items),
        fold.train.features,
        fold.test.query_ids,
    )


def _same_width(fold: Split) -> Split:
    """All parts with the same features: text leaves out values of 0, so a file may end at an earlier one."""
    width = max(part.features for part in fold)
    return Split(*(part if part.features == width else _widened(part, width) for part in fold))


def _widened(part: RankingData, width: int) -> RankingData:
    if isinstance(part.X, np.ndarray):
        return replace(part, X=np.pad(part.X, ((0, 0), (0, width - part.features))))
    from scipy.sparse import csr_array

    X: Any = part.X
    wide: Any = csr_array((X.data, X.indices, X.indptr), shape=(part.items, width))
    return replace(part, X=wide)


def max_grade_of(fold: Split) -> int:
    """The highest label of a fold's three parts."""
    return int(max(part.labels.max(initial=0.0) for part in fold))
