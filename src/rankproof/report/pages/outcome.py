"""What a run got: its table of results, and the scores that its model gives to the data again."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from rankproof.arrays import Float64s
from rankproof.data.ranking import RankingData
from rankproof.evaluation.letters import letters
from rankproof.evaluation.pairs import PairResult, compare_pairs
from rankproof.evaluation.results import Results
from rankproof.evaluation.run import evaluate
from rankproof.evaluation.tables import Table, number
from rankproof.metrics.base import Metric
from rankproof.report.pages.gaps import gaps

__all__ = ["MODEL", "ScoredPart", "outcome_in_words", "outcome_table", "scored_part"]

MODEL, CONSTANT = "the model", "the constant scorer"
# Of the randomisation test when it is not exact: a report need not have the last digit of a p-value.
SAMPLES = 20_000
PARTS = ("valid", "test")
CHOSEN = {"l2": "The penalty", "trees": "The number of trees", "epochs": "The number of epochs"}


@dataclass(frozen=True, eq=False)
class ScoredPart:
    """A part of the data with the scores of the model and what they are worth."""

    name: str
    data: RankingData
    scores: Float64s
    results: Results
    metric: Metric

    @property
    def values(self) -> Float64s:
        """The metric of the model, query by query."""
        return self.results.per_query[str(self.metric)]

    @cached_property
    def base(self) -> Float64s:
        """The metric of the constant scorer, query by query."""
        return self.results.baseline("constant")[str(self.metric)]

    @cached_property
    def ahead(self) -> Float64s:
        """What the model gains over the constant scorer, query by query."""
        return gaps(self.values, self.base, self.metric.direction == "higher")

    @cached_property
    def test(self) -> PairResult:
        """The model against the constant scorer."""
        return compare_pairs(
            {MODEL: self.values, CONSTANT: self.base},
            weights=self.results.weights,
            samples=SAMPLES,
            resamples=1_000,
            greater_is_better=self.metric.direction == "higher",
        )[0]


def scored_part(
    name: str, data: RankingData, ranker: Any, metric: Metric, settings: Mapping[str, Any]
) -> ScoredPart:
    """Score a part with the model of the run and evaluate it as the run did."""
    scores = ranker.predict(data.X, qid=data.qids)
    found = evaluate(scores, data, metric, level=settings["level"], seed=settings["seed"])
    return ScoredPart(name, data, scores, found, metric)


def outcome_table(run: Mapping[str, Any], scored: Mapping[str, ScoredPart]) -> Table | None:
    """Mean and interval as the run has stored them, beside the constant scorer, with letters where known."""
    stored = run.get("results", {})
    metric = run["choice"]["metric"]
    rows, notes = [], []
    for part in (*PARTS, *(name for name in stored if name not in PARTS)):
        if part not in stored:
            continue
        known = _of_metric(stored[part], metric)
        here = scored.get(part)
        marks = _letters(here) if here is not None else {}
        counts = [str(known["queries"]), str(known["empty"])]
        # A column of letters only where there are any.
        model, constant = ([marks.get(one, "")] if scored else [] for one in (MODEL, CONSTANT))
        rows.append([part, _shown(known["mean"]), _interval(known), *model, *counts])
        rows.append([f"(constant scorer, {part})", _shown(known["constant"]), "", *constant, *counts])
        if here is not None:
            notes += _told(here, known["mean"])
    if not rows:
        return None
    if scored:
        notes.append("Letters: two rows of the same data that share one are not shown to differ.")
    path = run.get("selection", {}).get("path", ())
    if "valid" in stored and len(path) > 1:
        chosen = next(what for word, what in CHOSEN.items() if word in path[0])
        notes.append(f"{chosen} was chosen on valid, so its value there flatters the model.")
    level = next(iter(stored.values()))["metrics"][0]["level"]
    lettered = ["letters"] if scored else []
    columns = ["data", metric, f"{level:.0%} interval", *lettered, "queries", "empty"]
    return Table(columns, rows, notes, words=["letters"])


def outcome_in_words(part: str, stored: Mapping[str, Any], metric: str) -> str:
    """The result of a part in a sentence, as the run has stored it.

    >>> row = {"metric": "AP", "mean": 0.5, "interval": [0.4, 0.6], "level": 0.95, "constant": 0.25}
    >>> outcome_in_words("test", {"metrics": [row]}, "AP")
    'On test it gets 0.5000, 95% interval [0.4000, 0.6000]; a constant scorer gets 0.2500.'
    """
    known = _of_metric(stored, metric)
    return (
        f"On {part} it gets {_shown(known['mean'])}, {known['level']:.0%} interval {_interval(known)}; a "
        f"constant scorer gets {_shown(known['constant'])}."
    )


def _of_metric(stored: Mapping[str, Any], metric: str) -> Mapping[str, Any]:
    (known,) = [row for row in stored["metrics"] if row["metric"] == metric]
    return dict(known)


def _interval(known: Mapping[str, Any]) -> str:
    low, high = known["interval"]
    return f"[{_shown(low)}, {_shown(high)}]"


def _letters(part: ScoredPart) -> dict[str, str]:
    sign = 1.0 if part.metric.direction == "higher" else -1.0
    means = [sign * part.results.mean[str(part.metric)], sign * part.results.constant[str(part.metric)]]
    found = part.test
    return letters([MODEL, CONSTANT], means, [(MODEL, CONSTANT)] if found.significant else [])


def _told(part: ScoredPart, stored: float | None) -> list[str]:
    found = part.test
    p = "p < 0.001" if found.p < 0.001 else f"p = {found.p:.3f}"
    outcome = {
        MODEL: "the model is better than the constant scorer",
        CONSTANT: "the model is worse than the constant scorer",
        None: "model and constant scorer are not shown to differ",
    }[found.winner]
    notes = [f"{part.name}: {outcome} ({p}, paired {found.test} test, level {found.level:g})."]
    mean = part.results.mean[str(part.metric)]
    if stored is None or not math.isclose(mean, stored, rel_tol=1e-9, abs_tol=1e-12):
        notes.append(
            f"{part.name}: the model gives {number(mean)} now, where the run has stored {_shown(stored)}: it "
            "was made by other versions, or on another machine."
        )
    return notes


def _shown(value: float | None) -> str:
    return number(math.nan if value is None else value)
