"""`explain`: how the number of one query came about, place by place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rankproof.evaluation.inputs import Scored, as_scored
from rankproof.evaluation.run import as_read, broken
from rankproof.evaluation.tables import Table, as_text, number
from rankproof.metrics import Explanation, Metric, metric
from rankproof.metrics.conventions import CONVENTIONS
from rankproof.metrics.lists import RankedLists, sort_by_score
from rankproof.metrics.ties import tie_groups

__all__ = ["Explained", "explain"]


@dataclass(frozen=True, eq=False, repr=False)
class Explained:
    """The ranked items of one query beside what each adds to the metric.

    ``places`` has one entry per ranked place that the metric looks at: rank (``"3-5"`` for a tie), document
    id or row number, score, label.
    """

    metric: Metric
    query: Any
    convention: str
    places: list[tuple[str, str, float, float]]
    explanation: Explanation

    @property
    def value(self) -> float:
        """The value of the query (NaN when it is empty)."""
        return self.explanation.value

    def table(self) -> Table:
        """Places, and what each adds."""
        rows = []
        for (rank, doc, score, label), cells in zip(self.places, self.explanation.rows, strict=False):
            grade = "unjudged" if np.isnan(label) else f"{label:g}"
            rows.append([rank, doc, f"{score:.6g}", grade, *map(_cell, cells)])
        columns = ["rank", "item", "score", "label", *self.explanation.columns]
        return Table(columns, rows, self.explanation.steps, words=["item"])

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        rows = [
            {"rank": rank, "item": doc, "score": score, "label": None if np.isnan(label) else label}
            | dict(zip(self.explanation.columns, cells, strict=True))
            for (rank, doc, score, label), cells in zip(self.places, self.explanation.rows, strict=False)
        ]
        value = None if np.isnan(self.value) else self.value
        return {
            "schema": "rankproof.explanation/1",
            "metric": str(self.metric),
            "query": str(self.query),
            "convention": self.convention,
            "rows": rows,
            "steps": self.explanation.steps,
            "value": value,
        }

    def __str__(self) -> str:
        return f"{self.metric} of query {self.query} ({self.convention})\n" + as_text(self.table())

    def __repr__(self) -> str:
        return f"Explained({self.metric} of query {self.query}: {number(self.value)})"


def explain(
    spec: str | Metric,
    scores: Any,
    data: Any,
    *,
    query: Any,
    offsets: Any = None,
    qid: Any = None,
    convention: str = "rankproof",
) -> Explained:
    """How the value of one query came about.

    >>> print(explain("nDCG@2", [0.9, 0.3, 0.3], [1, 0, 2], qid=[7, 7, 7], query=7))
    nDCG@2 of query 7 (rankproof)
    rank  item  score  label    gain  discount    adds     sum
    ----  ----  -----  -----  ------  --------  ------  ------
    1     0       0.9      1  1.0000    1.0000  1.0000  1.0000
    2-3   1       0.3      0  1.5000    0.6309  0.9464  1.9464
    DCG@2 = 1.946395
    best DCG@2 = 3.630930
    nDCG@2 = 1.946395 / 3.630930 = 0.536060
    """
    tool = CONVENTIONS[convention]
    resolved = tool.resolve(metric(spec))
    one = as_read(as_scored(scores, data, offsets=offsets, qid=qid).only(query), tool)
    tool.check(resolved, one.labels)
    resolved.check(one.labels)
    order = broken(one, tool, sort_by_score(one.scores, one.offsets, one.depth))
    policy = "keep" if resolved.sees_unjudged or resolved.unjudged == "error" else resolved.unjudged
    lists = RankedLists.of(order, one.labels).with_unjudged(policy)  # type: ignore[arg-type]
    items = [item for item in order.places.tolist() if policy != "drop" or not np.isnan(one.labels[item])]
    return Explained(resolved, query, tool.name, _places(one, items, lists), resolved.explain(lists))


def _places(one: Scored, items: list[int], lists: RankedLists) -> list[tuple[str, str, float, float]]:
    ids = one.doc_ids()
    places: list[tuple[str, str, float, float]] = []
    for start, end in tie_groups(lists):
        rank = f"{start + 1}-{end}" if end - start > 1 else str(end)
        for item in items[start:end]:
            name = str(item) if ids is None else str(ids[item])
            places.append((rank, name, float(one.scores[item]), float(one.labels[item])))
    return places


def _cell(value: Any) -> str:
    return number(value) if isinstance(value, float) else str(value)
