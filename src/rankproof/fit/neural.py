"""`NeuralRanker`: a small network that minimises a loss made for the metric one reports."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from rankproof.arrays import Float64s, as_whole_number
from rankproof.errors import ArgumentError
from rankproof.fit.engines.missing import engine
from rankproof.fit.inputs import query_offsets
from rankproof.fit.network import Network, drawn
from rankproof.fit.neural_training import Epoch, Judges, Plan, TrainingReport, train
from rankproof.fit.part import (
    Part,
    check_counted,
    held_out_part,
    like_features_of,
    supervision_of,
    training_features,
    training_part,
)
from rankproof.fit.query_features import KINDS, QueryFeatures, learn_features
from rankproof.fit.ranker import Ranker
from rankproof.fit.resolve import resolve_loss
from rankproof.fit.settings import as_generator, as_nonnegative, as_verbosity, one_of
from rankproof.losses.base import Loss
from rankproof.metrics.base import Metric
from rankproof.metrics.parse import metric as parse_metric

__all__ = ["NeuralRanker"]


class NeuralRanker(Ranker):
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
        random = as_generator("random_state of NeuralRanker", self.random_state)
        metric, loss = parse_metric(self.metric), resolve_loss(self.metric, self.loss, self.noise)
        engine("torch")
        whole = training_part(training_features(self, X, y), y, qid, query_weight, sample_weight)
        trained, held = self._split(whole, validation, share, random)
        data = supervision_of(trained, loss, threads=plan.threads)
        features = learn_features(self.scale, trained.X, data.row_weights)
        judges = None if held is None else _judges(held, features, metric, given=validation is not None)
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
        rate = as_nonnegative(f"learning_rate of {name}", self.learning_rate)
        dropout = as_nonnegative(f"dropout of {name}", self.dropout)
        if not 0 <= dropout < 1:
            raise ArgumentError(
                f"Argument dropout of {name} must be a share from 0 to below 1, got {dropout}."
            )
        return Plan(
            max_iter=as_whole_number(f"max_iter of {name}", self.max_iter, 1),
            patience=as_whole_number(f"patience of {name}", self.patience, 1),
            batch_items=as_whole_number(f"batch_items of {name}", self.batch_items, 1),
            learning_rate=rate,
            weight_decay=as_nonnegative(f"weight_decay of {name}", self.weight_decay),
            dropout=dropout,
            device=self.device,
            threads=1 if self.threads is None else as_whole_number(f"threads of {name}", self.threads, 1),
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
        self, whole: Part, validation: Any, share: float, random: np.random.Generator
    ) -> tuple[Part, Part | None]:
        """Queries to train on, and queries to stop by, if there are any."""
        if validation is not None:
            return whole, held_out_part(self, validation, like_features_of(self))
        cut = int(share * whole.queries)
        if cut == 0:
            return whole, None
        order = random.permutation(whole.queries)
        return whole.take(np.sort(order[cut:])), whole.take(np.sort(order[:cut]))


def _judges(held: Part, features: QueryFeatures, metric: Metric, *, given: bool) -> Judges:
    """The held-out queries as training sees them; what is wrong with them is told before it begins."""
    hint = "" if given else " These are the queries held out; give validation=, or valid_share=0."
    check_counted(metric, held, hint)
    return Judges(features.of(held.X, held.offsets), held.labels, held.offsets, held.query_weights, metric)
