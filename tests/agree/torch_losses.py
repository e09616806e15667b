"""Every loss written down once more from its definition, for one query, in torch, which differentiates it."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor


def squared(_: Any, s: Tensor, u: Tensor) -> Tensor:
    return ((s - u) ** 2).sum()


def centred_squared(_: Any, s: Tensor, u: Tensor) -> Tensor:
    return (((s - s.mean()) - (u - u.mean())) ** 2).sum()


def cosine(loss: Any, s: Tensor, u: Tensor) -> Tensor:
    if not loss.normalize:
        return 1 - s @ u / torch.linalg.vector_norm(s)
    if not u.any():
        return 1 - s.sum() * 0
    return 1 - torch.nn.functional.cosine_similarity(s, u, dim=0, eps=0.0)


def listnet(_: Any, s: Tensor, y: Tensor) -> Tensor:
    p = torch.softmax(y, 0)
    return torch.nn.functional.kl_div(torch.log_softmax(s, 0), p, reduction="sum")


def kl(_: Any, s: Tensor, u: Tensor) -> Tensor:
    return torch.xlogy(u, u).sum() - (u * s).sum() - u.sum() + s.exp().sum()


def softmax(_: Any, s: Tensor, u: Tensor) -> Tensor:
    return -(u * torch.log_softmax(s, 0)).sum()


def bregman(loss: Any, s: Tensor, u: Tensor) -> Tensor:
    return torch.linalg.vector_norm(s, loss.p / (loss.p - 1)) ** 2 - 2 * (s @ u)


def q_family(loss: Any, s: Tensor, u: Tensor) -> Tensor:
    q = math.log(s.numel()) + 2 if loss.q == "log" else loss.q
    return -(s / torch.linalg.vector_norm(s, q)) @ u


def duchi(loss: Any, s: Tensor, u: Tensor) -> Tensor:
    penalty = {"square": lambda x: x**2, "cosh": lambda x: x.cosh() - 1}[loss.penalty]
    return loss.nu * penalty(s).sum() - s @ u


def pointwise_logistic(loss: Any, s: Tensor, y: Tensor) -> Tensor:
    relevant = (y >= loss.rel).to(s.dtype)
    return torch.nn.functional.binary_cross_entropy_with_logits(s, relevant, reduction="sum")


def ordinal(loss: Any, s: Tensor, y: Tensor) -> Tensor:
    """Minus the log-likelihood of independent coins, one per threshold."""
    thresholds = torch.tensor(loss.thresholds, dtype=s.dtype)
    chance = torch.sigmoid(s[:, None] - thresholds)
    above = y[:, None] >= torch.arange(1, thresholds.numel() + 1)
    return -torch.where(above, chance.log(), (1 - chance).log()).sum()


def listmle(loss: Any, s: Tensor, y: Tensor) -> Tensor:
    total = s.sum() * 0
    for i in range(s.numel()):
        if loss.ties == "together":
            there = y <= y[i]
        else:
            row = torch.arange(s.numel())
            there = (y < y[i]) | ((y == y[i]) & (row >= i))
        total = total + torch.logsumexp(s[there], 0) - s[i]
    return total


def xe_ndcg(loss: Any, s: Tensor, y: Tensor) -> Tensor:
    worth = 2**y - loss.gamma
    phi = worth / worth.sum() if worth.sum() > 0 else worth * 0
    return -(phi * torch.log_softmax(s, 0)).sum()


def approx_ndcg(loss: Any, s: Tensor, u: Tensor) -> Tensor:
    beaten = torch.sigmoid((s[None, :] - s[:, None]) / loss.temperature)
    ranks = 1 + (beaten - torch.diag(torch.diagonal(beaten))).sum(1)
    return -(u / torch.log2(1 + ranks)).sum()


MARGINS: dict[str, Callable[[Any, Tensor], Tensor]] = {
    "hinge": lambda _, t: torch.relu(1 - t),
    "squared-hinge": lambda _, t: torch.relu(1 - t) ** 2,
    # Torch's own Huber function of the distance below 1 + h.
    "huber": lambda loss, t: (
        torch.nn.functional.huber_loss(
            torch.relu(1 + loss.width - t), torch.zeros_like(t), reduction="none", delta=2.0 * loss.width
        )
        / (2.0 * loss.width)
    ),
    "logistic": lambda _, t: torch.logaddexp(torch.zeros_like(t), -t),
    "exponential": lambda _, t: torch.exp(-t),
}


def order_preserving(loss: Any, s: Tensor, u: Tensor) -> Tensor:
    n = s.numel()
    costs = MARGINS[loss.margin](loss, s[:, None] - s[None, :])
    total = (u[:, None] * costs * (1 - torch.eye(n))).sum()
    return total / max(n * (n - 1), 1) if loss.normalize else total


def lift(_: Any, s: Tensor, u: Tensor) -> Tensor:
    n = s.numel()
    pairs = (1 - s[:, None] + s[None, :]) ** 2 * (1 - torch.eye(n))
    return (u[:, None] * pairs).sum() / max(n, 1)


def relative(_: Any, s: Tensor, u: Tensor) -> Tensor:
    return (u * (1 - s) ** 2).sum() + u.sum() / max(u.numel(), 1) * (s**2).sum()


def query_ordinal(_: Any, s: Tensor, u: Tensor) -> Tensor:
    total = s.sum() * 0
    levels = sorted(set(u.tolist()))
    if len(levels) > 33:
        levels = [levels[0] + k / 32 * (levels[-1] - levels[0]) for k in range(33)]
    for low, high in pairwise(levels):
        reached = ((u - low) / (high - low)).clamp(0, 1)
        # The intercept by halving an interval, then one Newton step that knows how it moves with the scores.
        least, most = -s.detach().max() - 40, -s.detach().min() + 40
        for _ in range(200):
            b = (least + most) / 2
            least, most = (least, b) if torch.sigmoid(s.detach() + b).sum() > reached.sum() else (b, most)
        p = torch.sigmoid(s + b)
        b = b - (p.sum() - reached.sum()) / (p * (1 - p)).sum()
        x = s + b
        total = total + (high - low) * (torch.logaddexp(x, torch.zeros_like(x)) - reached * x).sum()
    return total


def preorder(loss: Any, s: Tensor, y: Tensor) -> Tensor:
    better = (y[:, None] > y[None, :]).to(s.dtype)
    pairs = better.sum().clamp(min=1)
    weights = {
        "one": better,
        "pairs": better / pairs,
        "difference": better * (y[:, None] - y[None, :]),
        "gain": better * (2 ** y[:, None] - 2 ** y[None, :]),
        "gain-pairs": better * (2 ** y[:, None] - 2 ** y[None, :]) / pairs,
    }[loss.weight]
    return (weights * MARGINS[loss.margin](loss, s[:, None] - s[None, :])).sum()


def discounts(loss: Any, ranks: Tensor) -> Tensor:
    return 1 / ranks if loss.discount == "reciprocal" else 1 / torch.log2(1 + ranks)


def normalised_gains(loss: Any, y: Tensor, cutoff: int | None) -> Tensor:
    if isinstance(loss.gain, tuple):
        gains = torch.tensor(loss.gain, dtype=y.dtype)[y.long()]
    else:
        gains = y if loss.gain == "linear" else 2**y - 1
    ranks = torch.arange(1, y.numel() + 1, dtype=y.dtype)
    ideal = (gains.sort(descending=True).values * discounts(loss, ranks))[:cutoff].sum()
    return gains / ideal if ideal > 0 else gains * 0


def logistic_pairs(loss: Any, s: Tensor, y: Tensor, weights: Tensor) -> Tensor:
    t = loss.sigma * (s[:, None] - s[None, :])
    return ((y[:, None] > y[None, :]) * weights * torch.logaddexp(torch.zeros_like(t), -t)).sum()


def lambdarank(loss: Any, s: Tensor, y: Tensor) -> Tensor:
    ranks = 1 + (s[None, :] > s[:, None]).sum(1).to(s.dtype)
    d = discounts(loss, ranks) * (ranks <= (loss.cutoff or s.numel()))
    g = normalised_gains(loss, y, loss.cutoff)
    return logistic_pairs(loss, s, y, ((g[:, None] - g[None, :]) * (d[:, None] - d[None, :])).abs())


def lambdaloss(loss: Any, s: Tensor, y: Tensor) -> Tensor:
    ranks = 1 + (s[None, :] > s[:, None]).sum(1).to(s.dtype)
    d, g = discounts(loss, ranks), normalised_gains(loss, y, None)
    apart = (ranks[:, None] - ranks[None, :]).abs()
    delta = torch.where(apart > 0, discounts(loss, apart.clamp(min=1)) - discounts(loss, apart + 1), 0.0)
    weights = delta if loss.scheme == "loss2" else (d[:, None] - d[None, :]).abs() + loss.mu * delta
    return logistic_pairs(loss, s, y, (g[:, None] - g[None, :]).abs() * weights)


DEFINITIONS: dict[str, Callable[[Any, Tensor, Tensor], Tensor]] = {
    "approx-ndcg": approx_ndcg,
    "bregman": bregman,
    "centred-squared": centred_squared,
    "cosine": cosine,
    "duchi": duchi,
    "kl": kl,
    "lambdaloss": lambdaloss,
    "lambdarank": lambdarank,
    "listmle": listmle,
    "listnet": listnet,
    "lift": lift,
    "order-preserving": order_preserving,
    "ordinal": ordinal,
    "pointwise-logistic": pointwise_logistic,
    "preorder": preorder,
    "q-family": q_family,
    "query-ordinal": query_ordinal,
    "softmax": softmax,
    "relative": relative,
    "squared": squared,
    "xe-ndcg": xe_ndcg,
}


def derivatives(loss: Any, scores: Any, targets: Any) -> tuple[float, list[float], list[float]]:
    """Value, gradient and diagonal of the Hessian of one query."""
    s = torch.tensor(scores, dtype=torch.float64, requires_grad=True)
    u = torch.tensor(targets, dtype=torch.float64)
    value = DEFINITIONS[loss.name](loss, s, u)
    (gradient,) = torch.autograd.grad(value, s, create_graph=True)
    diagonal = []
    for i in range(s.numel()):
        # A gradient that does not depend on the scores has no graph.
        if gradient.requires_grad:
            (row,) = torch.autograd.grad(gradient[i], s, retain_graph=True, allow_unused=True)
            diagonal.append(0.0 if row is None else row[i].item())
        else:
            diagonal.append(0.0)
    return value.item(), gradient.tolist(), diagonal
