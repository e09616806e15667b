"""B11 §6, Tables 1 and 2: the preorder loss against the order-preserving loss with standardised supervision.

Six linear rankers with the Huber hinge (Chapelle 2007) and a penalty l2/2 |w|^2. For each metric of a column
the l2 is the one that is best for that metric on the validation part; a path of l2 is fitted once, from
strong to weak, each fit starting where the last one ended, and serves all columns.

The conventions are those under which the printed magnitudes come out (the text states none): DCG has gains
(2^y - 1) / 2^gmax and the natural logarithm, and like ERR it counts every query; nDCG is over the queries
that have a relevant item; a column is the mean over folds of the mean over a fold's queries.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from os import PathLike
from typing import Any, Literal, get_args

from rankproof.arrays import as_whole_number
from rankproof.data.split import Split
from rankproof.errors import ArgumentError, DataError
from rankproof.evaluation.bootstrap import as_level
from rankproof.evaluation.defaults import SIGNIFICANCE
from rankproof.evaluation.pair_result import PairResult
from rankproof.evaluation.tables import Table, as_html, as_text
from rankproof.experiments.reproduce.experiment import (
    Experiment,
    FoldScores,
    Progress,
    max_grade_of,
    run_experiment,
)
from rankproof.experiments.reproduce.paths import fit_path
from rankproof.experiments.reproduce.settings import as_l2_values, as_scale
from rankproof.experiments.reproduce.tasks import Stop
from rankproof.metrics import metric
from rankproof.plain import json_text

__all__ = ["B11", "COLUMNS", "L2", "PRINTED", "ROWS", "Row", "Solver", "reproduce_b11"]

Solver = Literal["lbfgs", "sgd"]
COLUMNS = ("ERR", "DCG", "nDCG")
# Seven strengths; the losses of a query range from 1 to hundreds of pairs, hence the wide grid.
L2 = (1e1, 1e0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5)


@dataclass(frozen=True)
class Row:
    """A row of the tables: its label, the table it stands in, and its loss."""

    label: str
    table: int
    loss: str


ROWS = (
    Row("preorder", 1, "preorder(margin=huber)"),
    Row("consistent DCG", 1, "order-preserving(margin=huber):gain"),
    Row("consistent nDCG", 1, "order-preserving(margin=huber):normalised-gain"),
    Row("preorder, norm", 2, "preorder(margin=huber,weight=pairs)"),
    Row("preorder, norm + DCG", 2, "preorder(margin=huber,weight=gain-pairs)"),
    Row("consistent, norm + DCG", 2, "order-preserving(margin=huber,normalize=true):gain"),
)

# What the paper prints for LETOR 4.0 MQ2007 (Table 1 bottom, Table 2 bottom), in the order of COLUMNS.
PRINTED: Mapping[str, tuple[float, float, float]] = {
    "preorder": (0.31392, 1.7678, 0.66696),
    "consistent DCG": (0.316, 1.76806, 0.66714),
    "consistent nDCG": (0.3134, 1.76566, 0.66858),
    "preorder, norm": (0.31278, 1.76412, 0.66794),
    "preorder, norm + DCG": (0.31776, 1.77058, 0.6714),
    "consistent, norm + DCG": (0.31746, 1.77124, 0.67032),
}


@dataclass(frozen=True, eq=False, repr=False)
class B11:
    """What came out. ``names`` are the rankers: a row's label, with the solver when there are several."""

    experiment: Experiment
    pairs: Mapping[tuple[Solver, int, str], list[PairResult]]
    metrics: Mapping[str, str]
    losses: Mapping[str, str]
    solvers: tuple[Solver, ...]
    l2: tuple[float, ...]
    max_grade: int
    scale: str
    seed: int
    level: float
    directory: str

    def name(self, row: Row, solver: Solver) -> str:
        """The ranker of a row."""
        return ranker_name(row, solver, self.solvers)

    def tables(self) -> list[tuple[str, Table]]:
        """The tables with their titles."""
        from rankproof.experiments.reproduce.b11_text import b11_tables

        return b11_tables(self)

    def to_dict(self) -> dict[str, Any]:
        """Plain data: settings, versions, numbers and tests."""
        from rankproof.experiments.reproduce.b11_text import b11_dict

        return b11_dict(self)

    def to_json(self) -> str:
        """`to_dict` as JSON text."""
        return json_text(self.to_dict())

    def to_frame(self, backend: str = "pandas") -> Any:
        """A pandas, polars or pyarrow frame: one row per fold, test query and ranker."""
        from rankproof.experiments.reproduce.per_query import per_query_frame

        return per_query_frame(self.experiment, backend)

    def files(self) -> dict[str, bytes]:
        """What is kept of it: name of a file to its content."""
        from rankproof.experiments.reproduce.b11_text import b11_files

        return b11_files(self)

    def __str__(self) -> str:
        return "\n\n".join(f"{title}\n{as_text(table)}" for title, table in self.tables())

    def __repr__(self) -> str:
        return f"B11({self.directory}, {len(self.experiment.folds)} folds)"

    def _repr_html_(self) -> str:
        return "".join(as_html(table, title) for title, table in self.tables())


