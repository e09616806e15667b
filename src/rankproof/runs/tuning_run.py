"""`TuningRun`: what `rankproof.tune` returns."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rankproof.evaluation.tables import Table, as_html, as_text, number
from rankproof.metrics.base import Metric
from rankproof.runs.trials import SEARCHED, Trial, best_trial, within_noise

__all__ = ["TuningRun"]


@dataclass(frozen=True, eq=False, repr=False)
class TuningRun:
    """The trials of a search, with what they were compared by.

    Attributes
    ----------
    metric : Metric
        The metric that trials are compared by; its ``direction`` says whether higher is better.
    about : mapping
        What was searched: schema, settings, versions, a digest of the data.
    trials : list of Trial
        In the order in which they were drawn; trial 0 has the defaults.
    best : Trial
        The trial with the best value; the first of equals.
    within_noise : list of Trial
        The others that are worse by no more than one standard error over the folds.

    Examples
    --------
    >>> import rankproof as rp
    >>> wards, _ = rp.samples.diabetes_wards()
    >>> search = rp.tune(wards, metric="nDCG@10", trials=2, folds=2, n_estimators=5)
    >>> sorted(search.best_settings)
    ['l2', 'learning_rate', 'loss', 'n_estimators', 'num_leaves']
    """

    metric: Metric
    about: Mapping[str, Any]
    trials: Sequence[Trial]

    @property
    def best(self) -> Trial:
        """The trial with the best value; the first of equals."""
        return best_trial(self.trials, self.metric)

    @property
    def within_noise(self) -> list[Trial]:
        """The trials that are worse than the best by no more than one standard error of the difference."""
        return within_noise(self.trials, self.metric)

    @property
    def best_settings(self) -> dict[str, Any]:
        """The settings of the best trial, as `rankproof.train` takes them."""
        best = self.best
        searched = {name: getattr(best, name) for name in SEARCHED}
        return {"loss": best.loss, "n_estimators": best.trees, **searched}

    def table(self) -> Table:
        """All trials, the best first."""
        best, sign = self.best, 1.0 if self.metric.direction == "higher" else -1.0
        ranked = sorted(self.trials, key=lambda trial: (-sign * trial.value, trial.number))
        close = self.within_noise
        several = len({trial.loss for trial in self.trials}) > 1
        rows = [
            [
                str(trial.number),
                f"{trial.learning_rate:g}",
                str(trial.num_leaves),
                "engine's" if trial.l2 is None else f"{trial.l2:g}",
                *([trial.loss] if several else []),
                str(trial.trees),
                number(trial.value),
                "best" if trial is best else "within noise" if trial in close else "",
            ]
            for trial in ranked
        ]
        head = ["trial", "learning rate", "leaves", "l2", *(["loss"] if several else []), "trees"]
        others = f"{len(close)} of the other {len(ranked) - 1}"
        notes = [
            (
                "The best trial was chosen by these values, so its own value is optimistic. Trial 0 has the "
                "defaults."
            ),
            f"Within noise of the best: {others}, by one standard error of the difference over the folds.",
        ]
        folds = self.about["settings"]["folds"]
        return Table(
            [*head, f"{self.metric}, mean of {folds} folds", ""], rows, notes, text_columns=["", "loss"]
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain data: what was searched, all trials, the number of the best."""
        return {
            **self.about,
            "trials": [trial.to_dict() for trial in self.trials],
            "best": self.best.number,
            "within_noise": [trial.number for trial in self.within_noise],
        }

    def to_json(self) -> str:
        """`to_dict` as JSON text."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=2)

    def to_frame(self, backend: str = "pandas") -> Any:
        """A pandas, polars or pyarrow frame: one row per trial."""
        import numpy as np

        from rankproof.data.frames import frame_of

        names = ("number", *SEARCHED, "loss", "trees", "value")
        columns = {name: np.array([getattr(trial, name) for trial in self.trials]) for name in names}
        # The engine's own penalty is None, which is no number.
        columns["l2"] = columns["l2"].astype(np.float64)
        return frame_of(columns, backend, nullable=["l2"])

    def __str__(self) -> str:
        return as_text(self.table())

    def __repr__(self) -> str:
        best = self.best
        return f"TuningRun({len(self.trials)} trials, best {self.metric} {number(best.value)}: {best.number})"

    def _repr_html_(self) -> str:
        return as_html(self.table())
