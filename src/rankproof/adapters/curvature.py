"""How steep a loss is at scores of 0, summed exactly: one scale for all parts of the data.

Engines that train on several machines hand each of them some of the queries. The scale of the gradient
(`rankproof.adapters.newton`) comes from the mean curvature over all rows. If each machine took it from its
own rows, parts with many labels and parts with few would count their queries differently. So every part is
summed up in a `Curvature`, these are added, and all machines are given the scale of the sum. Sums of
floating-point numbers depend on their order; these are sums of whole numbers, which do not.

>>> from rankproof.losses.parse import loss
>>> dense = Curvature.at_zero(loss("softmax"), np.array([1.0, 1.0, 1.0, 0.0]), np.array([0, 2, 4]))
>>> sparse = Curvature.at_zero(loss("softmax"), np.eye(1, 7)[0], np.array([0, 7]))
>>> dense.scale, sparse.scale, (dense + sparse).scale
(0.125, 0.5, 0.25)
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankproof.adapters.newton import check_hessian, safe, scale_for_mean
from rankproof.adapters.regression import queries_of
from rankproof.arrays import Float64s, Int64s, as_labels
from rankproof.errors import ArgumentError, DataError
from rankproof.losses.base import Loss
from rankproof.losses.boosting import Boosting
from rankproof.losses.choose import choose_loss
from rankproof.losses.supervision import check_judged
from rankproof.metrics.base import Metric
from rankproof.plain import html_table, json_text
from rankproof.threads import using

__all__ = ["Curvature", "as_scale", "curvature"]

# LightGBM and XGBoost choose the same losses.
_ENGINE = "lightgbm"
# Every float64 is a whole multiple of 2**-1126 when its 53 digits are written out, subnormal ones too.
_UNIT = 1126
_DIGITS = 53
_HALF = 26
# So many halves of 53 digits add up to less than 2**53, which float64 holds exactly.
_ROWS_AT_ONCE = 1 << _HALF


@dataclass(frozen=True)
class Curvature:
    """The second derivatives of a loss at scores of 0 over some queries; those of parts add up, exactly.

    Attributes
    ----------
    loss : str
        The loss, as its text says; only curvatures of one loss can be added.
    aim : float
        What the mean is brought near to (`rankproof.losses.boosting.Boosting`).
    total : int
        The sum of the positive ones, in units of 2**-1126.
    rows : int
        How many are positive.
    """

    loss: str
    aim: float
    total: int
    rows: int

    @classmethod
    def at_zero(cls, loss: Loss, targets: Float64s, offsets: Int64s) -> Curvature:
        """That of a loss on targets; without weights: twice the weight is to be twice the curvature."""
        return cls.of_hessian(loss, hessian_at_zero(loss, targets, offsets)[0])

    @classmethod
    def of_hessian(cls, loss: Loss, hessian: Float64s) -> Curvature:
        """That of second derivatives which are safe to divide by."""
        positive = hessian[hessian > 0]
        if not np.isfinite(positive).all():
            raise DataError(
                f"Loss {loss} has second derivatives that are not finite on these targets, so they cannot be "
                "brought to one scale. Use a metric that is normalised per query, or lower grades."
            )
        facts: Boosting = loss.declared("boosting")
        return cls(str(loss), facts.aim, exact_sum(positive), positive.size)

    @property
    def scale(self) -> float:
        """The power of two that the gradient and the second derivative are multiplied by."""
        # The ratio of two whole numbers is rounded once.
        return scale_for_mean(self.total / (self.rows << _UNIT) if self.rows else 1.0, self.aim)

    def __add__(self, other: object) -> Curvature:
        if not isinstance(other, Curvature):
            return NotImplemented
        if (self.loss, self.aim) != (other.loss, other.aim):
            raise ArgumentError(
                f"Curvatures of different losses cannot be added: {self.loss} and {other.loss}. Compute all "
                "parts with the same metric and loss."
            )
        return Curvature(self.loss, self.aim, self.total + other.total, self.rows + other.rows)

    def __radd__(self, other: object) -> Curvature:
        # What sum() starts from.
        return self if other == 0 else NotImplemented

    def to_dict(self) -> dict[str, Any]:
        """Plain data, to send from one machine to another; the sum is text, since it has many digits."""
        return {"loss": self.loss, "aim": self.aim, "total": hex(self.total), "rows": self.rows}

    def to_json(self) -> str:
        """`to_dict` as JSON text."""
        return json_text(self.to_dict())

    def _repr_html_(self) -> str:
        row = [self.loss, f"{self.scale:g}", str(self.rows)]
        return html_table(["loss", "scale", "rows with curvature"], [row], title="Curvature")

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Curvature:
        """What `to_dict` wrote."""
        return cls(str(data["loss"]), float(data["aim"]), int(data["total"], 16), int(data["rows"]))


def curvature(
    metric: str | Metric,
    labels: Any,
    *,
    qid: Any = None,
    group: Any = None,
    offsets: Any = None,
    loss: str | Loss = "auto",
    noise: str | None = None,
    threads: int | None = None,
) -> Curvature:
    """What a part of the data has to say about the scale of `objective`, for training on several machines.

    Every machine computes it for its own queries; the sum of all has the ``scale`` that is to be given to
    `objective` on every one of them. It is the one that a single machine takes from all rows, bit for bit.

    Parameters
    ----------
    metric, loss, noise
        As for `objective`.
    labels : array, one per item
        The labels of this part: finite, larger is more relevant.
    qid, group, offsets : array
        One of them: the query id of every item, the number of items of every query, or where queries start.
    threads : int, optional
        How many threads compute it; its bits do not depend on it.

    Returns
    -------
    Curvature
        Values that can be added, also by ``sum``, and pickled; ``to_dict`` is plain data.

    Examples
    --------
    >>> one = curvature("nDCG@10", [2, 1, 1, 0], group=[4], loss="lift")
    >>> other = curvature("nDCG@10", [0] * 30 + [1], group=[31], loss="lift")
    >>> one.scale, other.scale, (one + other).scale
    (0.0625, 0.5, 0.25)
    >>> curvature("nDCG@10", [2, 1, 1, 0] + [0] * 30 + [1], group=[4, 31], loss="lift") == one + other
    True
    """
    minimised = choose_loss(metric, loss, noise, engine=_ENGINE).loss
    check_hessian(minimised)
    grades = as_labels(labels)
    starts = queries_of(grades.size, qid, group, offsets)
    check_judged(grades, starts)
    with using(threads):
        targets = minimised.targets(grades, starts)
        minimised.check_targets(targets)
        return Curvature.at_zero(minimised, targets, starts)


def hessian_at_zero(loss: Loss, targets: Float64s, offsets: Int64s) -> tuple[Float64s, float]:
    """Second derivatives at scores of 0 that are safe to divide by, and the steepest gradient there."""
    facts: Boosting = loss.declared("boosting")
    start = loss.fast(np.zeros(targets.size), targets, offsets, hessian=True)
    hessian = np.zeros(0) if start.hessian is None else start.hessian
    safe(start.gradient, hessian, limited=facts.own_unit, floor=0.0)
    return hessian, float(np.abs(start.gradient).max(initial=0.0))


def as_scale(scale: float | Curvature | None, loss: Loss) -> float | None:
    """The scale as a number; anything but a power of two would change digits of the gradient.

    >>> from rankproof.losses.parse import loss
    >>> as_scale(0.75, loss("softmax"))
    Traceback (most recent call last):
        ...
    rankproof.errors.ArgumentError: Argument scale must be a power of two, such as the scale of the curvature
    of all parts, got 0.75.
    """
    if scale is None:
        return None
    if isinstance(scale, Curvature):
        if scale.loss != str(loss):
            raise ArgumentError(
                f"Argument scale is the curvature of {scale.loss}, but the loss is {loss}. Compute it with "
                "the same metric and loss."
            )
        return scale.scale
    number = float(scale) if isinstance(scale, (int, float, np.number)) else math.nan
    if not (math.isfinite(number) and number > 0 and math.frexp(number)[0] == 0.5):
        raise ArgumentError(
            "Argument scale must be a power of two, such as the scale of the curvature of all parts, "
            f"got {scale!r}."
        )
    return number


def exact_sum(values: Float64s) -> int:
    """The sum of finite numbers >= 0 in units of 2**-1126, without any rounding.

    >>> exact_sum(np.array([1e300, 1.0, 2.0**-1074])) == (int(1e300) << 1126) + (1 << 1126) + (1 << 52)
    True
    """
    total = 0
    for first in range(0, values.size, _ROWS_AT_ONCE):
        mantissas, exponents = np.frexp(values[first : first + _ROWS_AT_ONCE])
        digits = np.ldexp(mantissas, _DIGITS).astype(np.int64)
        least = int(exponents.min())
        places = exponents - least
        for part, shift in ((digits >> _HALF, _HALF), (digits & ((1 << _HALF) - 1), 0)):
            sums = np.bincount(places, part)
            for place in np.flatnonzero(sums).tolist():
                total += int(sums[place]) << (place + least + shift + _UNIT - _DIGITS)
    return total
