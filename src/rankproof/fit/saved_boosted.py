"""What of a boosted ranker is saved, and how it is put together again.

The trees are in the engine's own model file, so that its tools can read them; the JSON has what the engine
does not know: the metric, the loss, the categories.
"""

from __future__ import annotations

from typing import Any

from rankproof.errors import ArgumentError, FileFormatError, MissingDependencyError
from rankproof.fit.boosters.base import ENGINES, BoostingReport, adapter, reason_of
from rankproof.fit.columns import Columns
from rankproof.fit.saved import Saved

__all__ = ["parts", "restore"]


def parts(model: Any) -> tuple[dict[str, Any], dict[str, Any], dict[str, bytes]]:
    """State, arrays and files of a fitted `BoostedRanker`."""
    state = {
        "categorical": list(model.columns_.categorical),
        "categories": [[number, list(texts)] for number, texts in model.columns_.categories.items()],
        "report": model.report_.as_dict(),
    }
    if model.engine != model.report_.engine:
        raise ArgumentError(
            f"The model was fitted with engine={model.report_.engine!r}, and engine is {model.engine!r} now. "
            "Set it back, or fit again, to save it."
        )
    module = adapter(model.engine)
    return state, {"evaluations": model.evaluations_}, {module.FILE: module.dump(model.booster_)}


def restore(saved: Saved, parameters: dict[str, Any]) -> Any:
    """The fitted ranker, but for its loss and its features."""
    from rankproof.fit.boosted import BoostedRanker

    state = saved.state
    model = BoostedRanker(**parameters)
    model.columns_ = Columns(
        tuple(state["categorical"]), {number: tuple(texts) for number, texts in state["categories"]}
    )
    model.report_, model.evaluations_ = BoostingReport(**state["report"]), saved.arrays["evaluations"]
    model.n_iter_, model.best_score_ = model.report_.trees, model.report_.value
    model.booster_ = _booster(saved, model.engine, model.report_)
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
