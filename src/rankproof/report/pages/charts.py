"""The charts that pages are made of.

nDCG over cutoffs, gains query by query, the scores of each grade, what a model recorded while it was trained,
and what it makes of the features.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankproof.arrays import Float64s
from rankproof.data.ranking import RankingData
from rankproof.evaluation.cutoffs import CUTOFFS, CutoffMeans
from rankproof.evaluation.tables import number
from rankproof.report.content import Block, Histograms, LineChart, NamedBars, Paragraphs, QueryBars, Series
from rankproof.runs.record import FeatureWeights

__all__ = ["cutoff_curves", "feature_bars", "gap_bars", "learning_blocks", "score_histograms"]


def cutoff_curves(means: CutoffMeans) -> Block:
    """The chart; a sentence instead where nDCG cannot be computed.

    >>> means = CutoffMeans({"up": [1.0] * 20, "down": [0.0] * 20}, {"up": [0.5] * 20, "down": [0.5] * 20})
    >>> [(series.name, series.points[0][1]) for series in cutoff_curves(means).series]
    [('up', 1.0), ('down', 0.0), ('constant scorer', 0.5)]
    """
    if means.problem is not None:
        return Paragraphs([f"nDCG at cutoffs is left out: {means.problem}"], "note")
    series = [Series(name, _points(values)) for name, values in means.systems.items()]
    first = next(iter(means.constants.values()))
    shared = all(_near(first, values) for values in means.constants.values())
    lines = {f"constant scorer, {name}": values for name, values in means.constants.items()}
    if shared:
        lines = {"constant scorer": first}
    series += [Series(name, _points(values), dashed=True) for name, values in lines.items()]
    return LineChart(
        series,
        "cutoff",
        "mean nDCG",
        caption="Mean over queries at each cutoff. The constant scorer gives every item the same score.",
    )


def _points(means: Sequence[float]) -> list[tuple[float, float]]:
    return [(float(k), value) for k, value in zip(CUTOFFS, means, strict=True)]


def _near(one: Sequence[float], other: Sequence[float]) -> bool:
    return all(math.isclose(a, b, abs_tol=1e-9) for a, b in zip(one, other, strict=True))


def gap_bars(
    query_ids: NDArray[Any],
    ahead: Float64s,
    metric: str,
    names: tuple[str, str],
    *,
    title: str = "",
    folded: bool = False,
) -> QueryBars:
    """The chart of `rankproof.evaluation.differences.gaps`, with the counts in its caption.

    >>> bars = gap_bars(np.array(["a", "b"]), np.array([0.5, 0.0]), "AP", ("new", "old"))
    >>> bars.caption
    'new is better than old on 1 query, equal on 1, worse on 0; the mean difference is +0.2500.'
    """
    counts = ~np.isnan(ahead)
    counted = ahead[counts]
    better, equal, worse = ((counted > 0).sum(), (counted == 0).sum(), (counted < 0).sum())
    mean = float(counted.mean()) if counted.size else float("nan")
    caption = (
        f"{names[0]} is better than {names[1]} on {_queries(int(better))}, equal on {equal}, "
        f"worse on {worse}; the mean difference is {'+' if mean > 0 else ''}{number(mean)}."
    )
    bars = list(zip(map(str, query_ids[counts].tolist()), counted.tolist(), strict=True))
    return QueryBars(bars, f"difference in {metric}", title, caption, folded)


def _queries(count: int) -> str:
    return f"{count} query" if count == 1 else f"{count} queries"


INTERVALS, MOST_GRADES, RANGES = 40, 8, 5
# So large a share of the scores is shown; a few far ones would press all others together.
SHOWN = 0.998


def score_histograms(data: RankingData, scores: Float64s) -> Histograms | None:
    """The scores less the mean score of their query; None when there is nothing to show.

    Only differences within a query decide its ranking, so the level of a query is taken off.
    """
    sizes = data.sizes
    if not data.items:
        return None
    starts = data.offsets[:-1][sizes > 0]
    means = np.add.reduceat(scores, starts) / sizes[sizes > 0]
    centred = scores - np.repeat(means, sizes[sizes > 0])
    edge = (1 - SHOWN) / 2
    low, high = np.quantile(centred, [edge, 1 - edge])
    if not (np.isfinite(low) and np.isfinite(high)) or low == high:
        return None
    edges = np.linspace(low, high, INTERVALS + 1)
    groups = [
        (name, np.histogram(np.clip(centred[chosen], low, high), edges)[0].tolist())
        for name, chosen in _groups(data.labels)
    ]
    return Histograms(
        edges.tolist(),
        groups,
        "score minus the mean score of its query",
        caption="The less the strips overlap, the better the model separates the grades. Each strip has its "
        "own vertical scale; the few scores beyond the ends are counted at the ends.",
    )


def _groups(labels: Float64s) -> list[tuple[str, NDArray[np.bool_]]]:
    """Items by grade, the best first; by ranges of equal size where there are many grades."""
    grades = np.unique(labels[~np.isnan(labels)])
    if grades.size <= MOST_GRADES:
        return [(f"grade {grade:g}", labels == grade) for grade in grades[::-1].tolist()]
    cuts = np.unique(np.nanquantile(labels, np.linspace(0, 1, RANGES + 1)))
    groups = []
    for low, high in zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True):
        last = high == cuts[-1]
        chosen = (labels >= low) & ((labels <= high) if last else (labels < high))
        groups.append((f"label {low:.4g} to {high:.4g}", chosen))
    return groups[::-1]


def learning_blocks(run: Mapping[str, Any], losses: Sequence[tuple[int, float]]) -> list[Block]:
    """The charts of a run: penalties, trees or epochs on held-out queries, and the loss of every epoch."""
    metric, selection = run["choice"]["metric"], run.get("selection", {})
    charts: list[Block] = []
    path = selection.get("path", [])
    if len(path) > 1:
        (word,) = set(path[0]) - {"value"}
        # A penalty of 0 has no place on a logarithmic axis.
        points = [(row[word], row["value"]) for row in path if word != "l2" or row[word] > 0]
        name = "penalty l2" if word == "l2" else word
        chart = LineChart(
            [Series(metric, points)],
            name,
            f"{metric}, {selection['held_out']}",
            log_x=word == "l2",
            caption=f"The ring marks the chosen value, {selection[word]:g}.",
            chosen=float(selection[word]),
        )
        charts.append(chart)
    if len(losses) > 1:
        charts.append(LineChart([Series("loss", losses)], "epochs", "mean loss on train"))
    return charts


MOST = 20
# What a weight is per, by the scaling of the features.
_UNITS = {
    "standard": "Features are divided by their standard deviation, so their weights can be compared.",
    "query-minmax": "Features are scaled to 0..1 within each query, so their weights can be compared.",
    "none": "Features are not scaled: a large weight may only mean that the feature has small values.",
}
_IMPORTANCE = "The feature's share of the total gain of all splits. Importance does not tell the direction."


def feature_bars(weights: FeatureWeights | None) -> NamedBars | None:
    """The 20 features of the largest weights (in size) or importances; None when there are none to show."""
    if weights is None:
        return None
    values = weights.values
    caption = _IMPORTANCE if weights.kind == "importance" else _UNITS.get(weights.scale or "", "")
    order = [k for k in np.argsort(-np.abs(values), kind="stable")[:MOST].tolist() if values[k]]
    if not order:
        return None
    names = weights.names
    bars = [(f"feature {k + 1}" if names is None else names[k], float(values[k])) for k in order]
    zero = int((values == 0).sum())
    counted = f"The {len(order)} largest of {values.size} are shown; {zero} are 0."
    return NamedBars(bars, f"Features by {weights.kind}", f"{caption} {counted}".strip())
