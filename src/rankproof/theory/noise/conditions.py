"""Conditions on the noise, decided exactly on a finite law: which hold, and where each of the others fails.

Some metrics have a target, and some losses are consistent, only for laws that meet a condition. These are the
conditions of `rankproof.targets.base.CONDITIONS`:

- **independent**: P(y) is the product of the probabilities of the items' grades;
- **one relevant**: in all y exactly one item has a grade of at least ``rel``;
- **binary**: all grades are 0 or 1;
- **low noise** (Duchi, Mackey & Jordan 2010, Def. 8): with a_ij the weight of the preference for i over j,
  and d_ij = E[a_ij - a_ji], whenever d_ik > 0 and d_kj > 0 then d_ij >= d_ik + d_kj;
- **rank-differentiable** and **order-preserving**: see `rankproof.theory.noise.exchange`.

>>> from rankproof import Law
>>> law = Law({(1, 0): "1/2", (0, 1): "1/4", (0, 0): "1/4"})
>>> print(check(law))
independent          no   P(y_0 = 1, y_1 = 0) = 1/2, but P(y_0 = 1) P(y_1 = 0) = 1/2 * 3/4 = 3/8.
one relevant         no   with probability 1/4 the labels are (0, 0), where no item is of grade 1 or more.
binary               yes  all grades are 0 or 1.
low noise            yes  no item is preferred on average to one preferred to a third.
rank-differentiable  yes  from the best: 0; 1.
>>> print(check(Law({(2, 1, 0): "3/4", (0, 1, 2): "1/4"}), "low noise"))
low noise: no, item 0 is preferred to 1 by 1/2 on average and 1 to 2 by 1/2, but 0 to 2 by 1/2, less than
the sum 1.
  probability  y(0)  y(1)  y(2)
          3/4     2     1     0
          1/4     0     1     2
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from itertools import combinations, permutations
from typing import Any, TypeAlias, overload

from rankproof.arrays import as_whole_number
from rankproof.errors import ArgumentError
from rankproof.feedback import Feedback, Graded, Law, Permutation, PreferenceGraph
from rankproof.feedback.numbers import as_number
from rankproof.metrics.disagreement import weight_of
from rankproof.targets.base import CONDITIONS, as_condition
from rankproof.theory.noise.answer import Answer, Answers, Violation, check_kind
from rankproof.theory.noise.exchange import (
    is_order_preserving,
    is_rank_differentiable,
)

__all__ = [
    "KINDS_OF",
    "check",
    "is_binary",
    "is_independent",
    "is_low_noise",
    "is_one_relevant",
    "mean_differences",
    "pair_weights",
]

Weight: TypeAlias = str | Callable[[Any, Any], Any]

WEIGHTS = ("one", "difference", "gain")
# The kinds of feedback for which a condition makes sense.
KINDS_OF: dict[str, tuple[str, ...]] = {
    "independent": (Graded.kind,),
    "one relevant": (Graded.kind,),
    "binary": (Graded.kind,),
    "low noise": (Graded.kind, PreferenceGraph.kind, Permutation.kind),
    "order-preserving": (Permutation.kind,),
    "rank-differentiable": (Graded.kind, Permutation.kind),
}


@overload
def check(
    law: Law,
    condition: None = None,
    *,
    rel: Any = 1,
    weight: Weight = "one",
    normalize: bool = False,
    draws: int | None = None,
) -> Answers: ...


@overload
def check(
    law: Law,
    condition: str,
    *,
    rel: Any = 1,
    weight: Weight = "one",
    normalize: bool = False,
    draws: int | None = None,
) -> Answer: ...


def check(
    law: Law,
    condition: str | None = None,
    *,
    rel: Any = 1,
    weight: Weight = "one",
    normalize: bool = False,
    draws: int | None = None,
) -> Answers | Answer:
    """The answers on all conditions that make sense for the law, by name; or the one on ``condition``.

    Parameters
    ----------
    law : Law
        The distribution of the feedback of a query; its kind decides which conditions make sense.
    condition : str, optional
        A key of `CONDITIONS`, however its words are joined. Then the result is one `Answer`.
    rel : number
        The least grade of a relevant item, for "one relevant".
    weight, normalize
        For "low noise", see `is_low_noise`.
    draws : int, optional
        The law is that of so many independent draws from another, and the question is whether they refute
        that the other meets the condition: an answer has a p-value, and holds when it is above 5 % (see
        `rankproof.theory.noise.sample`). For laws on grades, without ``normalize``.
    """
    exact: dict[str, Callable[[Law], Answer]] = {
        "independent": is_independent,
        "one relevant": partial(is_one_relevant, rel=rel),
        "binary": is_binary,
        "low noise": partial(is_low_noise, weight=weight, normalize=normalize),
        "order-preserving": is_order_preserving,
        "rank-differentiable": is_rank_differentiable,
    }
    questions = exact if draws is None else _on_sample(exact, draws, rel, weight, normalize=normalize)
    if condition is not None:
        return questions[as_condition(condition)](law)
    check_kind("all", law, (Graded.kind, PreferenceGraph.kind, Permutation.kind))
    return Answers({name: questions[name](law) for name in CONDITIONS if law.kind in KINDS_OF[name]})


def _on_sample(
    exact: dict[str, Callable[[Law], Answer]], draws: int, rel: Any, weight: Weight, *, normalize: bool
) -> dict[str, Callable[[Law], Answer]]:
    """The questions about a law behind a sample."""
    from rankproof.theory.noise.sample import sample_answer

    if normalize:
        raise ArgumentError("Argument normalize goes with a law, not with a sample. Leave out draws.")
    many = as_whole_number("draws of check", draws, 1)

    def question(name: str) -> Callable[[Law], Answer]:
        return lambda law: sample_answer(law, exact[name], name, many, rel, weight)

    return {name: question(name) for name in exact}


def is_independent(law: Law) -> Answer:
    """Whether the grades of the items are independent.

    The probabilities of a product law on its support already have sum 1, so only the support is looked at.
    """
    name = "independent"
    check_kind(name, law, KINDS_OF[name])
    marginals = [law.marginal(item) for item in range(law.items)]
    for i, j in combinations(range(law.items), 2):
        both: dict[tuple[Any, Any], Fraction] = {}
        for y, p in law.pairs():
            key = y[i], y[j]  # type: ignore[index]
            both[key] = both.get(key, Fraction(0)) + p
        for (a, b), p in both.items():
            if p != marginals[i][a] * marginals[j][b]:
                why = (
                    f"P(y_{i} = {a}, y_{j} = {b}) = {p}, but P(y_{i} = {a}) P(y_{j} = {b}) = "
                    f"{marginals[i][a]} * {marginals[j][b]} = {marginals[i][a] * marginals[j][b]}."
                )
                witness = tuple((y, q) for y, q in law.pairs() if y[i] == a or y[j] == b)  # type: ignore[index]
                return Answer(name, holds=False, why=why, violation=Violation((i, j), witness))
    for y, p in law.pairs():
        product = math.prod((law_i[y[i]] for i, law_i in enumerate(marginals)), start=Fraction(1))  # type: ignore[index]
        if p != product:
            why = (
                f"any two items are, but P{_written(y)} = {p} is not the product {product} of the "
                "probabilities of its grades."
            )
            return Answer(name, holds=False, why=why, violation=Violation(tuple(range(law.items)), ((y, p),)))
    return Answer(name, holds=True, why="all probabilities are products of those of the items' grades.")


def is_one_relevant(law: Law, *, rel: Any = 1) -> Answer:
    """Whether exactly one item has a grade of at least ``rel``, whatever happens."""
    name = "one relevant"
    check_kind(name, law, KINDS_OF[name])
    rel = as_number("rel", rel)
    for y, p in law.pairs():
        relevant = tuple(i for i in range(law.items) if y[i] >= rel)  # type: ignore[index]
        if len(relevant) != 1:
            many = "no item is" if not relevant else f"items {' and '.join(map(str, relevant))} are"
            why = f"with probability {p} the labels are {_written(y)}, where {many} of grade {rel} or more."
            return Answer(name, holds=False, why=why, violation=Violation(relevant, ((y, p),)))
    return Answer(name, holds=True, why=f"all labels have exactly one item of grade {rel} or more.")


def is_binary(law: Law) -> Answer:
    """Whether all grades are 0 or 1."""
    name = "binary"
    check_kind(name, law, KINDS_OF[name])
    for y, p in law.pairs():
        for item, grade in enumerate(y):  # type: ignore[arg-type]
            if grade not in (0, 1):
                why = (
                    f"with probability {p} the labels are {_written(y)}, where item {item} has grade {grade}."
                )
                return Answer(name, holds=False, why=why, violation=Violation((item,), ((y, p),)))
    return Answer(name, holds=True, why="all grades are 0 or 1.")


def is_low_noise(law: Law, *, weight: Weight = "one", normalize: bool = False) -> Answer:
    """Whether the mean preferences at least add up along i over k over j (Duchi et al. 2010, Def. 8).

    Parameters
    ----------
    weight : "one", "difference", "gain", or a function (better grade, worse grade) -> number >= 0
        What a preference weighs on labels and permutations, as in WPDL (L12: D). Graphs bring their weights.
    normalize : bool
        Divide the preferences of every feedback by the sum of their weights, as the metric then does.
    """
    name = "low noise"
    d = mean_differences(law, weight=weight, normalize=normalize)
    chains = 0
    for i, k, j in permutations(range(law.items), 3):
        if d[i][k] <= 0 or d[k][j] <= 0:
            continue
        chains += 1
        if d[i][j] < d[i][k] + d[k][j]:
            why = (
                f"item {i} is preferred to {k} by {d[i][k]} on average and {k} to {j} by {d[k][j]}, "
                f"but {i} to {j} by {d[i][j]}, less than the sum {d[i][k] + d[k][j]}."
            )
            inside = {i, j, k}
            witness = tuple(
                (y, p)
                for y, p in law.pairs()
                if any(a in inside and b in inside for a, b, _ in _graph(y).edges)
            )
            return Answer(name, holds=False, why=why, violation=Violation((i, k, j), witness))
    if not chains:
        return Answer(name, holds=True, why="no item is preferred on average to one preferred to a third.")
    many = "the one chain" if chains == 1 else f"all {chains} chains"
    return Answer(
        name, holds=True, why=f"in {many} of mean preferences i over k over j they add up to i over j."
    )


def mean_differences(
    law: Law, *, weight: Weight = "one", normalize: bool = False
) -> tuple[tuple[Fraction, ...], ...]:
    """The difference graph of Duchi et al.: ``d[i][j]`` is E[a_ij - a_ji]; see `is_low_noise`.

    >>> from rankproof import Law
    >>> mean_differences(Law({(2, 0): "2/3", (0, 1): "1/3"}), weight="difference")[0][1]  # 2/3 * 2 - 1/3
    Fraction(1, 1)
    """
    check_kind("low noise", law, KINDS_OF["low noise"])
    d = [[Fraction(0)] * law.items for _ in range(law.items)]
    for y, p in law.pairs():
        weights = pair_weights(y, weight)
        total = sum(weights.values(), Fraction(0)) if normalize else Fraction(1)
        for (i, j), a in weights.items():
            if a:
                d[i][j] += p * a / total
                d[j][i] -= p * a / total
    return tuple(map(tuple, d))


def pair_weights(y: Feedback, weight: Weight) -> dict[tuple[int, int], Fraction]:
    """The weights of the preferences of one feedback, as fractions; a float is the number that it stores."""
    if isinstance(weight, str) and weight not in WEIGHTS:
        raise ArgumentError(
            f"Argument weight must be one of {', '.join(WEIGHTS)}, or a function of two grades, "
            f"got {weight!r}."
        )
    if isinstance(y, PreferenceGraph):
        if weight != "one":
            raise ArgumentError(
                "A preference graph brings the weights of its edges: argument weight must be one, "
                f"got {weight!r}."
            )
        return {(i, j): Fraction(a) for i, j, a in y.edges}
    grades = [Fraction(grade) for grade in (y.grades() if isinstance(y, Permutation) else y)]
    items = range(len(grades))
    return {
        (i, j): _exact(weight, grades[i], grades[j]) for i in items for j in items if grades[i] > grades[j]
    }


def _exact(weight: Weight, better: Fraction, worse: Fraction) -> Fraction:
    try:
        weighed = weight_of(weight, better, worse) if isinstance(weight, str) else weight(better, worse)
    except Exception as error:
        raise ArgumentError(
            f"Argument weight failed on the grades {better} and {worse}: {error!r}."
        ) from error
    if isinstance(weighed, bool) or not isinstance(weighed, (int, Fraction)) or weighed < 0:
        raise ArgumentError(
            "The weight of a pair must be an int or a Fraction of at least 0, since low noise is decided "
            f"exactly, got {weighed!r} for the grades {better} and {worse}. Use whole grades, or weights "
            "that are fractions."
        )
    return Fraction(weighed)


def _graph(y: Feedback) -> PreferenceGraph:
    return y if isinstance(y, PreferenceGraph) else y.preferences()


def _written(y: Any) -> str:
    return f"({', '.join(map(str, y))})"
