"""Whole queries with features and labels, as the arguments of an estimator give them; its other arguments.

Labels to learn from are finite. Labels to judge by may be NaN: the metric says what such an item counts.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
from sklearn.utils.validation import check_array, column_or_1d, validate_data

from rankproof.arrays import (
    Float64s,
    as_labels,
    as_weights,
    as_whole_number,
    flat_floats,
)
from rankproof.data.ranking import RankingData, ranking_data
from rankproof.errors import ArgumentError, DataError
from rankproof.evaluation.odd_labels import warn_of_labels
from rankproof.evaluation.per_query import mean_metric
from rankproof.fit.query_ids import check_fold, need_query_ids
from rankproof.judgments.labels import assumed_noise, expected_labels, is_judged
from rankproof.losses.base import LOSSES, Loss
from rankproof.losses.supervision import check_judged, per_query_weights, query_offsets
from rankproof.metrics.base import Metric
from rankproof.metrics.parse import metric as parse_metric
from rankproof.targets.choose import target_for
from rankproof.targets.linear_form import metric_on

__all__ = [
    "AS_ARRAY",
    "AS_LABELS",
    "HeldOut",
    "as_generator",
    "as_nonnegative",
    "as_verbosity",
    "feature_reader",
    "held_out_data",
    "one_of",
    "stand_in",
    "training_data",
    "training_features",
]


def one_of(name: str, value: object, choices: tuple[str, ...]) -> None:
    """Raise `ArgumentError` unless ``value`` is one of the words."""
    if not (isinstance(value, str) and value in choices):
        raise ArgumentError(f"Argument {name} must be one of {', '.join(map(repr, choices))}, got {value!r}.")


def as_nonnegative(name: str, value: Any) -> float:
    """A finite number of at least 0."""
    if isinstance(value, bool) or not isinstance(value, Real) or not 0 <= float(value) < math.inf:
        raise ArgumentError(f"Argument {name} must be a finite number >= 0, got {value!r}.")
    return float(value)


def as_verbosity(name: str, value: Any) -> int:
    """How much progress is shown: False and None are 0, True is 1."""
    return as_whole_number(name, 1 if value is True else value or 0, 0)


def as_generator(name: str, seed: Any) -> np.random.Generator:
    """Random numbers from the argument ``random_state``."""
    if isinstance(seed, np.random.Generator):
        return seed
    if isinstance(seed, np.random.RandomState):
        seed = int(seed.randint(np.iinfo(np.int32).max))
    if seed is None or (isinstance(seed, Integral) and not isinstance(seed, bool) and int(seed) >= 0):
        return np.random.Generator(np.random.PCG64(None if seed is None else int(seed)))
    raise ArgumentError(f"Argument {name} must be an int >= 0, a numpy generator or None, got {seed!r}.")


# What scikit-learn is to make of features, and of labels; labels that are not finite we name ourselves.
AS_ARRAY: dict[str, Any] = {"accept_sparse": "csr", "dtype": [np.float64, np.float32], "order": "C"}
AS_LABELS: dict[str, Any] = {"ensure_2d": False, "dtype": None, "ensure_all_finite": False}
_OTHER_NAMES = "Argument validation must have the features of X, in the same order."


def training_features(estimator: Any, X: Any, y: Any) -> Any:
    """Features to learn from, dense or CSR; the estimator then knows their number and names."""
    return validate_data(estimator, X, stand_in(X, y), validate_separately=(AS_ARRAY, AS_LABELS))[0]


def stand_in(X: Any, y: Any) -> Any:
    """Labels for scikit-learn's checks of the features: judgments have a form of their own."""
    if not is_judged(y):
        return y
    return np.zeros(X.shape[0] if hasattr(X, "shape") else len(X))


def training_data(
    ranker: Any, X: Any, y: Any, qid: Any, query_weight: Any, sample_weight: Any, loss: Loss
) -> RankingData:
    """The queries that ``ranker`` learns from: the arguments of ``fit``, its features read already.

    Judgments become the mean of the target of ``loss``, which is then what the labels are.
    """
    rows = X.shape[0]
    labels = np.zeros(rows) if is_judged(y) else flat_floats("y", column_or_1d(y, warn=True))
    if labels.size != rows:
        raise ArgumentError(f"Argument y must have one label per row of X ({rows}), got {labels.size}.")
    if qid is None:
        need_query_ids("fit", rows, stacklevel=3)
    else:
        check_fold()
    offsets = query_offsets(qid, rows)
    target = None
    if is_judged(y):
        labels, target = expected_labels(y, loss, offsets, qid).values, loss.target
    else:
        check_judged(labels, offsets, qid)
        _warn_of_odd_labels(ranker, labels)
    items = None if sample_weight is None else as_weights("sample_weight", sample_weight, rows)
    return ranking_data(labels, offsets, X, per_query_weights(query_weight, offsets), items, target)


