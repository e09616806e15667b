"""Mappings that are asked by any name of a metric: ``results.mean["MAP"]`` is ``results.mean["AP"]``.

>>> means = ByMetric({"AP": 0.5, "nDCG@10": 0.25})
>>> means["MAP"], means["ndcg_cut_10"], "map" in means, list(means)
(0.5, 0.25, True, ['AP', 'nDCG@10'])
"""

from __future__ import annotations

from typing import Any, TypeVar

from rankproof.errors import RankproofError
from rankproof.metrics.base import Metric
from rankproof.metrics.parse import metric

__all__ = ["ByMetric", "asked_name"]

V = TypeVar("V")


def asked_name(name: str | Metric) -> str:
    """The name under which results keep a metric; a name that is none stays as it is."""
    try:
        return str(metric(name))
    except RankproofError:
        return str(name)


class ByMetric(dict[str, V]):
    """Values by metric, in the order asked for; a key may also be another name of it, or the metric."""

    def __missing__(self, name: Any) -> V:
        key = asked_name(name)
        if dict.__contains__(self, key):
            return dict.__getitem__(self, key)
        raise KeyError(f"{name!r} is none of the metrics asked for: {', '.join(self)}")

    def __contains__(self, name: object) -> bool:
        if dict.__contains__(self, name):
            return True
        return isinstance(name, (str, Metric)) and dict.__contains__(self, asked_name(name))

    def get(self, name: Any, default: Any = None) -> Any:
        """The value of a metric by any of its names, or the default."""
        key = name if dict.__contains__(self, name) else asked_name(name)
        return dict.get(self, key, default)
