"""`explain`: how the number of one query came about, place by place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from rankproof.evaluation.depth import cut_at
from rankproof.evaluation.inputs import JudgedScores, as_scored
from rankproof.evaluation.per_query import (
    as_convention_reads,
    break_ties,
    check_labels,
    naming_queries,
    sort_retrieved,
)
from rankproof.evaluation.tables import Table, as_html, as_text, number
from rankproof.metrics import Explanation, Metric, metric
from rankproof.metrics.base import MetricLike
from rankproof.metrics.conventions.named import CONVENTIONS
from rankproof.metrics.ranked.lists import RankedLists
from rankproof.metrics.ranked.ties import tie_groups
from rankproof.plain import json_text, plain_number
from rankproof.shown import visible

__all__ = ["Explained", "explain"]


@dataclass(frozen=True, eq=False, repr=False)
class Explained:
    """The ranked items of one query beside what each adds to the metric.

    Attributes
    ----------
    metric : Metric
        As the convention defines it.
    query : str or int
    convention : str
    places : list of (rank, item, score, label)
        One per ranked place that the metric looks at: the rank as text (``"3-5"`` for a tie), the document id
        or row number, the score, the label.
    explanation : Explanation
        What each place adds, and the arithmetic.
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
        return Table(columns, rows, self.explanation.steps, text_columns=["item"])

    def rows(self) -> list[dict[str, Any]]:
        """One row per ranked place, by column: rank, item, score, label, and what the place adds."""
        return [
            {"rank": rank, "item": doc, "score": score, "label": label}
            | dict(zip(self.explanation.columns, cells, strict=True))
            for (rank, doc, score, label), cells in zip(self.places, self.explanation.rows, strict=False)
        ]

    def to_dict(self) -> dict[str, Any]:
        """Plain data, versioned by ``schema``; NaN and infinity become None."""
        return {
            "schema": "rankproof.explanation/1",
            "metric": str(self.metric),
            "query": str(self.query),
            "convention": self.convention,
            "rows": [{name: _plain_cell(cell) for name, cell in row.items()} for row in self.rows()],
            "steps": list(self.explanation.steps),
            "value": plain_number(self.value),
        }

    def to_json(self) -> str:
        """`to_dict` as JSON text."""
        return json_text(self.to_dict())

    def to_frame(self, backend: str = "pandas") -> Any:
        """A pandas, polars or pyarrow frame: one row per ranked place that the metric looks at."""
        from rankproof.data.frames import frame_of_rows

        return frame_of_rows(self.rows(), backend)

    def _repr_html_(self) -> str:
        return as_html(self.table(), title=f"{self.metric} of query {self.query} ({self.convention})")

    def __str__(self) -> str:
        return f"{self.metric} of query {visible(str(self.query))} ({self.convention})\n" + as_text(
            self.table()
        )

    def __repr__(self) -> str:
        return f"Explained({self.metric} of query {visible(str(self.query))}: {number(self.value)})"


def explain(
    spec: MetricLike,
    scores: Any,
    data: Any,
    *,
    query: Any,
    offsets: Any = None,
    qid: Any = None,
    convention: str = "rankproof",
    depth: int | None = None,
) -> Explained:
    """How the value of one query came about, place by place.

    Parameters
    ----------
    spec : Metric, str or function
        The metric, such as ``"nDCG@10"``; see `rankproof.metric` for its parameters.
    scores : array of one score per item, or `Run`
        Higher is better; NaN is refused.
    data : `RankingData`, `Qrels` or labels
        As in `rankproof.evaluate`.
    query : str or int
        The id of the query; its number, counted from 0, with ``offsets``.
    offsets, qid : arrays, optional
        With plain labels; see `rankproof.evaluate`.
    convention : str
        Whose rules; see `rankproof.evaluate`.
    depth : int, optional
        Look at the first so many items only; see `rankproof.evaluate`.

    Returns
    -------
    Explained
        It prints as a table, and has `to_dict`, `to_json` and `to_frame`.

    Examples
    --------
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
    one = as_convention_reads(as_scored(scores, data, offsets=offsets, qid=qid).only(query), tool)
    if depth is not None:
        one = cut_at(one, depth, tool)
    check_labels(resolved, one, tool)
    order = break_ties(one, tool, sort_retrieved(one))
    policy = "keep" if resolved.sees_unjudged or resolved.unjudged == "error" else resolved.unjudged
    lists = RankedLists.from_order(order, one.labels).with_unjudged(policy)  # type: ignore[arg-type]
    items = [item for item in order.places.tolist() if policy != "drop" or not np.isnan(one.labels[item])]
    with naming_queries(one):
        explanation = resolved.explain(lists)
    return Explained(resolved, query, tool.name, _places(one, items, lists), explanation)


def _places(one: JudgedScores, items: list[int], lists: RankedLists) -> list[tuple[str, str, float, float]]:
    ids = one.doc_ids()
    places: list[tuple[str, str, float, float]] = []
    for start, end in tie_groups(lists):
        rank = f"{start + 1}-{end}" if end - start > 1 else str(end)
        for item in items[start:end]:
            name = str(item) if ids is None else str(ids[item])
            places.append((rank, name, float(one.scores[item]), float(one.labels[item])))
    return places


def _plain_cell(value: Any) -> Any:
    return plain_number(value) if isinstance(value, float) else value


def _cell(value: Any) -> str:
    return number(value) if isinstance(value, float) else str(value)
