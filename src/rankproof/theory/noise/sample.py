"""Conditions on the noise, tested on a finite sample: refuted, or not refuted, with a p-value.

A law that is estimated from a few draws meets none of the conditions exactly, even where the law behind it
does. So for ``draws`` independent draws with the empirical law p the question is whether they refute a
condition:

- **binary** and **one relevant** say that some labels never come: one draw of them refutes (p = 0);
- **independent**: all draws of every item's grade are dealt anew (the permutation test of
  `rankproof.Judgments.dependence`);
- **low noise**: a triple i, k, j refutes when d_ik > 0, d_kj > 0 and d_ij < d_ik + d_kj are all significant
  by t-tests (so its p-value is the largest of the three), times the number of triples (Bonferroni);
- **rank-differentiable**: for a pair of items either order must have P(y) >= P(y with the two exchanged) for
  all y. A pair refutes when each order has labels that are significantly rarer than their exchange (binomial
  tests, times the number of labels), times the number of pairs.

The p-values are valid but for the t-tests' approximation, and cautious. A condition that is not refuted is
not thereby true: few draws refute nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, permutations
from typing import Any

import numpy as np

from rankproof.arrays import Float64s
from rankproof.errors import ArgumentError
from rankproof.feedback import Graded, Law
from rankproof.judgments.container import Judgments
from rankproof.theory.noise.answer import Answer, check_kind

__all__ = ["SAMPLE_TESTS", "sample_answer"]

LEVEL = 0.05
PERMUTATIONS = 1999


def sample_answer(
    law: Law, exact: Callable[[Law], Answer], name: str, draws: int, rel: Any, weight: Any
) -> Answer:
    """Whether so many draws refute the condition; ``exact`` decides it on their own law."""
    check_kind(name, law, (Graded.kind,))
    if any((p * draws).denominator != 1 for p in law.probabilities):
        raise ArgumentError(
            f"Argument draws is {draws}, and not all probabilities of the law are whole numbers of draws out "
            "of as "
            "many, as those of a sample are."
        )
    on_law = exact(law)
    if on_law.holds:
        return Answer(name, holds=True, why=on_law.why, p_value=1.0, draws=draws)
    if name not in SAMPLE_TESTS:
        raise ArgumentError(
            f"There is no test of the condition {name!r} on a sample. There are: {', '.join(SAMPLE_TESTS)}."
        )
    p = min(1.0, SAMPLE_TESTS[name](law, draws, rel=rel, weight=weight))
    return Answer(name, holds=p > LEVEL, why=on_law.why, violation=on_law.violation, p_value=p, draws=draws)


def _never(law: Law, draws: int, **_: Any) -> float:  # noqa: ARG001 - one draw is enough
    return 0.0


def _sample(law: Law, draws: int) -> tuple[Float64s, Float64s]:
    """The different label vectors, and how often each was drawn."""
    labels, _ = law.arrays()
    return labels, np.array([float(p * draws) for p in law.probabilities])


def _dependent(law: Law, draws: int, **_: Any) -> float:
    labels, counts = _sample(law, draws)
    grades = np.repeat(labels, counts.astype(np.int64), axis=0)
    judge, item = np.indices(grades.shape)
    judged = Judgments.from_columns(
        np.zeros(grades.size, np.int64), item.ravel(), judge.ravel(), grades.ravel()
    )
    p = judged.dependence(permutations=PERMUTATIONS).p_value
    return 1.0 if np.isnan(p) else p


def _chains(law: Law, draws: int, *, weight: Any, **_: Any) -> float:
    from scipy.stats import t

    from rankproof.theory.noise.conditions import pair_weights

    if draws < 2:
        return 1.0
    n = law.items
    d = np.zeros((len(law), n, n))
    for row, y in enumerate(law):
        for (i, j), a in pair_weights(y, weight).items():
            d[row, i, j] += float(a)
            d[row, j, i] -= float(a)
    share = np.array([float(p) for p in law.probabilities])

    def below(values: Float64s) -> float:
        """The p-value against a mean of at least 0."""
        mean = float(share @ values)
        spread = float(share @ np.square(values - mean)) * draws / (draws - 1)
        if spread <= 0:
            return 0.0 if mean < 0 else 1.0
        return float(t.cdf(mean / np.sqrt(spread / draws), draws - 1))

    triples = list(permutations(range(n), 3))
    least = 1.0
    for i, k, j in triples:
        slack = d[:, i, j] - d[:, i, k] - d[:, k, j]
        least = min(least, max(below(-d[:, i, k]), below(-d[:, k, j]), below(slack)))
    return least * len(triples)


def _exchanges(law: Law, draws: int, **_: Any) -> float:
    from scipy.stats import binom

    pairs = list(combinations(range(law.items), 2))
    least = 1.0
    for i, j in pairs:
        # For either order the p-value of the labels that speak most against it.
        against = {True: 1.0, False: 1.0}
        cells = {_better(y, i, j) for y in law if y[i] != y[j]}  # type: ignore[index]
        for y in cells:
            a, b = int(law[y] * draws), int(law[_exchanged(y, i, j)] * draws)
            against[True] = min(against[True], float(binom.cdf(a, a + b, 0.5)))
            against[False] = min(against[False], float(binom.cdf(b, a + b, 0.5)))
        least = min(least, max(against.values()) * len(cells))
    return least * len(pairs)


def _better(y: Any, i: int, j: int) -> tuple[Any, ...]:
    """y with the better grade at item i."""
    return tuple(y) if y[i] > y[j] else _exchanged(y, i, j)


def _exchanged(y: Any, i: int, j: int) -> tuple[Any, ...]:
    listed = list(y)
    listed[i], listed[j] = listed[j], listed[i]
    return tuple(listed)


SAMPLE_TESTS: dict[str, Callable[..., float]] = {
    "independent": _dependent,
    "one relevant": _never,
    "binary": _never,
    "low noise": _chains,
    "rank-differentiable": _exchanges,
}
