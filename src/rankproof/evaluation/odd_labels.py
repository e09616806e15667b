"""Labels that a metric takes, and that are probably not meant: said as a warning, with what to do.

>>> from rankproof.metrics import metric
>>> odd_labels([metric("nDCG@10")], np.array([0.0, 4.0, np.nan]))
[]
>>> print(odd_labels([metric("ERR")], np.array([0.0, 1.0]))[0])
ERR: max_grade is 4, but the highest label is 1. If the scale of the labels ends at 1, write ERR(max_grade=1).
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from typing import Any

import numpy as np

from rankproof.arrays import Float64s
from rankproof.errors import DataWarning
from rankproof.metrics import Metric

__all__ = ["labels_are_looked_at", "odd_labels", "warn_of_labels"]

# Whether somebody else looks at the labels and warns of them.
_QUIET: ContextVar[bool] = ContextVar("quiet", default=False)

# 2^10 - 1 is a thousand times the worth of grade 1: what is called a grade is rather a score or a percentage.
HIGHEST_GRADE = 10


def odd_labels(metrics: Iterable[Metric], labels: Float64s, *, trained: bool = False) -> list[str]:
    """What is odd about the labels, for these metrics; the labels as the convention reads them.

    ``trained`` says that a model learns them, so that every item needs a label.
    """
    listed: list[Any] = list(metrics)
    exponential = [m for m in listed if getattr(m, "gain", None) == "exp"]
    scaled = [m for m in listed if hasattr(m, "max_grade")]
    if not labels.size or not (exponential or scaled):
        return []
    # Without a copy of the judged labels; NaN when there are none, which is above and below nothing.
    lowest, highest = float(np.fmin.reduce(labels)), float(np.fmax.reduce(labels))
    texts = []
    if exponential and highest > HIGHEST_GRADE:
        texts.append(
            f"{_named(exponential)}: the highest label is {highest:g}. With exponential gains (2^y - 1) it "
            f"is worth {2.0**highest - 1:.3g}, and lower labels next to nothing. Write "
            f"{replace(exponential[0], gain='linear')}, or give grades such as 0 to 4."
        )
    if exponential and lowest < 0:
        unjudged = (
            "leave these items out of the training data."
            if trained
            else "write nan in their place, or use the convention trec_eval, which reads them so."
        )
        texts.append(
            f"{_named(exponential)}: {int((labels < 0).sum())} labels are below 0 (the lowest is {lowest:g}) "
            f"and count as irrelevant. If they mean that nobody judged the item, {unjudged}"
        )
    texts += [
        f"{m}: max_grade is {m.max_grade:g}, but the highest label is {highest:g}. If the scale of the "
        f"labels ends at {highest:g}, write {replace(m, max_grade=_plain(highest))}."
        for m in scaled
        # Half of a scale without a label is no chance; its top alone may be rare.
        if 0 < highest <= m.max_grade / 2
    ]
    return texts


def warn_of_labels(
    metrics: Iterable[Metric], labels: Float64s, *, trained: bool = False, stacklevel: int = 3
) -> None:
    """A `DataWarning` for everything that is odd."""
    if _QUIET.get():
        return
    for text in odd_labels(metrics, labels, trained=trained):
        warnings.warn(text, DataWarning, stacklevel=stacklevel)


@contextmanager
def labels_are_looked_at() -> Iterator[None]:
    """No warning in this block: whoever enters it evaluates the same labels, and warns then."""
    before = _QUIET.set(True)
    try:
        yield
    finally:
        _QUIET.reset(before)


def _named(metrics: list[Any]) -> str:
    return ", ".join(map(str, metrics))


def _plain(number: float) -> float | int:
    return int(number) if number.is_integer() else number
