"""`TuningRun`: what `rankproof.tune` returns."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rankproof.evaluation.tables import Table, as_html, as_text, number
from rankproof.metrics.base import Metric
from rankproof.runs.models import with_values
from rankproof.runs.space import LEAST
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
        The trial with the best value; the first of equals. One that was pruned cannot be it.
    within_noise : list of Trial
        The others that are worse by no more than one standard error over the folds.

    Examples
    --------
    >>> import rankproof as rp
    >>> wards, _ = rp.samples.diabetes_wards()
    >>> search = rp.tune(wards, metric="nDCG@10", trials=2, folds=2, n_estimators=5)
    >>> sorted(search.best_settings)
    ['l2', 'learning_rate', 'loss', 'min_data_in_leaf', 'n_estimators', 'num_leaves', 'parameters']
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
        """The settings of the best trial, as `rankproof.train` takes them.

        ``parameters`` and ``min_data_in_leaf`` include what was given to the search.
        """
        best, settings = self.best, self.about["settings"]
        return {
            "loss": best.loss,
            "n_estimators": best.trees,
            **{name: getattr(best, name) for name in SEARCHED},
            LEAST: settings.get(LEAST) if best.min_data_in_leaf is None else best.min_data_in_leaf,
            "parameters": {**with_values(settings.get("parameter", ())), **best.parameters},
        }

    @property
    def _more(self) -> list[str]:
        """The settings that some trial has beside those of every engine."""
        names = {name: None for trial in self.trials for name in trial.parameters}
        return [*([LEAST] if any(t.min_data_in_leaf is not None for t in self.trials) else []), *names]

    def table(self) -> Table:
        """All trials, the best first, those that were pruned last."""
        sign = 1.0 if self.metric.direction == "higher" else -1.0
        ranked = sorted(self.trials, key=lambda t: (t.pruned, 0.0 if t.pruned else -sign * t.value, t.number))
        several = len({trial.loss for trial in self.trials}) > 1
        names = ["learning_rate", "num_leaves", "l2", *self._more, *(["loss"] if several else [])]
        marks = self._marks()
        rows = [
            [
                str(trial.number),
                *(_shown(trial.drawn.get(name)) for name in names),
                str(trial.trees),
                number(trial.value, missing=""),
                marks.get(trial.number, ""),
            ]
            for trial in ranked
        ]
        folds = self.about["settings"]["folds"]
        titles = {"learning_rate": "learning rate", "num_leaves": "leaves"}
        head = ["trial", *(titles.get(name, name) for name in names), "trees"]
        return Table(
            [*head, f"{self.metric}, mean of {folds} folds", ""],
            rows,
            self._notes(),
            text_columns=["", "loss"],
        )

    def _marks(self) -> dict[int, str]:
        """What is said of a trial, by its number."""
        folds = self.about["settings"]["folds"]
        return {
            **{
                trial.number: f"pruned after {len(trial.values)} of {folds} folds"
                for trial in self.trials
                if trial.pruned
            },
            **{trial.number: "within noise" for trial in self.within_noise},
            self.best.number: "best",
        }

    def _notes(self) -> list[str]:
        whole = sum(not trial.pruned for trial in self.trials)
        pruned = len(self.trials) - whole
        return [
            (
                "The best trial was chosen by these values, so its own value is optimistic. Trial 0 has the "
                "defaults."
            ),
            (
                f"Within noise of the best: {len(self.within_noise)} of the other {whole - 1}, by one "
                "standard error of the difference over the folds."
            ),
            *(
                [f"Pruned: {pruned}, each worse on its first folds than the median of the trials before it."]
                if pruned
                else []
            ),
        ]

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

        names = ("number", *SEARCHED, "loss", "trees", "value", "pruned")
        columns = {name: np.array([getattr(trial, name) for trial in self.trials]) for name in names}
        # What is left to the engine is None, which is no number.
        optional = ["l2", *self._more]
        for name in optional:
            columns[name] = np.array([trial.drawn.get(name) for trial in self.trials], dtype=np.float64)
        return frame_of(columns, backend, nullable=[*optional, "value"])

    def __str__(self) -> str:
        return as_text(self.table())

    def __repr__(self) -> str:
        best = self.best
        return f"TuningRun({len(self.trials)} trials, best {self.metric} {number(best.value)}: {best.number})"

    def _repr_html_(self) -> str:
        return as_html(self.table())


def _shown(value: Any) -> str:
    if value is None:
        return "engine's"
    return f"{value:g}" if isinstance(value, float) else str(value)
