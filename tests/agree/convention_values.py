"""Values under a convention, put together from its parts, and random data on which tools differ."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from rankproof.metrics import Metric, metric
from rankproof.metrics.conventions.named import CONVENTIONS
from rankproof.metrics.conventions.rules import ordered
from rankproof.metrics.ranked.lists import RankedLists, sort_by_score


@dataclass(frozen=True)
class Data:
    """Queries one after the other; the first ``depth[q]`` items of a query were retrieved."""

    scores: np.ndarray
    labels: np.ndarray
    sizes: np.ndarray
    depth: np.ndarray

    @property
    def offsets(self) -> np.ndarray:
        return np.concatenate(([0], np.cumsum(self.sizes))).astype(np.int64)

    @property
    def queries(self) -> list[slice]:
        """The items of every query."""
        return [slice(a, b) for a, b in pairwise(self.offsets.tolist())]

    @property
    def qid(self) -> np.ndarray:
        return np.repeat(np.arange(self.sizes.size), self.sizes)


def random_data(
    seed: int, *, queries: int = 12, longest: int = 40, grades: int = 5, levels: int | None = 6
) -> Data:
    """Queries of 1 to ``longest`` items, one without a relevant item; few scores, or all different."""
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, longest + 1, size=queries)
    items = int(sizes.sum())
    labels = rng.choice(grades, size=items, p=np.array([4.0] + [1.0] * (grades - 1)) / (grades + 3)).astype(
        float
    )
    scores = (
        rng.permutation(items) / 8.0 if levels is None else rng.integers(-levels, levels, size=items) / 8.0
    )
    data = Data(scores, labels, sizes, sizes.astype(np.int64))
    labels[data.queries[seed % queries]] = 0.0
    return data


def raw_values(
    convention: str, asked: str | Metric, data: Data, doc_rank: np.ndarray | None = None
) -> np.ndarray:
    """One number per query, NaN for an empty one that nothing but ``metric.empty`` speaks about."""
    tool = CONVENTIONS[convention]
    resolved = tool.resolve(metric(asked))
    labels = tool.read_labels(data.labels)
    tool.check(resolved, labels)
    resolved.check(labels)
    order = sort_by_score(tool.read_scores(data.scores), data.offsets, data.depth)
    lists = RankedLists.from_order(ordered(tool, order, labels, doc_rank), labels)
    lists = lists.with_unjudged("keep" if resolved.sees_unjudged else resolved.unjudged)
    return tool.adjust(resolved, resolved.per_query(lists), data.depth)


def values(
    convention: str, asked: str | Metric, data: Data, doc_rank: np.ndarray | None = None
) -> np.ndarray:
    """One number per query, empty queries as the convention counts them."""
    found = raw_values(convention, asked, data, doc_rank)
    empty = CONVENTIONS[convention].resolve(metric(asked)).empty
    return found if empty == "skip" else np.where(np.isnan(found), float(empty), found)
