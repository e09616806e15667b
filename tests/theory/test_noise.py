"""Conditions on the noise: each against its definition read literally, and laws sampled inside each class."""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations, pairwise, permutations, product
from math import prod
from typing import Any

import pytest

from every_case import every_case
from rankproof.errors import ArgumentError
from rankproof.feedback import Graded, Law, Permutation, PreferenceGraph
from rankproof.targets.base import CONDITIONS
from rankproof.theory import noise
from rankproof.theory.noise import Answer, Violation
from rankproof.theory.noise.laws import sample

KINDS = ("graded", "preferences", "permutation")
ASKED = [(name, kind) for name, kinds in noise.KINDS_OF.items() for kind in kinds]


def ranking(*order: int) -> Permutation:
    return Permutation.from_order(order)


# The definitions, read literally ---------------------------------------------------------------------


def every_label(law: Law) -> list[Any]:
    """All label vectors over the grades that occur, or all permutations."""
    if law.kind == "permutation":
        return [Permutation(ranks) for ranks in permutations(range(1, law.items + 1))]
    grades = sorted({grade for y in law for grade in y})
    return [Graded(y) for y in product(grades, repeat=law.items)]


def above(y: Any, i: int, j: int) -> bool:
    return y[i] < y[j] if isinstance(y, Permutation) else y[i] > y[j]


def independent(law: Law) -> bool:
    def marginal(item: int, grade: Any) -> Fraction:
        return sum((p for y, p in law.pairs() if y[item] == grade), Fraction(0))

    return all(
        law[y] == prod((marginal(i, y[i]) for i in range(law.items)), start=Fraction(1))
        for y in every_label(law)
    )


def low_noise(law: Law) -> bool:
    def d(i: int, j: int) -> Fraction:
        if law.kind == "preferences":
            return Fraction(law.expect(lambda y: y.weight(i, j) - y.weight(j, i)))
        return Fraction(law.expect(lambda y: int(above(y, i, j)) - int(above(y, j, i))))

    return all(
        d(i, j) >= d(i, k) + d(k, j)
        for i, k, j in permutations(range(law.items), 3)
        if d(i, k) > 0 and d(k, j) > 0
    )


def favours(law: Law, i: int, j: int) -> bool:
    """P(y) >= P(y with i and j exchanged) for all y that have i above j."""
    return all(law[y] >= law[noise.dual(y, i, j)] for y in every_label(law) if above(y, i, j))


def order_preserving(law: Law) -> bool:
    def preserved(i: int, j: int) -> bool:
        pairs = [(law[y], law[noise.dual(y, i, j)]) for y in every_label(law) if above(y, i, j)]
        return all(p > q or p == q == 0 for p, q in pairs)

    return any(all(preserved(i, j) for i, j in pairwise(order)) for order in permutations(range(law.items)))


LITERAL: dict[str, Callable[[Law], bool]] = {
    "independent": independent,
    "one relevant": lambda law: all(sum(grade >= 1 for grade in y) == 1 for y in law),
    "binary": lambda law: all(set(y) <= {0, 1} for y in law),
    "low noise": low_noise,
    "order-preserving": order_preserving,
    "rank-differentiable": lambda law: all(
        favours(law, i, j) or favours(law, j, i) for i, j in combinations(range(law.items), 2)
    ),
}


def test_every_condition_of_the_targets_is_decided() -> None:
    assert set(noise.KINDS_OF) == set(CONDITIONS) == set(LITERAL)


@pytest.mark.parametrize(("name", "kind"), ASKED)
def test_the_answer_is_that_of_the_definition(name: str, kind: str) -> None:
    """On any laws, and on laws of the class with a little of another one mixed in, which are nearly in it."""
    rng = random.Random(f"{name} {kind}")
    found = set()
    for k in range(120):
        items = rng.choice((2, 3, 3, 4)) if k % 10 == 0 else rng.choice((2, 3))
        law = sample(None if k % 3 == 0 else name, items, rng.choice((2, 3)), rng, kind)
        if k % 3 == 1:
            law = law.mix(sample(None, items, 3, rng, kind), Fraction(1, rng.choice((2, 10, 100))))
        answer = noise.check(law, name)
        assert answer.holds == LITERAL[name](law), (law, answer)
        assert (answer.violation is None) == answer.holds
        found.add(answer.holds)
        if answer.violation is not None:
            assert all(0 <= item < items for item in answer.violation.items)
            assert all(law[y] == p for y, p in answer.violation.labels)
    assert found == {True, False}


