"""The plain-regression route: the target in place of the label, with the engine's own squared loss."""

from __future__ import annotations

from typing import Any

from rankproof.arrays import Float64s, Int64s, as_labels, as_offsets
from rankproof.errors import ArgumentError
from rankproof.fit.engines.default import chosen
from rankproof.fit.engines.reading import offsets_of_sizes
from rankproof.fit.inputs import query_offsets
from rankproof.losses.squared import Squared
from rankproof.metrics.base import Metric

__all__ = ["queries_of", "regression_target"]


def queries_of(items: int, qid: Any, group: Any, offsets: Any) -> Int64s:
    """Where queries start, from the one of ``qid``, ``group`` (sizes) and ``offsets`` that is given.

    >>> queries_of(3, ["a", "a", "b"], None, None).tolist(), queries_of(3, None, [2, 1], None).tolist()
    ([0, 2, 3], [0, 2, 3])
    """
    given = [
        name for name, value in (("qid", qid), ("group", group), ("offsets", offsets)) if value is not None
    ]
    if len(given) != 1:
        raise ArgumentError(
            "Which items belong to one query is said by one of qid, group and offsets, "
            f"got {' and '.join(given) or 'none of them'}."
        )
    if qid is not None:
        return query_offsets(qid, items)
    if group is not None:
        return offsets_of_sizes(group, items, "The data")
    return as_offsets(offsets, items)


def regression_target(
    metric: str | Metric,
    labels: Any,
    *,
    qid: Any = None,
    group: Any = None,
    offsets: Any = None,
    noise: str | None = None,
    threads: int | None = None,
) -> Float64s:
    """What to put in place of the labels, so that plain squared loss optimises the metric.

    Squared loss estimates the mean of the target, and sorting by that mean is optimal for the metric. Any
    engine has squared loss (LightGBM ``regression``, XGBoost ``reg:squarederror``, CatBoost ``RMSE``), and
    such a model can be exported wherever a regression model can. The engine's own metrics then speak of the
    target, not of the labels: report with `rankproof.evaluate` on the labels.

    Parameters
    ----------
    metric : metric or str
    labels : array, one per item
    qid, group, offsets : array
        One of them: the query id of every item, the number of items of every query, or where queries start.
    noise : str, optional
        What is known about the law of the labels, for metrics that have a target only then.

    Examples
    --------
    >>> regression_target("nDCG@10", [2, 0, 1], group=[3]).round(4).tolist()  # 3 / Z, 0, 1 / Z
    [0.8262, 0.0, 0.2754]
    """
    known = as_labels(labels)
    starts = queries_of(known.size, qid, group, offsets)
    return chosen(metric, noise, among=(Squared,), stacklevel=3).target.values(known, starts, threads=threads)
