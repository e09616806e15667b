"""The rankers of this library, as sources."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankproof.arrays import Float64s
from rankproof.errors import ArgumentError
from rankproof.exports.forms.linear import LinearForm
from rankproof.exports.forms.network import Layer, NetworkForm
from rankproof.exports.forms.source import Source
from rankproof.exports.read.engines import engine_source
from rankproof.fit.linear.model import LinearModel
from rankproof.fit.neural.ranker import NeuralRanker
from rankproof.fit.trees.booster import tree_engine
from rankproof.fit.trees.ranker import BoostedRanker
from rankproof.threads import using

__all__ = ["RANKERS", "ranker_source"]

RANKERS = (LinearModel, BoostedRanker, NeuralRanker)


def ranker_source(ranker: Any) -> Source:
    """The form of a fitted ranker, with its own ``predict``."""
    names = getattr(ranker, "feature_names_in_", None)
    plain = tuple(f"f{column}" for column in range(ranker.n_features_in_))
    named = plain if names is None else tuple(str(name) for name in names)
    if isinstance(ranker, BoostedRanker):
        return _boosted(ranker, named)
    if isinstance(ranker, NeuralRanker):
        return _neural(ranker, named)
    return _linear(ranker, named)


def _linear(ranker: LinearModel, names: tuple[str, ...]) -> Source:
    if ranker.scaling_.kind == "query-minmax":
        raise ArgumentError(
            "The ranker scales features over the items of each query (scale='query-minmax'), which no "
            "format can "
            "express: a search engine scores one item at a time. Fit with scale='standard'."
        )
    weights, intercept = ranker.scaling_.raw(ranker.coef_, ranker.intercept_)
    form = LinearForm(names, np.asarray(weights, dtype=np.float64), intercept, source="LinearRanker")
    return Source(form, _raw(ranker), "LinearRanker.predict", missing=False, infinite=False)


def _neural(ranker: NeuralRanker, names: tuple[str, ...]) -> Source:
    features, network = ranker.features_, ranker.network_
    if features.kind != "standard":
        raise ArgumentError(
            f"The ranker compares features within each query (scale={features.kind!r}), which no format can "
            "express: a search engine scores one item at a time. Fit with scale='standard'."
        )
    last = len(network.weights) - 1
    layers = tuple(
        Layer(weights, biases, "relu" if number < last else "identity")
        for number, (weights, biases) in enumerate(zip(network.weights, network.biases, strict=True))
    )
    form = NetworkForm(names, layers, features.centre, features.divisor, squash=True, source="NeuralRanker")
    return Source(form, _raw(ranker), "NeuralRanker.predict", missing=False, infinite=False)


def _boosted(ranker: BoostedRanker, names: tuple[str, ...]) -> Source:
    report, columns = ranker.report_, ranker.columns_
    source = engine_source(ranker.booster_, names)
    module = tree_engine(report.engine)

    def scores(X: NDArray[Any]) -> Float64s:
        with using(ranker.threads):
            return module.scores(ranker.booster_, X, columns.categorical)

    return Source(
        source.form,
        scores,
        f"BoostedRanker.predict ({report.engine} {source.by.split(' ')[-1]})",
        infinite=source.infinite,
        tiny=source.tiny,
        category_names=columns.categories,
    )


def _raw(ranker: Any) -> Callable[[NDArray[Any]], Float64s]:
    # Rows of made features have no names, and there is no need to check them.
    def scores(X: NDArray[Any]) -> Float64s:
        with using(ranker.threads):
            return np.asarray(ranker._scores(np.ascontiguousarray(X, dtype=np.float64), np.zeros(len(X))))

    return scores
