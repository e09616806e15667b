"""Trials: settings of boosted trees drawn from a seed, and compared by the metric over folds of queries.

The settings of trial 0 are the defaults, those of trial k depend on the seed and k alone, so a search can be
continued, or made longer, at any time. All folds of a trial keep the same number of trees: the one with the
best mean over the folds. Early stopping only spares trees that no fold asks for.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from sklearn.base import clone

from rankproof.data.ranking import RankingData
from rankproof.data.split import query_folds
from rankproof.errors import ArgumentError
from rankproof.evaluation.per_query import signed
from rankproof.fit.defaults import BOOSTED
from rankproof.metrics.parse import metric as parse_metric
from rankproof.plain import html_fields, json_text

__all__ = [
    *("LEARNING_RATES", "LEAVES", "PENALTIES", "SEARCHED", "Trial"),
    *("best_trial", "cross_validate", "trial_settings", "within_noise"),
]

# What is drawn for a trial, beside the loss.
SEARCHED = ("learning_rate", "num_leaves", "l2")
# From, to; drawn evenly in their logarithm.
LEARNING_RATES, PENALTIES = (0.02, 0.3), (0.1, 100.0)
# Powers of two, which CatBoost's symmetric trees can have.
LEAVES = (8, 16, 32, 64)


@dataclass(frozen=True)
class Trial:
    """Settings that were tried, and what they got; ``values`` are those of the folds with ``trees`` trees."""

    number: int
    learning_rate: float
    num_leaves: int
    l2: float | None
    loss: str
    trees: int
    value: float
    values: tuple[float, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {**asdict(self), "values": list(self.values)}

    def to_json(self) -> str:
        """`to_dict` as JSON text."""
        return json_text(self.to_dict())

    def _repr_html_(self) -> str:
        return html_fields(self)

    @classmethod
    def from_dict(cls, fields: dict[str, Any]) -> Trial:
        """The trial that `to_dict` wrote."""
        return cls(**{**fields, "values": tuple(fields["values"])})


def trial_settings(number: int, seed: int, losses: Sequence[str]) -> dict[str, Any]:
    """The settings of a trial.

    >>> trial_settings(0, 7, ["auto"])
    {'learning_rate': 0.05, 'num_leaves': 16, 'l2': None, 'loss': 'auto'}
    >>> trial_settings(1, 7, ["auto"]) == trial_settings(1, 7, ["auto"]) != trial_settings(2, 7, ["auto"])
    True
    """
    if number == 0:
        return {**{name: getattr(BOOSTED, name) for name in SEARCHED}, "loss": losses[0]}
    random = np.random.Generator(np.random.PCG64(np.random.SeedSequence((seed, number))))
    return {
        "learning_rate": _log_uniform(random, *LEARNING_RATES),
        "num_leaves": int(random.choice(LEAVES)),
        "l2": _log_uniform(random, *PENALTIES),
        "loss": losses[int(random.integers(len(losses)))],
    }


def _log_uniform(random: np.random.Generator, low: float, high: float) -> float:
    """A number of two digits: more would not matter, and it is to be written into a command."""
    value = math.exp(random.uniform(math.log(low), math.log(high)))
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
) -> Trial:
    """Cross-validate a `BoostedRanker`, which has the loss of the trial, with its other settings.

    ``progress`` is called with the number of folds that are done and how many there are.
    """
    if data.X is None:
        raise ArgumentError("Tuning needs features, got a RankingData without X.")
    curves = []
    parts = query_folds(data, folds, seed, index=True)
    for done, (train, test) in enumerate(parts):
        if progress is not None:
            progress(done, len(parts))
        part = data[train]
        one = clone(ranker).set_params(**{name: value for name, value in settings.items() if name != "loss"})
        one.fit(
            part.X,
            part.labels,
            qid=part.qids,
            query_weight=part.query_weights,
            sample_weight=part.item_weights,
            validation=data[test],
        )
        curves.append(one.evaluations_)
    # A fold that stopped early has no values for more trees.
    longest = min(curve.size for curve in curves)
    values = np.array([curve[:longest] for curve in curves])
    mean, metric = values.mean(axis=0), parse_metric(ranker.metric)
    best = int(np.argmax([signed(metric, value) for value in mean.tolist()]))
    return Trial(
        number=number,
        **settings,
        trees=best + 1,
        value=float(mean[best]),
        values=tuple(values[:, best].tolist()),
    )


def best_trial(trials: Sequence[Trial], metric: Any) -> Trial:
    """The trial with the best value; the first of equals."""
    parsed = parse_metric(metric)
    return max(trials, key=lambda trial: (signed(parsed, trial.value), -trial.number))


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
    return [trial for trial in trials if trial is not best and _is_close(trial, best)]


def _is_close(trial: Trial, best: Trial) -> bool:
    differences = np.subtract(best.values, trial.values)
    error = float(differences.std(ddof=1)) / math.sqrt(differences.size)
    return abs(float(differences.mean())) <= error
