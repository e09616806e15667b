r"""Expected targets: :math:`E[u(Y)]` of every item under the law that judgments give.

A loss that is linear in u has the same mean on E[u(Y)] as on labels drawn from the law, so training on E[u]
has the same minimum with less variance. What E[u] is depends on the reading:

- *joint*: the mean of u over the judges of the query, each judge's sheet one draw. Grades that a judge did
  not give are, with ``gaps="marginal"``, drawn from the item's own law of grades, independently (that leaves
  the law of every single item as it is); with ``gaps="refuse"`` they are an error.
- *independent*: the mean over independent grades, each item's from its smoothed law of grades (`marginals`).

Means over independent grades are exact where the target follows from counts (`CountForm`: DCG, nDCG, P, R,
RBP, F, AUC, ERR, AP, RR), by adding the items one by one; otherwise, and where the counts have too many
states, they are means of draws with a fixed seed. Those are unbiased, so training on them stays consistent;
``error`` says how far they may be off.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rankproof.arrays import Float64s, Int64s, as_whole_number, frozen, items_of_queries
from rankproof.errors import ArgumentError, DataError
from rankproof.judgments.counting import cost_of_counting, exact_means
from rankproof.judgments.drawing import drawn_means
from rankproof.metrics.parse import metric as metric_of
from rankproof.targets.base import Target
from rankproof.targets.choose import target_for

if TYPE_CHECKING:
    from rankproof.judgments.container import Judgments

__all__ = ["GAPS", "ExpectedTarget", "expected_target"]

GAPS = ("marginal", "refuse")
DRAWS = 1000
# Steps of adding up counts: about half a minute on one core.
MOST_STEPS = 2e10


@dataclass(frozen=True, eq=False)
class ExpectedTarget:
    """E[u(Y)] of every item, and how it was computed.

    Attributes
    ----------
    values : array of float64, one per item
    target : Target
        u.
    reading : "joint" or "independent"
    draws : int
        How many draws per query (or sheet with gaps) the values are means of; 0 when they are exact.
    error : float
        The largest standard error of a value; 0 when they are exact.

    Examples
    --------
    >>> import rankproof as rp
    >>> soft = rp.Judgments.from_probabilities([[0.1, 0.9], [0.5, 0.5]], offsets=[0, 2])
    >>> print(soft.expected_target("P@1"))
    E[relevance] of 2 items, independent reading, exact
    """

    values: Float64s
    target: Target
    reading: str
    draws: int = 0
    error: float = 0.0

    def __str__(self) -> str:
        how = f"{self.draws} draws, standard error at most {self.error:.2g}" if self.draws else "exact"
        return f"E[{self.target}] of {self.values.size} items, {self.reading} reading, {how}"


def expected_target(
    judgments: Judgments,
    aim: Any,
    *,
    smooth: bool = True,
    gaps: str = "marginal",
    draws: int | None = None,
    seed: int = 0,
) -> ExpectedTarget:
    """E[u(Y)] of every item.

    Parameters
    ----------
    judgments : Judgments
        With a reading.
    aim : Target, Metric, str or function
        The target; or the metric whose target it is. Read as independent, metrics count that have a target
        under independence only, such as AP and ERR.
    smooth : bool
        Whether laws of single items are shrunk to the pool (`Judgments.prior`).
    gaps : "marginal" or "refuse"
        What is done about grades that a judge did not give, in the joint reading.
    draws : int, optional
        Draws in place of the exact mean; by default 1,000 where there is no exact one.
    seed : int
        Of the draws.
    """
    reading = judgments.need_reading("An expected target")
    if gaps not in GAPS:
        raise ArgumentError(f"Argument gaps must be one of {', '.join(map(repr, GAPS))}, got {gaps!r}.")
    count = None if draws is None else as_whole_number("draws", draws, 2)
    target = aim if isinstance(aim, Target) else _target_of(aim, reading)
    target.check(judgments.grades)
    if reading == "independent":
        marginals = judgments.marginals(smooth=smooth)
        values, error, used = _of_laws(target, marginals, judgments.offsets, judgments.grades, count, seed)
        return ExpectedTarget(frozen(values), target, reading, used, _largest(error))
    return _joint(judgments, target, smooth, gaps, count, seed)


def _target_of(aim: Any, reading: str) -> Target:
    return target_for(metric_of(aim), noise="independent" if reading == "independent" else None)


def _largest(variance: Float64s) -> float:
    return float(np.sqrt(variance.max(initial=0.0)))


def _joint(
    judgments: Judgments, target: Target, smooth: bool, gaps: str, draws: int | None, seed: int
) -> ExpectedTarget:
    """The mean over sheets; sheets with gaps are laws of independent grades, most of them certain."""
    sheets = judgments.sheets
    whole = np.flatnonzero(sheets.complete)
    part = np.flatnonzero(~sheets.complete)
    if gaps == "refuse" and part.size:
        row = items_of_queries(sheets.starts, part[:1])[1]
        item = int(judgments.offsets[sheets.query[part[0]]]) + int(np.argmin(sheets.places[row]))
        raise DataError(
            f"{judgments.name_of(item)} has no grade of a judge who graded others of the query "
            f"({part.size} of {sheets.size} sheets have gaps), and gaps='refuse' allows none. Use "
            "gaps='marginal', or read the judgments as independent."
        )
    share = 1.0 / np.maximum(np.diff(sheets.of_query), 1)
    total, variance = np.zeros(judgments.items), np.zeros(judgments.items)
    used = 0
    if whole.size:
        starts, rows = items_of_queries(sheets.starts, whole)
        _add(total, target.values(sheets.labels[rows], starts), judgments, sheets.query[whole], share)
    if part.size:
        starts, rows = items_of_queries(sheets.starts, part)
        items = items_of_queries(judgments.offsets, sheets.query[part])[1]
        places = sheets.places[rows]
        laws = judgments.marginals(smooth=True)[items] if smooth else _known_laws(judgments, items, places)
        laws = laws.copy()
        graded = places >= 0
        laws[graded] = 0.0
        laws[graded, places[graded]] = 1.0
        values, spread, used = _of_laws(target, laws, starts, judgments.grades, draws, seed)
        _add(total, values, judgments, sheets.query[part], share)
        _add(variance, spread, judgments, sheets.query[part], share**2)
    empty = np.flatnonzero(np.diff(sheets.of_query) == 0)
    if empty.size:
        # Nobody graded an item of the query: its items are all as the pool, so none is above another.
        starts, items = items_of_queries(judgments.offsets, empty)
        if not smooth:
            judgments.marginals(smooth=False)
        laws = judgments.marginals(smooth=True)[items]
        values, spread, drawn = _of_laws(target, laws, starts, judgments.grades, draws, seed)
        total[items], variance[items], used = values, spread, max(used, drawn)
    return ExpectedTarget(frozen(total), target, "joint", used, _largest(variance))


def _known_laws(judgments: Judgments, items: Int64s, places: NDArray[np.int16]) -> Float64s:
    """The shares of grades as they are; an error where a gap is in an item that nobody graded."""
    total = judgments.counts.sum(axis=1)
    lacking = (places < 0) & (total[items] == 0)
    if lacking.any():
        raise DataError(
            f"{judgments.name_of(int(items[np.argmax(lacking)]))} has no grade at all, so there is no law to "
            "draw it from without smoothing. Use smooth=True, or leave the item out."
        )
    shares: Float64s = judgments.counts / np.maximum(total, 1)[:, None]
    return shares[items]


def _add(out: Float64s, values: Float64s, judgments: Judgments, queries: Int64s, share: Float64s) -> None:
    """Add the values of sheets to the items of their queries."""
    items = items_of_queries(judgments.offsets, queries)[1]
    weights = np.repeat(share[queries], judgments.sizes[queries])
    out += np.bincount(items, weights * values, minlength=out.size)


def _of_laws(
    target: Target,
    laws: Float64s,
    offsets: Int64s,
    grades: Float64s,
    draws: int | None,
    seed: int,
) -> tuple[Float64s, Float64s, int]:
    """Means of u over independent grades, their variances, and the number of draws (0: exact)."""
    form = target.count_form(grades)
    if draws is None and form is not None and cost_of_counting(form, offsets) <= MOST_STEPS:
        return exact_means(form, laws, offsets), np.zeros(laws.shape[0]), 0
    count = DRAWS if draws is None else draws
    values, variance = drawn_means(target, laws, offsets, grades, count, seed)
    return values, variance, count
