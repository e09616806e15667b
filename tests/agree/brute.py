"""The oracle: every metric by its definition, on one strict ranking; ties by listing every ranking.

Nothing here knows a closed form or a kernel. A metric is a function of

- ``ranked``: the labels from the top down (None: not judged),
- ``missed``: the labels of judged items that the run did not return,
- its parameters by keyword,

and gives a number (a Fraction wherever the definition is rational) or None for a query it says nothing about.
The value of scores is the mean over all rankings that sort them. Pairwise metrics see the missed items as one
group of equal scores below all others; for the rest they stand at no rank.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields
from fractions import Fraction
from itertools import permutations, product
from typing import Any

from agree.brute_pairs import Label, Labels, Value, auc, disagreement, kendall, strictly, zero_one

# Building blocks ----------------------------------------------------------------------------------


def worth(gain: Any, y: Label) -> Any:
    """The gain of a grade: 2^y - 1, y itself, or the table's entry; below grade 0 nothing."""
    if isinstance(gain, tuple):
        return Fraction(gain[int(y)])
    if y < 0:
        return 0
    if gain == "linear":
        return Fraction(y)
    return Fraction(2) ** int(y) - 1 if int(y) == y else Fraction(2.0**y) - 1


def weight(discount: Any, k: int) -> Any:
    """The weight of rank k."""
    if isinstance(discount, tuple):
        return Fraction(discount[k - 1]) if k <= len(discount) else 0
    if discount == "reciprocal":
        return Fraction(1, k)
    if discount == "letor":
        return Fraction(1) if k <= 2 else Fraction(1 / math.log2(k))
    return Fraction(1 / math.log2(k + 1)) if discount == "log2" else Fraction(1 / math.log(k + 1))


def top(ranked: Labels, cutoff: int | None) -> Labels:
    """The part of the list that is looked at."""
    return ranked if cutoff is None else ranked[:cutoff]


def hits(labels: Labels, rel: float) -> int:
    """How many labels are relevant."""
    return sum(1 for y in labels if y is not None and y >= rel)


# Gains and discounts ------------------------------------------------------------------------------


def dcg(ranked: Labels, missed: Labels, *, cutoff: Any, gain: Any, discount: Any) -> Value:
    """Järvelin & Kekäläinen 2002: the sum of discounted gains."""
    if all(worth(gain, y) == 0 for y in (*ranked, *missed)):
        return None
    return sum(
        (weight(discount, k) * worth(gain, y) for k, y in enumerate(top(ranked, cutoff), 1)), Fraction(0)
    )


def ndcg(ranked: Labels, missed: Labels, *, cutoff: Any, gain: Any, discount: Any) -> Value:
    """DCG divided by the largest DCG of any ranking of all judged items."""
    parameters = {"cutoff": cutoff, "gain": gain, "discount": discount}
    best = dcg(sorted((*ranked, *missed), reverse=True), (), **parameters)
    return dcg(ranked, missed, **parameters) / best if best else None


def mean_ndcg(ranked: Labels, missed: Labels, *, gain: Any, discount: Any) -> Value:
    """Qin & Liu 2013: the mean of nDCG@1..nDCG@n, n the number of all items of the query."""
    n = len(ranked) + len(missed)
    every = [ndcg(ranked, missed, cutoff=k, gain=gain, discount=discount) for k in range(1, n + 1)]
    return sum(every) / n if n and every[0] is not None else None


def rbp(ranked: Labels, missed: Labels, *, cutoff: Any, p: float | None, rel: float) -> Value:
    """Moffat & Zobel 2008: a reader goes on to the next item with probability p."""
    if not hits((*ranked, *missed), rel):
        return None
    p = 0.8 if p is None else p
    return (1 - Fraction(p)) * sum(
        (Fraction(p) ** (k - 1) for k, y in enumerate(top(ranked, cutoff), 1) if y >= rel), Fraction(0)
    )


def err(ranked: Labels, missed: Labels, *, cutoff: Any, max_grade: Any) -> Value:
    """Chapelle et al. 2009: 1/rank of the place where a reader stops, R = (2^y - 1) / 2^max_grade."""
    if not any(y > 0 for y in (*ranked, *missed)):
        return None
    going, total = Fraction(1), Fraction(0)
    for k, y in enumerate(top(ranked, cutoff), 1):
        stops = worth("exp", y) / (
            Fraction(2) ** max_grade if max_grade == int(max_grade) else Fraction(2.0**max_grade)
        )
        total += going * stops / k
        going *= 1 - stops
    return total


# Binary relevance ---------------------------------------------------------------------------------


