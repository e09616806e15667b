"""The models that can be trained by name, which settings each of them has, and what their texts say.

A setting that a model does not have is refused, not passed over. Settings are kept as a command line and
``results.json`` write them: several numbers as one text with commas, parameters of an engine as NAME=VALUE.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from functools import cache
from numbers import Real
from typing import Any

from rankproof.errors import ArgumentError
from rankproof.fit import defaults
from rankproof.fit.defaults import LINEAR
from rankproof.losses.choose import LossChoice
from rankproof.runs.defaults import BOOSTED, MODELS
from rankproof.threads import setting

__all__ = [
    "PATH",
    "THREAD_FREE",
    "as_written",
    "model_defaults",
    "own_settings",
    "packages_of",
    "penalties_of",
    "penalty_of",
    "ranker_for",
    "whole_numbers_of",
    "with_values",
    "written",
]

# The word for the penalties that a linear ranker chooses from by default.
PATH = "path"


def written(name: str, value: Any) -> Any:
    """A setting as it is kept: numbers in a row as text, a mapping as NAME=VALUE.

    >>> written("hidden", (64, 32)), written("l2", [1, 0.1]), written("tol", 0.001)
    ('64,32', '1,0.1', 0.001)
    >>> written("parameter", {"subsample": 0.8, "grow_policy": "lossguide"})
    ['subsample=0.8', 'grow_policy=lossguide']
    """
    if isinstance(value, Mapping):
        return [
            f"{one}={entry if isinstance(entry, str) else json.dumps(entry)}" for one, entry in value.items()
        ]
    if name == "l2" and isinstance(value, Real):
        return _digits(value)
    if name != "parameter" and isinstance(value, Iterable) and not isinstance(value, str):
        return ",".join(map(_digits, value))
    return value


def _digits(value: Any) -> str:
    """A number in full; those of numpy as Python has them."""
    return repr(value.item() if hasattr(value, "item") else value)


def penalties_of(text: str) -> tuple[float, ...]:
    """The penalties that a text asks for: ``path``, one number, or several with commas.

    >>> penalties_of("0.1,1e-3")
    (0.1, 0.001)
    >>> penalties_of("0.1,x")
    Traceback (most recent call last):
        ...
    rankproof.errors.ArgumentError: Penalties l2 are path, or numbers >= 0 separated by commas, got 'x' in
    '0.1,x'.
    """
    if text == PATH:
        return LINEAR.l2s
    penalties = []
    for part in text.split(","):
        try:
            value = float(part)
        except ValueError:
            value = -1.0
        if not 0 <= value < math.inf:
            raise ArgumentError(
                f"Penalties l2 are path, or numbers >= 0 separated by commas, got {part.strip()!r} in "
                f"{text!r}."
            )
        penalties.append(value)
    return tuple(penalties)


def with_values(texts: Sequence[str]) -> dict[str, Any]:
    """Parameters of an engine from texts ``NAME=VALUE``; a value is a number, true, false or a word.

    >>> with_values(["feature_fraction=0.8", "extra_trees=true", "boosting=dart"])
    {'feature_fraction': 0.8, 'extra_trees': True, 'boosting': 'dart'}
    """
    values: dict[str, Any] = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not sign or not name.strip() or name.strip() in values:
            raise ArgumentError(f"A parameter of the engine is given once, as NAME=VALUE, got {text!r}.")
        try:
            values[name.strip()] = json.loads(value)
        except json.JSONDecodeError:
            values[name.strip()] = value.strip()
    return values


def penalty_of(text: str | None) -> float | None:
    if text is None:
        return None
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value < math.inf:
        raise ArgumentError(f"Argument l2 of BoostedRanker must be one number >= 0, got {text!r}.")
    return value


def whole_numbers_of(name: str, text: str) -> tuple[int, ...]:
    """Numbers with commas."""
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if not all(part.isdecimal() and int(part) >= 1 for part in parts):
        raise ArgumentError(f"The setting {name} takes whole numbers >= 1 separated by commas, got {text!r}.")
    return tuple(map(int, parts))


# Models whose numbers do not depend on how many threads there are.
THREAD_FREE = ("linear", "lightgbm")
# Kind of model -> its own settings, in the order in which they are written.
_SETTINGS = {
    "linear": ("l2", "scale", "solver", "max_iter", "tol"),
    "boosted": (
        *("n_estimators", "learning_rate", "num_leaves", "l2", "min_data_in_leaf"),
        *("early_stopping_rounds", "categorical", "parameter"),
    ),
    "neural": (
        *("hidden", "scale", "learning_rate", "weight_decay", "dropout", "batch_items"),
        *("max_iter", "patience"),
    ),
}
_DEFAULTS: dict[str, Any] = {
    "linear": defaults.LINEAR,
    "boosted": defaults.BOOSTED,
    "neural": defaults.NEURAL,
}
# Settings whose value is not the parameter of the ranker as it is.
_UNSET: dict[str, dict[str, Any]] = {
    "linear": {"l2": PATH},
    "boosted": {"categorical": None, "parameter": ()},
    "neural": {},
}


def _kind(model: str) -> str:
    return "boosted" if model in BOOSTED else model


@cache
def model_defaults(model: str) -> dict[str, Any]:
    """The settings of a model with their defaults, which are those of its ranker.

    >>> model_defaults("linear")["l2"], model_defaults("neural")["hidden"]
    ('path', '64,32')
    """
    kind = _kind(model)
    defaults = {**asdict(_DEFAULTS[kind]), **_UNSET[kind]}
    return {name: written(name, defaults[name]) for name in _SETTINGS[kind]}


def as_written(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters of a ranker as settings: two have another name there, and columns count from 1."""
    kept = dict(settings)
    if "parameters" in kept:
        kept["parameter"] = kept.pop("parameters")
    columns = kept.pop("categorical_features", None)
    if columns is not None:
        kept["categorical"] = [int(column) + 1 for column in columns]
    return kept


