"""`PairJudgments`: which of two items judges preferred, and the target for pairwise metrics that follows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankproof.arrays import Float64s, Int64s, frozen
from rankproof.errors import ArgumentError
from rankproof.ids import TextIds, as_ids, as_text
from rankproof.judgments.columns import Codes, codes_of, grouped_items
from rankproof.judgments.expected import ExpectedTarget
from rankproof.judgments.numbered import numbered_pairs
from rankproof.metrics.parse import metric as metric_of
from rankproof.targets.balance import Balance
from rankproof.targets.base import Target
from rankproof.targets.choose import target_for

__all__ = ["PairJudgments"]


@dataclass(frozen=True, eq=False, repr=False)
class PairJudgments:
    """Preferences between pairs of items, in flat arrays.

    Made by `rankproof.read_judgments` or `from_columns`. The weight of the preference for i over j is the
    share of the judgments on the pair that prefer i; a pair that nobody judged has no preference.

    Parameters
    ----------
    offsets : array of int64, one more than there are queries
        Query q owns the items ``offsets[q]:offsets[q + 1]``: all that were compared.
    winner, loser, judge : arrays of int64, one entry per judgment
        Numbers of items (through all queries) and of judges.
    judge_ids, query_ids, doc_ids : arrays of ids
        Of the judges, the queries and the items.

    Examples
    --------
    >>> judged = PairJudgments.from_columns(
    ...     query=["q"] * 3, winner=["a", "a", "b"], loser=["b", "b", "a"], judge=["ann", "bob", "cid"])
    >>> judged.expected_target("PD").values  # 2 + 2/3 - 1/3, 2 + 1/3 - 2/3
    array([2.33333333, 1.66666667])
    """

    offsets: Int64s
    winner: Int64s
    loser: Int64s
    judge: Int64s
    judge_ids: NDArray[Any]
    query_ids: NDArray[Any]
    doc_ids: TextIds

    @classmethod
    def from_columns(
        cls, query: ArrayLike, winner: ArrayLike, loser: ArrayLike, judge: ArrayLike
    ) -> PairJudgments:
        """Preferences of columns with one entry per judgment, in any order."""
        columns = [as_ids(ids) for ids in (query, winner, loser, judge)]
        if any(ids.ndim != 1 or ids.shape != columns[0].shape for ids in columns):
            raise ArgumentError(
                "Arguments query, winner, loser and judge of PairJudgments.from_columns must be "
                "one-dimensional and "
                f"of one length, got shapes {', '.join(str(ids.shape) for ids in columns)}."
            )
        return cls.from_codes(*map(codes_of, columns))

    @classmethod
    def from_codes(cls, queries: Codes, winners: Codes, losers: Codes, judges: Codes) -> PairJudgments:
        """The same of numbered columns."""
        rows = queries.numbers.size
        texts = [as_text(codes.names) for codes in (winners, losers)]
        docs = codes_of(
            np.concatenate([own[codes.numbers] for own, codes in zip(texts, (winners, losers), strict=True)])
        )
        layout = grouped_items(Codes(queries.names, np.tile(queries.numbers, 2)), docs)
        winner, loser = layout.item[:rows], layout.item[rows:]
        if (winner == loser).any():
            row = int(np.argmax(winner == loser))
            raise ArgumentError(f"Row {row} has one item as winner and as loser.")
        return cls(
            *(frozen(layout.offsets), frozen(winner), frozen(loser), frozen(judges.numbers)),
            *(judges.names, queries.names, as_text(docs.names)[layout.doc]),
        )

    @property
    def queries(self) -> int:
        """How many queries there are."""
        return self.offsets.size - 1

    @property
    def items(self) -> int:
        """How many items there are in all."""
        return int(self.offsets[-1])

    @cached_property
    def weights(self) -> tuple[Int64s, Int64s, Float64s]:
        """The pairs with a preference: winner, loser, and the share of the pair's judgments that say so."""
        low, high = np.minimum(self.winner, self.loser), np.maximum(self.winner, self.loser)
        firsts, pair = numbered_pairs(low, high)
        judged = np.bincount(pair)
        up = np.bincount(pair, self.winner == low, minlength=firsts.size)
        a, b = low[firsts], high[firsts]
        winner, loser = np.concatenate([a, b]), np.concatenate([b, a])
        share = np.concatenate([up, judged - up]) / np.tile(judged, 2)
        kept = share > 0
        return winner[kept], loser[kept], share[kept]

    def expected_target(self, aim: Any, **_: Any) -> ExpectedTarget:
        """``E[u]`` of every item for the balance of preferences: n + sum over k of (a_ik - a_ki).

        It standardises PD where the mean preferences have low noise: where they at least add up along chains.
        """
        target = aim if isinstance(aim, Target) else target_for(metric_of(aim), noise="low noise")
        if not isinstance(target, Balance) or target.normalize != "none":
            raise ArgumentError(
                f"Preferences between pairs have the target balance, that of PD; {target} needs grades. "
                "Train for "
                "the metric PD, or give graded judgments."
            )
        winner, loser, share = self.weights
        n = np.repeat(np.diff(self.offsets), np.diff(self.offsets)).astype(np.float64)
        values = n * float(target.bound)
        values += np.bincount(winner, share, minlength=self.items)
        values -= np.bincount(loser, share, minlength=self.items)
        return ExpectedTarget(frozen(values), target, "pairs")

    def __repr__(self) -> str:
        return (
            f"PairJudgments({self.queries} queries, {self.items} items, {self.judge_ids.size} judges, "
            f"{self.winner.size} preferences)"
        )
