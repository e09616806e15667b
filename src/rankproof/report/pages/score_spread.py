"""How the scores of a model are spread, grade by grade."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankproof.arrays import Float64s
from rankproof.data.ranking import RankingData
from rankproof.report.content import Histograms

__all__ = ["score_histograms"]

INTERVALS, MOST_GRADES, RANGES = 40, 8, 5
# So large a share of the scores is shown; a few far ones would press all others together.
SHOWN = 0.998


def score_histograms(data: RankingData, scores: Float64s) -> Histograms | None:
    """The scores less the mean score of their query; None when there is nothing to show.

    Only differences within a query decide its ranking, so the level of a query is taken off.
    """
    sizes = data.sizes
    if not data.items:
        return None
    starts = data.offsets[:-1][sizes > 0]
    means = np.add.reduceat(scores, starts) / sizes[sizes > 0]
    centred = scores - np.repeat(means, sizes[sizes > 0])
    edge = (1 - SHOWN) / 2
    low, high = np.quantile(centred, [edge, 1 - edge])
    if not (np.isfinite(low) and np.isfinite(high)) or low == high:
        return None
    edges = np.linspace(low, high, INTERVALS + 1)
    groups = [
        (name, np.histogram(np.clip(centred[chosen], low, high), edges)[0].tolist())
        for name, chosen in _groups(data.labels)
    ]
    return Histograms(
        edges.tolist(),
        groups,
        "score less the mean score of its query",
        caption="The better the grades are told apart, the less the strips overlap. Each strip has a height "
        "of its own; the few scores beyond the ends are counted at the ends.",
    )


def _groups(labels: Float64s) -> list[tuple[str, NDArray[np.bool_]]]:
    """Items by grade, the best first; by ranges of equal size where there are many grades."""
    grades = np.unique(labels[~np.isnan(labels)])
    if grades.size <= MOST_GRADES:
        return [(f"grade {grade:g}", labels == grade) for grade in grades[::-1].tolist()]
    cuts = np.unique(np.nanquantile(labels, np.linspace(0, 1, RANGES + 1)))
    found = []
    for low, high in zip(cuts[:-1].tolist(), cuts[1:].tolist(), strict=True):
        last = high == cuts[-1]
        chosen = (labels >= low) & ((labels <= high) if last else (labels < high))
        found.append((f"label {low:.4g} to {high:.4g}", chosen))
    return found[::-1]
