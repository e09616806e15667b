r"""A permutation test: do the grades of one judge depend on each other beyond what the items explain?

In the *independent* reading the grade of every item is a draw of its own, so who gave which of an item's
grades tells nothing: dealing the grades of every item anew among the judges who graded it changes no law. In
the *joint* reading judges mean different things, and a judge's grades go together. The statistic of a query
is :math:`\sum_{j,k} (r_j \cdot r_k)^2`, with :math:`r_j` the grades of judge j less the means of the items:
up to what no dealing changes it is the sum of the squared covariances of all pairs of items, so it sees
dependence of either sign. The p-value of a query is the share of dealings (with the data themselves) whose
statistic is at least as large; pooled, statistics are first put on one scale by the mean and the spread over
all dealings.

The p-values are valid at any number of judges. A large one is no proof of independence: few judges leave
dependence unseen, and ``queries_tested`` says how many queries had anything to deal at all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rankproof.arrays import Float64s, as_whole_number, frozen
from rankproof.errors import ArgumentError
from rankproof.plain import html_text, json_text
from rankproof.threads import chunks_by_items, run

if TYPE_CHECKING:
    from rankproof.judgments.container import Judgments

__all__ = ["Dependence", "dependence_of"]

# At or below this p-value the independent reading is called refuted.
LEVEL = 0.05


@dataclass(frozen=True, eq=False)
class Dependence:
    """What the permutation test says.

    Attributes
    ----------
    p_value : float
        Of all queries together; NaN when no query could be tested.
    per_query : array of float64
        The p-value of every query; NaN where dealing changes nothing (fewer than two judges who disagree on
        two items).
    query_ids : array
    permutations, seed : int

    Examples
    --------
    >>> import rankproof as rp
    >>> judged = rp.Judgments.from_columns(  # each judge means one of two things
    ...     query=["q"] * 24, item=list("abc") * 8, judge=np.repeat(np.arange(8), 3),
    ...     grade=[2, 0, 1] * 4 + [0, 2, 1] * 4)
    >>> print(judged.dependence())
    The independent reading is refuted (p = 0.02..., 999 dealings, 1 of 1 queries): the grades of a judge
    depend on each other. Read them as joint.
    """

    p_value: float
    per_query: Float64s
    query_ids: NDArray[Any]
    permutations: int
    seed: int

    @property
    def queries_tested(self) -> int:
        """How many queries there was something to deal in."""
        return int((~np.isnan(self.per_query)).sum())

    @property
    def refuted(self) -> bool:
        """Whether the independent reading is refuted at the level of 5 %."""
        return bool(self.p_value <= LEVEL)

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and text."""
        return {
            "p_value": None if np.isnan(self.p_value) else self.p_value,
            "per_query": [None if np.isnan(p) else p for p in self.per_query.tolist()],
            "queries_tested": self.queries_tested,
            "independent_refuted": self.refuted,
            "permutations": self.permutations,
            "seed": self.seed,
        }

    def to_json(self) -> str:
        """`to_dict` as JSON text."""
        return json_text(self.to_dict())

    def _repr_html_(self) -> str:
        return html_text(str(self))

    def __str__(self) -> str:
        if not self.queries_tested:
            return (
                "Nothing can be tested: no query has two judges who disagree on two items. The two readings "
                "cannot be told apart by these data."
            )
        many = f"{self.permutations} dealings, {self.queries_tested} of {self.per_query.size} queries"
        if self.refuted:
            return (
                f"The independent reading is refuted (p = {self.p_value:.3g}, {many}): the grades of a "
                "judge depend on each other. Read them as joint."
            )
        return (
            f"The independent reading is not refuted (p = {self.p_value:.3g}, {many}): either reading "
            "fits the data; the independent one makes more of few judges."
        )


def dependence_of(judgments: Judgments, *, permutations: int = 999, seed: int = 0) -> Dependence:
    """The test, per query and pooled; see the module."""
    from rankproof.kernels.statistics.dependence import permuted_agreement

    dealings = as_whole_number("permutations", permutations, 19)
    seed = as_whole_number("seed", seed, 0)
    if judgments.soft:
        raise ArgumentError(
            "Soft labels have no judges, so nothing tells whether the grades of a judge depend on each "
            "other. "
            "Read them as independent."
        )
    sheets = judgments.sheets
    judged = frozen(sheets.places >= 0)
    sums = judgments.counts @ judgments.grades
    means = sums / np.maximum(judgments.counts.sum(axis=1), 1)
    items = judgments.offsets[sheets.query]
    item = np.arange(sheets.starts[-1]) - np.repeat(sheets.starts[:-1] - items, np.diff(sheets.starts))
    deviations = frozen(np.where(judged, sheets.labels - means[item], 0.0))
    values = np.zeros((judgments.queries, dealings + 1))
    ranges = chunks_by_items(sheets.starts[sheets.of_query])
    run(
        lambda low, high: permuted_agreement(
            deviations, judged, sheets.of_query, sheets.starts, dealings, seed, low, high, values
        ),
        ranges,
    )
    # Sums in another order differ in their last bits: what is equal but for these is a tie.
    scale = np.maximum(values.max(axis=1, keepdims=True), 1e-300)
    values = np.round(values / scale, 10)
    spread = values.std(axis=1)
    tested = spread > 0
    per_query = np.full(judgments.queries, np.nan)
    per_query[tested] = (values[tested] >= values[tested, :1]).mean(axis=1)
    pooled = np.nan
    if tested.any():
        scores = ((values[tested] - values[tested].mean(axis=1, keepdims=True)) / spread[tested, None]).sum(
            axis=0
        )
        pooled = float((scores >= scores[0] - 1e-9).mean())
    return Dependence(pooled, per_query, judgments.query_ids, dealings, seed)
