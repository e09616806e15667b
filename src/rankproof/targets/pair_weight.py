"""pair-weight: the number whose differences are the weights of the pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from rankproof.arrays import Float64s, Int64s
from rankproof.claims import Claim
from rankproof.metrics.base import Metric, Number
from rankproof.metrics.disagreement import weight_of
from rankproof.metrics.pairwise import lost_and_all, ratio
from rankproof.metrics.wpdl import WPDL
from rankproof.targets.base import Target, alone, always, fill, registered, sorted_labels
from rankproof.targets.count_form import CountForm

__all__ = ["PairWeight"]


@registered
@dataclass(frozen=True, kw_only=True, repr=False)
class PairWeight(Target):
    r"""Worth of a label when pairs weigh the difference of what their items are worth.

    **Definition.** :math:`u_i = f(y_i)` with :math:`f(y) = y` (``weight=difference``) or :math:`2^y`
    (``gain``); with ``normalize`` over the weight of all pairs, :math:`\sum_{y_j > y_k} f(y_j) - f(y_k)` (0
    when there is no pair). It standardises the weighted pairwise disagreement (WPDL) of the same weight.

    Parameters
    ----------
    weight : "difference" or "gain"
        What f is: ``y`` itself, or ``2**y``.
    normalize : bool
        Whether to divide by the weight of all pairs.

    Examples
    --------
    >>> PairWeight(weight="gain").of_labels([2, 0, 1])
    [Fraction(4, 1), Fraction(1, 1), Fraction(2, 1)]
    >>> PairWeight(normalize=True).of_labels([2, 0, 1])  # pairs weigh 2 + 1 + 1
    [Fraction(1, 2), Fraction(0, 1), Fraction(1, 4)]
    """

    name: ClassVar[str] = "pair-weight"
    summary: ClassVar[str] = "the number whose differences weigh the pairs: y, or 2^y"
    definition: ClassVar[str] = r"u_i = f(y_i),\quad f(y) = y \text{ or } 2^y"
    reference: ClassVar[str] = (
        "sum over pairs, j above i, of f(y_i) - f(y_j) = sum_i f(y_i) (2 rank_i - n - 1)"
    )
    choices: ClassVar[dict[str, tuple[Any, ...]]] = {
        "weight": ("difference", "gain"),
        "normalize": (False, True),
    }
    made_for: ClassVar[tuple[type[Metric], ...]] = (WPDL,)

    weight: str = "difference"
    normalize: bool = False

    @property
    def nonnegative(self) -> bool:
        # A difference is blind to where zero is, and labels may be negative.
        return self.weight == "gain"

    def claims_for(self, metric: Metric) -> tuple[Claim, ...]:
        if isinstance(metric, WPDL) and (metric.weight, metric.normalize) == (self.weight, self.normalize):
            return (always(metric.claims["positional"].reference),)
        return ()

    @classmethod
    def for_metric(cls, metric: Metric) -> PairWeight | None:
        if not isinstance(metric, WPDL) or metric.weight == "one":
            return None
        return cls(weight=metric.weight, normalize=metric.normalize)

    def check(self, labels: Float64s) -> None:
        WPDL(weight=self.weight).check(labels)

    def count_form(self, grades: Float64s) -> CountForm | None:
        return None if self.normalize else alone(self, grades)

    def of_labels(self, labels: Sequence[Any]) -> list[Number]:
        plain = list(labels) if self.weight == "difference" else [_power(y) for y in labels]
        if not self.normalize:
            return plain
        _, total = lost_and_all(labels, lambda better, worse: weight_of(self.weight, better, worse))
        return [ratio(worth, total) if total else 0 for worth in plain]

    def _values(self, labels: Float64s, offsets: Int64s) -> Float64s:
        from rankproof.kernels.targets.values import weighted_labels

        exponential, normalised = self.weight == "gain", self.normalize
        ideal = sorted_labels(labels, offsets) if normalised else labels
        return fill(
            offsets,
            lambda a, b, out: weighted_labels(labels, ideal, offsets, exponential, normalised, a, b, out),
        )


def _power(y: Any) -> Number:
    """2^y, exact for whole numbers."""
    return Fraction(2) ** int(y) if y == int(y) else float(2.0 ** float(y))
