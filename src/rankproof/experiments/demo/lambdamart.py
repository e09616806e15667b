"""First scene: LambdaMART on a law that a reader can check by hand, and what it costs in nDCG.

Two items, two kinds of people. The engines that are installed are trained, and each curve is the score of
item 0 minus that of item 1 after every tree. Where LightGBM is missing, its formula is iterated here: a tree
that may give every item its own score adds the mean gradient divided by the mean curvature, times the
learning rate. What is trained is a demonstration; what is proven of it, `rankproof certify` tells.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from rankproof.arrays import Float64s
from rankproof.errors import MissingDependencyError
from rankproof.experiments.engines.losses import RankingValues
from rankproof.experiments.engines.settings import engine_version
from rankproof.experiments.engines.train import train_objective, train_ours
from rankproof.feedback import Law
from rankproof.feedback.spaces import space_of
from rankproof.metrics.parse import metric as metric_of
from rankproof.targets.choose import target_for
from rankproof.theory.base.values import Ranking
from rankproof.theory.shipped.floats import FloatFields
from rankproof.theory.shipped.lambdas import formula_of
from rankproof.theory.shipped.objective import engine_objective
from rankproof.theory.shipped.table import NAMES

__all__ = ["LAW", "GapCurve", "LambdaMARTScene", "lambdamart_scene"]

LAW = Law({(2, 1): "3/5", (0, 1): "2/5"})
METRIC, TREES, RATE, SEED = "nDCG", 100, 0.1, 0
# Trained where installed; the first has a formula to fall back on.
OBJECTIVES = ("lightgbm:lambdarank", "xgboost:rank:ndcg")


@dataclass(frozen=True)
class GapCurve:
    """The score of item 0 minus that of item 1 after every tree.

    Attributes
    ----------
    name : for the legend
    ours : whether it is a loss that is consistent with the metric
    gaps : one number per tree
    """

    name: str
    ours: bool
    gaps: tuple[float, ...] = field(repr=False)

    @property
    def order(self) -> Ranking:
        """The order of the items at the end."""
        return (0, 1) if self.gaps[-1] > 0 else (1, 0)


@dataclass(frozen=True)
class LambdaMARTScene:
    """The law, what is best under it, and where training goes.

    Attributes
    ----------
    metric : what is reported
    law : the labels
    means : the mean target of each item; the best order sorts by it
    best, best_value : the best ranking, and what it is worth on average
    lost : what the other ranking loses
    curves : where training goes
    missing : which curves are not there, and how to get them
    """

    metric: str
    law: Law
    means: tuple[float, ...]
    best: Ranking
    best_value: float
    lost: float
    curves: tuple[GapCurve, ...]
    missing: tuple[str, ...]


def lambdamart_scene() -> LambdaMARTScene:
    """Train the engines that are installed; what is missing is said."""
    values = RankingValues.from_law(METRIC, LAW)
    (best,) = values.best
    means = LAW.expect(target_for(METRIC).of_feedback)
    curves, missing = [], []
    for spec in OBJECTIVES:
        objective = engine_objective(spec)
        name = f"{objective.name}, {NAMES[objective.engine]}"
        try:
            version = engine_version(objective.engine)
        except MissingDependencyError as error:
            missing.append(f"The curve of {name} is missing. {error}")
            continue
        gaps = _gaps(lambda objective=objective: train_objective(objective, LAW, RATE, TREES, SEED))  # type: ignore[misc]
        curves.append(GapCurve(f"{name} {version}", ours=False, gaps=gaps))
    if any(curve.name.startswith("lambdarank") for curve in curves):
        gaps = _gaps(lambda: train_ours("lightgbm", metric_of(METRIC), LAW, RATE, TREES, SEED))
        curves.append(GapCurve("rankproof's loss, LightGBM", ours=True, gaps=gaps))
    else:
        curves.insert(0, GapCurve("lambdarank, LightGBM's formula", ours=False, gaps=_formula_gaps()))
        # Least squares: every tree goes the same part of the way to the mean of the target.
        far = float(means[0] - means[1])
        path = tuple(far * (1 - (1 - RATE) ** tree) for tree in range(1, TREES + 1))
        curves.append(GapCurve("regression on the nDCG target", ours=True, gaps=path))
    return LambdaMARTScene(
        metric=METRIC,
        law=LAW,
        means=tuple(float(mean) for mean in means),
        best=best,
        best_value=float(values.best_value),
        lost=values.lost(tuple((item,) for item in reversed(best))),
        curves=tuple(curves),
        missing=tuple(missing),
    )


def _gaps(train: Callable[[], Float64s]) -> tuple[float, ...]:
    scores = train()
    return tuple(float(gap) for gap in scores[:, 0] - scores[:, 1])


def _formula_gaps() -> tuple[float, ...]:
    """What trees that may give every item its own score do with LightGBM's formula and unlimited data."""
    formula = formula_of(engine_objective(OBJECTIVES[0]))
    if formula is None:
        raise AssertionError(f"{OBJECTIVES[0]} has a formula.")
    fields = FloatFields(formula, space_of(LAW))
    support = np.arange(len(LAW))[None]
    shares = np.array([[float(p) for p in LAW.probabilities]])
    scores, gaps = np.zeros((1, LAW.items)), []
    for _ in range(TREES):
        field_at, bend = fields.at(support, shares, scores)
        scores = scores + RATE * field_at / bend
        gaps.append(float(scores[0, 0] - scores[0, 1]))
    return tuple(gaps)
