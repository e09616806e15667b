"""The models that can be trained by name, and which settings each of them has.

A setting that a model does not have is refused, not passed over.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from rankproof.errors import ArgumentError
from rankproof.report.choice import LossChoice
from rankproof.report.training import linear_ranker, penalties_of

__all__ = ["BOOSTED", "MODELS", "THREAD_FREE", "own_settings", "packages_of", "ranker_for", "with_values"]

BOOSTED = ("lightgbm", "xgboost", "catboost")
# Models whose numbers do not depend on how many threads there are.
THREAD_FREE = ("linear", "lightgbm")
_BOOSTED: dict[str, Any] = {
    "n_estimators": 500,
    "learning_rate": 0.05,
    "num_leaves": 16,
    "l2": None,
    "min_data_in_leaf": None,
    "early_stopping_rounds": 50,
    "categorical": None,
    "parameter": (),
}
# Model -> its own settings with their defaults.
MODELS: dict[str, dict[str, Any]] = {
    "linear": {"l2": "path", "scale": "standard", "solver": "lbfgs", "max_iter": 500, "tol": 1e-4},
    **dict.fromkeys(BOOSTED, _BOOSTED),
    "neural": {
        "hidden": "64,32",
        "scale": "both",
        "learning_rate": 1e-3,
        "weight_decay": 1e-2,
        "dropout": 0.2,
        "batch_items": 1024,
        "max_iter": 100,
        "patience": 10,
    },
}


def own_settings(model: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a model: those given, else its defaults; None and () stand for not given.

    >>> own_settings("xgboost", {"tol": 1e-3})
    Traceback (most recent call last):
        ...
    rankproof.errors.ArgumentError: Option --tol is not one of --model xgboost, but of linear. Options of
    xgboost: --n-estimators, --learning-rate, ...
    """
    own = MODELS[model]
    asked = {name: value for name, value in given.items() if value is not None and value != ()}
    for name in asked:
        if name not in own:
            others = ", ".join(other for other, settings in MODELS.items() if name in settings)
            raise ArgumentError(
                f"Option {_option(name)} is not one of --model {model}, but of {others}. Options of {model}: "
                f"{', '.join(map(_option, own))}."
            )
    return {**own, **asked}


def packages_of(model: str) -> tuple[str, ...]:
    """The packages beside our own that a model's numbers depend on."""
    if model == "linear":
        return ()
    return (model,) if model in BOOSTED else ("torch",)


def ranker_for(
    model: str, choice: LossChoice, settings: Mapping[str, Any], *, held_out: bool, verbose: int = 0
) -> Any:
    """The ranker for these settings, which are checked: as little as possible is refused later."""
    from rankproof.evaluation.bootstrap import as_level

    as_level("level", settings["level"])
    if model == "linear":
        return linear_ranker(choice, penalties_of(settings["l2"]), settings, verbose=verbose)
    shared = {
        "metric": str(choice.metric),
        "loss": choice.loss,
        "noise": settings["noise"],
        "random_state": settings["seed"],
        "threads": settings["threads"],
        "verbose": verbose,
    }
    if model in BOOSTED:
        return _boosted(model, shared, settings, held_out=held_out)
    from rankproof.fit.engines.missing import engine
    from rankproof.fit.neural import NeuralRanker

    engine("torch")
    own = {name: settings[name] for name in MODELS[model] if name != "hidden"}
    return NeuralRanker(**shared, **own, hidden=_whole_numbers("hidden", settings["hidden"], 1))


def _boosted(model: str, shared: dict[str, Any], settings: Mapping[str, Any], *, held_out: bool) -> Any:
    from rankproof.fit.boosted import BoostedRanker, check_boosted

    columns = settings["categorical"]
    ranker = BoostedRanker(
        **shared,
        engine=model,
        **{name: settings[name] for name in MODELS[model] if name not in ("l2", "categorical", "parameter")},
        l2=_penalty(settings["l2"]),
        # Files count features from 1.
        categorical_features=None
        if columns is None
        else [number - 1 for number in _whole_numbers("categorical", columns, 1)],
        parameters=with_values(settings["parameter"]) or None,
    )
    check_boosted(ranker, held_out=held_out)
    return ranker


def with_values(texts: Sequence[str]) -> dict[str, Any]:
    """Parameters of an engine from texts ``NAME=VALUE``; a value is a number, true, false or a word.

    >>> with_values(["feature_fraction=0.8", "extra_trees=true", "boosting=dart"])
    {'feature_fraction': 0.8, 'extra_trees': True, 'boosting': 'dart'}
    """
    found: dict[str, Any] = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not sign or not name.strip() or name.strip() in found:
            raise ArgumentError(f"A parameter of the engine is given once, as NAME=VALUE, got {text!r}.")
        try:
            found[name.strip()] = json.loads(value)
        except json.JSONDecodeError:
            found[name.strip()] = value.strip()
    return found


def _penalty(text: str | None) -> float | None:
    if text is None:
        return None
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < math.inf:
        raise ArgumentError(f"The penalty l2 of boosted trees is one number >= 0, got {text!r}.")
    return value


def _whole_numbers(name: str, text: str, least: int) -> tuple[int, ...]:
    """Numbers with commas."""
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not all(part.isdecimal() and int(part) >= least for part in parts):
        raise ArgumentError(f"{_option(name)} takes whole numbers >= {least} with commas, got {text!r}.")
    return tuple(map(int, parts))


def _option(name: str) -> str:
    return "--" + name.replace("_", "-")
