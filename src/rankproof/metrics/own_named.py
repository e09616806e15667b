"""Metrics of users' own that a text names, without running the file that it names."""

from __future__ import annotations

from dataclasses import replace

from rankproof.errors import ArgumentError
from rankproof.metrics.base import Metric
from rankproof.metrics.own_metric import OwnMetric, own_metric
from rankproof.user_code import is_place

__all__ = ["from_plain", "refuse_place", "settings_of", "to_plain", "with_code"]


def refuse_place(spec: str) -> None:
    """Raise `ArgumentError` when the text is ``file.py:name``: reading a name never runs a file."""
    if is_place(spec):
        raise ArgumentError(
            f"{spec!r} is a function in a file, and a name alone runs no file. Run it by "
            f"rankproof.own_metric({spec!r}), and give what that returns."
        )


def to_plain(metric: OwnMetric) -> dict[str, object]:
    """The metric as data, without its function; `from_plain` makes one that can be printed."""
    return {
        "own": metric.label,
        "direction": metric.direction,
        "ties": metric.ties,
        "empty": metric.empty,
        "unjudged": metric.unjudged,
        "grades": metric.grades,
        "nearest": metric.nearest,
    }


def settings_of(metric: Metric) -> dict[str, object]:
    """How the metric differs from one whose function alone is given, by the names of options."""
    if not isinstance(metric, OwnMetric):
        return {}
    arguments = {
        "lower_is_better": metric.direction == "lower",
        "grades": metric.grades,
        "nearest": metric.nearest,
        "ties": metric.ties if metric.ties != "average" else None,
    }
    return {name: value for name, value in arguments.items() if value}


def with_code(metric: Metric) -> Metric:
    """A metric that a file names, with the function that it names: **this runs the file**."""
    if not isinstance(metric, OwnMetric) or metric.function is not None:
        return metric
    if not is_place(metric.label):
        raise ArgumentError(
            f"{metric} was given as a function in Python, not as file.py:name, so there is no file to run."
        )
    return replace(metric, function=own_metric(metric.label).function)


def from_plain(plain: dict[str, object]) -> OwnMetric:
    """What `to_plain` wrote: a metric that has its name, and no function."""
    values = {name: value for name, value in plain.items() if name != "own"}
    return OwnMetric(function=None, label=str(plain["own"]), **values)  # type: ignore[arg-type]
