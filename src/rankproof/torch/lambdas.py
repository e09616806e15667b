"""LambdaRank and LambdaLoss in torch: logistic pairs whose weights follow the ranking of the moment.

A pair weighs |G_i - G_j| (rho |d_i - d_j| + mu delta_|i-j|) with gains G over the ideal DCG, discounts d of
the ranks, and delta_m = d(m) - d(m + 1). The weights have no gradient. Equal scores share their ranks: a
weight is its mean over all rankings that sort the scores, which running sums of the discounts give in closed
form.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rankproof.metrics.discounted import Discount, Gain
from rankproof.torch.listmle import group_bounds
from rankproof.torch.pairs import PairMargin, all_pairs, logistic, wide
from rankproof.torch.table import rows_form

if TYPE_CHECKING:
    from torch import Tensor

__all__ = ["lambdaloss", "lambdarank"]


@rows_form("lambdarank")
def lambdarank(loss: Any, s: Tensor, y: Tensor, v: Tensor | None, mask: Tensor) -> tuple[Tensor, Tensor]:  # noqa: ARG001
    """Weights: the change of nDCG when the two items are exchanged."""
    return _lambdas(loss, s, y, mask, loss.cutoff, 1.0, 0.0)


@rows_form("lambdaloss")
def lambdaloss(loss: Any, s: Tensor, y: Tensor, v: Tensor | None, mask: Tensor) -> tuple[Tensor, Tensor]:  # noqa: ARG001
    """Weights of NDCG-Loss2 or NDCG-Loss2++."""
    rho, mu = (1.0, float(loss.mu)) if loss.scheme == "loss2pp" else (0.0, 1.0)
    return _lambdas(loss, s, y, mask, None, rho, mu)


def _discounts(discount: Discount, ranks: int, cutoff: int | None, like: Tensor) -> Tensor:
    """The weights of ranks 1, 2, ..., ranks; 0 beyond the cutoff."""
    import torch

    k = torch.arange(1, ranks + 1, device=like.device, dtype=like.dtype)
    if isinstance(discount, tuple):
        table = [float(d) for d in discount[:ranks]]
        weights = torch.tensor(table + [0.0] * (ranks - len(table)), device=like.device, dtype=like.dtype)
    elif discount == "reciprocal":
        weights = 1 / k
    elif discount == "ln":
        weights = 1 / k.log1p()
    else:
        weights = 1 / (1 + k if discount == "log2" else k.clamp(min=2)).log2()
    return weights if cutoff is None else weights.masked_fill(k > cutoff, 0.0)


def _gains(y: Tensor, gain: Gain) -> Tensor:
    import torch

    if isinstance(gain, tuple):
        table = torch.tensor([float(g) for g in gain], device=y.device, dtype=y.dtype)
        return table[y.long().clamp(0, len(gain) - 1)]
    positive = y.clamp(min=0)
    return positive.exp2() - 1 if gain == "exp" else positive


def _normalised(loss: Any, y: Tensor, mask: Tensor, discounts: Tensor) -> Tensor:
    """Gains over the ideal DCG of the query; 0 for a query without gains."""
    gains = _gains(y, loss.gain).where(mask, y.new_zeros(()))
    ideal = (gains.sort(dim=1, descending=True).values * discounts).sum(1, keepdim=True)
    return (gains / ideal.where(ideal > 0, ideal.new_ones(()))).where(ideal > 0, gains.new_zeros(()))


def _lambdas(
    loss: Any, s: Tensor, y: Tensor, mask: Tensor, cutoff: int | None, rho: float, mu: float
) -> tuple[Tensor, Tensor]:
    import torch

    n = s.shape[1]
    tables = s.new_zeros((), dtype=wide(s))
    discounts = _discounts(loss.discount, n, cutoff, tables)
    x, order = s.masked_fill(~mask, -float("inf")).sort(dim=1, descending=True)
    x = x.masked_fill(x == -float("inf"), 0.0)
    gains, there = _normalised(loss, y, mask, discounts.to(s.dtype)).gather(1, order), mask.gather(1, order)
    fresh = torch.ones_like(mask)
    fresh[:, 1:] = (x[:, 1:] != x[:, :-1]) | ~there[:, 1:]
    start, last = group_bounds(fresh)
    share, apart = (part.to(s.dtype) for part in _shares(discounts, start, last))
    # Without a look at the scores, as if some were equal.
    hidden = torch.compiler.is_compiling() or s.is_meta
    tied = hidden or not bool(fresh.all())
    steps, runs = _steps(loss.discount, n, tables) if mu > 0 else (discounts, discounts)
    places = torch.arange(n, device=s.device)

    def weigh(mine: slice, others: slice) -> Tensor:
        gap = (gains[:, mine].unsqueeze(2) - gains[:, others].unsqueeze(1)).clamp(min=0)
        together = start[:, mine].unsqueeze(2) == start[:, others].unsqueeze(1) if tied else None
        weight = gap.new_zeros(())
        if rho > 0:
            weight = rho * (share[:, mine].unsqueeze(2) - share[:, others].unsqueeze(1)).abs()
            if together is not None:
                weight = (rho * apart[:, mine].unsqueeze(2)).where(together, weight)
        if mu > 0:
            step = steps[(places[mine].unsqueeze(1) - places[others]).abs()]
            if together is not None:
                ours, theirs = ((start[:, part], last[:, part] + 1) for part in (mine, others))
                step = _mean_step(ours, theirs, together, step, runs)
            weight = weight + (mu * step).to(s.dtype)
        pairs = there[:, mine].unsqueeze(2) & there[:, others].unsqueeze(1)
        return (gap * weight).where(pairs, gap.new_zeros(()))

    # Beyond the last rank with a discount, and what is tied with it, pairs weigh nothing.
    reach = None
    if mu == 0 and cutoff is not None and not hidden:
        reach = int((last + 1).where(share > 0, last.new_zeros(())).max())
    sigma, base = float(loss.sigma), logistic()
    margin = PairMargin(lambda t: base.value(sigma * t), lambda t: sigma * base.slope(sigma * t))
    values, slopes = all_pairs(x, weigh, margin, reach)
    return values, torch.zeros_like(s).scatter(1, order, slopes)


def _shares(discounts: Tensor, start: Tensor, last: Tensor) -> tuple[Tensor, Tensor]:
    """The mean discount of each place's tie group, and the mean difference of two within it."""
    import torch

    places = torch.arange(discounts.shape[0], device=discounts.device, dtype=discounts.dtype)
    zero = discounts.new_zeros(1)
    sums = torch.cat((zero, discounts.cumsum(0)))
    moments = torch.cat((zero, (discounts * places).cumsum(0)))
    t = (last - start + 1).to(discounts.dtype)
    total, moment = sums[last + 1] - sums[start], moments[last + 1] - moments[start]
    alone = t == 1
    share = discounts[start].where(alone, total / t)
    spread = total * (t - 1 + 2 * start) - 2 * moment
    apart = (2 * spread / t / (t - 1).clamp(min=1)).where(~alone, total.new_zeros(()))
    return share, apart