def own_settings(model: str, requested: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a model: those asked for, else its defaults.

    >>> own_settings("xgboost", {"tol": 1e-3})
    Traceback (most recent call last):
        ...
    rankproof.errors.ArgumentError: tol is not a setting of the model xgboost, but of linear. Settings of
    xgboost: n_estimators, learning_rate, ...
    """
    if model not in MODELS:
        raise ArgumentError(f"Argument model must be one of {', '.join(MODELS)}, got {model!r}.")
    own = model_defaults(model)
    for name in requested:
        if name not in own:
            others = [other for other in MODELS if name in model_defaults(other)]
            where = f", but of {', '.join(others)}" if others else ""
            raise ArgumentError(
                f"{name} is not a setting of the model {model}{where}. Settings of {model}: {', '.join(own)}."
            )
    return {**own, **{name: written(name, value) for name, value in requested.items()}}


def packages_of(model: str) -> tuple[str, ...]:
    """The packages beside our own that a model's numbers depend on."""
    if model == "linear":
        return ()
    return (model,) if model in BOOSTED else ("torch",)


def ranker_for(
    model: str, choice: LossChoice, settings: Mapping[str, Any], *, held_out: bool, verbose: int = 0
) -> Any:
    """The ranker for these settings, which are checked: as little as possible is refused later."""
    shared = {
        # A function has no string that parses.
        "metric": choice.metric if choice.metric.by_users else str(choice.metric),
        "loss": choice.loss,
        "noise": settings["noise"],
        "random_state": settings["seed"],
        "verbose": verbose,
    }
    if model == "linear":
        return _linear(shared, settings)
    if model in BOOSTED:
        return _boosted(model, shared, settings, held_out=held_out)
    from rankproof.fit.neural.ranker import NeuralRanker
    from rankproof.optional import engine

    engine("torch")
    own = {name: settings[name] for name in model_defaults(model) if name != "hidden"}
    hidden = whole_numbers_of("hidden", settings["hidden"])
    # The one ranker that does not take the number from the context: torch's last bits depend on it.
    return NeuralRanker(**shared, **own, hidden=hidden, threads=setting())


def _linear(shared: dict[str, Any], settings: Mapping[str, Any]) -> Any:
    from rankproof.fit.linear.model import Solver
    from rankproof.fit.linear.ranker import LinearRanker
    from rankproof.fit.linear.ranker_cv import LinearRankerCV

    penalties = penalties_of(settings["l2"])
    own = {name: settings[name] for name in model_defaults("linear") if name != "l2"}
    ranker: Any = (
        LinearRanker(**shared, **own, l2=penalties[0])
        if len(set(penalties)) == 1
        else LinearRankerCV(**shared, **own, l2s=penalties)
    )
    Solver.from_ranker(ranker)
    return ranker


def _boosted(model: str, shared: dict[str, Any], settings: Mapping[str, Any], *, held_out: bool) -> Any:
    from rankproof.fit.trees.ranker import BoostedRanker, check_boosted

    columns = settings["categorical"]
    ranker = BoostedRanker(
        **shared,
        engine=model,
        **{
            name: settings[name]
            for name in model_defaults(model)
            if name not in ("l2", "categorical", "parameter")
        },
        l2=penalty_of(settings["l2"]),
        # Files count features from 1.
        categorical_features=None
        if columns is None
        else [number - 1 for number in whole_numbers_of("categorical", columns)],
        parameters=with_values(settings["parameter"]) or None,
    )
    check_boosted(ranker, held_out=held_out)
    return ranker
