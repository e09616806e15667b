"""One training, from data to a ranker: what is chosen on held-out queries, then what the ranker gets."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rankproof.data.ranking import RankingData
from rankproof.errors import ArgumentError, DataError
from rankproof.evaluation.results import Results
from rankproof.evaluation.run import evaluate
from rankproof.evaluation.tables import Table, number
from rankproof.metrics.base import Metric
from rankproof.report.choice import LossChoice

__all__ = ["Selection", "Trained", "linear_ranker", "penalties_of", "train"]

PATH = (1.0, 1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6)


def penalties_of(text: str) -> tuple[float, ...]:
    """The penalties that a text asks for: ``path``, one number, or several with commas.

    >>> penalties_of("0.1,1e-3")
    (0.1, 0.001)
    >>> penalties_of("0.1,x")
    Traceback (most recent call last):
        ...
    rankproof.errors.ArgumentError: Penalties l2 are path, or numbers >= 0 with commas, got 'x' in '0.1,x'.
    """
    if text == "path":
        return PATH
    found = []
    for part in text.split(","):
        try:
            value = float(part)
        except ValueError:
            value = -1.0
        if not 0 <= value < math.inf:
            raise ArgumentError(
                f"Penalties l2 are path, or numbers >= 0 with commas, got {part.strip()!r} in {text!r}."
            )
        found.append(value)
    return tuple(found)


@dataclass(frozen=True, eq=False)
class Selection:
    """What was chosen by the metric on held-out queries.

    ``word`` is what was chosen (l2, trees, epochs), ``what`` the same in a sentence, ``path`` the metric for
    every candidate; it is empty when there was nothing to choose.
    """

    word: str
    what: str
    chosen: float
    held_out: str
    path: Mapping[float, float] = field(default_factory=dict)

    def table(self, metric: Metric) -> Table:
        """The candidates; of many numbers of steps 1, 2, 5, 10, 20, 50, ..., the one chosen and the last."""
        shown = [
            value
            for value in self.path
            if self.word == "l2" or value in (self.chosen, max(self.path)) or _is_round(value)
        ]
        rows = [
            [f"{value:g}", number(self.path[value]), "chosen" if value == self.chosen else ""]
            for value in shown
        ]
        return Table([self.word, f"{metric}, {self.held_out}", ""], rows, words=[""])

    @property
    def note(self) -> str | None:
        """A sentence when a number of steps could have been chosen, and was not."""
        if self.path or self.word == "l2":
            return None
        return f"{self.what} is {self.chosen:g}: there was no --valid to choose it by."

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        path = [{self.word: value, "value": found} for value, found in self.path.items()]
        return {self.word: self.chosen, "held_out": self.held_out, "path": path}


def _is_round(value: float) -> bool:
    digits = f"{value:.0f}"
    return digits[0] in "125" and not digits[1:].strip("0")


@dataclass(frozen=True, eq=False)
class Trained:
    """A fitted ranker with what it was chosen by and what it gets."""

    ranker: Any
    metric: Metric
    selection: Selection
    results: Mapping[str, Results]
    warnings: list[str]

    def tables(self) -> list[Table]:
        """What there was to choose from, and the metric of the model beside a constant scorer."""
        found = []
        if len(self.selection.path) > 1:
            found.append(self.selection.table(self.metric))
        if self.results:
            found.append(self._report())
        return found

    def _report(self) -> Table:
        name, rows, notes = str(self.metric), [], []
        for part, results in self.results.items():
            interval = results.interval[name]
            shown = f"[{number(interval.low)}, {number(interval.high)}]"
            counts = [str(results.counted[name]), str(results.empty[name])]
            rows.append([part, number(results.mean[name]), shown, *counts])
            rows.append([f"(constant scorer, {part})", number(results.constant[name]), "", *counts])
        if "valid" in self.results and len(self.selection.path) > 1:
            notes.append(f"{self.selection.what} was chosen on valid, so its value there flatters the model.")
        level = next(iter(self.results.values())).level
        return Table(["data", name, f"{level:.0%} interval", "queries", "empty"], rows, notes)

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "selection": self.selection.to_dict(),
            "solver": self.ranker.report_.as_dict(),
            "warnings": self.warnings,
            "results": {part: one.to_dict(per_query=True) for part, one in self.results.items()},
        }


def linear_ranker(
    choice: LossChoice, penalties: Sequence[float], settings: Mapping[str, Any], *, verbose: int = 0
) -> Any:
    """The ranker for these settings, which are checked: nothing is refused once the work has begun."""
    from rankproof.fit.linear import LinearRanker
    from rankproof.fit.linear_cv import LinearRankerCV
    from rankproof.fit.settings import Settings

    shared = {
        "metric": str(choice.metric),
        "loss": choice.loss,
        "noise": settings["noise"],
        "solver": settings["solver"],
        "scale": settings["scale"],
        "max_iter": settings["max_iter"],
        "tol": settings["tol"],
        "random_state": settings["seed"],
        "threads": settings["threads"],
        "verbose": verbose,
    }
    single = len(set(penalties)) == 1
    ranker: Any = (
        LinearRanker(**shared, l2=penalties[0]) if single else LinearRankerCV(**shared, l2s=tuple(penalties))
    )
    Settings.of(ranker)
    return ranker


def train(
    ranker: Any, data: Mapping[str, RankingData], metric: Metric, *, level: float, seed: int
) -> Trained:
    """Fit a ranker to the part ``train`` and report on ``valid`` and ``test``, where they are there.

    What there is to choose (a penalty, a number of trees or of epochs) ``valid`` decides, or else what the
    ranker holds out itself.
    """
    for part in ("train", "valid"):
        _check_judged(part, data)
    known, valid, threads = data["train"], data.get("valid"), ranker.threads
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        if hasattr(ranker, "l2s"):
            ranker.fit(known.X, known.labels, qid=known.qids, validation=valid)
            selection = _penalty(ranker, metric, valid)
        elif hasattr(ranker, "n_estimators"):
            ranker.fit(known.X, known.labels, qid=known.qids, validation=valid)
            selection = _trees(ranker)
        elif hasattr(ranker, "valid_share"):
            ranker.fit(known.X, known.labels, qid=known.qids, validation=valid)
            selection = _epochs(ranker, valid)
        else:
            ranker.fit(known.X, known.labels, qid=known.qids)
            selection = Selection("l2", "The penalty", float(ranker.l2), "one penalty, nothing to choose")
    results = {}
    for part in ("valid", "test"):
        if part in data:
            scores = ranker.predict(data[part].X, qid=data[part].qids)
            results[part] = evaluate(scores, data[part], metric, level=level, seed=seed, threads=threads)
    # How it was computed is no part of the model.
    ranker.set_params(verbose=0, threads=None)
    return Trained(ranker, metric, selection, results, [str(one.message) for one in caught])


def _penalty(ranker: Any, metric: Metric, valid: RankingData | None) -> Selection:
    sign = 1.0 if metric.direction == "higher" else -1.0
    means = sign * np.asarray(ranker.scores_).mean(axis=0)
    path = dict(zip(ranker.l2_path_.tolist(), means.tolist(), strict=True))
    held_out = "valid" if valid is not None else f"mean of {ranker.scores_.shape[0]} folds of train"
    return Selection("l2", "The penalty", float(ranker.l2_), held_out, path)


def _trees(ranker: Any) -> Selection:
    path: dict[float, float] = dict(enumerate(ranker.evaluations_.tolist(), start=1))
    held_out = "valid" if path else "none, so all trees are kept"
    return Selection("trees", "The number of trees", int(ranker.n_iter_), held_out, path)


def _epochs(ranker: Any, valid: RankingData | None) -> Selection:
    path: dict[float, float] = {one.number: one.metric for one in ranker.history_ if one.metric is not None}
    share = f"{ranker.valid_share:.0%} of the queries of train"
    held_out = ("valid" if valid is not None else share) if path else "none, so the last epoch is kept"
    return Selection("epochs", "The number of epochs", int(ranker.report_.best_epoch), held_out, path)


def _check_judged(part: str, data: Mapping[str, RankingData]) -> None:
    if part in data and np.isnan(data[part].labels).any():
        count = int(np.isnan(data[part].labels).sum())
        raise DataError(
            f"{part} has {count} items without a judgment (label nan). Training needs a grade for every "
            "item: drop them, or give them grade 0."
        )
