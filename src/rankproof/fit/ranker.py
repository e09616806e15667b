"""`Ranker`: what all rankers share once they are fitted: predict, score, save."""

from __future__ import annotations

from abc import ABC, abstractmethod
from os import PathLike
from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, validate_data

from rankproof.arrays import Float64s, as_labels
from rankproof.errors import ArgumentError, RankproofError
from rankproof.evaluation.per_query import mean_metric, signed
from rankproof.fit.data import AS_ARRAY
from rankproof.fit.model_files import FittedState, ModelFiles, write_model
from rankproof.fit.parameter_text import as_text, from_text, printed
from rankproof.fit.plain_rows import is_plain
from rankproof.fit.query_ids import fold_query_ids, need_query_ids
from rankproof.losses.base import Loss
from rankproof.losses.supervision import per_query_weights, query_offsets
from rankproof.metrics.base import MetricLike
from rankproof.metrics.parse import metric as parse_metric
from rankproof.threads import using

__all__ = ["Ranker"]


class Ranker(BaseEstimator, ABC):  # type: ignore[misc]  # scikit-learn has no types
    """Base of the rankers; its children have ``fit``, the parameters, and how a row gets its score."""

    # The name under which `rankproof.load_model` knows the class.
    saved_as: ClassVar[str]

    metric: MetricLike
    threads: int | None
    loss_: Loss
    n_features_in_: int

    # scikit-learn's metadata routing: what is handed over as ``qid`` goes to all methods, unasked.
    __metadata_request__fit: ClassVar[dict[str, bool]] = {"qid": True}
    __metadata_request__predict: ClassVar[dict[str, bool]] = {"qid": True}
    __metadata_request__score: ClassVar[dict[str, bool]] = {"qid": True}
    # Whether NaN is a missing value of a feature.
    _takes_missing: ClassVar[bool] = False
    # Whether `fit` had no query ids; then `score` needs none.
    _one_query = False

    def predict(self, X: Any, qid: Any = None) -> Float64s:
        """The score of every row; higher is better.

        Parameters
        ----------
        X : features of shape (items, features), as in ``fit``
            Columns in the same order as in ``fit``; another number of columns is an error.
        qid : array, one query id per row
            Needed only where ``scale`` compares the features of an item with those of its query.
        """
        if not self._is_plain(X):
            check_is_fitted(self)
            X = self._features(X)
        with using(self.threads):
            return self._scores(X, qid)

    def score(
        self, X: Any, y: Any, qid: Any = None, sample_weight: Any = None, query_weight: Any = None
    ) -> float:
        """The mean over queries of ``metric``, exact under ties.

        For a metric of which lower is better it is the mean with its sign turned, since scikit-learn takes
        the larger score for the better one. Weights are those of queries: ``query_weight`` as in fit, and
        ``sample_weight`` with one number per row, the same within each query. What an item without a
        judgment (NaN) counts is said by the metric (``unjudged``).

        Parameters
        ----------
        X, y : as in ``fit``
            Features and labels to judge by.
        qid : array, one query id per row
            Without it the score is refused, since all rows would be one query. Only in scikit-learn's
            cross-validation it may be missing, which has the ids that ``fit`` was handed.
        sample_weight, query_weight : array, optional
            Weights of queries, as above.
        """
        with using(self.threads):
            if qid is None:
                qid = fold_query_ids(y)
            scores, labels = self.predict(X, qid), as_labels(y, "y")
            if labels.size != scores.size:
                raise ArgumentError(
                    f"Argument y must have one label per row ({scores.size}), got {labels.size}."
                )
            if qid is None:
                self._need_query_ids(scores.size)
            metric, offsets = parse_metric(self.metric), query_offsets(qid, scores.size)
            weights = per_query_weights(query_weight, offsets)
            factor = per_query_weights(sample_weight, offsets, "sample_weight")
            if factor is not None:
                weights = factor if weights is None else factor * weights
            return signed(metric, mean_metric(metric, scores, labels, offsets, weights))

    def _need_query_ids(self, rows: int) -> None:
        """Raise `ArgumentError` unless the ranker was fitted to one query, too; then warn."""
        if not self._one_query:
            raise ArgumentError(
                f"score has no qid=, so it is not known which of the {rows} rows are the items of one query. "
                "Give qid=, one query id per row. In scikit-learn's cross-validation and searches hand "
                "params={'qid': qid} over and enable metadata routing: "
                "sklearn.set_config(enable_metadata_routing=True)."
            )
        need_query_ids("score", rows, stacklevel=3)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the fitted model into the directory ``path``: model.json and the files beside it.

        Nothing is pickled. The directory appears at once or not at all; a model that was there is replaced.
        `rankproof.load_model` reads it.
        """
        check_is_fitted(self)
        kind = type(self).__name__
        if kind != self.saved_as:
            raise ArgumentError(
                f"save writes a {self.saved_as}, which load_model reads back as one, got a {kind}."
            )
        names = getattr(self, "feature_names_in_", None)
        state = self._state()
        shared = {
            "features": self.n_features_in_,
            "feature_names": None if names is None else [str(name) for name in names],
            "loss": printed(kind, "loss_", self.loss_),
        }
        parameters = {name: as_text(kind, name, value) for name, value in self.get_params(deep=False).items()}
        write_model(path, kind, parameters, {**shared, **state.plain}, state.arrays, state.files)

    @classmethod
    def from_files(cls, saved: ModelFiles) -> Self:
        """The fitted ranker that ``save`` wrote."""
        from rankproof.losses.parse import loss as parse_loss

        try:
            model = cls(**from_text(saved.parameters))
            model._restore(saved)
            model.n_features_in_, names = int(saved.state["features"]), saved.state["feature_names"]
            model.loss_ = parse_loss(saved.state["loss"])
        # These say themselves what is wrong; a loss of the user's, say, that is not registered here.
        except RankproofError:
            raise
        except (KeyError, TypeError, ValueError) as error:
            raise saved.wrong(f"a part of the model is missing or of a wrong kind: {error}.") from None
        if names is not None:
            model.feature_names_in_ = np.array(names, dtype=object)
        return model

    @abstractmethod
    def _state(self) -> FittedState:
        """What was learnt, for `save`; loss and features are saved by it."""

    @abstractmethod
    def _restore(self, saved: ModelFiles) -> None:
        """Take back what `_state` gave."""

    def _is_plain(self, X: Any) -> bool:
        """Whether a fitted model can take ``X`` as it is; where features have names, scikit-learn says so."""
        fitted = vars(self)
        features = fitted.get("n_features_in_")
        named = "feature_names_in_" in fitted
        return features is not None and not named and is_plain(X, features, missing=self._takes_missing)

    def _features(self, X: Any) -> Any:
        """Features to predict with, which must be those of the fit."""
        return validate_data(self, X, reset=False, **AS_ARRAY)

    @abstractmethod
    def _scores(self, X: Any, qid: Any) -> Float64s:
        """The score of every row of features that `_features` has read."""

    def __sklearn_tags__(self) -> Tags:
        tags = BaseEstimator.__sklearn_tags__(self)
        tags.target_tags.required = True
        tags.target_tags.positive_only = True
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self._takes_missing
        return tags
