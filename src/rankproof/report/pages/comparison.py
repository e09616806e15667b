"""The report of a comparison: systems on the same queries, with letters, pairs, and query by query."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rankproof.evaluation.compare import Comparison
from rankproof.evaluation.tables import Table
from rankproof.report.content import Block, Command, DataTable, Facts, Report, Section, Text
from rankproof.report.pages.curves import cutoff_curves
from rankproof.report.pages.gaps import gap_bars, gaps
from rankproof.report.run_folder import versions

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
        Section("Data", _data(found)),
        Section("Reproduce", _origin(command, files or {})),
    ]
    names = ", ".join(found.systems)
    lead = f"{names} on {first.query_ids.size} queries by {', '.join(found.metrics)}."
    return Report(f"Comparison of {len(found.systems)} systems", sections, lead)


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


def _data(found: Comparison) -> list[Block]:
    return [Facts([(name, "; ".join(results.notes())) for name, results in found.results.items()])]


def _origin(command: str | None, files: Mapping[str, str | None]) -> list[Block]:
    blocks: list[Block] = [] if command is None else [Command(command)]
    blocks.append(Facts([("versions", ", ".join(f"{name} {known}" for name, known in versions().items()))]))
    if files:
        rows = [[name, digest or "-"] for name, digest in files.items()]
        blocks.append(DataTable(Table(["file", "SHA-256"], rows, words=["SHA-256"]), "Files"))
    return blocks