# One law by hand for each, with the sentence -----------------------------------------------------------


def test_dependent_labels_are_shown_by_a_pair_of_grades() -> None:
    answer = noise.is_independent(Law({(1, 0, 0): "1/2", (0, 1, 0): "1/2"}))
    assert answer.why == "P(y_0 = 1, y_1 = 0) = 1/2, but P(y_0 = 1) P(y_1 = 0) = 1/2 * 1/2 = 1/4."
    assert answer.violation == Violation((0, 1), ((Graded((1, 0, 0)), Fraction(1, 2)),))


def test_three_items_may_be_dependent_though_any_two_are_not() -> None:
    """Two fair coins, and whether they differ."""
    law = Law({(0, 0, 0): "1/4", (0, 1, 1): "1/4", (1, 0, 1): "1/4", (1, 1, 0): "1/4"})
    answer = noise.is_independent(law)
    assert not answer
    assert "any two items are, but P(0, 0, 0) = 1/4 is not the product 1/8" in answer.why
    assert answer.violation == Violation((0, 1, 2), ((Graded((0, 0, 0)), Fraction(1, 4)),))


def test_a_product_law_is_independent() -> None:
    assert noise.is_independent(Law.product([{0: "1/3", 2: "2/3"}, {1: "1/5", 0: "4/5"}, 1]))


@pytest.mark.parametrize(("labels", "items"), [((1, 1, 0), (0, 1)), ((0, 0, 0), ())])
def test_one_relevant_names_the_labels(labels: tuple[int, ...], items: tuple[int, ...]) -> None:
    law = Law({(0, 0, 2): "2/3", labels: "1/3"})
    answer = noise.is_one_relevant(law)
    assert answer.violation == Violation(items, ((Graded(labels), Fraction(1, 3)),))


def test_one_relevant_counts_from_the_grade_asked_for() -> None:
    law = Law({(2, 1, 0): "1/2", (1, 0, 3): "1/2"})
    assert noise.check(law, "one relevant", rel=2)
    assert not noise.check(law, "one relevant")


def test_binary_names_the_item() -> None:
    answer = noise.is_binary(Law({(1, 0): "1/4", (0, 2): "3/4"}))
    assert answer.violation == Violation((1,), ((Graded((0, 2)), Fraction(3, 4)),))
    assert answer.why == "with probability 3/4 the labels are (0, 2), where item 1 has grade 2."


def test_low_noise_on_graphs_weighs_edges() -> None:
    """d_01 = 1/2, d_12 = 1/2 * 3/2; d_02 = 5/4 is their sum, and 6/5 is not."""
    chain = {(0, 1): 1, (1, 2): "3/2", (0, 2): "5/2"}
    empty: dict[tuple[int, int], int] = {}
    assert noise.is_low_noise(Law([(chain, "1/2"), (empty, "1/2")], items=3))
    answer = noise.is_low_noise(Law([({**chain, (0, 2): "12/5"}, "1/2"), (empty, "1/2")], items=3))
    assert answer.why == (
        "item 0 is preferred to 1 by 1/2 on average and 1 to 2 by 3/4, but 0 to 2 by 6/5, "
        "less than the sum 5/4."
    )
    assert answer.violation is not None
    assert answer.violation.items == (0, 1, 2)
    assert [p for _, p in answer.violation.labels] == [Fraction(1, 2)]


def test_low_noise_with_weights_of_pairs() -> None:
    """(2, 1, 0) for sure: 1 < 1 + 1 with weight 1, 2 = 1 + 1 with y_i - y_j, 4 > 1 + 1 with its square."""
    law = Law.point((2, 1, 0))
    assert not noise.is_low_noise(law)
    assert noise.is_low_noise(law, weight="difference")
    assert noise.is_low_noise(law, weight=lambda better, worse: (better - worse) ** 2)
    assert noise.mean_differences(law, weight="gain")[0] == (0, 2, 3)


def test_low_noise_of_normalised_preferences() -> None:
    """Divided by 3 and by 2 preferences: d_01 = 1/2 * 1/3, d_12 = 1/2 * 1/3 + 1/2 * 1/2, d_02 = d_12."""
    law = Law({(2, 1, 0): "1/2", (1, 1, 0): "1/2"})
    d = noise.mean_differences(law, normalize=True)
    assert (d[0][1], d[1][2], d[0][2]) == (Fraction(1, 6), Fraction(5, 12), Fraction(5, 12))
    assert not noise.check(law, "low noise", normalize=True)


