"""`NeuralRanker`: a small network that minimises a loss made for the metric you report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rankproof.arrays import Float64s, as_whole_number
from rankproof.data.ranking import RankingData, ranking_data
from rankproof.errors import ArgumentError
from rankproof.fit.callbacks import Callback, checked_callbacks
from rankproof.fit.data import (
    HeldOut,
    as_generator,
    as_nonnegative,
    as_verbosity,
    feature_reader,
    held_out_data,
    one_of,
    training_data,
    training_features,
)
from rankproof.fit.defaults import NEURAL
from rankproof.fit.model_files import FittedState, ModelFiles
from rankproof.fit.neural.network import Network, random_network
from rankproof.fit.neural.query_features import KINDS, QueryFeatures, learn_features
from rankproof.fit.neural.training import Epoch, TrainingPlan, TrainingReport, train
from rankproof.fit.ranker import Ranker
from rankproof.judgments.labels import assumed_noise
from rankproof.losses.base import Loss
from rankproof.losses.choose import choose_loss
from rankproof.losses.supervision import query_offsets, supervision
from rankproof.metrics.base import Metric, MetricLike
from rankproof.optional import engine
from rankproof.threads import using

__all__ = ["NeuralRanker"]

_SHARE_ADVICE = "These are the queries held out; give validation=, or valid_share=0."


class NeuralRanker(Ranker):
    """Neural ranker: a network over features that are normalised within each query, trained for a metric.

    Linear layers with max(0, .) between them score one item at a time. Training goes over batches of whole
    queries with AdamW and stops when the metric itself, exact under ties, no longer improves on queries that
    are held out; the best weights are kept. It needs torch (``pip install torch``), scoring does
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
        The fitted layers.
    features_ : QueryFeatures
        What the network sees of an item.
    loss_ : Loss
        The loss that was minimised, with its target.
    history_ : list of Epoch
        Mean loss and held-out metric of every epoch.
    report_ : TrainingReport
        How training went, and why it stopped.
    n_iter_, n_features_in_ : int
        Epochs that were trained; features of an item.

    Examples
    --------
    >>> import rankproof as rp
    >>> train, test = rp.samples.diabetes_wards()
    >>> ranker = NeuralRanker("nDCG@10", hidden=(16,), max_iter=5, random_state=1)
    >>> ranker = ranker.fit(train.X, train.labels, qid=train.qids)
    >>> ranker.predict(test.X, qid=test.qids).shape
    (130,)
    """

    network_: Network
    features_: QueryFeatures
    history_: list[Epoch]
    report_: TrainingReport

    saved_as = "NeuralRanker"

    def __init__(
        self,
        metric: MetricLike = "nDCG@10",
        *,
        loss: str | Loss = "auto",
        noise: str | None = None,
        hidden: Sequence[int] = NEURAL.hidden,
        scale: str = NEURAL.scale,
        learning_rate: float = NEURAL.learning_rate,
        weight_decay: float = NEURAL.weight_decay,
        dropout: float = NEURAL.dropout,
        batch_items: int = NEURAL.batch_items,
        max_iter: int = NEURAL.max_iter,
        patience: int = NEURAL.patience,
        valid_share: float = NEURAL.valid_share,
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
        callbacks: Sequence[Callback] | None = None,
    ) -> NeuralRanker:
        """Train the network.

        Parameters
        ----------
        X : array or CSR array of shape (items, features), float32 or float64
            Sparse features become dense in float32, up to twice as many.
        y : array of labels, one per item, or `Judgments`
            Relevance labels: finite, larger is more relevant. Or judgments of the rows by several judges, or
            a matrix of P(grade) with one row per item: what is trained on is then the mean of the target.
        qid : array of query ids, one per item
            Items of a query stand together. Without it all items are one query, with a `QueryWarning`; more
            than 1,000 are refused.
        sample_weight : array of weights, one per item, optional
            Multiplies what the item contributes to the loss. Losses that are not sums over items need the
            same weight for all items of a query. Where weights move what the loss sorts by
            (`lift`, `softmax`), a `ConsistencyWarning` says so; `squared` keeps its order.
        query_weight : array of weights, one per query (or per item, the same within each query), optional
            Multiplies what the query contributes to the loss; at least one weight must be positive.
        validation : (X, y, qid) or RankingData, optional
            Queries to stop by. Without them ``valid_share`` of the queries of ``X`` are held out.
        callbacks : list of functions, optional
            Each is called as ``callback(round, value)`` after every epoch: its number, from 1, and the metric
            on validation data. An exception, such as ``optuna.TrialPruned``, ends training and reaches the
            caller; the ranker stays unfitted.
        """
        plan, sizes, share = self._plan(), self._hidden(), self._share()
        # One thread of torch unless more are asked for: another number may change the last bits.
        threads = 1 if self.threads is None else as_whole_number("threads of NeuralRanker", self.threads, 1)
        random = as_generator("random_state of NeuralRanker", self.random_state)
        with using(threads):
            choice = choose_loss(self.metric, self.loss, assumed_noise(y, self.noise)).warned()
            metric, loss = choice.metric, choice.loss
            engine("torch")
            whole = training_data(
                self, training_features(self, X, y), y, qid, query_weight, sample_weight, loss
            )
            data, rest = self._split(whole, validation, share, random)
            supervised = supervision(loss, data)
            features = learn_features(self.scale, data.X, supervised.row_weights)
            advice = _SHARE_ADVICE if validation is None else ""
            held_out = None if rest is None else _held_out(rest, features, metric, advice)
            advice = "Give validation=, or a valid_share above 0."
            called = checked_callbacks(callbacks, held_out=held_out is not None, advice=advice)
            network, history, report = train(
                random_network((features.columns, *sizes, 1), random),
                features.transform(data.X, data.offsets),
                supervised,
                loss,
                held_out,
                plan,
                random,
                f"NeuralRanker {loss.name}",
                called,
            )
            self.network_, self.features_, self.loss_ = network, features, loss
            self.history_, self.report_, self.n_iter_ = history, report, report.epochs
            self._one_query = qid is None
            return self

    def _scores(self, X: Any, qid: Any) -> Float64s:
        if qid is None and self.features_.kind != "standard":
            raise ArgumentError(
                f"predict with scale={self.features_.kind!r} needs qid=, the query id of every row: features "
                "are compared within each query. For one query, give the same id to all rows."
            )
        offsets = query_offsets(qid, X.shape[0])
        return self.network_.scores(self.features_.transform(X, offsets))

    def _state(self) -> FittedState:
        network, features = self.network_, self.features_
        plain = {"scale": features.kind, "layers": len(network.weights), "report": self.report_.to_dict()}
        arrays = {
            "centre": features.centre,
            "divisor": features.divisor,
            "losses": np.array([epoch.loss for epoch in self.history_]),
            "metrics": np.array([np.nan if e.metric is None else e.metric for e in self.history_]),
        }
        return FittedState(plain, {**arrays, **network.arrays()})

    def _restore(self, saved: ModelFiles) -> None:
        state, arrays = saved.state, saved.arrays
        self.hidden = tuple(self.hidden)
        self.features_ = QueryFeatures(state["scale"], arrays["centre"], arrays["divisor"])
        self.network_ = Network.from_arrays(arrays, int(state["layers"]))
        count = int(state["features"])
        if not (self.features_.fits(count) and self.network_.fits(self.features_.columns)):
            raise saved.wrong(f"the arrays do not fit {count} features and scale {self.features_.kind!r}.")
        values = zip(arrays["losses"].tolist(), arrays["metrics"].tolist(), strict=True)
        self.history_ = [
            Epoch(number, loss, None if np.isnan(metric) else metric)
            for number, (loss, metric) in enumerate(values, start=1)
        ]
        self.report_ = TrainingReport(**state["report"])
        self.n_iter_ = self.report_.epochs

    def _plan(self) -> TrainingPlan:
        name = "NeuralRanker"
        one_of(f"scale of {name}", self.scale, KINDS)
        rate = as_nonnegative(f"learning_rate of {name}", self.learning_rate)
        dropout = as_nonnegative(f"dropout of {name}", self.dropout)
        if not 0 <= dropout < 1:
            raise ArgumentError(
                f"Argument dropout of {name} must be a share from 0 to below 1, got {dropout}."
            )
        return TrainingPlan(
            max_iter=as_whole_number(f"max_iter of {name}", self.max_iter, 1),
            patience=as_whole_number(f"patience of {name}", self.patience, 1),
            batch_items=as_whole_number(f"batch_items of {name}", self.batch_items, 1),
            learning_rate=rate,
            weight_decay=as_nonnegative(f"weight_decay of {name}", self.weight_decay),
            dropout=dropout,
            device=self.device,
            verbose=as_verbosity(f"verbose of {name}", self.verbose),
        )

    def _hidden(self) -> tuple[int, ...]:
        if isinstance(self.hidden, str) or not isinstance(self.hidden, Sequence | np.ndarray):
            raise ArgumentError(
                f"Argument hidden of NeuralRanker must be a list of layer sizes, got {self.hidden!r}."
            )
        return tuple(as_whole_number("hidden of NeuralRanker", size, 1) for size in self.hidden)

    def _share(self) -> float:
        share = as_nonnegative("valid_share of NeuralRanker", self.valid_share)
        if share >= 1:
            raise ArgumentError(f"Argument valid_share of NeuralRanker must be below 1, got {share}.")
        return share

    def _split(
        self, whole: RankingData, validation: Any, share: float, random: np.random.Generator
    ) -> tuple[RankingData, RankingData | None]:
        """Queries to train on, and queries to stop by, if there are any."""
        if validation is not None:
            return whole, held_out_data(self, validation, feature_reader(self))
        cut = int(share * whole.queries)
        if cut == 0:
            return whole, None
        order = random.permutation(whole.queries)
        return whole[np.sort(order[cut:])], whole[np.sort(order[:cut])]


def _held_out(data: RankingData, features: QueryFeatures, metric: Metric, advice: str) -> HeldOut:
    """The queries to stop by, with what the network sees of them; checked before training begins."""
    held_out = HeldOut(data, metric, advice)
    held_out.check()
    seen = features.transform(data.X, data.offsets)
    return replace(
        held_out,
        data=ranking_data(data.labels, data.offsets, seen, data.query_weights, expected=data.expected),
    )
