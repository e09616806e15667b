"""What PD and WPDL share: the weight of the pairs in the wrong order, on labels and on preference graphs.

On a graph the edge i→j of weight a_ij is paid when i stands below j. (Equation 12 of Buffoni et al., ICML
2011, prints the indicator the other way round; its own target is that of this form.)
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np

from rankproof.arrays import Float64s
from rankproof.errors import ArgumentError
from rankproof.feedback import PreferenceGraph
from rankproof.metrics.base import Explanation, Metric, Number
from rankproof.metrics.pairwise import COLUMNS, NO_PAIR, pair_counts, pair_rows, pair_weights, ratio
from rankproof.metrics.ranked.lists import RankedLists

__all__ = ["disagreement", "explain_disagreement", "ranking_on_graph", "scores_on_graph", "weight_of"]


def weight_of(weight: str, better: Any, worse: Any) -> Number:
    """D(better, worse): 1, the difference of the labels, or of 2 to their power; exact for exact labels.

    >>> weight_of("gain", 3, 1), weight_of("difference", Fraction(1, 2), 0), weight_of("gain", 0, -1)
    (6, Fraction(1, 2), Fraction(1, 2))
    """
    if weight == "one":
        return 1
    if weight == "difference":
        return better - worse  # type: ignore[no-any-return]
    return _power(better) - _power(worse)


def _power(y: Any) -> Number:
    if y == int(y):
        whole: Number = 2 ** int(y) if y >= 0 else Fraction(1, 2 ** int(-y))
        return whole
    return float(2.0 ** float(y))


def disagreement(lists: RankedLists, weight: str, ties: str, *, normalize: bool) -> Float64s:
    """The closed form on tied lists, for every query; NaN where no two labels differ."""
    if weight == "one":
        from rankproof.kernels.metrics.pairs import LOST, PAIRS, TIED

        counts = pair_counts(lists)
        twice = counts[:, LOST] + (counts[:, TIED] if ties == "full" else 0)
        lost, total = twice / 2, counts[:, PAIRS].astype(np.float64)
    else:
        lost, total = pair_weights(lists, exponential=weight == "gain", full=ties == "full")
    empty = total == 0
    value = lost / np.where(empty, 1.0, total) if normalize else lost
    return np.where(empty, np.nan, value)


def explain_disagreement(
    metric: Metric, lists: RankedLists, weight: str, ties: str, *, normalize: bool
) -> Explanation:
    """Place by place: the weight of the pairs that the item loses to worse items above it or tied with it."""
    tie = 1.0 if ties == "full" else 0.5
    labels = lists.labels.tolist()
    rows, rest, every = pair_rows(lists, labels, lambda better, worse: weight_of(weight, better, worse), tie)
    if not every:
        return Explanation((), [], [f"the query is empty: {NO_PAIR}"], math.nan)
    lost = rows[-1][-1] if rows else 0.0
    steps = [f"lost at the ranked places: {lost:.6f} (a tied pair counts {tie:g})"]
    if rest or len(rows) < len(labels):
        steps.append(f"items that were not retrieved, tied below all others: + {rest:.6f}")
    value = lost + rest
    if normalize:
        steps.append(f"all pairs with different labels: {every:.6f}")
        steps.append(f"{metric} = {value:.6f} / {every:.6f} = {value / every:.6f}")
        value /= every
    else:
        steps.append(f"{metric} = {value:.6f}")
    return Explanation(COLUMNS, rows, steps, value)


def _check_weight(weight: str) -> None:
    if weight != "one":
        raise ArgumentError(
            "On a preference graph, WPDL takes the weights of the edges: "
            f"argument weight of WPDL must be one, got {weight}."
        )


def ranking_on_graph(
    ranking: tuple[int, ...], graph: PreferenceGraph, weight: str, *, normalize: bool
) -> Number | None:
    """The definition on one strict ranking: the edges i→j with i below j; None without edges."""
    _check_weight(weight)
    if not graph.edges:
        return None
    place = {item: k for k, item in enumerate(ranking)}
    lost = sum((a for i, j, a in graph.edges if place[i] > place[j]), start=0)
    return ratio(lost, sum(a for _, _, a in graph.edges)) if normalize else lost


def scores_on_graph(
    scores: Float64s, graph: PreferenceGraph, weight: str, ties: str, *, normalize: bool
) -> float | None:
    """The closed form under ties; None without edges."""
    _check_weight(weight)
    if not graph.edges:
        return None
    tie = 1.0 if ties == "full" else 0.5
    lost = math.fsum(
        float(a) * (1.0 if scores[i] < scores[j] else tie)
        for i, j, a in graph.edges
        if not scores[i] > scores[j]
    )
    return lost / math.fsum(float(a) for _, _, a in graph.edges) if normalize else lost
