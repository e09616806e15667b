"""`tune`: a search for the settings of boosted trees, which can be interrupted and continued."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rankproof.data.ranking import RankingData
from rankproof.data.split import QueryKFold, query_folds
from rankproof.errors import ArgumentError, ConsistencyWarning
from rankproof.evaluation.odd_labels import labels_are_looked_at, warn_of_labels
from rankproof.files import StrPath
from rankproof.losses.choose import LossChoice, choose_loss
from rankproof.metrics.base import Metric, MetricLike
from rankproof.runs.defaults import BOOSTED, FOLDS, LOSS, SAMPLERS, SEED, TRIALS
from rankproof.runs.models import as_written, own_settings, packages_of, ranker_for
from rankproof.runs.pruning import check_pruning, is_hopeless
from rankproof.runs.samplers import check_sampler, next_settings
from rankproof.runs.search_folder import Search, check_search_folder, digest
from rankproof.runs.space import space_of
from rankproof.runs.trials import SEARCHED, Trial, cross_validate
from rankproof.runs.tuning_run import TuningRun
from rankproof.runs.versions import package_versions

__all__ = ["SearchPlan", "plan_tuning", "tune"]


@dataclass(frozen=True, eq=False)
class SearchPlan:
    """A search that is ready to begin; ``rankers`` and ``choices`` are by loss."""

    choices: Mapping[str, LossChoice]
    rankers: Mapping[str, Any]
    settings: Mapping[str, Any]
    trials: int
    # Not among the settings: values of trials with all folds are the same with and without.
    prune: bool = False

    @property
    def metric(self) -> Metric:
        """What the settings are compared by."""
        return next(iter(self.choices.values())).metric

    @property
    def sampler(self) -> str:
        """What draws the settings."""
        return str(self.settings.get("sampler", SAMPLERS[0]))

    def begin(self, data: RankingData, out: StrPath | None) -> Search:
        """The search in the folder ``out``, new or to be continued; None keeps it in memory."""
        # Folds that cannot be made are refused before a folder is.
        query_folds(data, self.settings["folds"], self.settings["seed"], index=True)
        about = {
            "settings": self.settings,
            "versions": package_versions("rankproof", *packages_of(self.settings["model"])),
            "data": digest(data),
        }
        return Search(out, about)

    def carry_out(
        self,
        data: RankingData,
        search: Search,
        progress: Callable[[int, int, str], None] | None = None,
        finished: Callable[[Trial], None] | None = None,
    ) -> TuningRun:
        """Carry out the trials that are left.

        ``progress(done, of, what)`` is called before every fold, ``finished(trial)`` after every trial.
        """
        folds, seed = self.settings["folds"], self.settings["seed"]
        space = space_of(self.settings["model"], self.settings)
        left = self.untried(search)
        # Once and of all queries, not of the parts of every fold.
        warn_of_labels([self.metric], data.labels, trained=True)
        for place, number in enumerate(left):

            def tell(fold: int, of: int, place: int = place, number: int = number) -> None:
                if progress is not None:
                    progress(place * of + fold, len(left) * of, f"trial {number}, fold {fold + 1}")

            def hopeless(values: Sequence[float], number: int = number) -> bool:
                return self.prune and is_hopeless(values, number, search.trials, self.metric)

            values = next_settings(
                self.sampler, number, seed, tuple(self.choices), self.metric, search.trials, space
            )
            with labels_are_looked_at():
                trial = cross_validate(
                    self.rankers[values["loss"]],
                    data,
                    number,
                    values,
                    folds=folds,
                    seed=seed,
                    progress=tell,
                    hopeless=hopeless,
                )
            search.add(trial)
            if finished is not None:
                finished(trial)
        return TuningRun(self.metric, search.about, [search.trials[number] for number in range(self.trials)])

    def untried(self, search: Search) -> list[int]:
        """The numbers of the trials that the search does not have yet."""
        return [number for number in range(self.trials) if number not in search.trials]


def plan_tuning(
    metric: MetricLike,
    *,
    model: str,
    losses: Sequence[str],
    noise: str | None,
    features: int | None = None,
    trials: int,
    folds: int,
    seed: int,
    sampler: str = SAMPLERS[0],
    prune: bool = False,
    own: Mapping[str, Any],
) -> SearchPlan:
    """The plan for these settings; whatever can be refused without data is refused here."""
    if model not in BOOSTED:
        raise ArgumentError(f"Argument model must be one of {', '.join(BOOSTED)}, got {model!r}.")
    check_sampler(sampler)
    check_pruning(prune)
    for name in SEARCHED:
        if name in own:
            raise ArgumentError(f"{name} is searched for, so it cannot be given. Leave it out.")
    QueryKFold(folds, seed)
    settled = own_settings(model, own)
    each = dict.fromkeys(losses)
    choices = {loss: choose_loss(metric, loss, noise, engine=model) for loss in each}
    settings = {
        "metric": str(next(iter(choices.values())).metric),
        "model": model,
        "losses": list(choices),
        "noise": noise,
        "features": features,
        "seed": seed,
        "folds": folds,
        # Not named where it is the usual one, so that searches of earlier versions go on.
        **({} if sampler == SAMPLERS[0] else {"sampler": sampler}),
        **{name: value for name, value in settled.items() if name not in SEARCHED},
    }
    own_metric = next(iter(choices.values())).metric
    if own_metric.by_users:
        from rankproof.metrics.own_named import settings_of

        settings |= settings_of(own_metric)
    # A penalty is among what is drawn, so one that is given to the engine beside it is refused.
    complete = {**settings, **settled, "l2": "1"}
    rankers = {loss: ranker_for(model, one, complete, held_out=True) for loss, one in choices.items()}
    return SearchPlan(choices, rankers, settings, trials, prune)


def tune(
    data: RankingData,
    *,
    metric: MetricLike,
    model: str = BOOSTED[0],
    losses: Sequence[str] = (LOSS,),
    noise: str | None = None,
    trials: int = TRIALS,
    folds: int = FOLDS,
    seed: int = SEED,
    sampler: str = SAMPLERS[0],
    prune: bool = False,
    out: StrPath | None = None,
    progress: Callable[[int, int, str], None] | None = None,
    **settings: Any,
) -> TuningRun:
    """Search for the settings of boosted trees that a metric is best with.

    These are the learning rate, leaves, penalty and number of trees; with LightGBM also ``min_data_in_leaf``
    and ``feature_fraction``, with XGBoost ``min_data_in_leaf``, ``colsample_bytree`` and ``subsample``, with
    CatBoost ``random_strength`` and ``rsm``. The first settings are the defaults, the others are drawn by
    ``sampler``. They are compared by the metric, exact under ties, over folds of the queries.

    Parameters
    ----------
    data : RankingData
        Queries with features.
    metric : str or Metric
        What is reported, such as ``"nDCG@10"``.
    model : "lightgbm", "xgboost" or "catboost"
        The engine whose trees are tuned. Each is an extra: ``pip install lightgbm``.
    losses : sequence of str
        Losses to try, by name; ``"auto"`` is one that is consistent with the metric.
    noise : str, optional
        A condition on the noise in the labels, such as ``"independent"``.
    trials : int
        How many settings to try.
    folds : int
        Folds of the queries.
    seed : int
        Of settings, folds and engine. The settings of a trial depend on it and on its number alone, with
        ``"tpe"`` also on the trials before.
    sampler : "random" or "tpe"
        ``"random"`` draws settings from the seed. ``"tpe"`` is Optuna's tree-structured Parzen estimator
        (``pip install optuna``), which looks where the trials so far were good.
    prune : bool
        Whether to stop a trial whose mean over the folds so far is worse than the median of the trials
        before, by Optuna's ``MedianPruner`` (``pip install optuna``). It begins after five trials with all
        folds. A trial that was pruned has no value and is never the best.
    out : path, optional
        A folder that keeps every finished trial: the same call goes on where an earlier one ended, and with
        more trials looks further.
    progress : function, optional
        Called as ``progress(done, of, what)`` before every fold.
    **settings
        Parameters of `BoostedRanker`, such as ``n_estimators`` (the most trees), ``early_stopping_rounds`` or
        ``parameters``. Those of an engine that are given, and ``min_data_in_leaf``, are not searched for.

    Returns
    -------
    TuningRun

    Examples
    --------
    >>> import rankproof as rp
    >>> wards, others = rp.samples.diabetes_wards()
    >>> search = rp.tune(wards, metric="nDCG@10", trials=2, folds=2, n_estimators=10)
    >>> search.best.value == max(trial.value for trial in search.trials)
    True
    >>> run = rp.train(wards, test=others, metric="nDCG@10", model="lightgbm", **search.best_settings)
    """
    if trials < 1:
        raise ArgumentError(f"Argument trials must be at least 1, got {trials}.")
    if out is not None:
        check_search_folder(out)
    plan = plan_tuning(
        metric,
        model=model,
        losses=losses,
        noise=noise,
        trials=trials,
        folds=folds,
        seed=seed,
        sampler=sampler,
        prune=prune,
        own=as_written(settings),
    )
    if not isinstance(data, RankingData) or data.X is None:
        raise ArgumentError("Argument data must be a RankingData with features.")
    for warning in dict.fromkeys(choice.warning for choice in plan.choices.values()):
        if warning is not None:
            warnings.warn(warning, ConsistencyWarning, stacklevel=2)
    return plan.carry_out(data, plan.begin(data, out), progress)