def test_weights_that_are_differences_always_have_low_noise() -> None:
    """d_ij = E[f(y_i)] - E[f(y_j)] adds up exactly, whatever the law; so do binary labels."""
    rng = random.Random(7)
    for _ in range(100):
        law = sample(None, 4, 3, rng)
        assert noise.is_low_noise(law, weight="difference")
        assert noise.is_low_noise(law, weight="gain")
        assert noise.is_low_noise(sample("binary", 4, 2, rng))


def test_rank_differentiable_shows_the_labels_of_both_sides() -> None:
    law = Law({(1, 0, 0): "5/13", (1, 1, 0): "4/13", (0, 1, 1): "4/13"})
    answer = noise.is_rank_differentiable(law)
    assert answer.why == (
        "neither of the items 0 and 1 is always favoured: P(1, 0, 0) = 5/13 > 0 = P(0, 1, 0), "
        "but P(1, 0, 1) = 0 < 4/13 = P(0, 1, 1)."
    )
    assert answer.violation is not None
    assert answer.violation.items == (0, 1)
    assert [p for _, p in answer.violation.labels] == [Fraction(5, 13), 0, 0, Fraction(4, 13)]


def test_order_preserving_by_neighbours_is_less_than_by_every_pair() -> None:
    weights = {(0, 1, 2): 6, (1, 0, 2): 2, (0, 2, 1): 5, (1, 2, 0): 4, (2, 0, 1): 1}
    law = Law([(ranking(*order), Fraction(weight, 18)) for order, weight in weights.items()])
    assert noise.is_order_preserving(law, strict=True)
    answer = noise.is_order_preserving(law, every_pair=True)
    assert answer.why == (
        "P(1 > 0 > 2) = 1/9 < 2/9 = P(1 > 2 > 0), though the most probable ranking has 0 above 2."
    )


def test_order_preserving_where_nothing_happens() -> None:
    """A ranking that is certain: all others have probability 0, as B11 allows and `strict` does not."""
    law = Law.point(ranking(2, 0, 1))
    assert noise.is_order_preserving(law, every_pair=True)
    answer = noise.is_order_preserving(law, strict=True)
    assert not answer
    assert answer.violation is not None
    assert [p for _, p in answer.violation.labels] == [0, 0]


def test_the_answers_print() -> None:
    law = Law({(2, 1, 0): "3/4", (0, 1, 2): "1/4"})
    lines = str(noise.check(law)).splitlines()
    assert [line.split("  ")[0] for line in lines] == [c for c in CONDITIONS if c != "order-preserving"]
    assert lines[2] == (
        "binary               no   with probability 3/4 the labels are (2, 1, 0), where item 0 has grade 2."
    )
    assert str(noise.check(law, "binary")).splitlines()[1:] == [
        "  probability  y(0)  y(1)  y(2)",
        "          3/4     2     1     0",
    ]
    assert str(Answer("binary", holds=True, why="all grades are 0 or 1.")) == (
        "binary: yes, all grades are 0 or 1."
    )


@pytest.mark.parametrize("kind", KINDS)
def test_check_leaves_out_what_makes_no_sense(kind: str) -> None:
    law = sample(None, 3, 2, random.Random(0), kind)
    asked = [name for name in CONDITIONS if kind in noise.KINDS_OF[name]]
    assert list(noise.check(law)) == asked
    for name in set(CONDITIONS) - set(asked):
        with pytest.raises(ArgumentError, match=f"The condition '{name}' is about feedback of kind"):
            noise.check(law, name)


