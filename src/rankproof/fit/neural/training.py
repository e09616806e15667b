"""Training of a network in torch: batches of whole queries, AdamW, and a stop by the metric itself."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from rankproof.arrays import Int64s, items_of_queries
from rankproof.errors import ArgumentError
from rankproof.evaluation.per_query import signed
from rankproof.fit.callbacks import Callback
from rankproof.fit.data import HeldOut
from rankproof.fit.neural.network import Float32s, Network
from rankproof.fit.progress import counted
from rankproof.forks import fork_safe
from rankproof.losses.base import Loss
from rankproof.losses.supervision import Supervision
from rankproof.plain import html_fields, json_text, plain_fields
from rankproof.threads import thread_count

__all__ = ["Epoch", "TrainingPlan", "TrainingReport", "train"]


@dataclass(frozen=True)
class TrainingPlan:
    """How to train."""

    max_iter: int
    patience: int
    batch_items: int
    learning_rate: float
    weight_decay: float
    dropout: float
    device: str
    verbose: int


@dataclass(frozen=True)
class Epoch:
    """What one pass over the data gave: the mean loss on the way, and the metric on held-out queries."""

    number: int
    loss: float
    metric: float | None

    def state(self) -> str:
        """Both, for people."""
        return f"loss {self.loss:.6g}" + ("" if self.metric is None else f", metric {self.metric:.4f}")


@dataclass(frozen=True)
class TrainingReport:
    """How training ended.

    Parameters
    ----------
    epochs : int
        Passes over the data.
    best_epoch : int
        The pass whose weights are kept.
    loss : float
        The mean loss over queries during that pass.
    metric : float or None
        The metric on held-out queries with those weights; None when there were none.
    converged : bool
        Whether the metric had stopped to improve.
    message : str
        Why training stopped.

    Examples
    --------
    >>> print(TrainingReport(23, 13, 0.5, 0.71, converged=True, message="no better in 10 epochs"))
    23 epochs, the best was 13: no better in 10 epochs; loss 0.5, metric 0.71
    """

    epochs: int
    best_epoch: int
    loss: float
    metric: float | None
    converged: bool
    message: str

    def __str__(self) -> str:
        metric = "" if self.metric is None else f", metric {self.metric:.6g}"
        return (
            f"{self.epochs} epochs, the best was {self.best_epoch}: {self.message}; "
            f"loss {self.loss:.6g}{metric}"
        )

    def to_dict(self) -> dict[str, Any]:
        """The fields, as plain data."""
        return plain_fields(self)

    def to_json(self) -> str:
        """`to_dict` as JSON text."""
        return json_text(self.to_dict())

    def _repr_html_(self) -> str:
        return html_fields(self)


@fork_safe
def train(
    start: Network,
    features: Float32s,
    data: Supervision,
    loss: Loss,
    held_out: HeldOut | None,
    plan: TrainingPlan,
    random: np.random.Generator,
    title: str,
    callbacks: tuple[Callback, ...] = (),
) -> tuple[Network, list[Epoch], TrainingReport]:
    """The network after the best epoch, all epochs, and how it ended.

    The features of ``held_out`` are what the network sees of its items.
    """
    history: list[Epoch] = []
    best, kept = -np.inf, start
    message, converged = f"the limit of {plan.max_iter} epochs was reached", False
    progress = counted(plan.verbose, title, plan.max_iter, "epoch")
    trainer = _Trainer(start, features, data, loss, plan, random)
    with _torch_set_up(trainer.device, random), progress as show:
        for number in range(1, plan.max_iter + 1):
            value, network = trainer.epoch()
            if not np.isfinite(value):
                raise ArgumentError(
                    f"The loss {loss} is {value} in epoch {number}: the steps are too long. "
                    f"Lower learning_rate, now {plan.learning_rate:g}, or take another loss."
                )
            metric = None if held_out is None else held_out.mean(network.scores(np.asarray(held_out.data.X)))
            history.append(Epoch(number, value, metric))
            show(number, history[-1].state())
            if metric is not None:
                for callback in callbacks:
                    callback(number, metric)
            # Without queries to judge by, the last is the best.
            height = number if held_out is None or metric is None else signed(held_out.metric, metric)
            if height > best:
                best, kept, chosen = height, network, history[-1]
            elif number - chosen.number >= plan.patience:
                message, converged = f"no better in {plan.patience} epochs", True
                break
    report = TrainingReport(
        len(history), chosen.number, chosen.loss, chosen.metric, converged=converged, message=message
    )
    return kept, history, report


def batches(sizes: Int64s, batch_items: int, random: np.random.Generator) -> list[Int64s]:
    """All queries that have items, in random order, in batches of about equally many items.

    >>> sizes = np.array([2, 2, 2, 0, 2, 6])
    >>> sorted(int(sizes[part].sum()) for part in batches(sizes, 7, np.random.default_rng(1)))
    [6, 8]
    """
    order = random.permutation(np.flatnonzero(sizes))
    ends = np.cumsum(sizes[order])
    number = max(1, round(int(ends[-1]) / batch_items))
    # By the middle of a query, so that a long one does not leave the batch before it half empty.
    which = np.floor((ends - 0.5 * sizes[order]) * number / ends[-1]).astype(np.int64)
    cuts = np.flatnonzero(np.diff(which)) + 1
    return np.split(order, cuts)


class _Trainer:
    """The network as tensors, with the data it is trained on and the steps of AdamW."""

    def __init__(
        self,
        start: Network,
        features: Float32s,
        data: Supervision,
        loss: Loss,
        plan: TrainingPlan,
        random: np.random.Generator,
    ) -> None:
        from rankproof.torch import loss as module_of

        self.module = module_of(loss, check=False)
        import torch

        self.data, self.plan, self.random = data, plan, random
        self.sizes = np.diff(data.offsets)
        self.device = _device(plan.device)
        self.weights = [self._tensor(w.copy()).requires_grad_() for w in start.weights]
        self.biases = [self._tensor(b.copy()).requires_grad_() for b in start.biases]
        self.features, self.targets = self._tensor(features), self._tensor(data.targets.astype(np.float32))
        items = data.item_weights
        self.item_weights = self._tensor(items.astype(np.float32)) if items.size else None
        self.optimizer = torch.optim.AdamW(
            [
                {"params": self.weights, "weight_decay": plan.weight_decay},
                {"params": self.biases, "weight_decay": 0.0},
            ],
            lr=plan.learning_rate,
        )

    def epoch(self) -> tuple[float, Network]:
        """Train for one pass over the data: the mean loss on the way, and the network after it."""
        parts, total = batches(self.sizes, self.plan.batch_items, self.random), 0.0
        for queries in parts:
            self.optimizer.zero_grad(set_to_none=True)
            value = self._loss(queries)
            # Batches have other numbers of queries: this is right on average over them.
            (value * (len(parts) / self.data.total_weight)).backward()
            self.optimizer.step()
            total += float(value.detach())
        arrays = ([x.detach().cpu().numpy().copy() for x in part] for part in (self.weights, self.biases))
        return total / self.data.total_weight, Network(*(tuple(part) for part in arrays))

    def _loss(self, queries: Int64s) -> Any:
        """The loss of a batch of queries."""
        data = self.data
        offsets, items = items_of_queries(data.offsets, queries)
        places = self._tensor(items)
        by_query = None if data.query_weights is None else self._tensor(data.query_weights[queries])
        return self.module(
            self._scores(self.features[places]),
            self.targets[places],
            self._tensor(offsets),
            by_query,
            item_weights=None if self.item_weights is None else self.item_weights[places],
        )

    def _scores(self, h: Any) -> Any:
        from torch.nn.functional import dropout, linear, relu

        last = len(self.weights) - 1
        for k, (w, b) in enumerate(zip(self.weights, self.biases, strict=True)):
            h = linear(h, w, b)
            if k < last:
                h = dropout(relu(h), self.plan.dropout)
        return h[:, 0]

    def _tensor(self, array: Any) -> Any:
        import torch

        return torch.from_numpy(np.ascontiguousarray(array)).to(self.device)


@contextmanager
def _torch_set_up(device: Any, random: np.random.Generator) -> Iterator[None]:
    """A seed and a number of threads for torch, whose generator and threads belong to the caller."""
    import torch

    before = torch.get_num_threads()
    with torch.random.fork_rng(devices=[] if device.type == "cpu" else None):
        torch.manual_seed(int(random.integers(2**31)))
        torch.set_num_threads(thread_count())
        try:
            yield
        finally:
            torch.set_num_threads(before)


def _device(name: str) -> Any:
    import torch

    try:
        device = torch.device(name)
        torch.zeros(1, device=device)
    except (RuntimeError, AssertionError, TypeError) as error:
        raise ArgumentError(
            f"Argument device of NeuralRanker must name a device that torch can use, got {name!r}: {error}."
        ) from None
    return device
