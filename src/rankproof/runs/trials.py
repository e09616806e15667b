"""Trials: settings of boosted trees drawn from a seed, and compared by the metric over folds of queries.

The settings of trial 0 are the defaults, those of trial k depend on the seed and k alone, so a search can be
continued, or made longer, at any time. All folds of a trial keep the same number of trees: the one with the
best mean over the folds. Early stopping only spares trees that no fold asks for. A trial that was pruned has
values of its first folds, and no value to compare with those of whole trials.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from sklearn.base import clone

from rankproof.arrays import Float64s
from rankproof.data.ranking import RankingData
from rankproof.data.split import query_folds
from rankproof.errors import ArgumentError
from rankproof.evaluation.per_query import signed
from rankproof.fit.defaults import BOOSTED
from rankproof.metrics.base import Metric
from rankproof.metrics.parse import metric as parse_metric
from rankproof.plain import html_fields, json_text, plain_number
from rankproof.runs.space import LEAST, Range, drawn, log_uniform

__all__ = [
    *("LEARNING_RATES", "LEAVES", "PENALTIES", "SEARCHED", "Trial"),
    *("as_settings", "best_trial", "cross_validate", "trial_settings", "within_noise"),
]

# What is drawn for a trial with any engine, beside the loss.
SEARCHED = ("learning_rate", "num_leaves", "l2")
# From, to; drawn evenly in their logarithm.
LEARNING_RATES, PENALTIES = (0.02, 0.3), (0.1, 100.0)
# Powers of two, which CatBoost's symmetric trees can have.
LEAVES = (8, 16, 32, 64)


@dataclass(frozen=True)
class Trial:
    """Settings that were tried, and what they got; ``values`` are those of the folds with ``trees`` trees.

    ``parameters`` are those of the engine that were drawn, by its names. None leaves a setting to the
    engine, or to what was given to the search. A trial that was ``pruned`` has the values of its first folds,
    and NaN as ``value``.
    """

    number: int
    learning_rate: float
    num_leaves: int
    l2: float | None
    loss: str
    trees: int
    # Follows from the values; NaN is not equal to itself.
    value: float = field(compare=False)
    values: tuple[float, ...]
    # Trials of earlier versions have none of these.
    min_data_in_leaf: int | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict, hash=False)
    pruned: bool = False

    @property
    def drawn(self) -> dict[str, Any]:
        """All settings of the trial, by name."""
        return {
            **{name: getattr(self, name) for name in (*SEARCHED, "loss", LEAST)},
            **self.parameters,
        }

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {**asdict(self), "value": plain_number(self.value), "values": list(self.values)}

    def to_json(self) -> str:
        """`to_dict` as JSON text."""
        return json_text(self.to_dict())

    def _repr_html_(self) -> str:
        return html_fields(self)

    @classmethod
    def from_dict(cls, fields: dict[str, Any]) -> Trial:
        """The trial that `to_dict` wrote."""
        value = math.nan if fields.get("pruned") else fields["value"]
        return cls(**{**fields, "value": value, "values": tuple(fields["values"])})


def as_settings(
    learning_rate: float | None, num_leaves: int | None, l2: float | None, loss: str, more: Mapping[str, Any]
) -> dict[str, Any]:
    """Settings as a `Trial` has them; ``more`` are those that not every engine has."""
    parameters = {name: value for name, value in more.items() if name != LEAST}
    common = {"learning_rate": learning_rate, "num_leaves": num_leaves, "l2": l2, "loss": loss}
    return {**common, LEAST: more.get(LEAST), "parameters": parameters}


def trial_settings(
    number: int, seed: int, losses: Sequence[str], space: Sequence[Range] = ()
) -> dict[str, Any]:
    """The settings of a trial.

    >>> trial_settings(0, 7, ["auto"])
    {'learning_rate': 0.05, 'num_leaves': 16, 'l2': None, 'loss': 'auto', 'min_data_in_leaf': None,
     'parameters': {}}
    >>> trial_settings(1, 7, ["auto"]) == trial_settings(1, 7, ["auto"]) != trial_settings(2, 7, ["auto"])
    True
    """
    if number == 0:
        return as_settings(BOOSTED.learning_rate, BOOSTED.num_leaves, BOOSTED.l2, losses[0], {})
    random = np.random.Generator(np.random.PCG64(np.random.SeedSequence((seed, number))))
    # In this order, which is part of what a seed means; what is added later is drawn later.
    return as_settings(
        _two_digits(log_uniform(random, *LEARNING_RATES)),
        int(random.choice(LEAVES)),
        _two_digits(log_uniform(random, *PENALTIES)),
        losses[int(random.integers(len(losses)))],
        drawn(random, space),
    )


def _two_digits(value: float) -> float:
    """More would not matter, and it is to be written into a command."""
    return float(f"{value:.2g}")


def cross_validate(
    ranker: Any,
    data: RankingData,
    number: int,
    settings: dict[str, Any],
    *,
    folds: int,
    seed: int,
    progress: Callable[[int, int], None] | None = None,
    hopeless: Callable[[Sequence[float]], bool] | None = None,
) -> Trial:
    """Cross-validate a `BoostedRanker`, which has the loss of the trial, with its other settings.

    ``progress`` is called with the number of folds that are done and how many there are. ``hopeless`` is
    asked with the values of the folds so far, before the next one; where it says so, the trial is pruned.
    """
    if data.X is None:
        raise ArgumentError("Tuning needs features, got a RankingData without X.")
    metric = parse_metric(ranker.metric)
    curves: list[Float64s] = []
    trees, value, values = 0, math.nan, list[float]()
    parts = query_folds(data, folds, seed, index=True)
    for done, (train, test) in enumerate(parts):
        if progress is not None:
            progress(done, len(parts))
        part = data[train]
        one = _with_settings(ranker, settings)
        one.fit(
            part.X,
            part.labels,
            qid=part.qids,
            query_weight=part.query_weights,
            sample_weight=part.item_weights,
            validation=data[test],
        )
        curves.append(one.evaluations_)
        trees, value, values = _best_trees(curves, metric)
        if hopeless is not None and done + 1 < len(parts) and hopeless(values):
            return Trial(number, trees=trees, value=math.nan, values=tuple(values), pruned=True, **settings)
    return Trial(number, trees=trees, value=value, values=tuple(values), **settings)


def _with_settings(ranker: Any, settings: Mapping[str, Any]) -> Any:
    """A new ranker with what was drawn, beside what it has of the user's."""
    own = {name: settings[name] for name in SEARCHED}
    if settings[LEAST] is not None:
        own[LEAST] = settings[LEAST]
    parameters = {**(ranker.parameters or {}), **settings["parameters"]}
    return clone(ranker).set_params(**own, parameters=parameters or None)


