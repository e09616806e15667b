"""`NeuralRanker`: a small network that minimises a loss made for the metric one reports."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted, check_X_y, validate_data

from rankproof.arrays import Float64s, Int64s, as_labels, as_whole_number
from rankproof.data.ranking import RankingData
from rankproof.errors import ArgumentError, DataError
from rankproof.fit.engines.missing import engine
from rankproof.fit.inputs import per_query_weights, query_offsets, supervision
from rankproof.fit.network import Network, drawn
from rankproof.fit.neural_training import Epoch, Judges, Plan, TrainingReport, train
from rankproof.fit.query_features import KINDS, QueryFeatures, learn_features
from rankproof.fit.resolve import resolve_loss
from rankproof.fit.saved_neural import save_neural
from rankproof.fit.scoring import mean_metric, signed
from rankproof.fit.settings import _generator, as_l2, one_of
from rankproof.losses.base import Loss
from rankproof.metrics.base import Metric
from rankproof.metrics.parse import metric as parse_metric

__all__ = ["NeuralRanker"]


class NeuralRanker(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Neural ranker: a network over features that are normalised within each query, trained for a metric.

    Linear layers with max(0, .) between them score one item at a time. Training goes over batches of whole
    queries with AdamW and stops when the metric itself, exact under ties, no longer improves on queries that
    are held out; the best weights are kept. It needs torch (``pip install 'rankproof[torch]'``), scoring does
    not. One seed gives one result, to the last bit, on one machine.

    Parameters
    ----------
    metric, loss, noise
        As in `LinearRanker`: what is reported, and the loss, by default one that is consistent with it.
    hidden : sequence of int
        Sizes of the layers between features and score; none makes a linear ranker.
    scale : "both", "standard" or "query"
        Features standardised over all items, over the items of their query, or both side by side. With
        query features `predict` needs ``qid``.
    learning_rate, weight_decay : float
        Of AdamW; biases do not decay.
    dropout : float
        The share of each hidden layer that is left out at random in a step.
    batch_items : int
        About how many items a batch has; it is made of whole queries.
    max_iter : int
        Most passes over the data (epochs).
    patience : int
        Epochs without a better metric after which training stops.
    valid_share : float
        The share of the queries that is held out when ``fit`` gets no ``validation``. When that is less than
        one query, or 0, none is, and training goes on for ``max_iter`` epochs.
    verbose : int
        1 shows progress on standard error, 2 every epoch.
    random_state : int, generator or None
        First weights, held-out queries, batches, dropout.
    threads : int, optional
        Threads of torch in training, 1 unless given; another number may change the last bits. What a fitted
        model predicts does not depend on it.
    device : str
        Where torch trains, such as ``"cuda"``.

    Attributes
    ----------
    network_ : Network
    features_ : QueryFeatures
        What the network sees of an item.
    loss_ : Loss
        The loss that was minimised, with its target.
    history_ : list of Epoch
        Mean loss and held-out metric of every epoch.
    report_ : TrainingReport
    n_iter_, n_features_in_ : int
    """

    network_: Network
    features_: QueryFeatures
    loss_: Loss
    history_: list[Epoch]
    report_: TrainingReport

    def __init__(
        self,
        metric: str | Metric = "nDCG@10",
        *,
        loss: str | Loss = "auto",
        noise: str | None = None,
        hidden: Sequence[int] = (64, 32),
        scale: str = "both",
        learning_rate: float = 1e-3,
        weight_decay: float = 1e-2,
        dropout: float = 0.2,
        batch_items: int = 1024,
        max_iter: int = 100,
        patience: int = 10,
        valid_share: float = 0.2,
        verbose: int = 0,
        random_state: Any = 0,
        threads: int | None = None,
        device: str = "cpu",
    ) -> None:
        self.metric = metric
        self.loss = loss
        self.noise = noise
        self.hidden = hidden
        self.scale = scale
        self.learning_rate = learning_rate
        self.weight_decay = weight_decay
        self.dropout = dropout
        self.batch_items = batch_items
        self.max_iter = max_iter
        self.patience = patience
        self.valid_share = valid_share
        self.verbose = verbose
        self.random_state = random_state
        self.threads = threads
        self.device = device

    def fit(
        self,
        X: Any,
        y: Any,
        qid: Any = None,
        sample_weight: Any = None,
        query_weight: Any = None,
        validation: Any = None,
    ) -> NeuralRanker:
        """Train the network.

        Parameters
        ----------
        X : array or CSR array of shape (items, features), float32 or float64
            Sparse features become dense in float32, up to twice as many.
        y : array of labels, one per item
        qid : array of query ids, one per item, optional
            Items of a query stand together. Without it all items are one query.
        sample_weight : array of weights, one per item, optional
        query_weight : array of weights, one per query (or per item, the same within each query), optional
        validation : (X, y, qid) or RankingData, optional
            Queries to stop by. Without them ``valid_share`` of the queries of ``X`` are held out.
        """
        plan, sizes, share = self._plan(), self._hidden(), self._share()
        random = _generator("random_state of NeuralRanker", self.random_state)
        metric, loss = parse_metric(self.metric), resolve_loss(self.metric, self.loss, self.noise)
        engine("torch")
        X, y = validate_data(
            self, X, y, accept_sparse="csr", dtype=[np.float64, np.float32], order="C", y_numeric=True
        )
        labels, offsets = as_labels(y), query_offsets(qid, X.shape[0])
        by_query = per_query_weights(query_weight, offsets)
        items = None if sample_weight is None else np.asarray(sample_weight)
        kept = np.arange(offsets.size - 1)
        held: _Part | None = None
        if validation is not None:
            held = self._given(validation)
        elif int(share * kept.size) > 0:
            order = random.permutation(kept.size)
            cut = int(share * kept.size)
            held = _Part.of(X, labels, offsets, by_query, items, np.sort(order[:cut]))
            kept = np.sort(order[cut:])
        trained = _Part.of(X, labels, offsets, by_query, items, kept)
        data = supervision(
            loss, trained.labels, trained.offsets, trained.weights, trained.items, threads=plan.threads
        )
        features = learn_features(self.scale, trained.X, data.row_weights)
        judges = None if held is None else self._judges(held, features, metric, given=validation is not None)
        network, history, report = train(
            drawn((features.columns, *sizes, 1), random),
            features.of(trained.X, trained.offsets),
            data,
            loss,
            judges,
            plan,
            random,
            f"NeuralRanker {loss.name}",
        )
        self.network_, self.features_, self.loss_ = network, features, loss
        self.history_, self.report_, self.n_iter_ = history, report, report.epochs
        return self

    def predict(self, X: Any, qid: Any = None) -> Float64s:
        """The score of every row; higher is better.

        Parameters
        ----------
        X : array or CSR array of shape (items, features)
        qid : array, one query id per row
            Not needed with ``scale="standard"``; else features are compared within each query.
        """
        check_is_fitted(self)
        X = validate_data(
            self, X, reset=False, accept_sparse="csr", dtype=[np.float64, np.float32], order="C"
        )
        return self._scores(X, qid)

    def score(
        self, X: Any, y: Any, qid: Any = None, sample_weight: Any = None, query_weight: Any = None
    ) -> float:
        """The mean over queries of ``metric``, exact under ties; its sign is turned when lower is better.

        Weights are those of queries, as in `LinearRanker.score`.
        """
        check_is_fitted(self)
        X, y = validate_data(
            self,
            X,
            y,
            reset=False,
            accept_sparse="csr",
            dtype=[np.float64, np.float32],
            order="C",
            y_numeric=True,
        )
        known, offsets = parse_metric(self.metric), query_offsets(qid, X.shape[0])
        weights = per_query_weights(query_weight, offsets)
        factor = per_query_weights(sample_weight, offsets, "sample_weight")
        if factor is not None:
            weights = factor if weights is None else factor * weights
        value = mean_metric(known, self._scores(X, qid), as_labels(y), offsets, weights, threads=self.threads)
        return signed(known, value)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the fitted model into the directory ``path``: model.json and weights.npz.

        Nothing is pickled. The directory appears at once or not at all; a model that was there is replaced.
        `rankproof.fit.saved.load_model` reads it.
        """
        check_is_fitted(self)
        save_neural(self, path)

    def _scores(self, X: Any, qid: Any) -> Float64s:
        if qid is None and self.features_.kind != "standard":
            raise ArgumentError(
                f"predict with scale={self.features_.kind!r} needs qid=, the query id of every row: features "
                "are compared within each query. For one query, give the same id to all rows."
            )
        offsets = query_offsets(qid, X.shape[0])
        return self.network_.scores(self.features_.of(X, offsets), threads=self.threads)

    def _plan(self) -> Plan:
        name = "NeuralRanker"
        one_of(f"scale of {name}", self.scale, KINDS)
        rate = as_l2(f"learning_rate of {name}", self.learning_rate)
        dropout = as_l2(f"dropout of {name}", self.dropout)
        if not 0 <= dropout < 1:
            raise ArgumentError(
                f"Argument dropout of {name} must be a share from 0 to below 1, got {dropout}."
            )
        verbose = 1 if self.verbose is True else self.verbose or 0
        return Plan(
            max_iter=as_whole_number(f"max_iter of {name}", self.max_iter, 1),
            patience=as_whole_number(f"patience of {name}", self.patience, 1),
            batch_items=as_whole_number(f"batch_items of {name}", self.batch_items, 1),
            learning_rate=rate,
            weight_decay=as_l2(f"weight_decay of {name}", self.weight_decay),
            dropout=dropout,
            device=self.device,
            threads=1 if self.threads is None else as_whole_number(f"threads of {name}", self.threads, 1),
            verbose=as_whole_number(f"verbose of {name}", verbose, 0),
        )

    def _hidden(self) -> tuple[int, ...]:
        if isinstance(self.hidden, str) or not isinstance(self.hidden, Sequence | np.ndarray):
            raise ArgumentError(
                f"Argument hidden of NeuralRanker must be a list of layer sizes, got {self.hidden!r}."
            )
        return tuple(as_whole_number("hidden of NeuralRanker", size, 1) for size in self.hidden)

    def _share(self) -> float:
        share = as_l2("valid_share of NeuralRanker", self.valid_share)
        if share >= 1:
            raise ArgumentError(f"Argument valid_share of NeuralRanker must be below 1, got {share}.")
        return share

    def _given(self, validation: Any) -> _Part:
        if isinstance(validation, RankingData):
            if validation.X is None:
                raise ArgumentError("Argument validation must have features, got a RankingData without X.")
            X, y, qid = validation.X, validation.labels, validation.qids
        elif isinstance(validation, tuple) and len(validation) == 3:
            X, y, qid = validation
        else:
            raise ArgumentError(
                f"Argument validation must be (X, y, qid) or a RankingData, got {type(validation).__name__}."
            )
        X, y = check_X_y(X, y, accept_sparse="csr", dtype=[np.float64, np.float32], order="C", y_numeric=True)
        if X.shape[1] != self.n_features_in_:
            raise ArgumentError(
                f"Argument validation must have the {self.n_features_in_} features of X, got {X.shape[1]}."
            )
        return _Part(X, as_labels(y), query_offsets(qid, X.shape[0]), None, None)

    def _judges(self, held: _Part, features: QueryFeatures, metric: Metric, *, given: bool) -> Judges:
        judges = Judges(features.of(held.X, held.offsets), held.labels, held.offsets, held.weights, metric)
        try:
            mean_metric(metric, np.zeros(held.labels.size), held.labels, held.offsets, held.weights)
        except DataError as error:
            hint = "" if given else " These are the queries held out; give validation=, or valid_share=0."
            raise DataError(f"{error}{hint}") from None
        return judges

    def __sklearn_tags__(self) -> Tags:
        tags = BaseEstimator.__sklearn_tags__(self)
        tags.target_tags.required = True
        tags.target_tags.positive_only = True
        tags.input_tags.sparse = True
        return tags


class _Part:
    """Some whole queries of validated data."""

    def __init__(
        self, X: Any, labels: Float64s, offsets: Int64s, weights: Float64s | None, items: Any
    ) -> None:
        self.X, self.labels, self.offsets, self.weights, self.items = X, labels, offsets, weights, items

    @classmethod
    def of(
        cls, X: Any, labels: Float64s, offsets: Int64s, weights: Float64s | None, items: Any, queries: Int64s
    ) -> _Part:
        """These queries, in this order."""
        if queries.size == offsets.size - 1:
            return cls(X, labels, offsets, weights, items)
        sizes = np.diff(offsets)[queries]
        fresh = np.concatenate(([0], np.cumsum(sizes)))
        rows = np.arange(fresh[-1]) + np.repeat(offsets[queries] - fresh[:-1], sizes)
        return cls(
            X[rows],
            labels[rows],
            fresh,
            None if weights is None else weights[queries],
            None if items is None else items[rows],
        )
