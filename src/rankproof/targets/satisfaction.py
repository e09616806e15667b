"""satisfaction: the probability that an item satisfies a reader, in the cascade model of ERR."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from rankproof.arrays import Float64s, Int64s
from rankproof.claims import Claim
from rankproof.metrics.base import Metric, Number
from rankproof.metrics.dcg import DCG
from rankproof.metrics.discounted import gain_of, gain_table
from rankproof.metrics.err import ERR
from rankproof.targets.base import Target, alone, always, fill, registered, under
from rankproof.targets.count_form import CountForm

__all__ = ["Satisfaction", "cascade_claims"]


def cascade_claims(metric: ERR) -> tuple[Claim, ...]:
    """Why a target proportional to (2^y - 1) standardises ERR, and when."""
    if metric.cutoff == 1:
        return (always("ERR@1 is the satisfaction of the first item: c = (1, 0, ...)"),)
    step = (
        "an exchange of neighbours changes ERR by (R_a - R_b) (1/k - 1/(k+1)) times the chance to get there"
    )
    return (
        under("independent", f"{step}, and means of products of independent factors multiply"),
        under("rank-differentiable", f"{step}: a sum of terms of one sign (as in L12 Th. 2)"),
        under(
            "one relevant",
            "ERR = R_i / rank_i for the one item with a grade above 0: c_k = 1/k, u_i = R_i",
            note="relevant means a grade above 0",
        ),
    )


@registered
@dataclass(frozen=True, kw_only=True, repr=False)
class Satisfaction(Target):
    r"""Probability that an item satisfies a reader.

    **Definition.** :math:`u_i = (2^{y_i} - 1) / 2^g`, with g the highest grade there can be; a grade below 0
    satisfies nobody. It standardises ERR@1, and ERR when the labels are independent. For no other cutoff is
    there a target that standardises ERR under every law.

    Parameters
    ----------
    max_grade : float
        The highest grade there can be, which satisfies a reader almost surely. A label above it is an error.

    Examples
    --------
    >>> Satisfaction(max_grade=2).of_labels([2, 0, 1])
    [Fraction(3, 4), Fraction(0, 1), Fraction(1, 4)]
    """

    name: ClassVar[str] = "satisfaction"
    summary: ClassVar[str] = "probability that the item satisfies a reader"
    definition: ClassVar[str] = r"u_i = (2^{y_i} - 1) / 2^g"
    reference: ClassVar[str] = "Chapelle, Metzler, Zhang & Grinspan, CIKM 2009"
    made_for: ClassVar[tuple[type[Metric], ...]] = (ERR,)

    max_grade: float = 4

    def claims_for(self, metric: Metric) -> tuple[Claim, ...]:
        # Another max_grade differs by a factor alone.
        if isinstance(metric, ERR):
            return cascade_claims(metric)
        if isinstance(metric, DCG) and metric.gain == "exp":
            return (always("B11 section 5.1: c_k = d(k) 2^g, u_i = (2^y_i - 1) / 2^g"),)
        return ()

    @classmethod
    def for_metric(cls, metric: Metric) -> Satisfaction | None:
        return cls(max_grade=metric.max_grade) if isinstance(metric, ERR) else None

    def check(self, labels: Float64s) -> None:
        ERR(max_grade=self.max_grade).check(labels)

    def count_form(self, grades: Float64s) -> CountForm:
        return alone(self, grades)

    def of_labels(self, labels: Sequence[Any]) -> list[Number]:
        whole = isinstance(self.max_grade, int)
        gains = [gain_of("exp", y) for y in labels]
        return [
            Fraction(g, 2 ** int(self.max_grade))
            if whole and isinstance(g, int)
            else float(g) * float(2.0 ** -float(self.max_grade))
            for g in gains
        ]

    def _values(self, labels: Float64s, offsets: Int64s) -> Float64s:
        from rankproof.kernels.targets.values import gains

        table, formula = gain_table("exp")
        scale = 2.0 ** -float(self.max_grade)
        return fill(offsets, lambda a, b, out: gains(labels, offsets, table, formula, scale, a, b, out))