def _steps(discount: Discount, n: int, like: Tensor) -> tuple[Tensor, Tensor]:
    """delta_0 = 0, delta_1, ..., and at m + 1 the sum over k <= m of delta_1 + ... + delta_k."""
    import torch

    long = _discounts(discount, n + 1, None, like)
    delta = torch.cat((like.new_zeros(1), long[:-1] - long[1:]))
    return delta, torch.cat((like.new_zeros(1), delta.cumsum(0).cumsum(0)))


def _mean_step(
    mine: tuple[Tensor, Tensor],
    others: tuple[Tensor, Tensor],
    together: Tensor,
    step: Tensor,
    runs: Tensor,
) -> Tensor:
    """The mean of delta_|i-j| over the places of the two tie groups of a pair, each by start and end."""
    (a, a_end), (b, b_end) = (
        [part.unsqueeze(2) for part in mine],
        [part.unsqueeze(1) for part in others],
    )
    low, low_end = a.minimum(b), a_end.minimum(b_end)
    high, high_end = a.maximum(b), a_end.maximum(b_end)
    t, other = low_end - low, high_end - high
    far = runs[high_end - low] - runs[high_end - low_end]
    near = runs[high - low] - runs[(high - low_end).clamp(min=0)]
    mixed = (far - near) / t / other
    own = 2 * runs[t] / t / (t - 1).clamp(min=1)
    singles = (t == 1) & (other == 1)
    return step.expand_as(mixed).where(singles, own.where(together, mixed))
