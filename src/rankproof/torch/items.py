"""Losses in torch that are sums over items once a few numbers per query are known: linear time.

Each function takes the loss, scores, targets, item weights (or None) and the layout. A ``sums_form`` returns
the value of every query, which torch differentiates, as often as one likes. A ``slopes_form`` divides by a
norm or holds huge values, where automatic derivatives would overflow or meet 0/0; it returns the values and
the derivatives.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from rankproof.torch.custom import check_conjugate, own_conjugate
from rankproof.torch.layout import BatchLayout
from rankproof.torch.pairs import bounded, huge
from rankproof.torch.table import slopes_form, sums_form

if TYPE_CHECKING:
    from torch import Tensor

__all__: list[str] = []


def _weighted(x: Tensor, v: Tensor | None) -> Tensor:
    return x if v is None else v * x


@sums_form("squared")
def _squared(_: Any, s: Tensor, u: Tensor, v: Tensor | None, layout: BatchLayout) -> Tensor:
    return layout.total(_weighted((s - u).square(), v))


def _centred(x: Tensor, n: Tensor, layout: BatchLayout) -> Tensor:
    """The differences to the mean of the query; ``n`` is the number of its items, at least 1."""
    # Differences to the first item's: what all have in common cancels before it can round.
    x = layout.keep(x - layout.spread(layout.first(x)))
    return layout.keep(x - layout.spread(layout.total(x / layout.spread(n))))


@sums_form("centred-squared")
def _centred_squared(_: Any, s: Tensor, u: Tensor, v: Tensor | None, layout: BatchLayout) -> Tensor:  # noqa: ARG001
    n = layout.sizes.clamp(min=1).to(s.dtype)
    return layout.total(_centred(s - u, n, layout).square())


def _below_peak(x: Tensor, layout: BatchLayout) -> tuple[Tensor, Tensor]:
    """How far every item is below the largest of its query, and the sum of exp(-that), 1 for no items."""
    below = layout.keep(layout.spread(layout.peak(x)) - x)
    mass = layout.total((-below).exp())
    return below, mass.where(layout.sizes > 0, mass.new_ones(()))


def _cross_entropy(s: Tensor, u: Tensor, layout: BatchLayout) -> Tensor:
    """The sum of u_i (log sum_j exp(s_j) - s_i); a target of 0 adds nothing, whatever the score."""
    below, mass = _below_peak(s, layout)
    return layout.total(u * below.where(u != 0, below.new_zeros(()))) + layout.total(u) * mass.log()


@sums_form("softmax")
def _softmax(_: Any, s: Tensor, u: Tensor, v: Tensor | None, layout: BatchLayout) -> Tensor:
    return _cross_entropy(s, _weighted(u, v), layout)


@sums_form("listnet")
def _listnet(_: Any, s: Tensor, y: Tensor, v: Tensor | None, layout: BatchLayout) -> Tensor:  # noqa: ARG001
    below, mass = _below_peak(y, layout)
    shares = layout.keep((-below).exp() / layout.spread(mass))
    logs = -below - layout.spread(mass.log())
    entropy = layout.total(shares * logs.where(shares > 0, logs.new_zeros(())))
    return entropy + _cross_entropy(s, shares, layout)


@sums_form("xe-ndcg")
def _xe_ndcg(loss: Any, s: Tensor, y: Tensor, v: Tensor | None, layout: BatchLayout) -> Tensor:  # noqa: ARG001
    grades = y.clamp(min=0)
    peak = layout.peak(grades)
    # In units of the largest gain, which alone could overflow.
    worth = (layout.keep(grades - layout.spread(peak))).exp2() - loss.gamma * layout.spread((-peak).exp2())
    mass = layout.total(worth)
    mass = mass.where(mass > 0, mass.new_full((), math.inf))
    return _cross_entropy(s, layout.keep(worth / layout.spread(mass)), layout)


@sums_form("kl")
def _kl(_: Any, s: Tensor, u: Tensor, v: Tensor | None, layout: BatchLayout) -> Tensor:
    if v is not None:
        s = s.where(v != 0, s.new_zeros(()))
    rise = s.exp()
    rest = u * (u.where(u > 0, u.new_ones(())).log() - s - 1)
    # Beyond the largest float the exponential outweighs u s, whatever u.
    counts = (u > 0) & (rise < math.inf)
    return layout.total(_weighted(rise + rest.where(counts, rest.new_zeros(())), v))


@sums_form("duchi")
def _duchi(loss: Any, s: Tensor, u: Tensor, v: Tensor | None, layout: BatchLayout) -> Tensor:
    if v is not None:
        s = s.where(v != 0, s.new_zeros(()))
    if loss.penalty == "square":
        # As a product, so that huge scores do not give infinity less infinity.
        return layout.total(_weighted(s * (loss.nu * s - u), v))
    penalty = 2 * (0.5 * s).sinh().square()
    pull = (s * u).where(penalty < math.inf, s.new_zeros(()))
    return layout.total(_weighted(loss.nu * penalty - pull, v))


def _thresholds(
    s: Tensor, y: Tensor, v: Tensor | None, layout: BatchLayout, thresholds: tuple[float, ...], grades: Any
) -> Tensor:
    from torch.nn.functional import logsigmoid

    total = s.new_zeros(())
    for threshold, grade in zip(thresholds, grades, strict=True):
        apart = s - threshold
        total = total - logsigmoid(apart.where(y >= grade, -apart))
    return layout.total(_weighted(total, v))


@sums_form("pointwise-logistic")
def _pointwise(loss: Any, s: Tensor, y: Tensor, v: Tensor | None, layout: BatchLayout) -> Tensor:
    return _thresholds(s, y, v, layout, (0.0,), (loss.rel,))


@sums_form("ordinal")
def _ordinal(loss: Any, s: Tensor, y: Tensor, v: Tensor | None, layout: BatchLayout) -> Tensor:
    return _thresholds(s, y, v, layout, loss.thresholds, range(1, len(loss.thresholds) + 1))


def _direction(s: Tensor, q: Tensor | float, layout: BatchLayout) -> tuple[Tensor, Tensor, Tensor]:
    """Peak and q-norm in units of it, per query (1 and 1 for zeros), and the scores over both."""
    peak = layout.peak(s.abs())
    safe = peak.where(peak > 0, peak.new_ones(()))
    total = layout.total((s.abs() / layout.spread(safe)) ** _at_items(q, layout))
    norm = total.where(peak > 0, total.new_ones(())) ** (1 / q)
    return peak, norm, s / layout.spread(safe) / layout.spread(norm)


def _at_items(q: Tensor | float, layout: BatchLayout) -> Any:
    return q if isinstance(q, float) else layout.spread(q)


def _over_norm(s: Tensor, u: Tensor, q: Tensor | float, layout: BatchLayout) -> tuple[Tensor, Tensor]:
    """<s, u> / |s|_q and its slopes; at s = 0 they are 0 and u, the direction of the steepest rise."""
    peak, norm, t = _direction(s, q, layout)
    c = layout.total(t * u)
    slope = t.abs() ** (_at_items(q, layout) - 1) * t.sign()
    safe = peak.where(peak > 0, peak.new_ones(()))
    moved = (u - layout.spread(c) * slope) / layout.spread(norm) / layout.spread(safe)
    return c, u.where(layout.spread(peak == 0), moved)


@slopes_form("cosine")
def _cosine(loss: Any, s: Tensor, u: Tensor, v: Tensor | None, layout: BatchLayout) -> tuple[Tensor, Tensor]:  # noqa: ARG001
    if loss.normalize:
        _, _, u = _direction(u, 2.0, layout)
    c, slopes = _over_norm(s, u, 2.0, layout)
    return (1 - c).where(layout.sizes > 0, c.new_zeros(())), -slopes


@slopes_form("q-family")
def _q_family(
    loss: Any,
    s: Tensor,
    u: Tensor,
    v: Tensor | None,  # noqa: ARG001 - not a sum over items
    layout: BatchLayout,
) -> tuple[Tensor, Tensor]:
    q: Any = layout.sizes.clamp(min=1).to(s.dtype).log() + 2 if loss.q == "log" else float(loss.q)
    c, slopes = _over_norm(s, u, q, layout)
    return -c, -slopes


@slopes_form("bregman", check=check_conjugate)
def _bregman(loss: Any, s: Tensor, u: Tensor, v: Tensor | None, layout: BatchLayout) -> tuple[Tensor, Tensor]:  # noqa: ARG001
    if loss.p is None:
        return own_conjugate(loss, s, u, layout)
    q = float(loss.p / (loss.p - 1.0))
    peak, norm, t = _direction(s, q, layout)
    length, c = peak * norm, layout.total(t * u)
    slope = layout.spread(peak) * t.abs() ** (q - 1) * t.sign() * layout.spread(norm)
    # As a product, so that huge scores do not give infinity less infinity.
    return length * (length - 2 * c), 2 * (slope - u)


@slopes_form("lift")
def _lift(_: Any, s: Tensor, u: Tensor, v: Tensor | None, layout: BatchLayout) -> tuple[Tensor, Tensor]:
    n, far = layout.sizes.clamp(min=1).to(s.dtype), huge(s)
    a, c = _weighted(u, v), _centred(s.clamp(-far, far), n, layout)
    mass = layout.total(a)
    common = mass * (bounded(layout.total(c.square())) - 1) / n
    values = bounded(common + layout.total(a * bounded((1 - c).square())))
    rise = layout.spread(mass / n) * (1 + c) - layout.spread(layout.total(a * c) / n)
    slopes = bounded(2 * (rise - a * (1 - c)))
    none, many = values.new_zeros(()), layout.sizes > 1
    return values.where(many, none), slopes.where(layout.spread(many), none)


@sums_form("relative")
def _relative(_: Any, s: Tensor, u: Tensor, v: Tensor | None, layout: BatchLayout) -> Tensor:
    a = _weighted(u, v)
    mean = layout.spread(layout.total(a / layout.spread(layout.sizes.clamp(min=1).to(s.dtype))))
    # In this order nothing times 0 is ever infinite.
    return layout.total(a * (1 - s) * (1 - s) + mean * s * s)
