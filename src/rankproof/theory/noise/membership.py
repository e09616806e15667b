"""Whether a law is in a noise class, in the sense of a metric's own parameters too."""

from __future__ import annotations

from typing import Any

from rankproof.feedback import Feedback, Law, PreferenceGraph
from rankproof.metrics.base import Metric
from rankproof.metrics.tau import Tau
from rankproof.theory.base.values import AnyMetric
from rankproof.theory.noise.conditions import check, is_low_noise, is_one_relevant

__all__ = ["in_class"]


def in_class(law: Law, noise: str | None, metric: AnyMetric) -> bool:
    """Whether the law meets the condition, in the plain sense and in that of the metric's own parameters."""
    if noise is None:
        return True
    if not check(law, noise):
        return False
    if not isinstance(metric, Metric):
        return True
    if noise == "one relevant" and hasattr(metric, "rel"):
        return bool(is_one_relevant(law, rel=metric.rel))
    if noise == "low noise" and isinstance(metric, Tau):
        # Its preferences are divided by a root, which changes nothing when it is the same for all feedback.
        return len({_preferences(y) for y in law}) == 1
    if noise == "low noise" and (hasattr(metric, "weight") or hasattr(metric, "normalize")):
        weight = getattr(metric, "weight", "one") if law.kind != "preferences" else "one"
        return bool(is_low_noise(law, weight=weight, normalize=bool(getattr(metric, "normalize", False))))
    return True


def _preferences(y: Feedback) -> Any:
    graph = y if isinstance(y, PreferenceGraph) else y.preferences()
    return sum(weight for _, _, weight in graph.edges)
