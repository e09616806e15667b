"""What scores the rows of a saved model, by kind of model; each gives the bits that the ranker gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from types import MappingProxyType
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from rankproof.arrays import Float64s, Int64s
from rankproof.errors import FileFormatError, MissingDependencyError
from rankproof.fit.matrix import DenseRows, linear_scores
from rankproof.fit.model_files import ModelFiles
from rankproof.fit.neural.network import Network
from rankproof.fit.neural.query_features import QueryFeatures
from rankproof.fit.scaling import SCALES, Scaling, minmax_by_query
from rankproof.optional import reason_of
from rankproof.serving.rows import check_codes, check_numbers

__all__ = ["KINDS", "LinearScores", "NetworkScores", "RowScores", "TreeScores", "of_kind"]

# Engine -> where a fitted model of it is read and applied.
_BOOSTERS = {
    "lightgbm": "rankproof.fit.boosters.lightgbm",
    "xgboost": "rankproof.fit.boosters.xgboost",
    "catboost": "rankproof.fit.boosters.catboost",
}


class RowScores(Protocol):
    """What a `Scorer` needs of a model; calls of several threads at once do not disturb one another."""

    engine: str | None
    by_query: bool
    missing: bool
    categories: Mapping[int, Sequence[str]]

    def __call__(self, rows: NDArray[Any], offsets: Int64s) -> Float64s:
        """The score of every row, of which there is at least one."""


class LinearScores:
    """Weights of features as they are; scaled by query first where the model was trained so."""

    engine: str | None = None
    missing = False
    categories: Mapping[int, Sequence[str]] = MappingProxyType({})

    def __init__(self, saved: ModelFiles) -> None:
        state, arrays = saved.state, saved.arrays
        scaling = Scaling(state["scaling"], arrays["centre"], arrays["divisor"])
        each = (arrays["coef"], scaling.centre, scaling.divisor)
        if scaling.kind not in SCALES or any(one.shape != (int(state["features"]),) for one in each):
            raise saved.wrong("the arrays do not fit the number of features and the scaling.")
        self.by_query = scaling.kind == "query-minmax"
        self.weights, self.shift = scaling.raw(arrays["coef"], float(state["intercept"]))

    def __call__(self, rows: NDArray[Any], offsets: Int64s) -> Float64s:
        if self.by_query:
            check_numbers(rows, missing=False)
            rows = minmax_by_query(rows, offsets)
        scores = linear_scores(DenseRows(rows), self.weights) + self.shift
        # A number that is not finite has a score that is not, even with weight 0.
        if not np.isfinite(scores).all():
            check_numbers(rows, missing=False)
        return scores


class NetworkScores:
    """Layers as plain arrays, over features that are scaled and compared within the query."""

    engine: str | None = None
    missing = False
    categories: Mapping[int, Sequence[str]] = MappingProxyType({})

    def __init__(self, saved: ModelFiles) -> None:
        state, arrays = saved.state, saved.arrays
        self.features = QueryFeatures(state["scale"], arrays["centre"], arrays["divisor"])
        self.network = Network.from_arrays(arrays, int(state["layers"]))
        if not (self.features.fits(int(state["features"])) and self.network.fits(self.features.columns)):
            raise saved.wrong("the arrays do not fit the number of features and the scale.")
        self.by_query = self.features.kind != "standard"

    def __call__(self, rows: NDArray[Any], offsets: Int64s) -> Float64s:
        check_numbers(rows, missing=False)
        return self.network.scores(self.features.transform(rows, offsets))


class TreeScores:
    """A model of an engine, applied by the engine."""

    engine: str | None
    categories: Mapping[int, Sequence[str]]
    by_query, missing = False, True

    def __init__(self, saved: ModelFiles) -> None:
        state = saved.state
        engine = str(saved.parameters["engine"])
        if engine not in _BOOSTERS:
            raise saved.wrong(f"unknown engine {engine!r}; known: {', '.join(_BOOSTERS)}.")
        texts = {int(column): tuple(names) for column, names in state["categories"]}
        self.columns = tuple(int(column) for column in state["categorical"])
        self.categories = {one: texts.get(one, ()) for one in self.columns}
        self.engine, self.module = engine, import_module(_BOOSTERS[engine])
        try:
            self.booster = self.module.load(saved.files[self.module.FILE])
        except MissingDependencyError:
            raise
        # Each engine has its own errors, and not all of them are documented.
        except Exception as error:
            file = saved.path / self.module.FILE
            raise FileFormatError(file, None, f"{engine} cannot read it: {reason_of(error)}.") from None

    def __call__(self, rows: NDArray[Any], offsets: Int64s) -> Float64s:  # noqa: ARG002
        check_numbers(rows, missing=True)
        check_codes(rows, self.categories)
        scores: Float64s = self.module.scores(self.booster, rows, self.columns)
        return scores


KINDS: dict[str, Callable[[ModelFiles], RowScores]] = {
    "LinearRanker": LinearScores,
    "LinearRankerCV": LinearScores,
    "NeuralRanker": NetworkScores,
    "BoostedRanker": TreeScores,
}


def of_kind(saved: ModelFiles) -> RowScores:
    """What scores the rows of this model."""
    if saved.kind not in KINDS:
        raise saved.wrong(f"unknown kind of model {saved.kind!r}; known: {', '.join(KINDS)}.")
    try:
        return KINDS[saved.kind](saved)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        if isinstance(error, FileFormatError):
            raise
        raise saved.wrong(f"a part of the model is missing or of a wrong kind: {error}.") from None
