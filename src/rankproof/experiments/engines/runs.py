"""One training run: which order of the items it held from which tree on, and what that order loses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeAlias

import numpy as np

from rankproof.arrays import Float64s
from rankproof.plain import html_table, json_text

__all__ = ["EngineRun", "Order", "Stretch", "order_of", "order_text", "stretches_of"]

# Groups of items, best first; items with equal scores are in one group.
Order: TypeAlias = tuple[tuple[int, ...], ...]
# Scores nearer than this share of their spread are equal: engines compute in single precision.
TIED = 1e-6


def order_of(scores: Float64s) -> Order:
    """The order of the items by their scores.

    >>> order_of(np.array([0.5, 2.0, 0.5]))
    ((1,), (0, 2))
    """
    step = TIED * max(1.0, float(np.ptp(scores)))
    ranked = [int(item) for item in np.argsort(-scores, kind="stable")]
    groups: list[list[int]] = [[ranked[0]]]
    for before, item in pairwise(ranked):
        if scores[before] - scores[item] > step:
            groups.append([])
        groups[-1].append(item)
    return tuple(tuple(sorted(group)) for group in groups)


def order_text(order: Order) -> str:
    """An order for people.

    >>> order_text(((1,), (0, 2)))
    '1 > 0 = 2'
    """
    return " > ".join(" = ".join(map(str, group)) for group in order)


@dataclass(frozen=True)
class Stretch:
    """Trees during which the order stayed the same.

    Attributes
    ----------
    first : the number of the first of these trees, counted from 1
    order : groups of items, best first; the items of a group have equal scores
    lost : how much of the metric this order loses under the law, ties taken as the mean over their rankings
    """

    first: int
    order: Order
    lost: float

    @property
    def best(self) -> bool:
        """Whether every ranking with this order is a best one."""
        return self.lost == 0.0


@dataclass(frozen=True)
class EngineRun:
    """One training run.

    Attributes
    ----------
    rate : the learning rate
    seed : of the engine, and of the order of the rows
    stretches : the orders that the run went through
    """

    rate: float
    seed: int
    stretches: tuple[Stretch, ...]

    def at(self, tree: int) -> Stretch:
        """What the order was after so many trees."""
        return [stretch for stretch in self.stretches if stretch.first <= tree][-1]

    @property
    def end(self) -> Stretch:
        """What the order was at the end."""
        return self.stretches[-1]

    def wrong_trees(self, trees: int) -> int:
        """After how many of the trees the order was not best."""
        ends = [*(stretch.first for stretch in self.stretches[1:]), trees + 1]
        pairs = zip(self.stretches, ends, strict=True)
        return sum(end - stretch.first for stretch, end in pairs if not stretch.best)

    def to_dict(self) -> dict[str, Any]:
        """Plain data; a stretch is a list of its first tree, its order and what it loses."""
        return {
            "rate": self.rate,
            "seed": self.seed,
            "orders": [[s.first, [list(group) for group in s.order], s.lost] for s in self.stretches],
        }

    def to_json(self) -> str:
        """`to_dict` as JSON text."""
        return json_text(self.to_dict())

    def _repr_html_(self) -> str:
        rows = [[str(s.first), order_text(s.order), f"{s.lost:.4f}"] for s in self.stretches]
        title = f"learning rate {self.rate:g}, seed {self.seed}"
        return html_table(["from tree", "order", "lost"], rows, title=title, left=(1,))

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> EngineRun:
        """The run that `to_dict` wrote."""
        return cls(
            float(plain["rate"]),
            int(plain["seed"]),
            tuple(
                Stretch(int(first), tuple(tuple(int(i) for i in group) for group in order), float(lost))
                for first, order, lost in plain["orders"]
            ),
        )


def stretches_of(orders: Sequence[Order], losses: Mapping[Order, float]) -> tuple[Stretch, ...]:
    """The orders after every tree, with repetitions counted instead of listed."""
    changes = [k for k, order in enumerate(orders) if k == 0 or order != orders[k - 1]]
    return tuple(Stretch(k + 1, orders[k], losses[orders[k]]) for k in changes)
