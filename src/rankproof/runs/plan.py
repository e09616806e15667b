"""`RunPlan`: what is to be trained, checked before any data are read, and then carried out once."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from rankproof.data.forms.columns import TakenColumns
from rankproof.data.ranking import RankingData
from rankproof.errors import DataError
from rankproof.evaluation.bootstrap import as_level
from rankproof.evaluation.evaluate import check_counts
from rankproof.files import StrPath
from rankproof.judgments.container import Judgments
from rankproof.judgments.labels import with_judgments
from rankproof.losses.choose import LossChoice, choose_loss
from rankproof.metrics.base import Metric, MetricLike
from rankproof.runs.defaults import BOOSTED
from rankproof.runs.models import THREAD_FREE, own_settings, packages_of, ranker_for
from rankproof.runs.run_folder import data_facts
from rankproof.runs.scored_part import main_part, score_part
from rankproof.runs.selection import fit_and_select
from rankproof.runs.training_run import TrainingRun
from rankproof.runs.versions import versions
from rankproof.threads import setting

__all__ = ["PARTS", "RunPlan", "plan_training"]

PARTS = ("train", "valid", "test")


@dataclass(frozen=True, eq=False)
class RunPlan:
    """A ranker that is ready to be fitted, why it has the loss that it has, and its settings."""

    choice: LossChoice
    settings: Mapping[str, Any]
    ranker: Any
    # Whether queries to train on are held out to choose the number of trees by, when there are no others.
    hold_out: bool = True

    @property
    def metric(self) -> Metric:
        """What is trained for."""
        return self.choice.metric

    @property
    def takes_missing(self) -> bool:
        """Whether feature values may be missing (NaN)."""
        return self.settings["model"] in BOOSTED

    def with_warning(self, warning: str | None) -> RunPlan:
        """The same plan, with another wording of what is not proven of its loss."""
        return replace(self, choice=replace(self.choice, warning=warning))

    def check(self, data: Mapping[str, RankingData], names: Mapping[str, str]) -> dict[str, int | None]:
        """How many queries of every part are empty for the metric.

        Raises `DataError`, with the name of the part, when none of them counts.
        """
        return {part: check_counts(self.metric, one, names[part]) for part, one in data.items()}

    def carry_out(
        self,
        data: Mapping[str, RankingData],
        empty: Mapping[str, int | None],
        paths: Mapping[str, Sequence[StrPath]] | None = None,
        columns: Mapping[str, TakenColumns] | None = None,
        judgments: Judgments | None = None,
    ) -> TrainingRun:
        """Fit to the part ``train``, then score and evaluate ``valid`` and ``test``, each of them once.

        ``empty`` is what `check` found, and ``paths`` are the files that the parts were read from, of tables
        these ``columns``. With ``judgments`` of the items of ``train``, these are trained on in place of its
        labels.
        """
        for part in ("train", "valid")[judgments is not None :]:
            _check_judged(part, data)
        learnt = data["train"]
        if judgments is not None:
            learnt = with_judgments(learnt, judgments.for_data(learnt), self.choice.loss)
        level, seed, main = self.settings["level"], self.settings["seed"], main_part(data)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UserWarning)
            selection = fit_and_select(
                self.ranker, learnt, data.get("valid"), self.metric, hold_out=self.hold_out
            )
        scored = {
            part: score_part(
                part, data[part], self.ranker, self.metric, level=level, seed=seed, cutoffs=part == main
            )
            for part in ("valid", "test")
            if part in data
        }
        # How it was computed is no part of the model.
        self.ranker.set_params(verbose=0, threads=None)
        files, read = paths or {}, columns or {}
        return TrainingRun(
            ranker=self.ranker,
            choice=self.choice,
            selection=selection,
            scored=scored,
            caught=tuple(one.message for one in caught if isinstance(one.message, Warning)),
            settings=self.settings,
            versions=versions(*packages_of(self.settings["model"])),
            sources={
                part: data_facts(files.get(part, ()), one, read.get(part)) for part, one in data.items()
            },
            parts=data,
            empty=empty,
        )


def plan_training(
    metric: MetricLike,
    *,
    model: str,
    loss: str,
    noise: str | None,
    features: int | None = None,
    seed: int,
    level: float,
    held_out: bool,
    verbose: int = 0,
    own: Mapping[str, Any],
) -> RunPlan:
    """The plan for these settings; whatever can be refused without data is refused here.

    Parameters
    ----------
    metric, loss, noise : as in `rankproof.losses.choose.choose_loss`
    model : one of `MODELS`
    features : how many features the data have; kept with the settings
    seed, level : of all that is drawn, of the bootstrap interval
    held_out : whether there are data to choose by
    verbose : as in the rankers
    own : settings of the model
    """
    settled = own_settings(model, own)
    choice = choose_loss(metric, loss, noise, engine=model if model in BOOSTED else None)
    shared = {"loss": loss, "noise": noise, "features": features, "seed": seed, "level": level}
    settings = {"metric": str(choice.metric), "model": model, **shared, **settled}
    if choice.metric.by_users:
        from rankproof.metrics.own_named import settings_of

        settings |= settings_of(choice.metric)
    if model not in THREAD_FREE:
        settings["threads"] = setting()
    as_level("level", level)
    ranker = ranker_for(model, choice, settings, held_out=held_out, verbose=verbose)
    # Who says how many trees, and not when to stop, wants as many.
    hold_out = "n_estimators" not in own or "early_stopping_rounds" in own
    return RunPlan(choice, settings, ranker, hold_out)


def _check_judged(part: str, data: Mapping[str, RankingData]) -> None:
    if part in data and np.isnan(data[part].labels).any():
        count = int(np.isnan(data[part].labels).sum())
        raise DataError(
            f"{part} has {count} items without a judgment (label nan). Training needs a grade for every "
            "item: drop them, or give them grade 0."
        )
