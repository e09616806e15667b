"""One ranker on one fold: a row of penalties fitted once, and for each metric the one that validates best."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from rankproof.arrays import Float64s
from rankproof.data.ranking import RankingData
from rankproof.data.split import Split
from rankproof.evaluation.evaluate import evaluate
from rankproof.experiments.reproduce.experiment import FoldScores
from rankproof.experiments.reproduce.tasks import Stop, StoppedError
from rankproof.losses.base import Loss

__all__ = ["fit_path"]

# L-BFGS: the gradient's norm to reach, as a share of that at weights of 0. SGD: the least progress of a pass.
_TOLERANCE = {"lbfgs": 1e-4, "sgd": 1e-4}
_MOST_STEPS = {"lbfgs": 2000, "sgd": 100}


def fit_path(
    loss: Loss,
    fold: Split,
    metrics: Mapping[str, str],
    *,
    l2: Sequence[float],
    solver: str,
    scale: str,
    seed: int,
    stop: Stop,
    convention: str = "rankproof",
    choose_by: str | None = None,
) -> FoldScores:
    """Fit ``loss`` at every l2, from strong to weak, each fit starting where the last one ended.

    ``metrics`` maps a column to its metric. For each, the l2 whose ranker has the best mean on the validation
    part (the stronger one among equals) is the one whose values on the test part are returned; with
    ``choose_by`` the mean of that column decides for all. With one l2 there is nothing to choose.
    """
    from rankproof.fit.linear.model import Solver, build_objective

    method = Solver(
        method=solver,
        max_iter=_MOST_STEPS[solver],
        tol=_TOLERANCE[solver],
        verbose=0,
        random=np.random.Generator(np.random.PCG64(seed)),
    )
    objective, scaling = build_objective(fold.train, loss, scale=scale, l2=l2[0])
    solutions, unconverged = [], 0
    for solution in method.path(objective, scaling, list(l2), loss.name):
        solutions.append(scaling.raw(solution.coef, solution.intercept))
        unconverged += not solution.report.converged
        if stop():
            raise StoppedError

    def values(part: RankingData, at: int) -> dict[str, Float64s]:
        results = evaluate(
            _scores(part, scale, *solutions[at]),
            part,
            list(metrics.values()),
            convention=convention,
        )
        return {column: results.per_query[name] for column, name in metrics.items()}

    chosen = dict.fromkeys(metrics, 0)
    if len(solutions) > 1:
        valid = [
            {column: float(np.nanmean(v)) for column, v in values(fold.valid, at).items()}
            for at in range(len(solutions))
        ]
        # Among equals the first one is taken, which has the strongest penalty.
        chosen = {column: int(np.argmax([means[column] for means in valid])) for column in metrics}
        if choose_by is not None:
            chosen = dict.fromkeys(metrics, chosen[choose_by])
    tested = {at: values(fold.test, at) for at in set(chosen.values())}
    return FoldScores(
        values={column: tested[at][column] for column, at in chosen.items()},
        l2={column: l2[at] for column, at in chosen.items()},
        unconverged=unconverged,
    )


def _scores(part: RankingData, scale: str, weights: Float64s, shift: float) -> Float64s:
    from rankproof.fit.matrix import linear_scores
    from rankproof.fit.scaling import scaled_matrix

    return linear_scores(scaled_matrix(scale, part.X, part.offsets), weights) + shift
