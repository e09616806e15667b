"""What of a boosted ranker is saved, and how it is put together again.

The trees are in the engine's own model file, so that its tools can read them; the JSON has what the engine
does not know: the metric, the loss, the categories.
"""

from __future__ import annotations

from collections.abc import Mapping
from os import PathLike
from typing import Any

import numpy as np

from rankproof.errors import ArgumentError, FileFormatError, MissingDependencyError
from rankproof.fit.boosters.base import ENGINES, BoostingReport, adapter, reason_of
from rankproof.fit.columns import Columns
from rankproof.fit.saved import Saved, write_model
from rankproof.fit.saved_parameters import as_text, from_text, printed

__all__ = ["restore_boosted", "save_boosted"]

KIND = "BoostedRanker"


def save_boosted(model: Any, path: str | PathLike[str]) -> None:
    """Write a fitted `BoostedRanker`."""
    kind = type(model).__name__
    if kind != KIND:
        raise ArgumentError(f"Only {KIND} is saved so, got a {kind}.")
    parameters = {
        name: _engine_parameters(value) if name == "parameters" else as_text(kind, name, value)
        for name, value in model.get_params(deep=False).items()
    }
    names = getattr(model, "feature_names_in_", None)
    state = {
        "features": model.n_features_in_,
        "feature_names": None if names is None else [str(name) for name in names],
        "loss": printed(kind, "loss_", model.loss_),
        "categorical": list(model.columns_.categorical),
        "categories": [[number, list(texts)] for number, texts in model.columns_.categories.items()],
        "report": model.report_.as_dict(),
    }
    module = adapter(model.engine)
    files = {module.FILE: module.dump(model.booster_)}
    write_model(path, kind, parameters, state, {"evaluations": model.evaluations_}, files)


def restore_boosted(saved: Saved) -> Any:
    """The fitted ranker that was saved."""
    from rankproof.fit.boosted import BoostedRanker
    from rankproof.losses.parse import loss as parse_loss

    state = saved.state
    try:
        given = {name: value for name, value in saved.parameters.items() if name != "parameters"}
        model = BoostedRanker(**from_text(given), parameters=saved.parameters["parameters"])
        loss, report, names = (
            parse_loss(state["loss"]),
            BoostingReport(**state["report"]),
            state["feature_names"],
        )
        columns = Columns(
            tuple(state["categorical"]), {number: tuple(texts) for number, texts in state["categories"]}
        )
        features, evaluations = int(state["features"]), saved.arrays["evaluations"]
    except (KeyError, TypeError, ValueError) as error:
        raise saved.wrong(f"a part of the model is missing or of a wrong kind: {error}.") from None
    model.booster_ = _booster(saved, model.engine, report)
    model.loss_, model.report_, model.columns_ = loss, report, columns
    model.n_iter_, model.best_score_, model.evaluations_ = report.trees, report.value, evaluations
    model.n_features_in_ = features
    if names is not None:
        model.feature_names_in_ = np.array(names, dtype=object)
    return model


def _booster(saved: Saved, engine: Any, report: BoostingReport) -> Any:
    if engine not in ENGINES:
        raise saved.wrong(f"unknown engine {engine!r}; known: {', '.join(ENGINES)}.")
    module = adapter(engine)
    if module.FILE not in saved.files:
        raise saved.wrong(f"{module.FILE}, the model of {engine}, is missing.")
    try:
        return module.load(saved.files[module.FILE])
    except MissingDependencyError as error:
        raise MissingDependencyError(
            f"The model in {str(saved.path)!r} was trained with {engine} {report.version}. {error}"
        ) from None
    # Each engine has its own errors, and not all of them are told.
    except Exception as error:
        raise FileFormatError(
            saved.path / module.FILE,
            None,
            f"{engine} cannot read it: {reason_of(error)}. It was written by {engine} {report.version}.",
        ) from None


def _engine_parameters(given: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """The parameters of the engine, as JSON can hold them."""
    if given is None:
        return None
    return {
        name: _engine_parameters(value)
        if isinstance(value, Mapping)
        else as_text(KIND, f"parameters[{name!r}]", value)
        for name, value in given.items()
    }
