"""`BoostedRanker`: gradient boosted trees that minimise a loss made for the metric you report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from rankproof.arrays import Float64s
from rankproof.data.ranking import RankingData, ranking_data
from rankproof.errors import ArgumentError
from rankproof.fit.callbacks import Callback, checked_callbacks
from rankproof.fit.data import as_verbosity, held_out_data, one_of, training_data
from rankproof.fit.defaults import BOOSTED
from rankproof.fit.model_files import FittedState, ModelFiles
from rankproof.fit.progress import counted
from rankproof.fit.ranker import Ranker
from rankproof.fit.trees.booster import ENGINES, BoostingReport, BoostingResult, Job, tree_engine
from rankproof.fit.trees.features import CategoricalColumns, check_varied, learnt_features, read_features
from rankproof.fit.trees.parameters import TreeParameters
from rankproof.fit.trees.state import as_state, booster_from_files, columns_from_plain
from rankproof.judgments.labels import assumed_noise
from rankproof.losses.base import Loss
from rankproof.losses.choose import choose_loss
from rankproof.losses.supervision import query_offsets, supervision
from rankproof.metrics.base import MetricLike
from rankproof.metrics.parse import metric as parse_metric
from rankproof.optional import engine as engine_module
from rankproof.threads import using

__all__ = ["BoostedRanker", "check_boosted"]

# Names that all engines take; LightGBM and XGBoost refuse some characters.
_PLAIN_NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-")


class BoostedRanker(Ranker):
    """Gradient boosted trees of LightGBM, XGBoost or CatBoost, trained for a metric.

    With ``loss="auto"`` the loss is consistent with ``metric``: the scores that minimise its expected value
    rank best, by theorem, whatever the law of the labels (with ``noise``, under every law that meets that
    condition). The theorem is about all scores, not about what so many trees can reach. Where no such
    loss exists, a `ConsistencyWarning` says so and names what is used instead. With validation data, training
    stops when the metric itself, exact under ties, no longer gets better, and the best trees are kept.

    Parameters
    ----------
    metric : str, Metric or function
        What is reported: the target of ``loss`` is made for it, early stopping watches it, `score` is its
        mean.
    engine : "lightgbm", "xgboost" or "catboost"
        Each is an extra: ``pip install lightgbm``.
    loss : str or Loss
        ``"auto"``, a name such as ``"softmax"`` (target from ``metric``), a full form such as
        ``"squared:normalised-gain@10"``, or a loss object. CatBoost has centred-squared,
        softmax, squared and relative.
    noise : str, optional
        A condition on the noise in the labels, such as ``"independent"``: some metrics have a consistent
        loss only under one.
    n_estimators : int
        Most trees.
    learning_rate : float, optional
        What every tree's values are multiplied by. For this and the three below, None is the engine's own
        default.
    num_leaves : int, optional
        Most leaves of a tree. CatBoost's trees are symmetric: a power of two.
    l2 : float, optional
        Penalty on the values of leaves, as the engine has it.
    min_data_in_leaf : int, optional
        Fewest rows of a leaf. LightGBM and XGBoost count rows by their second derivatives, so that it is
        about so many unless the loss is squared; CatBoost splits no leaf of fewer rows, and only when its
        trees are not symmetric (``grow_policy``).
    early_stopping_rounds : int, optional
        With validation data: stop after so many trees without a better value; None trains all trees.
    categorical_features : list of int or str, optional
        Columns that hold categories: codes 0, 1, ... in an array, anything in a data frame. Columns of a data
        frame with a categorical type need not be named.
    parameters : dict, optional
        Parameters of the engine, by its names, such as ``{"feature_fraction": 0.8}``. What another argument
        sets is refused, and so is what the engine does not know.
    verbose : int
        1 shows progress on standard error, 2 every tree.
    random_state : int, generator or None
        Seed of the engine. The same data, parameters and seed give the same model, bit for bit.
    threads : int, optional
        How many threads. With LightGBM the model does not depend on it.

    Attributes
    ----------
    booster_ : Booster of LightGBM or XGBoost, or CatBoost
        The model of the engine, with the trees that are kept.
    loss_ : Loss
        The loss that was minimised, with its target.
    n_iter_ : int
        Trees in the model.
    evaluations_ : array
        The metric on validation data after every tree that was trained; empty without validation data.
    best_score_ : float or None
        The metric on validation data with the trees that are kept.
    feature_importances_ : array of shape (features,)
        Share of the gain of all splits (CatBoost: of the change of scores); sums to 1.
    report_ : BoostingReport
        How training went, and why it stopped.
    n_features_in_ : int
        Features of an item.

    Examples
    --------
    >>> import rankproof as rp
    >>> world = rp.synthetic.IntentWorld.random(features=4, items=(8, 12), seed=1)
    >>> train, valid = world.sample(60, seed=1), world.sample(30, seed=2)
    >>> ranker = BoostedRanker("nDCG@10", n_estimators=20, threads=1)
    >>> ranker = ranker.fit(train.X, train.labels, qid=train.qids, validation=valid)
    >>> ranker.score(valid.X, valid.labels, qid=valid.qids) == ranker.best_score_
    True
    """

    saved_as = "BoostedRanker"
    _takes_missing = True

    def __init__(
        self,
        metric: MetricLike = "nDCG@10",
        *,
        engine: str = "lightgbm",
        loss: str | Loss = "auto",
        noise: str | None = None,
        n_estimators: int = BOOSTED.n_estimators,
        learning_rate: float | None = BOOSTED.learning_rate,
        num_leaves: int | None = BOOSTED.num_leaves,
        l2: float | None = BOOSTED.l2,
        min_data_in_leaf: int | None = BOOSTED.min_data_in_leaf,
        early_stopping_rounds: int | None = BOOSTED.early_stopping_rounds,
        categorical_features: Sequence[int | str] | None = None,
        parameters: Mapping[str, Any] | None = None,
        verbose: int = 0,
        random_state: Any = 0,
        threads: int | None = None,
    ) -> None:
        self.metric = metric
        self.engine = engine
        self.loss = loss
        self.noise = noise
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.num_leaves = num_leaves
        self.l2 = l2
        self.min_data_in_leaf = min_data_in_leaf
        self.early_stopping_rounds = early_stopping_rounds
        self.categorical_features = categorical_features
        self.parameters = parameters
        self.verbose = verbose
        self.random_state = random_state
        self.threads = threads

    def fit(
        self,
        X: Any,
        y: Any,
        qid: Any = None,
        sample_weight: Any = None,
        query_weight: Any = None,
        validation: Any = None,
        callbacks: Sequence[Callback] | None = None,
    ) -> BoostedRanker:
        """Grow the trees.

        Parameters
        ----------
        X : array, CSR array or data frame of shape (items, features)
            NaN is a missing value.
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
            Queries on which ``metric`` decides how many trees are kept.
        callbacks : list of functions, optional
            Each is called as ``callback(round, value)`` after every tree: its number, from 1, and the metric
            on validation data. An exception, such as ``optuna.TrialPruned``, ends training and reaches the
            caller; the ranker stays unfitted.
        """
        called = checked_callbacks(callbacks, held_out=validation is not None, advice="Give validation=.")
        with using(self.threads):
            loss, parameters = check_boosted(
                self, held_out=validation is not None, noise=assumed_noise(y, self.noise), stacklevel=4
            )
            module = tree_engine(self.engine)
            verbose = as_verbosity("verbose of BoostedRanker", self.verbose)
            X, columns = learnt_features(self, X, y, self.categorical_features)
            check_varied(X)
            data = training_data(self, X, y, qid, query_weight, sample_weight, loss)
            supervised = supervision(loss, data)
            # A loss that is not a sum over items has made the weights of items those of queries.
            items = supervised.item_weights if supervised.item_weights.size else None
            names = getattr(self, "feature_names_in_", None)
            with counted(verbose, f"BoostedRanker {self.engine}", parameters.trees, "tree") as show:
                result = module.train(
                    Job(
                        metric=parse_metric(self.metric),
                        loss=loss,
                        parameters=parameters,
                        train=ranking_data(
                            data.labels, data.offsets, data.X, supervised.query_weights, items, data.expected
                        ),
                        supervision=supervised,
                        valid=None if validation is None else self._held_out(validation, columns),
                        categorical=columns.categorical,
                        names=tuple(names) if names is not None and _plain(names) else None,
                        show=show,
                        callbacks=called,
                    )
                )
            self.booster_, self.loss_, self.columns_ = result.model, loss, columns
            self.n_iter_, self.evaluations_ = result.trees, np.array(result.values)
            self.report_ = _report(self.engine, result, parameters)
            self.best_score_ = self.report_.value
            self._one_query = qid is None
            return self

    def explain(self, X: Any) -> Float64s:
        """SHAP values, computed by the engine: how much every feature adds to the score of every row.

        Returns an array of shape (items, features + 1). The last column is the score of the average row;
        the sum of a row is its score.
        """
        check_is_fitted(self)
        with using(self.threads):
            return tree_engine(self.report_.engine).contributions(
                self.booster_, self._features(X), self.columns_.categorical
            )

    @property
    def feature_importances_(self) -> Float64s:
        """How much every feature matters; sums to 1, or all 0 when nothing was split."""
        check_is_fitted(self)
        raw = tree_engine(self.report_.engine).importances(self.booster_)
        total = float(raw.sum())
        return raw / total if total > 0 else raw

    def _is_plain(self, X: Any) -> bool:
        # Categories are codes that have a check of their own.
        return super()._is_plain(X) and not self.columns_.categorical

    def _features(self, X: Any) -> Any:
        return read_features(self, X, self.columns_)

    def _scores(self, X: Any, qid: Any) -> Float64s:
        if qid is not None:
            query_offsets(qid, X.shape[0])
        module = tree_engine(self.report_.engine)
        return module.scores(self.booster_, X, self.columns_.categorical)

    def _state(self) -> FittedState:
        if self.engine != self.report_.engine:
            raise ArgumentError(
                f"The model was fitted with engine={self.report_.engine!r}, and engine is {self.engine!r} "
                "now. Set it back, or fit again, to save it."
            )
        return as_state(self.booster_, self.columns_, self.report_, self.evaluations_)

    def _restore(self, saved: ModelFiles) -> None:
        self.columns_ = columns_from_plain(saved.state)
        self.report_, self.evaluations_ = BoostingReport(**saved.state["report"]), saved.arrays["evaluations"]
        self.n_iter_, self.best_score_ = self.report_.trees, self.report_.value
        self.booster_ = booster_from_files(saved, self.engine, self.report_)

    def _held_out(self, validation: Any, columns: CategoricalColumns) -> RankingData:
        if not isinstance(validation, RankingData):
            return held_out_data(self, validation, lambda X: read_features(self, X, columns))
        width = self.n_features_in_ if validation.X is None else validation.X.shape[1]
        if width != self.n_features_in_:
            raise ArgumentError(
                f"Argument validation must have the {self.n_features_in_} features of X, got {width}."
            )
        unnamed = _Unnamed(self.n_features_in_)
        return held_out_data(self, validation, lambda X: read_features(unnamed, X, columns))

    def __getstate__(self) -> dict[str, Any]:
        # The engine's own pickling would use its threads, which wait for ever in a forked process.
        state = dict(super().__getstate__())
        if "booster_" in state:
            state["booster_"] = tree_engine(self.report_.engine).dump(self.booster_)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if isinstance(state.get("booster_"), bytes):
            self.booster_ = tree_engine(self.report_.engine).load(state["booster_"])


class _Unnamed(BaseEstimator):  # type: ignore[misc]
    """Stands for the ranker where features have no names: ranking data keep theirs elsewhere."""

    def __init__(self, features: int = 0) -> None:
        self.features = self.n_features_in_ = features


def check_boosted(
    ranker: Any, *, held_out: bool, noise: str | None = None, stacklevel: int = 2
) -> tuple[Loss, TreeParameters]:
    """The loss and the parameters of a ranker, checked together with the engine, before any data are read."""
    with using(ranker.threads):
        one_of("engine of BoostedRanker", ranker.engine, ENGINES)
        parameters = TreeParameters.from_ranker(ranker)
        choice = choose_loss(ranker.metric, ranker.loss, noise or ranker.noise, engine=ranker.engine)
        loss = choice.warned(stacklevel).loss
        categorical = ranker.categorical_features is not None
        tree_engine(ranker.engine).check(loss, parameters, categorical, held_out)
        return loss, parameters


def _plain(names: Any) -> bool:
    return all(isinstance(name, str) and name and _PLAIN_NAME.issuperset(name) for name in names)


def _report(engine: str, result: BoostingResult, parameters: TreeParameters) -> BoostingReport:
    trained = len(result.values) or result.trees
    if not result.values:
        message = "no validation data, so all trees are kept"
    elif trained < parameters.trees:
        message = f"nothing better in {parameters.patience} trees"
    else:
        message = "all trees were trained"
    return BoostingReport(
        engine, str(engine_module(engine).__version__), result.trees, trained, result.value, message
    )
