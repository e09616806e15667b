"""The report of a comparison: systems on the same queries, with letters, pairs, and query by query."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rankproof.evaluation.comparison import Comparison
from rankproof.evaluation.cutoffs import CutoffMeans
from rankproof.evaluation.data_summary import DataSummary, GradeCounts
from rankproof.evaluation.differences import gaps
from rankproof.evaluation.tables import Table
from rankproof.report.content import Block, Command, DataTable, Facts, Paragraphs, Report, Section
from rankproof.report.pages.charts import cutoff_curves, gap_bars
from rankproof.report.pages.data_summary import data_blocks, grade_table
from rankproof.report.pages.differing import differing_queries
from rankproof.report.pages.origin import versions_fact

__all__ = ["comparison_report"]

# More charts than these nobody looks at: then those of the first metric are drawn, up to this number.
MOST_CHARTS = 60


def comparison_report(
    comparison: Comparison,
    systems: Mapping[str, Any] | None = None,
    judged: Any = None,
    *,
    cutoffs: CutoffMeans | None = None,
    contents: DataSummary | GradeCounts | None = None,
    command: str | None = None,
    files: Mapping[str, str | None] | None = None,
) -> Report:
    """The report of what `compare` found.

    ``systems`` and ``judged`` are what was compared, ``cutoffs`` their means of nDCG, ``contents`` what the
    judged data hold, and ``files`` are names with their SHA-256; what is not given is left out.
    """
    first = next(iter(comparison.results.values()))
    sections = [
        Section("Systems", [DataTable(comparison.table())]),
        Section("Pairs", _pairs(comparison)),
        Section("Query by query", _gaps(comparison)),
        Section("nDCG at cutoffs", [] if cutoffs is None else [cutoff_curves(cutoffs)]),
        Section(
            "Where the two best systems differ most",
            [] if systems is None else differing_queries(comparison, systems, judged),
        ),
        Section("Data", _data(comparison, contents)),
        Section("Reproduce", _origin(command, files or {})),
    ]
    names = ", ".join(comparison.systems)
    lead = f"{names} on {first.query_ids.size} queries. {_outcome(comparison)}"
    title = f"Comparison of {len(comparison.systems)} systems"
    return Report(title, [section for section in sections if section.blocks], lead)


def _pairs(comparison: Comparison) -> list[Block]:
    """The pairs of every metric; many are folded."""
    folded = not comparison.shows_pairs
    return [DataTable(comparison.pair_table(name), name, folded=folded) for name in comparison.metrics]


def _outcome(comparison: Comparison) -> str:
    """Which system is best, metrics of which the same is to be said together."""
    said: dict[str, list[str]] = {}
    for metric in comparison.metrics:
        said.setdefault(comparison.outcome(metric), []).append(metric)
    return " ".join(f"By {', '.join(metrics)}: {sentence}." for sentence, metrics in said.items())


def _gaps(comparison: Comparison) -> list[Block]:
    pairs = [(p.a, p.b) for p in next(iter(comparison.pairs.values()))]
    metrics = comparison.metrics
    blocks: list[Block] = []
    if len(pairs) * len(metrics) > MOST_CHARTS:
        metrics, pairs = metrics[:1], pairs[:MOST_CHARTS]
        blocks.append(
            Paragraphs(
                [f"There are many pairs; {len(pairs)} of them are drawn, for {metrics[0]} only."], "note"
            )
        )
    for metric in metrics:
        for a, b in pairs:
            one, other = comparison.results[a], comparison.results[b]
            higher = one.metrics[metric].direction == "higher"
            ahead = gaps(one.per_query[metric], other.per_query[metric], higher)
            title = f"{metric}: {a} against {b}"
            blocks.append(gap_bars(one.query_ids, ahead, metric, (a, b), title=title, folded=len(blocks) > 2))
    return blocks


def _data(comparison: Comparison, contents: DataSummary | GradeCounts | None) -> list[Block]:
    blocks: list[Block] = [
        Facts([(name, "; ".join(one.notes())) for name, one in comparison.results.items()])
    ]
    if isinstance(contents, DataSummary):
        blocks += data_blocks(contents, {})
    elif contents is not None:
        blocks.append(DataTable(grade_table(contents), "Grades"))
    return blocks


def _origin(command: str | None, files: Mapping[str, str | None]) -> list[Block]:
    blocks: list[Block] = [] if command is None else [Command(command)]
    blocks.append(Facts([versions_fact()]))
    if files:
        rows = [[name, digest or "-"] for name, digest in files.items()]
        blocks.append(DataTable(Table(["file", "SHA-256"], rows, text_columns=["SHA-256"]), "Files"))
    return blocks