def ranker_name(row: Row, solver: Solver, solvers: tuple[Solver, ...]) -> str:
    """The label of a row, with the solver when there are several."""
    return row.label if len(solvers) == 1 else f"{row.label} [{solver}]"


def b11_metrics(max_grade: int) -> dict[str, str]:
    """The metrics of the columns, for labels up to ``max_grade``.

    >>> b11_metrics(1)
    {'ERR': 'ERR(max_grade=1,empty=0)', 'DCG': 'DCG(gain=[0,0.5],discount=ln,empty=0)', 'nDCG': 'nDCG'}
    """
    gains = ",".join(f"{(2**y - 1) / 2**max_grade:g}" for y in range(max_grade + 1))
    texts = (f"ERR(max_grade={max_grade},empty=0)", f"DCG(gain=[{gains}],discount=ln,empty=0)", "nDCG")
    return dict(zip(COLUMNS, (str(metric(text)) for text in texts), strict=True))


def reproduce_b11(
    directory: str | PathLike[str],
    *,
    solvers: Iterable[Solver] = ("lbfgs",),
    l2: Iterable[float] = L2,
    max_grade: int | None = None,
    scale: str = "none",
    seed: int = 0,
    level: float = SIGNIFICANCE,
    progress: Progress | None = None,
) -> B11:
    """Fit and compare the six rankers on the folds of ``directory``.

    Parameters
    ----------
    directory : with the folds Fold1, Fold2, ..., see `rankproof.find_folds`
    solvers : "lbfgs" (to the minimum), "sgd" (as in the paper), or both
    l2 : strengths of the penalty to choose from
    max_grade : the highest grade there can be; the highest label of the first fold when not given
    scale : scaling of the features: "none", "standard" or "query-minmax"
    seed : of SGD and of the sampled randomisation test
    level : accepted chance of any false mark in a column of a table
    progress : called as ``progress(done, of, what)``
    """

    chosen = _as_solvers(solvers)
    as_scale(scale)
    strengths, seed, level = as_l2_values(l2), as_whole_number("seed", seed, 0), as_level("level", level)
    grade = None if max_grade is None else as_whole_number("max_grade", max_grade, 1)
    rankers = {ranker_name(row, solver, chosen): (row, solver) for solver in chosen for row in ROWS}
    losses = _losses()
    metrics: dict[str, str] = {} if grade is None else b11_metrics(grade)

    def look(number: int, fold: Split) -> None:
        nonlocal grade
        highest = max_grade_of(fold)
        if grade is None:
            grade = max(1, highest)
            metrics.update(b11_metrics(grade))
        elif highest > grade:
            raise DataError(
                f"Fold {number} has label {highest}, above the highest grade {grade}. "
                f"Give the highest grade of the scale: max_grade={highest}."
            )

    def fit(ranker: str, fold: Split, stop: Stop) -> FoldScores:
        row, solver = rankers[ranker]
        return fit_path(
            losses[row.label],
            fold,
            metrics,
            l2=strengths,
            solver=solver,
            scale=scale,
            seed=seed,
            stop=stop,
        )

    experiment = run_experiment(directory, list(rankers), fit, look=look, progress=progress)
    pairs: dict[tuple[Solver, int, str], list[PairResult]] = {}
    for solver in chosen:
        for table in (1, 2):
            names = [ranker_name(row, solver, chosen) for row in ROWS if row.table == table]
            for column in COLUMNS:
                pairs[solver, table, column] = experiment.measured.pairs(
                    column, names, level=level, seed=seed
                )
    return B11(
        experiment=experiment,
        pairs=pairs,
        metrics=metrics,
        losses={label: str(loss) for label, loss in losses.items()},
        solvers=chosen,
        l2=strengths,
        max_grade=grade or 1,
        scale=scale,
        seed=seed,
        level=level,
        directory=str(directory),
    )


def _as_solvers(solvers: Iterable[Solver]) -> tuple[Solver, ...]:
    chosen = tuple(dict.fromkeys(solvers))
    if not chosen or any(solver not in get_args(Solver) for solver in chosen):
        raise ArgumentError(f"Argument solvers must hold lbfgs, sgd or both, got {list(chosen)}.")
    return chosen


def _losses() -> dict[str, Any]:
    from rankproof.losses.parse import loss

    return {row.label: loss(row.loss) for row in ROWS}
