"""Pruning: settings that look hopeless after some folds are not tried on the others.

Optuna's ``MedianPruner`` compares the mean over the folds so far with the median of those of the trials that
had all folds. All trials have the same folds, so they are compared on the same queries.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from rankproof.errors import ArgumentError
from rankproof.metrics.base import Metric
from rankproof.runs.optuna_trials import earlier, load_optuna, quiet, study_of
from rankproof.runs.trials import Trial

__all__ = ["STARTUP", "check_pruning", "is_hopeless"]

# So many trials with all folds come first: a median of fewer says little.
STARTUP = 5


def check_pruning(prune: bool) -> None:
    """Raise when it is neither True nor False, or when its package is not installed."""
    if not isinstance(prune, bool):
        raise ArgumentError(f"Argument prune must be True or False, got {prune!r}.")
    if prune:
        load_optuna("Pruning")


def is_hopeless(values: Sequence[float], number: int, trials: Mapping[int, Trial], metric: Metric) -> bool:
    """Whether a trial with these values on the folds so far is worse than the median of those before it.

    Its own number of trees is the best for these folds, theirs the best for all, so it has the advantage.
    """
    optuna = load_optuna("Pruning")
    with quiet(optuna):
        study = study_of(optuna, metric, earlier(trials, number), {})
        # Earlier means are left out: Optuna would take the best of them, and folds are not equally hard.
        trial = optuna.trial.create_trial(
            state=optuna.trial.TrialState.RUNNING, intermediate_values={len(values): float(np.mean(values))}
        )
        return bool(optuna.pruners.MedianPruner(n_startup_trials=STARTUP).prune(study, trial))
