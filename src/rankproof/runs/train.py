"""`train`: from data to a fitted ranker, with what it gets and why it has its loss."""

from __future__ import annotations

import warnings
from typing import Any

from rankproof.data.ranking import RankingData
from rankproof.errors import ArgumentError, ConsistencyWarning
from rankproof.files import StrPath
from rankproof.judgments.container import Judgments
from rankproof.judgments.labels import assumed_noise
from rankproof.metrics.base import MetricLike
from rankproof.runs.defaults import LEVEL, LOSS, MODELS, SEED
from rankproof.runs.models import as_written
from rankproof.runs.plan import PARTS, plan_training
from rankproof.runs.run_folder import check_run_folder
from rankproof.runs.training_run import TrainingRun

__all__ = ["train"]


def train(
    data: RankingData,
    *,
    metric: MetricLike,
    valid: RankingData | None = None,
    test: RankingData | None = None,
    judgments: Judgments | None = None,
    model: str = MODELS[0],
    loss: str = LOSS,
    noise: str | None = None,
    seed: int = SEED,
    level: float = LEVEL,
    verbose: int = 0,
    out: StrPath | None = None,
    replace: bool = False,
    **settings: Any,
) -> TrainingRun:
    """Train a ranker for a metric, choose on held-out queries, and evaluate it.

    What ``rankproof fit`` does with files, for data at hand.

    Parameters
    ----------
    data : RankingData
        The queries to train on, with features.
    metric : str, Metric or function
        What is reported, such as ``"nDCG@10"``: the loss is chosen for it. A function
        ``(ranking, feedback) -> number`` is a metric of your own; see `rankproof.own_metric`.
    valid : RankingData, optional
        Queries to choose the penalty, the number of trees or of epochs on. Without them a linear ranker
        cross-validates the queries of ``data``, and for trees and networks a fifth of them, drawn with
        ``seed``, is held out (for trees unless ``n_estimators`` is given without ``early_stopping_rounds``).
    test : RankingData, optional
        Queries to report on.
    judgments : Judgments, optional
        Of the items of ``data``, by several judges: trained on in place of its labels. Items are found by
        their ids (`Judgments.for_data`).
    model : "linear", "lightgbm", "xgboost", "catboost" or "neural"
        Which ranker to train. The boosted trees need the extra of their name, ``"neural"`` needs torch:
        ``pip install lightgbm``, ``pip install torch``.
    loss : str
        ``"auto"`` takes one that is consistent with the metric; else a name such as ``"softmax"`` (its target
        is made for the metric) or a full form such as ``"squared:normalised-gain@10"``.
    noise : str, optional
        A condition on the noise in the labels, such as ``"independent"``: some metrics have a consistent
        loss only then.
    seed : int
        Of all that is drawn.
    level : float
        Of the bootstrap interval.
    verbose : int
        1 shows progress on standard error, 2 every step.
    out : path, optional
        A folder for the model and ``results.json``; see `TrainingRun.save`.
    replace : bool
        Whether a run that is in ``out`` is replaced.
    **settings
        Parameters of the model's ranker, such as ``l2`` (for the linear one a penalty, several to choose
        from, or ``"path"``), ``scale``, ``max_iter``, ``n_estimators``, ``learning_rate``, ``num_leaves``,
        ``parameters`` or ``hidden``. One that the model does not have is refused.

    Returns
    -------
    TrainingRun

    Warns
    -----
    ConsistencyWarning
        The loss is not proven to optimise the metric, or only under a condition that was not stated.

    Examples
    --------
    >>> import rankproof as rp
    >>> wards, others = rp.samples.diabetes_wards()
    >>> run = rp.train(wards, test=others, metric="nDCG@10", l2=[1, 0.1])
    >>> str(run.choice.loss), run.selection.held_out
    ('softmax:normalised-gain@10', 'mean of 5 folds of train')
    >>> run.results["test"].mean["nDCG@10"] > run.results["test"].constant["nDCG@10"]
    True
    """
    if out is not None:
        check_run_folder(out, replace=replace)
    plan = plan_training(
        metric,
        model=model,
        loss=loss,
        noise=assumed_noise(judgments, noise),
        seed=seed,
        level=level,
        held_out=valid is not None,
        verbose=verbose,
        own=as_written(settings),
    )
    every_part = {"train": data, "valid": valid, "test": test}
    parts = {name: one for name, one in every_part.items() if one is not None}
    for name, one in parts.items():
        if not isinstance(one, RankingData) or one.X is None:
            wrong = "one without X" if isinstance(one, RankingData) else type(one).__name__
            raise ArgumentError(f"The data {name} must be a RankingData with features, got {wrong}.")
    empty = plan.check(parts, {name: name for name in PARTS})
    if plan.choice.warning is not None:
        warnings.warn(plan.choice.warning, ConsistencyWarning, stacklevel=2)
    run = plan.carry_out(parts, empty, judgments=judgments)
    for warning in run.caught:
        warnings.warn(warning, stacklevel=2)
    if out is not None:
        run.save(out, replace=replace)
    return run
