"""Candidates for boosting: losses and their averages, with ways to take the second-order step.

A candidate is text. ``LOSS:TARGET``, or several joined by ``+``: their derivatives, each brought to a mean
curvature of 1 at scores of 0, are averaged. ``lift:TARGET`` is the order-preserving loss with the margin
(1 - t)^2, ``centred-cosine:TARGET`` the cosine of centred scores, ``attentive:TARGET`` what the module of
that name says. Or a loss of an engine: ``lgb=NAME``, ``xgb=NAME``, ``cat=NAME``, with the labels as they are
or, with ``|labels=TARGET``, a target u in their place; ``|labels=relative:TARGET`` is u / (u + mean(u)) with
weights u + mean(u), whose weighted squares are the sum of u_i (1 - s_i)^2 + mean(u) s_i^2: linear in u, so
that their mean is least where s_i = m_i / (m_i + mean(m)).

Then options, each after ``|``:

step     ``exact``: the diagonal of the Hessian; ``limited``: the same, but at least the gradient's size over
         the limit (4), so that no leaf moves by more than that; ``double``: twice the diagonal, which bounds
         the whole Hessian of losses that do not see a number added to all scores (the rows of the Hessian add
         up to 0 and what is beside the diagonal is not positive, so twice the diagonal less the Hessian is
         diagonally dominant); ``unit``: 1 everywhere, gradient steps. For lift also ``flatK``: K mean(u), the
         same for all items of a query, and ``expectedK``: K times the diagonal with targets replaced by what
         the scores say they are on average. The step never changes what is minimised: only the second
         derivatives that the engine divides by.
query    the weight of a query of n items: ``1``, ``1/n``, ``1/sqrt(n)``, ``sqrt(n)``, ``n``
smooth   what is added to every target
l2       weight of the squared distance of the scores from their query mean, added to the loss
attend   weights of items by their current rank, for centred-squared: ``log`` 1/log2(1 + rank), ``1/rank``,
         ``top10`` the discounts of nDCG@10 and a tenth of the least of them below; equal scores share a
         rank. For attentive: the weights of pairs
pairs    for attentive: what a pair counts
limit    how far ``limited`` steps go, before the learning rate; rankproof's objectives have 2
scale    what gradient and second derivative are multiplied by
engine   ``lightgbm``, ``xgboost``, ``catboost`` (one tree at a time, see `boosters`)

Any other option is a parameter of the engine.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import benchmark_path  # noqa: F401  (finds shared)
import rankproof as rp
from attentive import ATTENTION as OF_PAIRS
from attentive import PAIRS, derivatives
from rankproof.losses.base import Loss
from rankproof.losses.parse import loss as loss_of
from rankproof.threads import using
from shared.boosters import staged_scores

__all__ = ["Candidate"]

LIMIT, FLOOR, NEAREST = 4.0, 1e-6, 0.1
ENGINES = {"lgb": "lightgbm", "xgb": "xgboost", "cat": "catboost"}
Derivatives = tuple[np.ndarray, np.ndarray]
Part = Callable[[np.ndarray], Derivatives]


@dataclass(frozen=True)
class Candidate:
    """What the module docstring says, read; ``own`` is the name of a loss of the engine."""

    losses: tuple[str, ...] = ()
    own: str | None = None
    labels: str | None = None
    engine: str = "lightgbm"
    step: str = "exact"
    query: str = "1"
    attend: str | None = None
    pairs: str = "winner"
    smooth: float = 0.0
    l2: float = 0.0
    scale: float = 1.0
    limit: float = LIMIT
    parameters: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def read(cls, text: str) -> Candidate:
        """Parse ``LOSS:TARGET+LOSS:TARGET|option=value|...``."""
        head, *rest = text.split("|")
        given: dict[str, Any] = dict(part.split("=", 1) for part in rest)
        known: dict[str, Any] = {
            name: given.pop(name)
            for name in ("labels", "engine", "step", "query", "attend", "pairs")
            if name in given
        }
        numbers = ("smooth", "l2", "scale", "limit")
        known |= {name: float(given.pop(name)) for name in numbers if name in given}
        parameters = {name: _number(value) for name, value in given.items()}
        short, _, name = head.partition("=")
        if short in ENGINES:
            return cls(own=name, parameters=parameters, **{**known, "engine": ENGINES[short]})
        return cls(losses=tuple(head.split("+")), parameters=parameters, **known)

    def staged(
        self, train: rp.RankingData, others: list[rp.RankingData], *, seed: int, trees: int, every: int
    ) -> list[np.ndarray]:
        """Scores of the other data sets after ``every``, 2 ``every``, ... trees."""
        labels, weights = None, None
        if self.labels is not None:
            relative, _, target = self.labels.rpartition(":")
            labels = loss_of(f"squared:{target}").targets(train.labels, train.offsets, threads=1)
            if relative:
                weights = labels + _mean(labels, train.offsets)
                labels = np.divide(labels, weights, out=np.full(labels.size, 0.5), where=weights > 0)
                weights *= self.scale / weights.mean()
                weights = np.maximum(weights, FLOOR)
        return staged_scores(
            self.engine,
            self.own or self.objective(train),
            train,
            others,
            seed=seed,
            trees=trees,
            every=every,
            labels=labels,
            weights=weights,
            **self.parameters,
        )

    def objective(self, data: rp.RankingData) -> Callable[[np.ndarray, Any], Derivatives]:
        """A function of scores and the engine's data set."""
        weights = QUERY_WEIGHTS[self.query](np.maximum(data.sizes, 1).astype(float))
        # A mean of 1 over the items, so that limits on curvature mean the same for all.
        weights /= (weights * data.sizes).sum() / data.items
        parts = [self._maker(text)(text, data, weights) for text in self.losses]

        def derivatives(scores: np.ndarray, _: Any) -> Derivatives:
            found = [part(np.asarray(scores, np.float64)) for part in parts]
            gradient, hessian = np.mean([g for g, _ in found], axis=0), np.mean([h for _, h in found], axis=0)
            return gradient * self.scale, hessian * self.scale

        return derivatives

    def _maker(self, text: str) -> Callable[[str, rp.RankingData, np.ndarray], Part]:
        if text.startswith("lift:"):
            return self._lifting
        if text.startswith("attentive:"):
            return self._pairing
        return self._part if self.attend is None else self._attending

    def _part(self, text: str, data: rp.RankingData, weights: np.ndarray) -> Part:
        """Derivatives of one loss; the cosine of centred scores is the cosine, between two projections."""
        centred = text.startswith("centred-cosine")
        loss: Loss = loss_of(text.removeprefix("centred-") if centred else text)
        offsets, sizes = data.offsets, data.sizes
        targets = loss.targets(data.labels, offsets, threads=1) + self.smooth
        if centred:
            targets = targets - _mean(targets, offsets)

        def raw(scores: np.ndarray) -> Derivatives:
            s = scores - _mean(scores, offsets) if centred else scores
            with using(1):
                found = loss.fast(s, targets, offsets, weights, hessian=True)
            gradient, hessian = found.gradient, found.hessian
            assert hessian is not None
            if centred:
                gradient = gradient - _mean(gradient, offsets)
            if self.l2:
                gradient = gradient + 2 * self.l2 * (scores - _mean(scores, offsets))
                hessian = hessian + 2 * self.l2 * (1 - 1 / np.repeat(sizes, sizes))
            return gradient, hessian

        _, start = raw(np.zeros(data.items))
        usual = 1.0 / start[start > 0].mean() if self.step != "unit" and (start > 0).any() else 1.0

        def part(scores: np.ndarray) -> Derivatives:
            gradient, hessian = raw(scores)
            gradient, hessian = gradient * usual, hessian * usual
            if self.step == "unit":
                hessian = np.ones(gradient.size)
            elif self.step == "limited":
                hessian = np.maximum(hessian, np.abs(gradient) / self.limit)
            elif self.step == "double":
                hessian = 2 * hessian
            return gradient, np.maximum(hessian, FLOOR)

        return part

    def _lifting(self, text: str, data: rp.RankingData, weights: np.ndarray) -> Part:
        r"""All ordered pairs, weighted by the target of the first item: sum_ij u_i (1 - s_i + s_j)^2.

        That is the order-preserving loss with the margin (1 - t)^2, which needs one pass and has constant
        curvature. With m = E[u], of mean m', and scores of mean 0, the minimum is where s_i = (m_i - m' + c)
        / (m_i + m') with c < 2 m': increasing in m_i.
        """
        target = text.partition(":")[2]
        offsets, sizes = data.offsets, data.sizes
        u = loss_of(f"squared:{target}").targets(data.labels, offsets, threads=1)
        n = np.repeat(sizes, sizes).astype(float)
        mean_u, of_item = _mean(u, offsets), np.repeat(weights, sizes) * n
        hessian = (u + mean_u - 2 * u / n) * of_item
        usual = 1.0 / hessian[hessian > 0].mean()

        def part(scores: np.ndarray) -> Derivatives:
            c = scores - _mean(scores, offsets)
            mean_uc = _mean(u * c, offsets)
            gradient = mean_u * (1 + c) - mean_uc - u * (1 - c)
            if self.step.startswith("expected"):
                away = np.maximum(1 - c, NEAREST)
                second = (
                    float(self.step[8:] or 1) * np.maximum(2 * mean_u - mean_uc, mean_u / 2) / away * of_item
                )
            elif self.step.startswith("flat"):
                second = float(self.step[4:] or 1) * mean_u * of_item
            else:
                second = hessian * {"exact": 1.0, "double": 2.0}[self.step]
            return gradient * of_item * usual, np.maximum(second * usual, FLOOR)

        return part

    def _pairing(self, text: str, data: rp.RankingData, weights: np.ndarray) -> Part:
        """Pairs weighted by where they are in the current list."""
        u = loss_of(f"squared:{text.partition(':')[2]}").targets(data.labels, data.offsets, threads=1)
        attention, pairs = OF_PAIRS[self.attend or "one"], PAIRS[self.pairs]
        times = {"exact": 1.0, "double": 2.0}[self.step]
        noise = np.random.default_rng(0)

        def raw(scores: np.ndarray) -> Derivatives:
            gradient, hessian = derivatives(scores, u, data.offsets, weights, attention, pairs, noise)
            return gradient, hessian

        _, start = raw(np.zeros(data.items))
        usual = 1.0 / start[start > 0].mean()

        def part(scores: np.ndarray) -> Derivatives:
            gradient, hessian = raw(scores)
            return gradient * usual, np.maximum(hessian * usual * times, FLOOR)

        return part

    def _attending(self, text: str, data: rp.RankingData, weights: np.ndarray) -> Part:
        """Squared differences, centred and weighted by the item's weight at its current rank."""
        loss = loss_of(text)
        offsets, sizes = data.offsets, data.sizes
        targets = loss.targets(data.labels, offsets, threads=1)
        of_item = np.repeat(weights, sizes)
        query = np.repeat(np.arange(data.queries), sizes)

        def part(scores: np.ndarray) -> Derivatives:
            v = ATTENTION[self.attend or ""](_ranks(scores, query, offsets))
            v /= np.repeat(np.add.reduceat(v, offsets[:-1]) / sizes, sizes)
            residual = scores - targets
            centre = np.add.reduceat(v * residual, offsets[:-1]) / np.add.reduceat(v, offsets[:-1])
            gradient = v * (residual - np.repeat(centre, sizes)) * of_item
            hessian = v * of_item if self.step != "unit" else np.ones(v.size)
            return gradient, hessian

        return part


