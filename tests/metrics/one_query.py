"""Scores and labels of one query as what metrics read, and the mean over all rankings by listing them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import permutations, product
from typing import Any

import numpy as np

from rankproof.metrics import Metric
from rankproof.metrics.ranked.lists import RankedLists, sort_by_score


def lists_of(scores: Sequence[float], labels: Sequence[float], missed: Sequence[float] = ()) -> RankedLists:
    """One query; ``missed`` are the labels of judged items that were not retrieved."""
    n = len(scores) + len(missed)
    order = sort_by_score(
        np.array([*scores, *(0.0 for _ in missed)], dtype=np.float64),
        np.array([0, n]),
        np.array([len(scores)]),
    )
    return RankedLists.from_order(order, np.array([*labels, *missed], dtype=np.float64))


def value(
    metric: Metric, scores: Sequence[float], labels: Sequence[float], missed: Sequence[float] = ()
) -> float:
    """The metric's value of one query."""
    return float(metric.per_query(lists_of(scores, labels, missed))[0])


def sorting(scores: Sequence[float]) -> Iterator[tuple[int, ...]]:
    """Every ranking that sorts the scores."""
    groups = [[i for i, s in enumerate(scores) if s == level] for level in sorted(set(scores), reverse=True)]
    return (tuple(i for part in parts for i in part) for parts in product(*map(permutations, groups)))


def mean_over(scores: Sequence[float], of: Callable[[tuple[int, ...]], Any]) -> Any:
    """The mean of a function over every ranking that sorts the scores."""
    every = [of(ranking) for ranking in sorting(scores)]
    return sum(every) / len(every)
