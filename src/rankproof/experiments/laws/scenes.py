"""Scenes of laws: on a grid between two or three label vectors, what is best and what each loss would do.

>>> scene = law_scene("nDCG", ((1, 2), (1, 0)), ("squared:gain",), steps=10)
>>> [scene.rankings[k][0] for k in scene.best]  # the first item, from always (1, 2) to always (1, 0)
['1', '1', '1', '1', '0', '0', '0', '0', '0', '0', '0']
>>> [cost > 0 for cost in scene.costs[0]].index(True)  # raw gains ask for item 1 for too long
4
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from rankproof.arrays import Float64s
from rankproof.errors import PrecisionError, RankproofError
from rankproof.experiments.laws.grid import grid
from rankproof.experiments.laws.scene import LawScene
from rankproof.feedback import Graded, Law
from rankproof.feedback.spaces import space_of
from rankproof.metrics.ranked.ties import sorting_rankings
from rankproof.theory.base.risk import best_rankings
from rankproof.theory.base.values import Ranking, ValueTable, value_table
from rankproof.theory.base.verdict_text import ranking_text
from rankproof.theory.base.wording import feedback_word
from rankproof.theory.certify import as_loss, as_metric
from rankproof.theory.minima.convergence import Convergence, has_minimiser
from rankproof.theory.minima.minimise import minimise_many

__all__ = ["STEPS", "law_scene"]

# Steps between the corners, by their number.
STEPS = {2: 60, 3: 18}
# Scores nearer than this share of their spread are ties.
TIED = 1e-6
Sets = list[tuple[Ranking, ...] | None]


def law_scene(
    metric: str,
    corners: Sequence[Any],
    losses: Sequence[str],
    *,
    noise: str | None = None,
    steps: int | None = None,
) -> LawScene:
    """The scene of a metric between label vectors, the ``corners``.

    ``losses`` without a target are aimed at the metric; those that have no minimiser on so many items are
    left out. The law where most losses fail is shown first.
    """
    resolved = as_metric(metric)
    n = STEPS[len(corners)] if steps is None else steps
    vectors = [Graded(tuple(corner)) for corner in corners]
    table = value_table(resolved, space_of(Law([(y, Fraction(1, len(vectors))) for y in vectors])))
    laws = grid(len(corners), n)
    best = [_best(table, [Fraction(weight, n) for weight in law]) for law in laws]
    values = np.array([[float(value) for value in row] for row in table.values])
    probabilities = np.array(laws, dtype=np.float64) / n
    worth = probabilities @ values.T
    names, reached = [], []
    for name in losses:
        rankings = _reached(name, resolved, noise, table, values, probabilities)
        if rankings is not None:
            names.append(name)
            reached.append(rankings)
    costs = [_costs(one, best, worth, table) for one in reached]
    sets = Counter(one for group in (best, *reached) for one in group if one is not None)
    numbers = {one: k for k, (one, _) in enumerate(sets.most_common())}
    higher = getattr(resolved, "direction", "higher") == "higher"
    return LawScene(
        metric=metric,
        corners=[feedback_word(y) for y in vectors],
        steps=n,
        rankings=[_text(one) for one in numbers],
        best=[-1 if one is None else numbers[one] for one in best],
        values=[(1.0 if higher else -1.0) * float(row.max()) for row in worth],
        losses=names,
        reached=[[-1 if one is None else numbers[one] for one in group] for group in reached],
        costs=costs,
        start=_most_wrong(costs, len(laws)),
        higher_is_better=higher,
    )


def _best(table: ValueTable, probabilities: list[Fraction]) -> tuple[Ranking, ...] | None:
    try:
        return best_rankings(table, probabilities)
    except PrecisionError:
        return None


def _reached(
    name: str, metric: Any, noise: str | None, table: ValueTable, values: Float64s, probabilities: Float64s
) -> Sets | None:
    """The rankings that sort the minimiser of every law; None for a loss that is not defined here."""
    try:
        loss = as_loss(name, metric, noise)
        if not has_minimiser(loss, table.space.items):
            return None
        where = Convergence(loss, table.space, values, table.rankings)
        scores = _scores(where, probabilities)
    except RankproofError:
        return None
    return [None if np.isnan(row).any() else tuple(sorting_rankings(_rounded(row))) for row in scores]


def _scores(where: Convergence, probabilities: Float64s) -> Float64s:
    """Scores in the order of the minimiser, or of the way to the infimum where there is none."""
    if where.vectors is not None:
        return probabilities @ where.vectors
    if where.kind == "corner":
        return where.costs(probabilities, ties=True)[1]
    return minimise_many(where.expected, probabilities)[0]


def _rounded(scores: Float64s) -> list[float]:
    step = TIED * max(float(np.ptp(scores)), 1e-9)
    return [float(score) for score in np.round(scores / step)]


def _costs(reached: Sets, best: Sets, worth: Float64s, table: ValueTable) -> list[float]:
    """What the mean over the rankings reached is worth less than the best; 0 where all of them are best."""
    place = {ranking: k for k, ranking in enumerate(table.rankings)}
    costs = []
    for one, optimal, row in zip(reached, best, worth, strict=True):
        if one is None or optimal is None or set(one) <= set(optimal):
            costs.append(0.0)
        else:
            costs.append(float(row.max() - np.mean([row[place[ranking]] for ranking in one])))
    return costs


def _text(rankings: tuple[Ranking, ...]) -> str:
    # Spaces that do not break, so that a ranking stays on one line.
    shown = " or ".join(ranking_text(ranking).replace(" ", "\u00a0") for ranking in rankings[:4])
    return shown + (f" or {len(rankings) - 4} more" if len(rankings) > 4 else "")


def _most_wrong(costs: list[list[float]], many: int) -> int:
    """The law where most losses fail, and most is lost; the middle one where none does."""
    faults = [(sum(one[k] > 0 for one in costs), sum(one[k] for one in costs)) for k in range(many)]
    worst = max(range(many), key=lambda k: faults[k])
    return worst if faults[worst][0] else many // 2