def test_a_float_is_the_number_that_it_stores() -> None:
    """0.1 + 0.2 > 0.3 in floats, and their exact sum is even larger than what 0.3 stores."""
    law = Law.point(PreferenceGraph({(0, 1): 0.1, (1, 2): 0.2, (0, 2): 0.3}))
    assert not noise.is_low_noise(law)
    assert noise.is_low_noise(Law.point(PreferenceGraph({(0, 1): 0.25, (1, 2): 0.25, (0, 2): 0.5})))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: noise.check({(1, 0): 1}), "Argument law must be a Law"),  # type: ignore[call-overload]
        (lambda: noise.check(Law.point((1, 0)), "calm"), "must be one of independent"),
        (lambda: noise.check(Law.point((1, 0)), "low noise", weight="two"), "one, difference, gain"),
        (lambda: noise.is_low_noise(Law.point((1, 0)), weight=lambda a, b: (a - b) / 2.0), "got 0.5 for"),
        (lambda: noise.is_low_noise(Law.point(("1/2", 0)), weight="gain"), "Use whole grades"),
        (lambda: noise.is_low_noise(Law.point((1, 0)), weight=lambda a: a), "failed on the grades 1 and 0"),
        (lambda: noise.is_low_noise(Law.point({(0, 1): 1}), weight="gain"), "weights of its edges"),
        (lambda: noise.is_one_relevant(Law.point((1, 0)), rel="x"), "Argument rel must be"),
        (lambda: noise.differentiates(Law.point((1, 0)), 0, 0), "two different items of 0..1"),
        (lambda: noise.rdps(Law.point({(0, 1): 1})), "kind graded or permutation"),
        (lambda: sample("calm", 3, 2, random.Random(0)), "must be one of independent"),
        (lambda: sample("binary", 3, 2, random.Random(0), "permutation"), "kind graded, got kind"),
        (lambda: sample(None, 3, 2, random.Random(0), "tree"), "Argument kind must be one of"),
        (lambda: sample(None, 3, 1, random.Random(0)), "grades must be"),
        (lambda: sample(None, 3, 2, 0), "must be a random.Random"),  # type: ignore[arg-type]
        (lambda: sample("order-preserving", 8, 2, random.Random(0), "permutation"), "more than 5000"),
    ],
)
def test_bad_use_is_told(call: Callable[[], object], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        call()


# Sampled laws ----------------------------------------------------------------------------------------


@pytest.mark.exhaustive
@every_case(("name", "kind"), [*((None, kind) for kind in KINDS), *ASKED])
@every_case(("items", "grades"), [(1, 2), (2, 2), (3, 2), (3, 3), (4, 3)])
def test_sampled_laws_are_inside_their_class(name: str | None, kind: str, items: int, grades: int) -> None:
    rng = random.Random(f"{name} {kind} {items} {grades}")
    laws = [sample(name, items, grades, rng, kind) for _ in range(60)]
    for law in laws:
        assert (law.items, law.kind) == (items, kind)
        assert name is None or noise.check(law, name), law
        assert kind != "graded" or {grade for y in law for grade in y} <= set(range(grades))
        assert kind != "preferences" or all(weight == 1 for y in law for _, _, weight in y.edges)
    if items >= 3:
        sizes = [len(law) for law in laws]
        assert len(set(laws)) >= 20
        assert sum(size > 1 for size in sizes) >= 30
        assert len(set(sizes)) >= 3
        # Not one law and its relabellings: the sorted probabilities differ too.
        assert len({tuple(sorted(law.probabilities)) for law in laws}) >= 12


@pytest.mark.parametrize(("name", "kind"), ASKED)
def test_no_class_is_sampled_inside_a_smaller_one(name: str, kind: str) -> None:
    """Every other condition fails on some law of the class, unless the class lies inside the other."""
    inside = {("binary", "low noise"), ("one relevant", "low noise")}
    rng = random.Random(f"{name} {kind} not trivial")
    laws = [sample(name, 3, 3, rng, kind) for _ in range(100)]
    for other, kinds in noise.KINDS_OF.items():
        if kind in kinds and other != name:
            all_meet = all(noise.check(law, other) for law in laws)
            assert all_meet == ((name, other) in inside), other


def test_near_ties_and_ties_are_sampled() -> None:
    rng = random.Random(11)
    laws = [law for law in (sample(None, 3, 3, rng) for _ in range(100)) if len(law) > 1]
    gaps = [max(law.probabilities) / min(law.probabilities) for law in laws]
    assert any(gap == 1 for gap in gaps)
    assert any(1 < gap <= Fraction(21, 20) for gap in gaps)
    assert any(gap >= 10 for gap in gaps)
    alike = [(i, j) for law in laws for i, j in combinations(range(3), 2) if exchangeable(law, i, j)]
    assert len(alike) >= 20


def exchangeable(law: Law, i: int, j: int) -> bool:
    return all(law[noise.dual(y, i, j)] == p for y, p in law.pairs())


def test_a_seed_gives_the_same_laws() -> None:
    first, second = ([sample("low noise", 3, 3, random.Random(5)) for _ in range(5)] for _ in range(2))
    assert first == second
