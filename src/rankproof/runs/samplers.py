"""Where the settings of a trial come from: drawn at random from the seed, or by Optuna from what came before.

Optuna's sampler is made anew for every trial and told all trials before it, so a search that was interrupted
draws what it would have drawn without the interruption.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rankproof.errors import ArgumentError, MissingDependencyError
from rankproof.metrics.base import Metric
from rankproof.runs.defaults import SAMPLERS
from rankproof.runs.trials import LEARNING_RATES, LEAVES, PENALTIES, Trial, trial_settings

__all__ = ["check_sampler", "next_settings"]


def check_sampler(name: str) -> None:
    """Raise for a sampler that is not known, or whose package is not installed."""
    if name not in SAMPLERS:
        raise ArgumentError(f"Argument sampler must be one of {', '.join(SAMPLERS)}, got {name!r}.")
    if name != "random":
        _optuna()


def next_settings(
    sampler: str, number: int, seed: int, losses: Sequence[str], metric: Metric, before: Mapping[int, Trial]
) -> dict[str, Any]:
    """The settings of a trial; the first has the defaults with every sampler."""
    if sampler == "random" or number == 0:
        return trial_settings(number, seed, losses)
    optuna = _optuna()
    verbosity = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    try:
        # Optuna's own first ten would all be drawn blindly, which is half of a search of ours.
        made = optuna.samplers.TPESampler(seed=(seed * 1_000_003 + number) % 2**32, n_startup_trials=5)
        direction = "maximize" if metric.direction == "higher" else "minimize"
        study = optuna.create_study(direction=direction, sampler=made)
        space = _space(optuna, losses)
        for trial in (before[k] for k in sorted(before) if k < number):
            study.add_trial(_as_optunas(optuna, trial, space))
        asked = study.ask(space).params
    finally:
        optuna.logging.set_verbosity(verbosity)
    # Two digits, as a drawn setting has: they are to be written into a command.
    return {
        "learning_rate": float(f"{asked['learning_rate']:.2g}"),
        "num_leaves": int(asked["num_leaves"]),
        "l2": float(f"{asked['l2']:.2g}"),
        "loss": asked["loss"],
    }


def _space(optuna: Any, losses: Sequence[str]) -> dict[str, Any]:
    distributions = optuna.distributions
    return {
        "learning_rate": distributions.FloatDistribution(*LEARNING_RATES, log=True),
        "num_leaves": distributions.CategoricalDistribution(LEAVES),
        "l2": distributions.FloatDistribution(*PENALTIES, log=True),
        "loss": distributions.CategoricalDistribution(tuple(losses)),
    }


def _as_optunas(optuna: Any, trial: Trial, space: dict[str, Any]) -> Any:
    """A finished trial for Optuna; a penalty that is the engine's own says nothing on l2."""
    params = {name: getattr(trial, name) for name in space}
    known = {name: value for name, value in params.items() if value is not None}
    return optuna.trial.create_trial(
        params=known, distributions={name: space[name] for name in known}, value=trial.value
    )


def _optuna() -> Any:
    try:
        import optuna
    except ImportError as error:
        raise MissingDependencyError(
            f"The sampler tpe needs the package optuna, which cannot be imported ({error}): "
            "pip install optuna"
        ) from None
    return optuna
