"""What the data hold: queries, items, grades, empty queries, duplicates, and the ties of a model's scores."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from rankproof.arrays import Float64s
from rankproof.data.ranking import RankingData
from rankproof.evaluation.run import evaluate
from rankproof.evaluation.tables import Table
from rankproof.metrics.base import Metric
from rankproof.report.content import Block, DataTable
from rankproof.report.pages.duplicates import duplicates

__all__ = ["data_blocks", "grade_table"]

# With more grades than these the labels are measurements, and their spread is told instead.
MOST_GRADES = 12


def data_blocks(parts: Mapping[str, RankingData], metric: Metric, tied: Mapping[str, int]) -> list[Block]:
    """A table of counts and a table of grades, one column per part.

    ``tied`` is the number of queries with tied scores, for the parts where it is known.
    """
    grades = grade_table({part: data.labels for part, data in parts.items()})
    return [DataTable(_counts(parts, metric, tied)), DataTable(grades, "Grades")]


def _counts(parts: Mapping[str, RankingData], metric: Metric, tied: Mapping[str, int]) -> Table:
    columns = {part: _facts(data, metric) for part, data in parts.items()}
    first = next(iter(columns.values()))
    rows = [[name, *(found[name] for found in columns.values())] for name in first]
    if tied:
        rows.append(["queries with tied scores", *(str(tied.get(part, "-")) for part in parts)])
    notes = []
    if "train" in parts:
        for part, data in parts.items():
            shared = 0 if part == "train" else _shared_queries(parts["train"], data)
            if shared:
                notes.append(f"{shared} query ids of {part} are also in train.")
    return Table(["count", *columns], rows, notes)


def _facts(data: RankingData, metric: Metric) -> dict[str, str]:
    sizes = data.sizes
    # The fewest, the median, the most.
    spread = [f"{size:.10g}" for size in np.percentile(sizes, (0, 50, 100))] if sizes.size else ["-"] * 3
    found = duplicates(data)
    return {
        "queries": str(data.queries),
        "items": str(data.items),
        "features": str(data.features),
        "items of the shortest query": spread[0],
        "items of the median query": spread[1],
        "items of the longest query": spread[2],
        f"queries that are empty for {metric}": _empty(data, metric),
        "queries with one grade for all items": str(_flat(data)),
        "items without a judgment": str(int(np.isnan(data.labels).sum())),
        "items with the features of another of their query": str(found.items),
        "of these, with another grade": str(found.contradictory),
    }


def _empty(data: RankingData, metric: Metric) -> str:
    """Queries that the metric says nothing about; a dash when that cannot be asked of these labels."""
    from rankproof.errors import RankproofError

    try:
        return str(evaluate(np.zeros(data.items), data, metric).empty[str(metric)])
    except RankproofError:
        return "-"


def _flat(data: RankingData) -> int:
    """Queries that every ranking serves alike."""
    starts = data.offsets[:-1][data.sizes > 0]
    if not starts.size:
        return 0
    low, high = np.fmin.reduceat(data.labels, starts), np.fmax.reduceat(data.labels, starts)
    return int((low == high).sum())


def _shared_queries(train: RankingData, other: RankingData) -> int:
    ours, theirs = (set(map(str, data.query_ids.tolist())) for data in (train, other))
    return len(ours & theirs)


def grade_table(parts: Mapping[str, Float64s]) -> Table:
    """How many labels of each part have each grade; how they are spread, where there are many grades."""
    every = np.unique(np.concatenate(list(parts.values())))
    every = every[~np.isnan(every)]
    if every.size > MOST_GRADES:
        shares = (0, 25, 50, 75, 100)
        found = {part: np.nanpercentile(labels, shares) for part, labels in parts.items()}
        names = ("least", "lower quartile", "median", "upper quartile", "most")
        rows = [[name, *(f"{values[k]:.4g}" for values in found.values())] for k, name in enumerate(names)]
        return Table(["label", *parts], rows, [f"The labels take {every.size} values."])
    rows = []
    for grade in every.tolist():
        row = [f"{grade:g}"]
        for labels in parts.values():
            count = int((labels == grade).sum())
            row.append(f"{count} ({count / max(1, labels.size):.1%})")
        rows.append(row)
    return Table(["grade", *parts], rows)
