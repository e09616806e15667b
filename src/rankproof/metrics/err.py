"""ERR: expected reciprocal rank, for a reader who stops at the first item that satisfies."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from rankproof.arrays import Float64s
from rankproof.claims import Claim, Claims
from rankproof.errors import DataError
from rankproof.metrics.base import Explanation, Metric, Number, registered
from rankproof.metrics.discounted import gain_of
from rankproof.metrics.ranked.lists import RankedLists
from rankproof.metrics.ranked.relevance import NO_CUTOFF
from rankproof.metrics.ranked.ties import tie_groups

__all__ = ["ERR"]


@registered
@dataclass(frozen=True, kw_only=True, repr=False)
class ERR(Metric):
    r"""Expected reciprocal rank.

    **Definition.** :math:`\mathrm{ERR@K} = \sum_{k \le K} \frac1k R_k \prod_{j < k} (1 - R_j)` with
    :math:`R_k = (2^{y_{(k)}} - 1) / 2^{g}`: the mean of 1/rank where a reader stops, who is satisfied by an
    item of grade y with probability R. The highest grade g there can be is ``max_grade``, whether it occurs
    or not. **Domain**: labels up to ``max_grade``; a grade below 0 satisfies nobody. **Empty**: no grade
    above 0.

    Parameters
    ----------
    cutoff : int, optional
        How many ranks count, K; all of them without it.
    max_grade : float
        The highest grade there can be, which satisfies a reader almost surely. A label above it is an error.
    empty : "skip", 0, 1 or "error"
        What a query counts that has no grade above 0: it is left out of the mean, counts 0 or 1, or is an
        error.
    unjudged : "zero", "drop" or "error"
        What an item without a judgment is: grade 0, taken out of the list, or an error.

    Examples
    --------
    >>> ERR(max_grade=1).of_labels([0, 1, 1])  # 1/2 x 1/2 + 1/3 x 1/2 x 1/2
    Fraction(1, 3)
    """

    name: ClassVar[str] = "ERR"
    summary: ClassVar[str] = "expected 1 / rank at which a reader is satisfied"
    definition: ClassVar[str] = (
        r"\sum_{k \le K} \frac{1}{k} R_k \prod_{j < k} (1 - R_j),\quad R_k = (2^{y_{(k)}} - 1) / 2^g"
    )
    domain: ClassVar[str] = "labels up to max_grade; a grade below 0 satisfies nobody"
    reference: ClassVar[str] = "Chapelle, Metzler, Zhang & Grinspan, CIKM 2009"
    empty_when: ClassVar[str] = "it has no item of a grade above 0"

    cutoff: int | None = None
    max_grade: float = 4

    @property
    def claims(self) -> Claims:
        if self.cutoff == 1:
            positional = Claim(
                "positional", value=True, reference="ERR@1 is the R of the first item: c = (1, 0, ...)"
            )
        else:
            positional = Claim(
                "positional", value=False, reference="B11 Th. 3, C12 Table 2: no target exists"
            )
        return Claims(
            Claim("range", (0.0, 1.0), "a mean of 1/rank and 0"),
            positional,
            Claim(
                "monotone",
                value=True,
                reference="exchange of neighbours: (R_a - R_b) (1/k - 1/(k+1)) times the chance to get there",
            ),
        )

    def check(self, labels: Float64s) -> None:
        with np.errstate(invalid="ignore"):
            bad = labels > self.max_grade
        if bad.any():
            raise DataError(self._too_high(f"{labels[np.argmax(bad)]:g}", float(labels[bad].max())))

    def _too_high(self, label: str, highest: float) -> str:
        return (
            f"{self}: label {label} is above max_grade={self.max_grade:g}, the highest grade there can be. "
            f"Write ERR(max_grade={highest:g}) or whatever the scale of the labels is."
        )

    def _stop(self, grade: Any) -> Number:
        """The probability that an item of this grade satisfies; a Fraction for whole grades."""
        if grade > self.max_grade:
            raise DataError(self._too_high(f"{grade}", float(grade)))
        gain = gain_of("exp", grade)
        if isinstance(gain, int) and isinstance(self.max_grade, int):
            return Fraction(gain, 2**self.max_grade)
        return float(gain) * float(2.0 ** -float(self.max_grade))

    def of_labels(self, labels: Sequence[Any]) -> Number | None:
        stops = [self._stop(y) for y in labels]
        if not any(y > 0 for y in labels):
            return None
        going: Number = Fraction(1)
        total: Number = Fraction(0)
        for k, stop in enumerate(stops if self.cutoff is None else stops[: self.cutoff], start=1):
            total += going * stop / k
            going *= 1 - stop
        return total

    def per_query(self, lists: RankedLists) -> Float64s:
        from rankproof.kernels.metrics.cascade import expected_reciprocal_rank

        ideal, cutoff = lists.ideal, NO_CUTOFF if self.cutoff is None else self.cutoff
        scale = 2.0 ** -float(self.max_grade)
        table = (np.exp2(np.arange(64.0)) - 1.0) * scale

        def kernel(low: int, high: int, out: Float64s) -> None:
            expected_reciprocal_rank(
                *(lists.labels, lists.ends, lists.offsets, lists.depth, ideal),
                *(table, scale, cutoff, low, high, out),
            )

        return lists.values(kernel)

    def explain(self, lists: RankedLists) -> Explanation:
        stops = [float(self._stop(y)) for y in lists.labels.tolist()]
        if not (lists.labels > 0.0).any():
            return Explanation((), [], [f"the query is empty: {self.empty_when}"], math.nan)
        rows: list[tuple[float, float, float, float]] = []
        depth = int(lists.depth[0])
        last = depth if self.cutoff is None else min(depth, self.cutoff)
        reach, total = 1.0, 0.0
        for start, end in tie_groups(lists):
            inside, places = stops[start:end], max(0, min(end, last) - start)
            for k, stopped in enumerate(_stop_chances(inside, places), start=start + 1):
                total += reach * stopped / k
                rows.append((sum(inside) / len(inside), reach * stopped, reach * stopped / k, total))
            reach *= math.prod(1.0 - stop for stop in inside)
        return Explanation(("satisfies", "stops here", "adds", "sum"), rows, [f"{self} = {total:.6f}"], total)


def _stop_chances(stops: list[float], places: int) -> list[float]:
    """The chances that a reader who enters a tie group stops at its first, second, ... place."""
    from rankproof.kernels.metrics.cascade import stop_chances

    some = np.array(sorted(stop for stop in stops if stop > 0.0))
    stopped, passed = np.empty(places + 1), np.empty(places + 1)
    stop_chances(some, len(stops) - some.size, places, stopped, passed)
    return [float(chance) for chance in stopped[1:]]