def precision(ranked: Labels, missed: Labels, *, cutoff: Any, rel: float) -> Value:
    """Relevant items among the first K, divided by K (by the length of the list when there is no K)."""
    if not hits((*ranked, *missed), rel):
        return None
    divisor = len(ranked) if cutoff is None else cutoff
    return Fraction(hits(top(ranked, cutoff), rel), divisor) if divisor else Fraction(0)


def recall(ranked: Labels, missed: Labels, *, cutoff: Any, rel: float) -> Value:
    """Relevant items among the first K, divided by the number of relevant items."""
    relevant = hits((*ranked, *missed), rel)
    return Fraction(hits(top(ranked, cutoff), rel), relevant) if relevant else None


def f_measure(ranked: Labels, missed: Labels, *, cutoff: Any, rel: float, beta: float) -> Value:
    """van Rijsbergen 1979: (1 + b^2) P R / (b^2 P + R), and 0 when P and R are 0."""
    p = precision(ranked, missed, cutoff=cutoff, rel=rel)
    r = recall(ranked, missed, cutoff=cutoff, rel=rel)
    if p is None:
        return None
    square = Fraction(beta) ** 2
    return (1 + square) * p * r / (square * p + r) if p + r else Fraction(0)


def success(ranked: Labels, missed: Labels, *, cutoff: Any, rel: float) -> Value:
    """1 when a relevant item is among the first K."""
    if not hits((*ranked, *missed), rel):
        return None
    return Fraction(int(hits(top(ranked, cutoff), rel) > 0))


def r_precision(ranked: Labels, missed: Labels, *, rel: float) -> Value:
    """Precision at the rank that is the number of relevant items."""
    relevant = hits((*ranked, *missed), rel)
    return Fraction(hits(ranked[:relevant], rel), relevant) if relevant else None


def average_precision(ranked: Labels, missed: Labels, *, cutoff: Any, rel: float, denominator: str) -> Value:
    """The sum of P@k over the ranks k <= K of relevant items, divided by R or by min(R, K)."""
    relevant = hits((*ranked, *missed), rel)
    if not relevant:
        return None
    total = sum(
        (Fraction(hits(ranked[:k], rel), k) for k, y in enumerate(top(ranked, cutoff), 1) if y >= rel),
        Fraction(0),
    )
    return total / (relevant if denominator == "relevant" or cutoff is None else min(relevant, cutoff))


def reciprocal_rank(ranked: Labels, missed: Labels, *, cutoff: Any, rel: float) -> Value:
    """1/rank of the first relevant item, 0 when it is not among the first K."""
    if not hits((*ranked, *missed), rel):
        return None
    ranks = [k for k, y in enumerate(top(ranked, cutoff), 1) if y >= rel]
    return Fraction(1, ranks[0]) if ranks else Fraction(0)


def bpref(ranked: Labels, missed: Labels, *, rel: float) -> Value:
    """Buckley & Voorhees 2004 in the form of trec_eval: judged nonrelevant items above each relevant one."""
    everything = (*ranked, *missed)
    relevant = hits(everything, rel)
    others = sum(1 for y in everything if y is not None and y < rel)
    if not relevant:
        return None
    total = Fraction(0)
    for k, y in enumerate(ranked):
        if y is not None and y >= rel:
            above = sum(1 for z in ranked[:k] if z is not None and z < rel)
            total += 1 - Fraction(min(above, relevant), min(others, relevant)) if others else 1
    return total / relevant


def judged(ranked: Labels, missed: Labels, *, cutoff: Any) -> Value:
    """The share of the first K retrieved items that somebody judged."""
    seen = top(ranked, cutoff)
    return Fraction(sum(y is not None for y in seen), len(seen)) if seen else None


# Ties: every ranking that sorts the scores --------------------------------------------------------


def tie_groups(scores: Sequence[float]) -> list[list[int]]:
    """The items of equal score, groups from the highest score down."""
    return [[i for i, s in enumerate(scores) if s == value] for value in sorted(set(scores), reverse=True)]


def rankings(groups: list[list[int]]) -> Iterator[tuple[int, ...]]:
    """Every ranking that lists the groups in order and the items of a group in any order."""
    for parts in product(*(permutations(group) for group in groups)):
        yield tuple(item for part in parts for item in part)


def over_tie_breaks(
    value: Callable[[Labels, Labels], Value],
    scores: Sequence[float],
    labels: Labels,
    missed: Labels,
    *,
    tail_is_ranked: bool,
) -> list[tuple[Value, int]]:
    """(value, number of rankings) over every ranking that sorts the scores; equal label lists are one entry.

    With ``tail_is_ranked`` the missed items follow in every order, and the value is the mean over these.
    """

    def with_tail(ranked: Labels) -> Value:
        if not tail_is_ranked:
            return value(ranked, missed)
        found = [value((*ranked, *tail), ()) for tail in permutations(missed)]
        return None if found[0] is None else Fraction(sum(found)) / len(found)

    counts = Counter(tuple(labels[i] for i in ranking) for ranking in rankings(tie_groups(scores)))
    return [(with_tail(ranked), times) for ranked, times in counts.items()]


