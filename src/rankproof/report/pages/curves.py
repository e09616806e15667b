"""nDCG at the cutoffs 1 to 20, of systems and of the constant scorer beside them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from rankproof.errors import RankproofError
from rankproof.evaluation.run import evaluate
from rankproof.metrics.base import Metric
from rankproof.metrics.ndcg import NDCG
from rankproof.report.content import Block, LineChart, Series, Text

__all__ = ["CUTOFFS", "cutoff_curves"]

CUTOFFS = range(1, 21)


def cutoff_curves(systems: Mapping[str, Any], judged: Any, like: Metric | None = None, **more: Any) -> Block:
    """The chart; a sentence instead where nDCG cannot be computed.

    ``like`` is an nDCG whose gain and discount are to be taken, ``more`` goes to `evaluate`.

    >>> chart = cutoff_curves({"up": [2, 1], "down": [1, 2]}, [1, 0], offsets=[0, 2])
    >>> [(series.name, round(series.points[0][1], 3)) for series in chart.series]
    [('up', 1.0), ('down', 0.0), ('constant scorer', 0.5)]
    """
    base = like if isinstance(like, NDCG) else NDCG()
    asked = [base @ k for k in CUTOFFS]
    series, constants = [], []
    try:
        for name, scores in systems.items():
            found = evaluate(scores, judged, asked, **more)
            series.append(Series(name, _points(found.mean)))
            constants.append((name, _points(found.constant)))
    except RankproofError as problem:
        return Text([f"nDCG at cutoffs is left out: {problem}"], "note")
    first = constants[0][1]
    shared = all(_near(first, points) for _, points in constants)
    lines = [("constant scorer", first)] if shared else [(f"constant scorer, {n}", p) for n, p in constants]
    series += [Series(name, points, dashed=True) for name, points in lines]
    return LineChart(
        series,
        "cutoff",
        "mean nDCG",
        caption="Mean over queries at every cutoff. The constant scorer gives every item the same score.",
    )


def _points(means: Mapping[str, float]) -> list[tuple[float, float]]:
    return [(float(k), value) for k, value in zip(CUTOFFS, means.values(), strict=True)]


def _near(one: list[tuple[float, float]], other: list[tuple[float, float]]) -> bool:
    return all(math.isclose(a[1], b[1], abs_tol=1e-9) for a, b in zip(one, other, strict=True))
