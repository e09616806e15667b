"""Our trials as Optuna has them, for its samplers and its pruner; the package is an extra.

A study is made anew for every question and told all trials before it, so a search that was interrupted gets
the answers that it would have got without the interruption.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from rankproof.errors import MissingDependencyError
from rankproof.metrics.base import Metric
from rankproof.runs.trials import Trial

__all__ = ["earlier", "load_optuna", "means_so_far", "quiet", "study_of"]


def load_optuna(purpose: str) -> Any:
    """The package; its absence says what needs it and how to install it."""
    try:
        import optuna
    except ImportError as error:
        raise MissingDependencyError(
            f"{purpose} needs the package optuna, which cannot be imported ({error}): pip install optuna"
        ) from None
    return optuna


@contextmanager
def quiet(optuna: Any) -> Iterator[None]:
    """Let Optuna log errors alone."""
    verbosity = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    try:
        yield
    finally:
        optuna.logging.set_verbosity(verbosity)


def earlier(trials: Mapping[int, Trial], number: int) -> list[Trial]:
    """The trials before one of this number, in their order."""
    return [trials[k] for k in sorted(trials) if k < number]


def study_of(
    optuna: Any, metric: Metric, trials: Iterable[Trial], space: Mapping[str, Any], sampler: Any = None
) -> Any:
    """A study with these trials; ``space`` has Optuna's distributions by name."""
    direction = "maximize" if metric.direction == "higher" else "minimize"
    study = optuna.create_study(direction=direction, sampler=sampler)
    for trial in trials:
        study.add_trial(_as_optunas(optuna, trial, space))
    return study


def _as_optunas(optuna: Any, trial: Trial, space: Mapping[str, Any]) -> Any:
    """A trial for Optuna; what was left to the engine says nothing on the parameter."""
    params = {name: trial.drawn.get(name) for name in space}
    settings = {name: value for name, value in params.items() if value is not None}
    states = optuna.trial.TrialState
    return optuna.trial.create_trial(
        state=states.PRUNED if trial.pruned else states.COMPLETE,
        params=settings,
        distributions={name: space[name] for name in settings},
        value=None if trial.pruned else trial.value,
        intermediate_values=dict(enumerate(means_so_far(trial), start=1)),
    )


def means_so_far(trial: Trial) -> list[float]:
    """The mean over the first fold, the first two, and so on."""
    values = np.array(trial.values)
    means: list[float] = (np.cumsum(values) / np.arange(1, values.size + 1)).tolist()
    return means
