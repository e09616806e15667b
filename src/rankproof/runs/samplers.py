"""Where the settings of a trial come from: drawn at random from the seed, or by Optuna from what came before.

Optuna's sampler is made anew for every trial and told all trials before it, so a search that was interrupted
draws what it would have drawn without the interruption.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rankproof.errors import ArgumentError
from rankproof.metrics.base import Metric
from rankproof.runs.defaults import SAMPLERS
from rankproof.runs.optuna_trials import earlier, load_optuna, quiet, study_of
from rankproof.runs.space import Range, rounded
from rankproof.runs.trials import LEARNING_RATES, LEAVES, PENALTIES, Trial, as_settings, trial_settings

__all__ = ["check_sampler", "next_settings"]


def check_sampler(name: str) -> None:
    """Raise for a sampler that is not known, or whose package is not installed."""
    if name not in SAMPLERS:
        raise ArgumentError(f"Argument sampler must be one of {', '.join(SAMPLERS)}, got {name!r}.")
    if name != "random":
        load_optuna(f"The sampler {name}")


def next_settings(
    sampler: str,
    number: int,
    seed: int,
    losses: Sequence[str],
    metric: Metric,
    before: Mapping[int, Trial],
    space: Sequence[Range] = (),
) -> dict[str, Any]:
    """The settings of a trial; the first has the defaults with every sampler."""
    if sampler == "random" or number == 0:
        return trial_settings(number, seed, losses, space)
    optuna = load_optuna(f"The sampler {sampler}")
    with quiet(optuna):
        # Optuna's own first ten would all be drawn blindly, which is half of a search of ours.
        sampler = optuna.samplers.TPESampler(seed=(seed * 1_000_003 + number) % 2**32, n_startup_trials=5)
        distributions = _distributions(optuna, losses, space)
        study = study_of(optuna, metric, earlier(before, number), distributions, sampler)
        params = study.ask(distributions).params
    # Two digits, as a drawn setting has: they are to be written into a command.
    return as_settings(
        float(f"{params['learning_rate']:.2g}"),
        int(params["num_leaves"]),
        float(f"{params['l2']:.2g}"),
        params["loss"],
        {one.name: rounded(one, params[one.name]) for one in space},
    )


def _distributions(optuna: Any, losses: Sequence[str], space: Sequence[Range]) -> dict[str, Any]:
    kinds = optuna.distributions
    return {
        "learning_rate": kinds.FloatDistribution(*LEARNING_RATES, log=True),
        "num_leaves": kinds.CategoricalDistribution(LEAVES),
        "l2": kinds.FloatDistribution(*PENALTIES, log=True),
        "loss": kinds.CategoricalDistribution(tuple(losses)),
        **{
            one.name: kinds.IntDistribution(int(one.low), int(one.high), log=one.log)
            if one.whole
            else kinds.FloatDistribution(one.low, one.high, log=one.log)
            for one in space
        },
    }
