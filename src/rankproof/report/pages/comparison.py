"""The report of a comparison: systems on the same queries, with letters, pairs, and query by query."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rankproof.data.ranking import RankingData
from rankproof.data.trec import Qrels
from rankproof.evaluation.compare import Comparison
from rankproof.evaluation.tables import Table
from rankproof.report.content import Block, Command, DataTable, Facts, Report, Section, Text
from rankproof.report.pages.curves import cutoff_curves
from rankproof.report.pages.data_summary import data_blocks, grade_table
from rankproof.report.pages.differing import differing_queries
from rankproof.report.pages.gaps import gap_bars, gaps
from rankproof.report.pages.origin import versions_fact

__all__ = ["comparison_report"]

# More charts than these nobody looks at: then those of the first metric are drawn, up to this number.
MOST_CHARTS = 60


def comparison_report(
    found: Comparison,
    systems: Mapping[str, Any],
    judged: Any,
    *,
    command: str | None = None,
    files: Mapping[str, str | None] | None = None,
    **more: Any,
) -> Report:
    """The report of what `compare` found.

    ``systems`` and ``judged`` are what was compared, and ``more`` the keywords that went to `evaluate`: nDCG
    is computed at further cutoffs. ``files`` are names with their SHA-256.
    """
    first = next(iter(found.results.values()))
    sections = [
        Section("Systems", [DataTable(found.table())]),
        Section("Pairs", [DataTable(found.pair_table(name), name) for name in found.metrics]),
        Section("Query by query", _gaps(found)),
        Section("nDCG at cutoffs", [cutoff_curves(systems, judged, **more)]),
        Section("Where the best two differ most", differing_queries(found, systems, judged)),
        Section("Data", _data(found, judged)),
        Section("Reproduce", _origin(command, files or {})),
    ]
    names = ", ".join(found.systems)
    lead = f"{names} on {first.query_ids.size} queries. {_outcome(found)}"
    title = f"Comparison of {len(found.systems)} systems"
    return Report(title, [section for section in sections if section.blocks], lead)


def _outcome(found: Comparison) -> str:
    """Which system is best, metrics of which the same is to be said together."""
    said: dict[str, list[str]] = {}
    for metric in found.metrics:
        best = found.winner(metric)
        told = "no system is shown to be best" if best is None else f"{best} is better than every other"
        said.setdefault(told, []).append(metric)
    return " ".join(f"By {', '.join(metrics)}: {told}." for told, metrics in said.items())


def _gaps(found: Comparison) -> list[Block]:
    pairs = [(p.a, p.b) for p in next(iter(found.pairs.values()))]
    metrics = found.metrics
    blocks: list[Block] = []
    if len(pairs) * len(metrics) > MOST_CHARTS:
        metrics, pairs = metrics[:1], pairs[:MOST_CHARTS]
        blocks.append(Text([f"Of many charts, {len(pairs)} are drawn, for {metrics[0]}."], "note"))
    for metric in metrics:
        for a, b in pairs:
            one, other = found.results[a], found.results[b]
            higher = one.metrics[metric].direction == "higher"
            ahead = gaps(one.per_query[metric], other.per_query[metric], higher)
            title = f"{metric}: {a} against {b}"
            blocks.append(gap_bars(one.query_ids, ahead, metric, (a, b), title=title, folded=len(blocks) > 2))
    return blocks


def _data(found: Comparison, judged: Any) -> list[Block]:
    results = next(iter(found.results.values()))
    blocks: list[Block] = [Facts([(name, "; ".join(one.notes())) for name, one in found.results.items()])]
    if isinstance(judged, RankingData):
        blocks += data_blocks({"data": judged}, results.metrics[found.metrics[0]], {})
    elif isinstance(judged, Qrels):
        blocks.append(DataTable(grade_table({"judgments": judged.grades}), "Grades"))
    return blocks


def _origin(command: str | None, files: Mapping[str, str | None]) -> list[Block]:
    blocks: list[Block] = [] if command is None else [Command(command)]
    blocks.append(Facts([versions_fact()]))
    if files:
        rows = [[name, digest or "-"] for name, digest in files.items()]
        blocks.append(DataTable(Table(["file", "SHA-256"], rows, words=["SHA-256"]), "Files"))
    return blocks
