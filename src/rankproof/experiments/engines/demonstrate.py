"""`demonstrate`: train the installed engine on a law, and see whether it ends at the best order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib.metadata import version
from itertools import product
from typing import Any

from rankproof.errors import ArgumentError, PrecisionError
from rankproof.experiments.engines.demonstration import Demonstration
from rankproof.experiments.engines.known_laws import laws_to_try
from rankproof.experiments.engines.limits import as_rates, as_seeds, as_trees, check_work
from rankproof.experiments.engines.losses import RankingValues
from rankproof.experiments.engines.own_metrics import metric_and_values
from rankproof.experiments.engines.rows import queries_for
from rankproof.experiments.engines.runs import EngineRun, order_of, stretches_of
from rankproof.experiments.engines.settings import engine_version, objective_settings, tree_settings
from rankproof.experiments.engines.train import train_objective
from rankproof.feedback import Law
from rankproof.metrics.base import Metric
from rankproof.targets.base import as_condition
from rankproof.theory.base.values import AnyMetric
from rankproof.theory.certify import as_metric
from rankproof.theory.noise.membership import in_class
from rankproof.theory.shipped.objective import EngineObjective, engine_objective

__all__ = ["RATES", "SEEDS", "TREES", "demonstrate"]

RATES, SEEDS, TREES = (0.3, 0.1, 0.02), (0, 1, 2), 400
# Of the short run that tells which law to take.
TRIAL_RATE, TRIAL_TREES = 0.1, 100
Progress = Callable[[int, int, str], None]


def demonstrate(
    objective: str | EngineObjective,
    metric: str | Metric | Callable[..., Any],
    law: Law | None = None,
    *,
    direction: str = "higher",
    noise: str | None = None,
    rates: Sequence[float] = RATES,
    seeds: Sequence[int] = SEEDS,
    trees: int = TREES,
    progress: Progress | None = None,
) -> Demonstration:
    """Train an installed engine on a law whose best ranking is known, and see where it ends.

    The engine is trained on queries in exact proportion to the law, with one column per item, so nothing but
    the objective decides which order it ends at. The outcome is a demonstration, not a proof: it says what
    happened in these runs. What is proven about an objective, `rankproof.certify` tells.

    Parameters
    ----------
    objective : str
        The engine and its objective, such as ``"lightgbm:lambdarank"``, ``"xgboost:rank:ndcg"`` or
        ``"catboost:YetiRank(mode=NDCG)"``, with the engine's own parameters in parentheses. Others stay at
        the engine's defaults.
    metric : metric, str or function
        In which the loss is measured, such as ``"nDCG@10"``; also a function ``(ranking, feedback) ->
        number``, or its place ``"my_metric.py:name"``, whose file is then run.
    law : Law, optional
        The probability of each set of labels. By default, of the laws that are known to be hard for engines,
        the one on which a short run with this objective loses most.
    direction : "higher" or "lower"
        Which values of a function are better.
    noise : str, optional
        A condition on the law, a key of `rankproof.targets.CONDITIONS`: only laws that meet it are taken.
    rates : sequence of float
        The learning rates, from 0.0001 to 1; each is run with each of the seeds.
    seeds : sequence of int
        Seeds of the engine and of the order of the rows.
    trees : int
        How many trees are trained in each run. The order is looked at after every one.
    progress : function of (done, of how many, what comes next), optional
        Called before every run.

    Returns
    -------
    Demonstration
        The orders in all runs, whether they are best, and what they lose.

    Raises
    ------
    MissingDependencyError
        When the engine is not installed.

    Examples
    --------
    Item 0 is better for 3 of 5 people (grade 2 against 1), and useless for the others. The means of what
    counts for nDCG, the gain divided by the best DCG, are 0.496 and 0.565: item 1 should come first.

    >>> law = Law({(2, 1): "3/5", (0, 1): "2/5"})
    >>> shown = demonstrate("lightgbm:lambdarank", "nDCG", law, rates=[0.1], seeds=[0], trees=50)
    >>> shown.best_rankings, shown.runs[0].end.order
    (((1, 0),), ((0,), (1,)))
    """
    trained = engine_objective(objective)
    measure = as_metric(metric, direction)
    speeds, starts, count = as_rates(rates), as_seeds(seeds), as_trees(trees)
    check_work(len(speeds) * len(starts), count)
    installed = engine_version(trained.engine)
    condition = None if noise is None else as_condition(noise)
    chosen = _hardest(trained, measure, condition) if law is None else law
    if not in_class(chosen, condition, measure):
        raise ArgumentError(f"Argument law must be {condition}, as noise says, got {chosen!r}.")
    values = RankingValues.from_law(measure, chosen)
    name, stored = metric_and_values(measure, chosen)
    queries = queries_for(chosen)
    runs = []
    wanted = list(product(speeds, starts))
    for done, (rate, seed) in enumerate(wanted):
        if progress is not None:
            progress(done, len(wanted), f"{trained}, learning rate {rate:g}, seed {seed}")
        runs.append(run_engine(trained, chosen, values, rate, seed, count))
    if progress is not None:
        progress(len(wanted), len(wanted), "done")
    return Demonstration(
        objective=str(trained),
        metric=name,
        law=chosen,
        best_rankings=values.best,
        best_value=float(values.best_value),
        engine_version=installed,
        rankproof_version=version("rankproof"),
        queries=queries,
        trees=count,
        parameters={**tree_settings(trained.engine, chosen.items), **objective_settings(trained)},
        runs=tuple(runs),
        values=stored,
    )


def run_engine(
    objective: EngineObjective, law: Law, values: RankingValues, rate: float, seed: int, trees: int
) -> EngineRun:
    """One run: the orders of the items after every tree."""
    orders = [order_of(scores) for scores in train_objective(objective, law, rate, trees, seed)]
    return EngineRun(rate, seed, stretches_of(orders, values.losses(orders)))


def _hardest(objective: EngineObjective, metric: AnyMetric, noise: str | None) -> Law:
    """Of the known laws the one that a short run loses most on; the first if it loses nothing on any."""
    lost: list[tuple[float, Law]] = []
    for laws in laws_to_try(objective):
        for law in (one for one in laws if in_class(one, noise, metric)):
            values = _worth(metric, law)
            if values is None:
                continue
            run = run_engine(objective, law, values, TRIAL_RATE, SEEDS[0], TRIAL_TREES)
            lost.append((run.end.lost, law))
        if any(value for value, _ in lost):
            break
    if not lost:
        which = "" if noise is None else f" is {noise}, or none"
        raise ArgumentError(
            f"None of the laws that are known to be hard for {objective}{which} tells rankings apart by "
            f"{metric}. Give a law that does: rankproof.demonstrate(..., law=...)."
        )
    return max(lost, key=lambda pair: pair[0])[1]


def _worth(metric: AnyMetric, law: Law) -> RankingValues | None:
    """What rankings are worth; None where a function does not take the labels, or has nothing to tell."""
    if isinstance(metric, Metric):
        return RankingValues.from_law(metric, law)
    try:
        values = RankingValues.from_law(metric, law)
    except (ArgumentError, PrecisionError):
        return None
    return values if len(values.best) < len(values.means) else None