def _best_trees(curves: Sequence[Float64s], metric: Metric) -> tuple[int, float, list[float]]:
    """The number of trees with the best mean over the folds, that mean, and the value of each fold."""
    # A fold that stopped early has no values for more trees.
    longest = min(curve.size for curve in curves)
    values = np.array([curve[:longest] for curve in curves])
    means = values.mean(axis=0).tolist()
    best = int(np.argmax([signed(metric, value) for value in means]))
    return best + 1, means[best], values[:, best].tolist()


def best_trial(trials: Sequence[Trial], metric: Any) -> Trial:
    """The trial with the best value; the first of equals. One that was pruned cannot be it."""
    parsed = parse_metric(metric)
    whole = [trial for trial in trials if not trial.pruned]
    if not whole:
        raise ArgumentError("Every trial was pruned, so none is the best.")
    return max(whole, key=lambda trial: (signed(parsed, trial.value), -trial.number))


def within_noise(trials: Sequence[Trial], metric: Any) -> list[Trial]:
    """The trials that are not clearly worse than the best: by no more than one standard error.

    The error is that of the mean difference between the two over the folds. The best is not among them.

    >>> best = Trial(0, 0.05, 16, None, "auto", 10, 0.72, (0.70, 0.74))
    >>> close = Trial(1, 0.1, 16, None, "auto", 10, 0.715, (0.71, 0.72))
    >>> worse = Trial(2, 0.2, 16, None, "auto", 10, 0.61, (0.60, 0.62))
    >>> [trial.number for trial in within_noise([best, close, worse], "nDCG@10")]
    [1]
    """
    best = best_trial(trials, metric)
    # Differences of 0.70 - 0.71 and 0.74 - 0.72, say: their mean is 0.005, their standard error 0.015.
    return [trial for trial in trials if trial is not best and not trial.pruned and _is_close(trial, best)]


def _is_close(trial: Trial, best: Trial) -> bool:
    differences = np.subtract(best.values, trial.values)
    error = float(differences.std(ddof=1)) / math.sqrt(differences.size)
    return abs(float(differences.mean())) <= error