def mean_over_tie_breaks(
    value: Callable[[Labels, Labels], Value],
    scores: Sequence[float],
    labels: Labels,
    missed: Labels = (),
    *,
    tail_is_ranked: bool = False,
) -> Value:
    """The mean over every ranking that sorts the scores, or None for an empty query."""
    found = over_tie_breaks(value, scores, labels, missed, tail_is_ranked=tail_is_ranked)
    if found[0][0] is None:
        return None
    return sum((v * times for v, times in found), Fraction(0)) / sum(times for _, times in found)


# One entry a metric -------------------------------------------------------------------------------

ORACLES: dict[str, Callable[..., Value]] = {
    "AP": average_precision,
    "AUC": auc,
    "DCG": dcg,
    "ERR": err,
    "F": f_measure,
    "MeanNDCG": mean_ndcg,
    "P": precision,
    "PD": strictly(disagreement),
    "R": recall,
    "RBP": rbp,
    "RR": reciprocal_rank,
    "Rprec": r_precision,
    "Success": success,
    "WPDL": strictly(disagreement),
    "ZeroOne": zero_one,
    "bpref": bpref,
    "judged": judged,
    "nDCG": ndcg,
    "tau": strictly(kendall),
}
# For these the missed items are a last group of equal scores.
PAIRWISE = {"AUC", "PD", "WPDL", "ZeroOne", "tau"}
# Ways to count tied pairs that are no mean over rankings: a definition on levels.
TIES_APART: dict[tuple[str, str], Callable[..., Value]] = {
    ("PD", "full"): disagreement,
    ("WPDL", "full"): disagreement,
    ("tau", "b"): kendall,
}


class Oracle:
    """The definition of one metric, given by its name and its parameters."""

    def __init__(self, name: str, unjudged: str, sees_unjudged: bool, parameters: dict[str, Any]) -> None:
        self.policy = "keep" if sees_unjudged else unjudged
        self.tail_is_ranked = name in PAIRWISE
        self._value, self._parameters = ORACLES[name], parameters
        # None when the value of scores is the mean over the rankings that sort them.
        self._on_levels = TIES_APART.get((name, str(parameters.get("ties"))))

    @property
    def averages(self) -> bool:
        """Whether the value of scores is the mean over the rankings that sort them."""
        return self._on_levels is None

    @classmethod
    def of(cls, metric: Any) -> Oracle:
        """The oracle of a metric object."""
        parameters = {f.name: getattr(metric, f.name) for f in fields(metric)}
        del parameters["empty"]
        return cls(metric.name, parameters.pop("unjudged"), metric.sees_unjudged, parameters)

    def strict(self, ranked: Labels, missed: Labels = ()) -> Value:
        """The value of one strict ranking."""
        return self._value(ranked, missed, **self._parameters)

    def prepared(self, scores: Sequence[float], labels: Labels) -> tuple[list[float], list[Label]]:
        """Items without a judgment count as grade 0, are taken out, or stay, as the policy says."""
        kept = [(s, y) for s, y in zip(scores, labels, strict=True) if y is not None or self.policy != "drop"]
        if self.policy == "zero":
            kept = [(s, 0 if y is None else y) for s, y in kept]
        return [s for s, _ in kept], [y for _, y in kept]

    def all_values(
        self, scores: Sequence[float], labels: Labels, missed: Labels = ()
    ) -> list[tuple[Value, int]]:
        """(value, number of rankings) over every way to order retrieved items of equal score."""
        given = self.prepared(scores, labels)
        if self._on_levels is None:
            return over_tie_breaks(self.strict, *given, missed, tail_is_ranked=self.tail_is_ranked)
        return over_tie_breaks(self._with_tied_tail, *given, missed, tail_is_ranked=False)

    def mean(self, scores: Sequence[float], labels: Labels, missed: Labels = ()) -> Value:
        """The value of scores."""
        given = self.prepared(scores, labels)
        if self._on_levels is None:
            return mean_over_tie_breaks(self.strict, *given, missed, tail_is_ranked=self.tail_is_ranked)
        above = [sum(1 for other in given[0] if other > s) for s in given[0]]
        return self._on_levels(
            (*above, *[len(above)] * len(missed)), (*given[1], *missed), **self._parameters
        )

    def _with_tied_tail(self, ranked: Labels, missed: Labels) -> Value:
        levels = (*range(len(ranked)), *[len(ranked)] * len(missed))
        return self._on_levels(levels, (*ranked, *missed), **self._parameters)  # type: ignore[misc]
