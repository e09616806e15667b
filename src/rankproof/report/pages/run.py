"""The report of a training run: what was trained and why, what it got, on which queries, how to repeat it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rankproof.files import as_path
from rankproof.losses.choose import LossChoice
from rankproof.report.content import Block, DataTable, Paragraphs, Rankings, Report, Section
from rankproof.report.pages.charts import (
    cutoff_curves,
    feature_bars,
    gap_bars,
    learning_blocks,
    score_histograms,
)
from rankproof.report.pages.data_summary import data_blocks
from rankproof.report.pages.origin import origin_blocks
from rankproof.report.pages.outcome import outcome_in_words, outcome_table
from rankproof.report.pages.rankings import HOW_CHOSEN, telling_queries
from rankproof.report.pages.verdict import proven_box, unasked_box, verdict_box
from rankproof.runs.record import RunRecord
from rankproof.runs.scored_part import ScoredPart

__all__ = ["REPORT", "run_report"]

REPORT = "report.html"


def run_report(run: RunRecord, command: str) -> Report:
    """What there is to say of a run; ``command`` makes it again."""
    main = run.scored.get("test") or run.scored.get("valid")
    bars = feature_bars(run.weights)
    sections = [
        Section("Verdict", _verdict(run)),
        Section("Results", _results(run)),
        Section("Learning", learning_blocks(run.facts, run.losses)),
        *([] if main is None else _queries(main)),
        Section("Features", [] if bars is None else [bars]),
        Section("Data", _data(run)),
        Section("Reproduce", origin_blocks(run.facts, command)),
    ]
    return Report(_title(run), [section for section in sections if section.blocks], _lead(run.facts))


def _title(run: RunRecord) -> str:
    return f"{as_path(run.folder).resolve().name}: a ranker for {run.facts['choice']['metric']}"


def _lead(run: Mapping[str, Any]) -> str:
    choice, stored = run["choice"], run.get("results", {})
    trained = f"Trained for {choice['metric']} with {choice['loss']}."
    part = next((name for name in ("test", "valid") if name in stored), None)
    return trained if part is None else f"{trained} {outcome_in_words(part, stored[part], choice['metric'])}"


def _verdict(run: RunRecord) -> list[Block]:
    choice, verdict = run.facts["choice"], run.verdict
    if isinstance(verdict, str):
        box = unasked_box(choice["loss"], choice["metric"], verdict)
    elif isinstance(verdict, LossChoice):
        box = proven_box(verdict)
    else:
        box = verdict_box(verdict)
    # That nothing is known of the loss was true when it was chosen; the verdict knows more.
    settled = box.outcome != "undecided" and choice.get("condition") is None
    warned = [] if settled or not choice.get("warning") else [Paragraphs([choice["warning"]], "warning")]
    return [box, *warned]


def _results(run: RunRecord) -> list[Block]:
    blocks: list[Block] = []
    table = outcome_table(run.facts, run.scored)
    if table is not None:
        blocks.append(DataTable(table))
    else:
        blocks.append(
            Paragraphs(["The run was given neither valid nor test data, so there is nothing to report on."])
        )
    blocks += [Paragraphs([warning], "warning") for warning in run.facts.get("warnings", ())]
    if run.problems:
        blocks.append(Paragraphs([*run.problems, "What needs it is left out of this report."], "note"))
    return blocks


def _queries(main: ScoredPart) -> list[Section]:
    """The sections on the queries of one part: test, or else valid."""
    metric, data = str(main.metric), main.data
    bars = gap_bars(data.query_ids, main.ahead, metric, ("The model", "the constant scorer"))
    spread = score_histograms(data, main.scores)
    return [
        Section(f"Query by query, {main.name}", [bars]),
        Section(
            f"nDCG at cutoffs, {main.name}", [] if main.cutoffs is None else [cutoff_curves(main.cutoffs)]
        ),
        Section(f"Scores by grade, {main.name}", [] if spread is None else [spread]),
        Section(
            f"Worst and best queries, {main.name}",
            _telling(telling_queries(data, main.scores, main.values, main.base, main.ahead, metric)),
        ),
    ]


def _telling(shown: list[Rankings]) -> list[Block]:
    return [Paragraphs([HOW_CHOSEN], "note"), *shown] if shown else []


def _data(run: RunRecord) -> list[Block]:
    if run.summary is None:
        return []
    tied = {name: int(part.results.tied.sum()) for name, part in run.scored.items()}
    return data_blocks(run.summary, tied)
