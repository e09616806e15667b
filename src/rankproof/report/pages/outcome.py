"""What a run got: its table of results, and the same in a sentence."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from rankproof.errors import DataError
from rankproof.evaluation.tables import Table, number
from rankproof.runs.scored_part import CONSTANT, MODEL, ScoredPart

__all__ = ["outcome_in_words", "outcome_table", "results_now"]

PARTS = ("valid", "test")
CHOSEN = {"l2": "The penalty", "trees": "The number of trees", "epochs": "The number of epochs"}


def outcome_table(run: Mapping[str, Any], scored: Mapping[str, ScoredPart]) -> Table | None:
    """Mean and interval beside the constant scorer, with letters where known.

    Of a part that was scored again it shows what was found now, and says where the run has stored another
    value.
    """
    stored = results_now(run, scored)
    metric = run["choice"]["metric"]
    rows, notes = [], []
    for part in (*PARTS, *(name for name in stored if name not in PARTS)):
        if part not in stored:
            continue
        row = _of_metric(stored[part], metric)
        here = scored.get(part)
        marks = _letters(here) if here is not None else {}
        counts = [str(row["queries"]), str(row["empty"])]
        # A column of letters only where there are any.
        model, constant = ([marks.get(one, "")] if scored else [] for one in (MODEL, CONSTANT))
        rows.append([part, _shown(row["mean"]), _interval(row), *model, *counts])
        rows.append([f"(constant scorer, {part})", _shown(row["constant"]), "", *constant, *counts])
        if here is not None:
            notes += _tested(here, _stored_mean(run, part, metric))
    if not rows:
        return None
    if scored:
        notes.append("Letters: two rows of the same data that share a letter do not differ significantly.")
    path = run.get("selection", {}).get("path", ())
    if "valid" in stored and len(path) > 1:
        chosen = next(what for word, what in CHOSEN.items() if word in path[0])
        notes.append(f"{chosen} was chosen on valid, so the value on valid is optimistic.")
    level = next(iter(stored.values()))["metrics"][0]["level"]
    lettered = ["letters"] if scored else []
    columns = ["data", metric, f"{level:.0%} interval", *lettered, "queries", "empty"]
    return Table(columns, rows, notes, text_columns=["letters"])


def results_now(run: Mapping[str, Any], scored: Mapping[str, ScoredPart]) -> dict[str, Mapping[str, Any]]:
    """By part: what the model gets now, or the stored results where that could not be checked."""
    results: dict[str, Mapping[str, Any]] = dict(run.get("results", {}))
    return results | {name: part.results.to_dict() for name, part in scored.items()}


def _stored_mean(run: Mapping[str, Any], part: str, metric: str) -> float | None:
    rows = run.get("results", {}).get(part, {}).get("metrics", ())
    return next((row["mean"] for row in rows if row["metric"] == metric), None)


def outcome_in_words(part: str, stored: Mapping[str, Any], metric: str, *, checked: bool = True) -> str:
    """The result of a part in a sentence, which says so when it was only read from the run.

    >>> row = {"metric": "AP", "mean": 0.5, "interval": [0.4, 0.6], "level": 0.95, "constant": 0.25}
    >>> outcome_in_words("test", {"metrics": [row]}, "AP")
    'On test it gets 0.5000 (95% interval [0.4000, 0.6000]). A constant scorer, which ..., gets 0.2500.'
    """
    row = _of_metric(stored, metric)
    sentence = (
        f"On {part} it gets {_shown(row['mean'])} ({row['level']:.0%} interval {_interval(row)}). A constant "
        f"scorer, which gives every item the same score, gets {_shown(row['constant'])}."
    )
    return (
        sentence
        if checked
        else f"{sentence} These are the numbers that the run has stored; they were not checked."
    )


def _of_metric(stored: Mapping[str, Any], metric: str) -> Mapping[str, Any]:
    rows = [row for row in stored["metrics"] if row["metric"] == metric]
    if len(rows) != 1:
        listed = ", ".join(str(row["metric"]) for row in stored["metrics"]) or "none"
        raise DataError(
            f"results.json has results of {listed}, but says that the run is for {metric}. It was changed "
            "after the run; fit again."
        )
    return dict(rows[0])


def _interval(row: Mapping[str, Any]) -> str:
    low, high = row["interval"]
    return f"[{_shown(low)}, {_shown(high)}]"


def _letters(part: ScoredPart) -> dict[str, str]:
    """The same letter, or the first one for the winner."""
    winner = part.against_constant.winner
    return {name: "a" if winner in (None, name) else "b" for name in (MODEL, CONSTANT)}


def _tested(part: ScoredPart, stored: float | None) -> list[str]:
    test = part.against_constant
    p = "p < 0.001" if test.p < 0.001 else f"p = {test.p:.3f}"
    outcome = {
        MODEL: "the model is significantly better than the constant scorer",
        CONSTANT: "the model is significantly worse than the constant scorer",
        None: "model and constant scorer do not differ significantly",
    }[test.winner]
    notes = [f"{part.name}: {outcome} ({p}, paired {test.test} test, level {test.level:g})."]
    mean = part.results.mean[str(part.metric)]
    if stored is None or not math.isclose(mean, stored, rel_tol=1e-9, abs_tol=1e-12):
        notes.append(
            f"{part.name}: the model now gets {number(mean)}, which is shown, but the run stored "
            f"{_shown(stored)}: it was made with other versions or on another machine, or results.json was "
            "changed."
        )
    return notes


def _shown(value: float | None) -> str:
    return number(math.nan if value is None else value)
