"""gain: what the grade of an item is worth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from rankproof.arrays import Float64s, Int64s
from rankproof.claims import Claim
from rankproof.metrics.base import Metric, Number
from rankproof.metrics.dcg import DCG
from rankproof.metrics.discounted import Gain, check_gain, gain_of, gain_table
from rankproof.metrics.err import ERR
from rankproof.targets.base import Target, alone, always, fill, registered
from rankproof.targets.count_form import CountForm
from rankproof.targets.satisfaction import cascade_claims

__all__ = ["GainTarget"]


@registered
@dataclass(frozen=True, kw_only=True, repr=False)
class GainTarget(Target):
    r"""Gain of a grade.

    **Definition.** :math:`u_i = g(y_i)`, with :math:`g(y) = 2^y - 1` unless said otherwise; a grade below 0
    is worth 0. It standardises DCG of the same gain, at every cutoff and with every discount that never
    rises.

    Parameters
    ----------
    gain : "exp", "linear" or a table
        What a grade is worth: ``2**y - 1``, ``y`` itself, or a table (``gain=[0,1,5]``: the worth of the
        grades 0, 1, 2, ...) that never falls. A grade below 0 is worth 0.

    Examples
    --------
    >>> GainTarget().of_labels([2, 0, 1])
    [3, 0, 1]
    """

    name: ClassVar[str] = "gain"
    summary: ClassVar[str] = "the gain of the item's grade"
    definition: ClassVar[str] = r"u_i = g(y_i)"
    reference: ClassVar[str] = "Cossock & Zhang, IEEE Trans. Inf. Theory 54(11), 2008; B11 section 5.1"
    made_for: ClassVar[tuple[type[Metric], ...]] = (DCG,)

    gain: Gain = "exp"

    def claims_for(self, metric: Metric) -> tuple[Claim, ...]:
        if isinstance(metric, DCG) and metric.gain == self.gain:
            return (always("B11 section 5.1: c_k = d(k) never rises, u_i = g(y_i)"),)
        if isinstance(metric, ERR) and self.gain == "exp":
            # 2^y - 1 is the satisfaction, but for the factor 2^max_grade.
            return cascade_claims(metric)
        return ()

    @classmethod
    def for_metric(cls, metric: Metric) -> GainTarget | None:
        return cls(gain=metric.gain) if isinstance(metric, DCG) else None

    def check(self, labels: Float64s) -> None:
        check_gain(f"Target {self}", self.gain, labels)

    def count_form(self, grades: Float64s) -> CountForm:
        return alone(self, grades)

    def of_labels(self, labels: Sequence[Any]) -> list[Number]:
        return [gain_of(self.gain, y) for y in labels]

    def _values(self, labels: Float64s, offsets: Int64s) -> Float64s:
        from rankproof.kernels.targets.values import gains

        table, formula = gain_table(self.gain)
        return fill(offsets, lambda a, b, out: gains(labels, offsets, table, formula, 1.0, a, b, out))
