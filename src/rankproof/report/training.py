"""One training, from data to a ranker: the penalty chosen on held-out queries, then what the ranker gets."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankproof.data.ranking import RankingData
from rankproof.errors import ArgumentError, DataError
from rankproof.evaluation.results import Results
from rankproof.evaluation.run import evaluate
from rankproof.evaluation.tables import Table, number
from rankproof.metrics.base import Metric
from rankproof.report.choice import LossChoice

__all__ = ["Trained", "linear_ranker", "penalties_of", "train"]

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
class Trained:
    """A fitted ranker with what it was chosen by and what it gets."""

    ranker: Any
    metric: Metric
    # Penalty -> metric on held-out queries; empty when there was nothing to choose.
    selection: Mapping[float, float]
    held_out: str
    l2: float
    results: Mapping[str, Results]
    warnings: list[str]

    def tables(self) -> list[Table]:
        """The penalties, if there was a choice, and the metric of the model beside a constant scorer."""
        found = []
        if len(self.selection) > 1:
            rows = [
                [f"{l2:g}", number(value), "chosen" if l2 == self.l2 else ""]
                for l2, value in self.selection.items()
            ]
            found.append(Table(["l2", f"{self.metric}, {self.held_out}", ""], rows, words=[""]))
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
        if "valid" in self.results and len(self.selection) > 1:
            notes.append("The penalty was chosen on valid, so its value there flatters the model.")
        level = next(iter(self.results.values())).level
        return Table(["data", name, f"{level:.0%} interval", "queries", "empty"], rows, notes)

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        return {
            "selection": {
                "l2": self.l2,
                "held_out": self.held_out,
                "path": [{"l2": l2, "value": value} for l2, value in self.selection.items()],
            },
            "solver": self.ranker.report_.as_dict(),
            "warnings": self.warnings,
            "results": {part: one.to_dict(per_query=True) for part, one in self.results.items()},
        }


def linear_ranker(
    choice: LossChoice, penalties: Sequence[float], settings: Mapping[str, Any], *, verbose: int = 0
) -> Any:
    """The ranker for these settings, which are checked: nothing is refused once the work has begun."""
    from rankproof.evaluation.bootstrap import as_level
    from rankproof.fit.linear import LinearRanker
    from rankproof.fit.linear_cv import LinearRankerCV
    from rankproof.fit.settings import Settings

    as_level("level", settings["level"])
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

    With one penalty there is nothing to choose; with several, ``valid`` decides, or else cross-validation.
    """
    for part in ("train", "valid"):
        _check_judged(part, data)
    known, valid, threads = data["train"], data.get("valid"), ranker.threads
    selection: dict[float, float] = {}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        if hasattr(ranker, "l2s"):
            ranker.fit(known.X, known.labels, qid=known.qids, validation=valid)
            sign = 1.0 if metric.direction == "higher" else -1.0
            means = sign * np.asarray(ranker.scores_).mean(axis=0)
            selection = dict(zip(ranker.l2_path_.tolist(), means.tolist(), strict=True))
            l2 = float(ranker.l2_)
            held_out = "valid" if valid is not None else f"mean of {ranker.scores_.shape[0]} folds of train"
        else:
            ranker.fit(known.X, known.labels, qid=known.qids)
            l2, held_out = float(ranker.l2), "one penalty, nothing to choose"
    results = {}
    for part in ("valid", "test"):
        if part in data:
            scores = ranker.predict(data[part].X, qid=data[part].qids)
            results[part] = evaluate(scores, data[part], metric, level=level, seed=seed, threads=threads)
    # How it was computed is no part of the model.
    ranker.set_params(verbose=0, threads=None)
    return Trained(ranker, metric, selection, held_out, l2, results, [str(one.message) for one in caught])


def _check_judged(part: str, data: Mapping[str, RankingData]) -> None:
    if part in data and np.isnan(data[part].labels).any():
        count = int(np.isnan(data[part].labels).sum())
        raise DataError(
            f"{part} has {count} items without a judgment (label nan). Training needs a grade for every "
            "item: drop them, or give them grade 0."
        )
