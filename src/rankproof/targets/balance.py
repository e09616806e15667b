"""balance: how far an item wins more preferences than it loses."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np

from rankproof.arrays import Float64s, Int64s
from rankproof.claims import Claim
from rankproof.errors import ArgumentError, DataError
from rankproof.feedback import PreferenceGraph
from rankproof.metrics.base import Metric, Number
from rankproof.metrics.pairwise import ratio
from rankproof.metrics.parameters import plain
from rankproof.metrics.pd import PD
from rankproof.metrics.tau import Tau
from rankproof.metrics.wpdl import WPDL
from rankproof.targets.base import Target, fill, registered, sorted_labels, under

__all__ = ["Balance"]

_LOW_NOISE = "Duchi, Mackey & Jordan 2010, Th. 13; B11 section 5.3"
_BINARY = "binary labels: u_i - u_j = n (y_i - y_j) / D, and the pairs lost are linear in the ranks, c_k = k"
_EXCHANGE = (
    "an exchange of neighbours changes their own pair alone, whose sign the law decides (L12 Th. 2, 3)"
)


def _bound(target: str, value: Any) -> Any:
    number = plain(value)
    if isinstance(number, bool) or not isinstance(number, (int, float)) or not 1 <= number < math.inf:
        raise ArgumentError(
            f"Argument bound of {target} must be a finite number of at least 1, got {value!r}."
        )
    return number


@registered
@dataclass(frozen=True, kw_only=True, repr=False)
class Balance(Target):
    r"""Preferences won less preferences lost.

    **Definition.** :math:`u_i = nC + \frac1D \sum_k (a_{ik} - a_{ki})`, where :math:`a_{ik}` is the weight
    of the preference for i over k: that of the edge of a preference graph; on labels 1 when :math:`y_i >
    y_k`. D is 1, the weight of all preferences (``normalize=pairs``), or :math:`\sqrt{n_0 W}` for that
    weight W and the :math:`n_0 = n(n-1)/2` pairs of items (``root``). C is ``bound``, the most a weight
    over D can be, at least 1: it keeps u from being negative. It standardises the (weighted) pairwise
    disagreement, and ``root`` tau, on preferences of low noise.

    Parameters
    ----------
    normalize : "none", "pairs" or "root"
        What the balance is divided by: nothing; the number (or weight) of all pairs, as the normalised
        metrics do; or the root that tau divides by.
    bound : number
        The most that a preference may weigh, at least 1; u is never negative when it is right.

    Examples
    --------
    >>> Balance().of_labels([2, 0, 1])  # 3 + 2, 3 - 2, 3 + 0
    [5, 1, 3]
    >>> Balance().of_feedback(PreferenceGraph({(0, 1): 1, (2, 1): "1/2"}))
    [4, Fraction(3, 2), Fraction(7, 2)]
    """

    name: ClassVar[str] = "balance"
    summary: ClassVar[str] = "items it is preferred to, less items preferred to it"
    definition: ClassVar[str] = r"u_i = nC + \frac1D \sum_k (a_{ik} - a_{ki})"
    reference: ClassVar[str] = "B11 section 5.3; Duchi, Mackey & Jordan, ICML 2010"
    feedback_kinds: ClassVar[tuple[str, ...]] = ("graded", "preferences", "permutation")
    choices: ClassVar[dict[str, tuple[Any, ...]]] = {"normalize": ("none", "pairs", "root")}
    made_for: ClassVar[tuple[type[Metric], ...]] = (PD, Tau, WPDL)

    rules: ClassVar[dict[str, Callable[[str, Any], Any]]] = {"bound": _bound}

    normalize: str = "none"
    bound: float = 1

    def claims_for(self, metric: Metric) -> tuple[Claim, ...]:
        if _normalizer(metric) != self.normalize:
            return ()
        scaled = "" if self.normalize == "none" else "low noise of the preferences divided by D"
        return (
            under("low noise", _LOW_NOISE, note=scaled),
            under("binary", _BINARY),
            under("rank-differentiable", _EXCHANGE),
        )

    @classmethod
    def for_metric(cls, metric: Metric) -> Balance | None:
        normalize = _normalizer(metric)
        return None if normalize is None else cls(normalize=normalize)

    def of_labels(self, labels: Sequence[Any]) -> list[Number]:
        n = len(labels)
        differences = [sum((y > x) - (y < x) for x in labels) for y in labels]
        pairs = sum(y > x for y in labels for x in labels)
        divisor = self._divisor(n, pairs)
        return self._over(divisor, differences)

    def _of_graph(self, graph: PreferenceGraph) -> list[Number]:
        n = graph.items
        total: Number = sum(weight for _, _, weight in graph.edges)
        divisor = self._divisor(n, total)
        balance: list[Number] = [0] * n
        for i, j, weight in graph.edges:
            if weight > self.bound * divisor:
                raise DataError(
                    f"Target {self} takes weights up to bound={self.bound}, got {weight} on {i}→{j}. "
                    "Give as bound the largest weight there can be."
                )
            balance[i] += weight
            balance[j] -= weight
        return self._over(divisor, balance)

    def _over(self, divisor: Number, balance: Sequence[Number]) -> list[Number]:
        start = len(balance) * self.bound
        return [start + (d if divisor == 1 else ratio(d, divisor)) for d in balance]

    def _divisor(self, n: int, total: Number) -> Number:
        if self.normalize == "none" or not total:
            return 1
        if self.normalize == "pairs":
            return total
        square = Fraction(total) * (n * (n - 1) // 2)
        top, bottom = math.isqrt(square.numerator), math.isqrt(square.denominator)
        exact = Fraction(top, bottom)
        return exact if exact * exact == square else math.sqrt(square)

    def _values(self, labels: Float64s, offsets: Int64s) -> Float64s:
        from rankproof.kernels.targets.values import standings

        ideal = sorted_labels(labels, offsets)
        below = np.empty(labels.size)
        above = fill(offsets, lambda a, b, out: standings(labels, ideal, offsets, a, b, out, below))
        sizes = np.diff(offsets)
        start: Float64s = np.repeat(float(self.bound) * sizes, sizes)
        if self.normalize == "none":
            return start + (below - above)
        # Differences of one running sum: counts of pairs are whole numbers, so nothing is rounded.
        pairs = np.diff(np.concatenate(([0.0], np.cumsum(below)))[offsets])
        if self.normalize == "root":
            pairs = np.sqrt(sizes * (sizes - 1.0) / 2.0 * pairs)
        balance: Float64s = (below - above) / np.repeat(np.where(pairs == 0.0, 1.0, pairs), sizes)
        return start + balance


def _normalizer(metric: Metric) -> str | None:
    """What the metric divides the weight of the pairs lost by; None for other metrics."""
    if isinstance(metric, Tau):
        return "root"
    if isinstance(metric, PD) or (isinstance(metric, WPDL) and metric.weight == "one"):
        return "pairs" if metric.normalize else "none"
    return None
