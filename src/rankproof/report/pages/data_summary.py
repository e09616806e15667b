"""What the data hold as tables: queries, items, grades, empty queries, duplicates, ties of scores."""

from __future__ import annotations

from collections.abc import Mapping

from rankproof.evaluation.data_summary import DataCounts, DataSummary, GradeCounts
from rankproof.evaluation.tables import Table
from rankproof.report.content import Block, DataTable

__all__ = ["data_blocks", "grade_table"]

_QUANTILES = ("minimum", "lower quartile", "median", "upper quartile", "maximum")


def data_blocks(summary: DataSummary, tied: Mapping[str, int]) -> list[Block]:
    """A table of counts and a table of grades, one column per part.

    ``tied`` is the number of queries with tied scores, for the parts where it is known.
    """
    return [DataTable(_counts(summary, tied)), DataTable(grade_table(summary.grades), "Grades")]


def _counts(summary: DataSummary, tied: Mapping[str, int]) -> Table:
    columns = {part: _facts(counts, summary.metric) for part, counts in summary.parts.items()}
    first = next(iter(columns.values()))
    rows = [[name, *(facts[name] for facts in columns.values())] for name in first]
    if tied:
        rows.append(["queries with tied scores", *(str(tied.get(part, "-")) for part in columns)])
    notes = [
        f"{counts.shared_with_train} query ids of {part} are also in train."
        for part, counts in summary.parts.items()
        if counts.shared_with_train
    ]
    return Table(["count", *columns], rows, notes)


def _facts(counts: DataCounts, metric: str) -> dict[str, str]:
    shortest, median, longest = [f"{size:.10g}" for size in counts.spread] or ["-"] * 3
    return {
        "queries": str(counts.queries),
        "items": str(counts.items),
        "features": str(counts.features),
        "items in the shortest query": shortest,
        "items in the median query": median,
        "items in the longest query": longest,
        f"queries without a relevant item (empty for {metric})": "-"
        if counts.empty is None
        else str(counts.empty),
        "queries whose items all have the same grade": str(counts.flat),
        "items without a judgment": str(counts.unjudged),
        "items with the same features as another of their query": str(counts.duplicates.items),
        "of these, with a different grade": str(counts.duplicates.contradictory),
    }


def grade_table(grades: GradeCounts) -> Table:
    """How many labels of each part have each grade; how they are spread, where there are many grades."""
    if grades.quantiles:
        rows = [
            [name, *(f"{values[k]:.4g}" for values in grades.quantiles.values())]
            for k, name in enumerate(_QUANTILES)
        ]
        return Table(
            ["label", *grades.quantiles], rows, [f"The labels have {len(grades.grades)} different values."]
        )
    columns = [
        [f"{count} ({count / max(1, size):.1%})" for count in counts]
        for counts, size in grades.counts.values()
    ]
    names = [f"{grade:g}" for grade in grades.grades]
    rows = [list(row) for row in zip(names, *columns, strict=True)]
    return Table(["grade", *grades.counts], rows)
