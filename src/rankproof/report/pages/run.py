"""The report of a training run: what was trained and why, what it got, on which queries, how to repeat it."""

from __future__ import annotations

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
from rankproof.report.pages.outcome import outcome_in_words, outcome_table, results_now
from rankproof.report.pages.rankings import HOW_CHOSEN, telling_queries
from rankproof.report.pages.verdict import proven_box, unasked_box, verdict_box
from rankproof.runs.record import RunRecord
from rankproof.runs.scored_part import ScoredPart, main_part

__all__ = ["REPORT", "run_report"]

REPORT = "report.html"


def run_report(run: RunRecord, command: str | None = None) -> Report:
    """What there is to say of a run; ``command`` makes it again, where one made it."""
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
    return Report(_title(run), [section for section in sections if section.blocks], _lead(run))


def _title(run: RunRecord) -> str:
    what = f"ranker for {run.facts['choice']['metric']}"
    return f"A {what}" if run.folder is None else f"{as_path(run.folder).resolve().name}: a {what}"


def _lead(run: RunRecord) -> str:
    """The headline: what was found now, by the check that the report itself makes, where it could be made."""
    choice, results = run.facts["choice"], results_now(run.facts, run.scored)
    trained = f"Trained for {choice['metric']} with {choice['loss']}."
    part = main_part(results)
    if part is None:
        return trained
    sentences = outcome_in_words(part, results[part], choice["metric"], checked=part in run.scored)
    return f"{trained} {sentences}"


def _verdict(run: RunRecord) -> list[Block]:
    choice, verdict = run.facts["choice"], run.verdict
    if isinstance(verdict, str):
        box = unasked_box(choice["loss"], choice["metric"], verdict)
    elif isinstance(verdict, LossChoice):
        box = proven_box(verdict)
    else:
        box = verdict_box(verdict)
    # That nothing is known of the loss was true when it was chosen; the verdict knows more.
    settled = box.outcome != "undecided" and choice.get("condition") is None and not choice.get("nearest")
    warned = [] if settled or not choice.get("warning") else [Paragraphs([choice["warning"]], "warning")]
    limits = choice.get("limits")
    target_note = [] if not limits else [Paragraphs([f"The target of {choice['metric']}: {limits}."], "note")]
    return [box, *target_note, *warned]


def _results(run: RunRecord) -> list[Block]:
    blocks: list[Block] = []
    table = outcome_table(run.facts, run.scored)
    if table is not None:
        blocks.append(DataTable(table))
    else:
        blocks.append(
            Paragraphs(["The run had neither validation nor test data, so there are no results to report."])
        )
    blocks += [Paragraphs([warning], "warning") for warning in run.facts.get("warnings", ())]
    if run.problems:
        blocks.append(
            Paragraphs([*run.problems, "The parts of this report that need it are left out."], "note")
        )
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
