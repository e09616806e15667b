"""What one system gains over another, query by query."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankproof.arrays import Float64s
from rankproof.evaluation.differences import paired_differences
from rankproof.evaluation.tables import number
from rankproof.report.content import QueryBars

__all__ = ["gap_bars", "gaps"]


def gaps(values: Float64s, base: Float64s, higher_is_better: bool) -> Float64s:
    """How much better every query fares than with the base; NaN where either has no value."""
    found = np.full(values.size, np.nan)
    both = ~(np.isnan(values) | np.isnan(base))
    ahead = paired_differences(values[both], base[both]).values
    found[both] = ahead if higher_is_better else -ahead
    return found


def gap_bars(
    query_ids: NDArray[Any],
    ahead: Float64s,
    metric: str,
    names: tuple[str, str],
    *,
    title: str = "",
    folded: bool = False,
) -> QueryBars:
    """The chart of `gaps`, with the counts in its caption.

    >>> bars = gap_bars(np.array(["a", "b"]), np.array([0.5, 0.0]), "AP", ("new", "old"))
    >>> bars.caption
    'new is better than old on 1 query, equal on 1, worse on 0; it gains +0.2500 on average.'
    """
    counts = ~np.isnan(ahead)
    known = ahead[counts]
    better, equal, worse = ((known > 0).sum(), (known == 0).sum(), (known < 0).sum())
    mean = float(known.mean()) if known.size else float("nan")
    caption = (
        f"{names[0]} is better than {names[1]} on {_queries(int(better))}, equal on {equal}, "
        f"worse on {worse}; it gains {'+' if mean > 0 else ''}{number(mean)} on average."
    )
    bars = list(zip(map(str, query_ids[counts].tolist()), known.tolist(), strict=True))
    return QueryBars(bars, f"{metric} gained", title, caption, folded)


def _queries(count: int) -> str:
    return f"{count} query" if count == 1 else f"{count} queries"