def _warn_of_odd_labels(ranker: Any, labels: Float64s) -> None:
    """A `DataWarning` for labels that are odd for the metric; a loss may learn them as they are, though."""
    loss = ranker.loss
    if not isinstance(loss, Loss) or loss.target is not None:
        # The line that called ``fit``.
        warn_of_labels([parse_metric(ranker.metric)], labels, trained=True, stacklevel=5)


def held_out_data(estimator: Any, validation: Any, read: Callable[[Any], Any]) -> RankingData:
    """The queries to judge by, from the argument ``validation`` of ``fit``; ``read`` checks the features."""
    if isinstance(validation, RankingData):
        if validation.X is None:
            raise ArgumentError("Argument validation must have features, got a RankingData without X.")
        learnt, names = getattr(estimator, "feature_names_in_", None), validation.feature_names
        if learnt is not None and names is not None and list(learnt) != list(names):
            raise ArgumentError(_OTHER_NAMES)
        return ranking_data(
            validation.labels,
            validation.offsets,
            read(validation.X),
            validation.query_weights,
            expected=validation.expected,
        )
    if not (isinstance(validation, tuple) and len(validation) == 3):
        raise ArgumentError(
            f"Argument validation must be (X, y, qid) or a RankingData, got {type(validation).__name__}."
        )
    X, y = read(validation[0]), validation[1]
    if is_judged(y):
        return _held_out_judgments(estimator, X, y, validation[2])
    labels = as_labels(y, "y of validation")
    if labels.size != X.shape[0]:
        raise ArgumentError(
            f"Argument validation must have one label per row of X ({X.shape[0]}), got {labels.size}."
        )
    if validation[2] is None:
        raise ArgumentError("Argument validation must be (X, y, qid) with one query id per row, got no qid.")
    return ranking_data(labels, query_offsets(validation[2], X.shape[0]), X)


def _held_out_judgments(estimator: Any, X: Any, y: Any, qid: Any) -> RankingData:
    """Queries to judge by whose labels are the mean of the metric's target."""
    if qid is None:
        raise ArgumentError("Argument validation must be (X, y, qid) with one query id per row, got no qid.")
    offsets = query_offsets(qid, X.shape[0])
    metric = parse_metric(estimator.metric)
    by_target = LOSSES["squared"](target=target_for(metric, assumed_noise(y, estimator.noise)))
    values = expected_labels(y, by_target, offsets, qid).values
    return ranking_data(values, offsets, X, expected=by_target.target)


def feature_reader(estimator: Any) -> Callable[[Any], Any]:
    """A reader for `held_out_data`: features as in the estimator's fit, by their number and names."""

    def read(X: Any) -> Any:
        features = check_array(X, **AS_ARRAY)
        if features.shape[1] != estimator.n_features_in_:
            raise ArgumentError(
                f"Argument validation must have the {estimator.n_features_in_} features of X, "
                f"got {features.shape[1]}."
            )
        # Only of a data frame: names that an array does not have are no reason to warn.
        if hasattr(X, "columns"):
            try:
                validate_data(estimator, X, reset=False, skip_check_array=True)
            except ValueError as error:
                raise ArgumentError(f"{_OTHER_NAMES} {' '.join(str(error).split())}") from None
        return features

    return read


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Queries to judge by, with the metric; ``advice`` is what to do when the metric has no value on them."""

    data: RankingData
    metric: Metric
    advice: str = ""

    def mean(self, scores: Float64s) -> float:
        """The mean of the metric over the queries that count, exact under ties."""
        data = self.data
        metric = metric_on(self.metric, data.expected)
        try:
            return mean_metric(metric, scores, data.labels, data.offsets, data.query_weights)
        except DataError as error:
            if not self.advice:
                raise
            raise DataError(f"{error} {self.advice}") from None

    def check(self) -> None:
        """Raise `DataError` when the metric has no value on these queries, before any model is trained."""
        self.mean(np.zeros(self.data.labels.size))
