"""What of a boosted ranker is saved, and how it is taken back.

The trees are in the engine's own model file, so that its tools can read them; the JSON has what the engine
does not know: the metric, the loss, the categories.
"""

from __future__ import annotations

from typing import Any

from rankproof.arrays import Float64s
from rankproof.errors import FileFormatError, MissingDependencyError
from rankproof.fit.model_files import FittedState, ModelFiles
from rankproof.fit.trees.booster import ENGINES, BoostingReport, tree_engine
from rankproof.fit.trees.features import CategoricalColumns
from rankproof.optional import reason_of

__all__ = ["as_state", "booster_from_files", "columns_from_plain"]


def as_state(
    booster: Any, columns: CategoricalColumns, report: BoostingReport, evaluations: Float64s
) -> FittedState:
    """The trees, their columns, and how they were grown."""
    engine = tree_engine(report.engine)
    plain = {
        "categorical": list(columns.categorical),
        "categories": [[number, list(texts)] for number, texts in columns.categories.items()],
        "report": report.to_dict(),
    }
    return FittedState(plain, {"evaluations": evaluations}, {engine.FILE: engine.dump(booster)})


def columns_from_plain(plain: dict[str, Any]) -> CategoricalColumns:
    """The columns that `as_state` wrote."""
    return CategoricalColumns(
        tuple(plain["categorical"]), {number: tuple(texts) for number, texts in plain["categories"]}
    )


def booster_from_files(saved: ModelFiles, engine: Any, report: BoostingReport) -> Any:
    """The model of the engine, from its file."""
    if engine not in ENGINES:
        raise saved.wrong(f"unknown engine {engine!r}; known: {', '.join(ENGINES)}.")
    module = tree_engine(engine)
    if module.FILE not in saved.files:
        raise saved.wrong(f"{module.FILE}, the model of {engine}, is missing.")
    try:
        return module.load(saved.files[module.FILE])
    except MissingDependencyError as error:
        raise MissingDependencyError(
            f"The model in {str(saved.path)!r} was trained with {engine} {report.version}. {error}"
        ) from None
    # Each engine has its own errors, and not all of them are documented.
    except Exception as error:
        raise FileFormatError(
            saved.path / module.FILE,
            None,
            f"{engine} cannot read it: {reason_of(error)}. It was written by {engine} {report.version}.",
        ) from None
