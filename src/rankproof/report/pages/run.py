"""The report of a training run: what was trained and why, what it got, on which queries, how to repeat it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from rankproof.data.open import StrPath, as_path
from rankproof.data.ranking import RankingData
from rankproof.errors import RankproofError
from rankproof.metrics.parse import metric as metric_of
from rankproof.report.content import Block, DataTable, Rankings, Report, Section, Text
from rankproof.report.html import write_report
from rankproof.report.pages.curves import cutoff_curves
from rankproof.report.pages.data_summary import data_blocks
from rankproof.report.pages.feature_weights import feature_bars
from rankproof.report.pages.gaps import gap_bars
from rankproof.report.pages.learning import learning_blocks
from rankproof.report.pages.origin import origin_blocks
from rankproof.report.pages.outcome import ScoredPart, outcome_in_words, outcome_table, scored_part
from rankproof.report.pages.rankings import HOW_CHOSEN, telling_queries
from rankproof.report.pages.run_data import RunData, read_parts
from rankproof.report.pages.score_spread import score_histograms
from rankproof.report.pages.verdict import verdict_on
from rankproof.report.run_folder import check_model, read_run

__all__ = ["REPORT", "run_report", "write_run_report"]

REPORT = "report.html"
SOME_GRADES, MOST_GRADES = 3, 5


def write_run_report(
    folder: StrPath, out: StrPath | None = None, data: Mapping[str, RankingData] | None = None
) -> Path:
    """Write the report of a run into its folder (or to ``out``), and say where.

    ``data`` are the parts (train, valid, test) when they are at hand; else they are read again from the files
    that the run names.
    """
    place = as_path(folder) / REPORT if out is None else as_path(out)
    write_report(run_report(folder, data), place)
    return place


def run_report(folder: StrPath, data: Mapping[str, RankingData] | None = None) -> Report:
    """What there is to say of a run; what its files no longer tell is left out, with a note."""
    run = read_run(folder)
    check_model(folder)
    known = RunData(data, {}) if data is not None else read_parts(run["data"])
    metric = metric_of(run["choice"]["metric"])
    ranker, problems = _model(folder)
    scored: dict[str, ScoredPart] = {}
    for name in ("valid", "test") if ranker is not None else ():
        if name in known.parts:
            try:
                scored[name] = scored_part(name, known.parts[name], ranker, metric, run["settings"])
            except RankproofError as problem:
                problems.append(f"The model could not be applied to {name}: {problem}")
    problems += [f"The data of {part} could not be read again: {why}" for part, why in known.problems.items()]
    main = scored.get("test") or scored.get("valid")
    sections = [
        Section("Verdict", _verdict(run, known)),
        Section("Results", _results(run, scored, problems)),
        Section("Learning", learning_blocks(ranker, run)),
        *([] if main is None else _queries(main)),
        Section("Features", [bars] if (bars := feature_bars(ranker)) is not None else []),
        Section("Data", _data(known, metric, scored)),
        Section("Reproduce", origin_blocks(run, str(folder))),
    ]
    return Report(_title(folder, run), [section for section in sections if section.blocks], _lead(run))


def _title(folder: StrPath, run: Mapping[str, Any]) -> str:
    return f"{as_path(folder).resolve().name}: a ranker for {run['choice']['metric']}"


def _lead(run: Mapping[str, Any]) -> str:
    choice, stored = run["choice"], run.get("results", {})
    trained = f"Trained for {choice['metric']} with {choice['loss']}."
    part = next((name for name in ("test", "valid") if name in stored), None)
    return trained if part is None else f"{trained} {outcome_in_words(part, stored[part], choice['metric'])}"


def _model(folder: StrPath) -> tuple[Any, list[str]]:
    from rankproof.fit.saved import load_model

    try:
        return load_model(folder), []
    except (RankproofError, ImportError) as problem:
        return None, [f"The model could not be loaded: {problem}"]


def _verdict(run: Mapping[str, Any], known: RunData) -> list[Block]:
    choice, noise = run["choice"], run["settings"].get("noise")
    verdict = verdict_on(choice["loss"], choice["metric"], noise, _grades(known))
    # That nothing is known of the loss was true when it was chosen; the verdict knows more.
    settled = verdict.outcome != "undecided" and choice.get("condition") is None
    told = [] if settled or not choice.get("warning") else [Text([choice["warning"]], "warning")]
    return [verdict, *told]


def _grades(known: RunData) -> int:
    """How many grades the question is about: two only when no label of the data is anything but 0 and 1.

    More than two admit every law that two do, so without data, or with other labels, the answer stays safe.
    """
    labels = [data.labels[~np.isnan(data.labels)] for data in known.parts.values()]
    if not labels or known.problems:
        return SOME_GRADES
    every = np.concatenate(labels)
    if np.isin(every, (0.0, 1.0)).all():
        return 2
    return int(np.clip(every.max(initial=0.0) + 1, SOME_GRADES, MOST_GRADES))


def _results(run: Mapping[str, Any], scored: Mapping[str, ScoredPart], problems: list[str]) -> list[Block]:
    blocks: list[Block] = []
    table = outcome_table(run, scored)
    if table is not None:
        blocks.append(DataTable(table))
    else:
        blocks.append(
            Text(["The run was given neither valid nor test data, so there is nothing to report on."])
        )
    blocks += [Text([told], "warning") for told in run.get("warnings", ())]
    if problems:
        blocks.append(Text([*problems, "What needs it is left out of this report."], "note"))
    return blocks


def _queries(main: ScoredPart) -> list[Section]:
    """The sections on the queries of one part: test, or else valid."""
    metric, data = str(main.metric), main.data
    bars = gap_bars(data.query_ids, main.ahead, metric, ("The model", "the constant scorer"))
    spread = score_histograms(data, main.scores)
    return [
        Section(f"Query by query, {main.name}", [bars]),
        Section(
            f"nDCG at cutoffs, {main.name}",
            [cutoff_curves({"the model": main.scores}, data, main.metric)],
        ),
        Section(f"Scores by grade, {main.name}", [] if spread is None else [spread]),
        Section(
            f"Worst and best queries, {main.name}",
            _telling(telling_queries(data, main.scores, main.values, main.base, main.ahead, metric)),
        ),
    ]


def _telling(shown: list[Rankings]) -> list[Block]:
    return [Text([HOW_CHOSEN], "note"), *shown] if shown else []


def _data(known: RunData, metric: Any, scored: Mapping[str, ScoredPart]) -> list[Block]:
    if not known.parts:
        return []
    tied = {name: int(part.results.tied.sum()) for name, part in scored.items()}
    return data_blocks(known.parts, metric, tied)
