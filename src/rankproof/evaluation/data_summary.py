"""What data hold: queries, items, grades, empty queries, duplicates, query ids that several parts share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from rankproof.arrays import Float64s
from rankproof.data.duplicates import Duplicates, duplicates
from rankproof.data.ranking import RankingData

__all__ = ["DataCounts", "DataSummary", "GradeCounts", "count_grades", "summarise"]

# With more grades than these the labels are measurements, and their spread is told instead.
MOST_GRADES = 12
# In hundredths: the least, the quartiles, the most.
SHARES = (0, 25, 50, 75, 100)


@dataclass(frozen=True)
class GradeCounts:
    """How many labels of each part have each grade; how they are spread, where there are many grades.

    Attributes
    ----------
    grades : the different labels
    counts : by part, how many items have each of the grades, and how many there are; empty with many grades
    quantiles : by part, least, quartiles and most; empty with few grades
    """

    grades: Sequence[float]
    counts: Mapping[str, tuple[Sequence[int], int]]
    quantiles: Mapping[str, Sequence[float]]


@dataclass(frozen=True)
class DataCounts:
    """The counts of one part; ``empty`` is None where the metric cannot be asked.

    ``spread`` has the items of the shortest, of the median and of the longest query, or nothing.
    """

    queries: int
    items: int
    features: int
    spread: Sequence[float]
    empty: int | None
    flat: int
    unjudged: int
    duplicates: Duplicates
    shared_with_train: int


@dataclass(frozen=True)
class DataSummary:
    """The counts of all parts for a metric."""

    metric: str
    parts: Mapping[str, DataCounts]
    grades: GradeCounts


def summarise(parts: Mapping[str, RankingData], metric: str, empty: Mapping[str, int | None]) -> DataSummary:
    """The summary of parts; ``empty`` is how many of their queries are empty for the metric."""
    train = parts.get("train")
    counts = {
        name: _counts(data, empty.get(name), None if name == "train" else train)
        for name, data in parts.items()
    }
    return DataSummary(metric, counts, count_grades({name: data.labels for name, data in parts.items()}))


def count_grades(labels: Mapping[str, Float64s]) -> GradeCounts:
    """The grades of several parts."""
    every = np.unique(np.concatenate(list(labels.values())))
    every = every[~np.isnan(every)]
    if every.size > MOST_GRADES:
        quantiles = {name: np.nanpercentile(one, SHARES).tolist() for name, one in labels.items()}
        return GradeCounts(every.tolist(), {}, quantiles)
    counts = {
        name: ([int((one == grade).sum()) for grade in every.tolist()], one.size)
        for name, one in labels.items()
    }
    return GradeCounts(every.tolist(), counts, {})


def _counts(data: RankingData, empty: int | None, train: RankingData | None) -> DataCounts:
    sizes = data.sizes
    return DataCounts(
        queries=data.queries,
        items=data.items,
        features=data.features,
        spread=np.percentile(sizes, (0, 50, 100)).tolist() if sizes.size else (),
        empty=empty,
        flat=_flat(data),
        unjudged=int(np.isnan(data.labels).sum()),
        duplicates=duplicates(data),
        shared_with_train=0 if train is None else _shared_queries(train, data),
    )


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