def _number(text: str) -> int | float | str:
    """A number, or the text where it is none."""
    try:
        return int(text) if text.isdigit() else float(text)
    except ValueError:
        return text


def _ranks(scores: np.ndarray, query: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """Ranks from 1 within each query; equal scores share the mean of theirs."""
    order = np.lexsort((-scores, query))
    s, q = scores[order], query[order]
    new = np.concatenate(([True], (s[1:] != s[:-1]) | (q[1:] != q[:-1])))
    group = np.cumsum(new) - 1
    place = np.arange(scores.size) - offsets[q] + 1.0
    shared = np.bincount(group, place) / np.bincount(group)
    ranks = np.empty(scores.size)
    ranks[order] = shared[group]
    return ranks


def _top10(ranks: np.ndarray) -> np.ndarray:
    discounts: np.ndarray = np.where(ranks <= 10, 1.0, 0.1) / np.log2(1 + np.minimum(ranks, 10))
    return discounts


ATTENTION = {
    "log": lambda ranks: 1 / np.log2(1 + ranks),
    "1/rank": lambda ranks: 1 / ranks,
    "top10": _top10,
}


QUERY_WEIGHTS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "1": np.ones_like,
    "1/n": lambda n: 1 / n,
    "1/sqrt(n)": lambda n: 1 / np.sqrt(n),
    "sqrt(n)": np.sqrt,
    "n": np.array,
}


def _mean(values: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """The mean over its query, for every item."""
    sizes = np.diff(offsets)
    sums = np.add.reduceat(values, offsets[:-1])
    return np.repeat(sums / sizes, sizes)
