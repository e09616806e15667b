"""Metrics of the user's own on a command line: ``my_metric.py:name``, whose file the command runs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import click

from rankproof.metrics.base import Metric

__all__ = ["as_metrics", "shown_progress"]

_ABOUT = {
    "lower_is_better": "--lower-is-better",
    "ties": "--ties",
    "own_grades": "--grades",
    "nearest": "--nearest",
}


def as_metrics(metrics: Iterable[str], **about: Any) -> list[str | Metric]:
    """The metrics as a command was given them: functions loaded, names as they are."""
    from rankproof.user_code import is_place

    named = list(metrics)
    own = [name for name in named if is_place(name)]
    options = [option for name, option in _ABOUT.items() if about.get(name)]
    if options and not own:
        raise click.UsageError(
            f"{options[0]} is about a metric of your own, and {', '.join(named)} is none: name it as "
            "my_metric.py:name."
        )
    return [_loaded(name, about) if is_place(name) else name for name in named]


@contextmanager
def shown_progress() -> Iterator[None]:
    """A bar of queries on a terminal."""
    from rankproof.cli.terminal import progress_bar
    from rankproof.metrics.own.progress import telling

    with progress_bar() as bar, telling(bar):
        yield


def _loaded(place: str, about: Mapping[str, Any]) -> Metric:
    from rankproof.metrics.own_metric import own_metric

    return own_metric(
        place,
        direction="lower" if about.get("lower_is_better") else "higher",
        ties=about.get("ties") or "average",
        grades=about.get("own_grades"),
        nearest=bool(about.get("nearest")),
    )
