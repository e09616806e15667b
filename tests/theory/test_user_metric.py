"""A metric of the user's own is read exactly, and what is wrong is told with the call that showed it."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from itertools import count, permutations
from typing import Any

import numpy as np
import pytest

from every_case import few_cases
from rankproof.errors import ArgumentError, PrecisionError, UnknownNameError
from rankproof.feedback import Graded, Law
from rankproof.feedback.spaces import Space, graded_space, graph_space, permutation_space
from rankproof.theory.base.risk import optimal_rankings, regret
from rankproof.theory.base.stored_values import metric_from_plain, metric_to_plain
from rankproof.theory.base.values import value_table
from rankproof.theory.certify import as_metric, certify_metric
from rankproof.theory.custom.metric import as_user_metric, drowned

BINARY = graded_space(3, 2)
Function = Callable[[tuple[int, ...], Any], Any]


def top(ranking: tuple[int, ...], feedback: Any) -> Any:
    return feedback[ranking[0]]


# What is wrong is told ----------------------------------------------------------------------------------


def divides(ranking: tuple[int, ...], feedback: Any) -> float:
    return feedback[ranking[0]] / feedback[ranking[1]]


def test_a_function_that_errs() -> None:
    with pytest.raises(ArgumentError) as caught:
        value_table(divides, BINARY)
    told = str(caught.value)
    assert "Metric divides failed on ranking (0, 1, 2), feedback Graded((0, 0, 0)): ZeroDivisionError" in told
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


def test_errors_of_rankproof_are_handed_on() -> None:
    def wrong(ranking: tuple[int, ...], feedback: Any) -> Any:
        raise UnknownNameError("Unknown metric 'x'.")

    with pytest.raises(UnknownNameError, match="Unknown metric 'x'"):
        value_table(wrong, BINARY)


@pytest.mark.parametrize(
    "value",
    [
        math.nan,
        math.inf,
        -math.inf,
        "1",
        [1],
        1j,
        np.complex128(1j),
        np.array([1.0]),
        np.array([1.0, 2.0]),
        {},
    ],
    ids=repr,
)
def test_what_is_no_finite_number(value: Any) -> None:
    def gives(ranking: tuple[int, ...], feedback: Any) -> Any:
        return value if ranking[0] == 1 and feedback[1] == 1 else 0

    with pytest.raises(ArgumentError) as caught:
        value_table(gives, BINARY)
    told = str(caught.value)
    assert f"Metric gives gave {value!r} on ranking (1, 0, 2), feedback Graded((0, 1, 0))" in told
    assert "it must give a finite number" in told


def test_a_function_that_counts_its_calls() -> None:
    calls = count()
    with pytest.raises(ArgumentError, match=r"counted is not deterministic: on ranking \(2, 1, 0\)"):
        value_table(as_user_metric(lambda ranking, feedback: next(calls), name="counted"), BINARY)  # noqa: ARG005


def test_a_function_that_is_random() -> None:
    rng = random.Random(0)
    with pytest.raises(ArgumentError, match="Take out what is random or remembered"):
        value_table(lambda ranking, feedback: rng.random(), BINARY)  # noqa: ARG005


def test_a_function_that_says_none_the_second_time() -> None:
    seen: set[Any] = set()

    def once(ranking: tuple[int, ...], feedback: Any) -> Any:
        key = ranking, tuple(feedback)
        if key in seen:
            return None
        seen.add(key)
        return 1

    with pytest.raises(ArgumentError, match="is not deterministic"):
        value_table(once, BINARY)


def test_a_function_that_looks_at_the_number_of_an_item() -> None:
    def first_item(ranking: tuple[int, ...], feedback: Any) -> Any:
        return feedback[ranking[0]] if ranking[0] == 0 else 2 * feedback[ranking[0]]

    with pytest.raises(ArgumentError) as caught:
        value_table(first_item, BINARY)
    told = str(caught.value)
    assert "it gives 1 on ranking (0, 1, 2), feedback Graded((1, 0, 0))" in told
    assert (
        "but 2 on ranking (1, 0, 2), feedback Graded((0, 1, 0)), which is the same with items 0 and 1" in told
    )


def test_a_function_is_called_twice_on_every_ranking_and_feedback() -> None:
    """Renamed feedback is in the table already."""
    calls: Counter[tuple[tuple[int, ...], Any]] = Counter()

    def metric(ranking: tuple[int, ...], labels: Any) -> int:
        calls[ranking, labels] += 1
        return int(labels[ranking[0]])

    space = graded_space(3, 2)
    value_table(metric, space)
    assert calls == {(ranking, y): 2 for ranking in permutations(range(3)) for y in space.feedback}


def test_renamed_feedback_that_the_space_lacks_is_asked_about() -> None:
    """On 001 alone nothing shows that the function looks at item 2 by its number."""
    space = Space("graded", 3, (Graded((0, 0, 1)),))
    with pytest.raises(ArgumentError, match=r"does not treat all items alike.*items 1 and 2 renamed"):
        value_table(lambda ranking, _: 1 / (1 + ranking.index(2)), space)
    assert value_table(lambda ranking, y: 1 / (1 + ranking.index(list(y).index(1))), space).slack == 0


def test_none_for_some_rankings_only() -> None:
    def half(ranking: tuple[int, ...], feedback: Any) -> Any:
        return None if feedback[ranking[0]] == 0 else 1

    with pytest.raises(
        ArgumentError, match=r"gave None on ranking \(0, 1, 2\), feedback Graded\(\(0, 0, 1\)\)"
    ):
        value_table(half, graded_space(3, [0, 1]))


def test_none_on_feedback_that_says_nothing_counts_0() -> None:
    def share(ranking: tuple[int, ...], feedback: Any) -> Any:
        return Fraction(feedback[ranking[0]], sum(feedback)) if any(feedback) else None

    table = value_table(share, BINARY)
    assert [row[0] for row in table.values] == [0] * 6
    assert table.row((0, 1, 2))[BINARY.index(BINARY.feedback[-1])] == Fraction(1, 3)


@pytest.mark.parametrize(
    "function",
    [lambda: 1, lambda ranking: 1, 3, "x"],  # noqa: ARG005
    ids=["no-argument", "one-argument", "number", "text"],
)
def test_what_is_no_function_of_ranking_and_feedback(function: Any) -> None:
    with pytest.raises(ArgumentError):
        value_table(as_metric(function), BINARY)


def test_a_direction_is_a_word() -> None:
    with pytest.raises(ArgumentError, match="direction must be one of higher, lower, got 'down'"):
        as_user_metric(top, "down")


# Numbers -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "number", [int, float, Fraction, bool, Decimal, np.int64, np.int8, np.float64, np.float32, np.array]
)
def test_every_kind_of_number_is_read_alike(number: Any) -> None:
    table = value_table(lambda ranking, feedback: number(feedback[ranking[0]]), BINARY)
    assert table.values == value_table(top, BINARY).values
    assert table.exact
    assert all(type(value.numerator) is int for row in table.values for value in row)


def test_integers_of_numpy_do_not_overflow() -> None:
    table = value_table(lambda ranking, feedback: np.int64(feedback[ranking[0]] * 2**62), graded_space(2, 2))
    assert max(max(row) for row in table.values) * 4 == 2**64


@pytest.mark.parametrize(
    ("value", "fraction"),
    [
        (1 / 3, Fraction(1, 3)),
        (0.1 + 0.2, Fraction(3, 10)),
        (1 - 0.9, Fraction(1, 10)),
        (-0.7, Fraction(-7, 10)),
        (1234.5678, Fraction(6172839, 5000)),
        (0.0, Fraction(0)),
    ],
)
def test_floats_near_a_simple_fraction_are_that_fraction(value: float, fraction: Fraction) -> None:
    table = value_table(lambda ranking, feedback: value * feedback[ranking[0]], BINARY)
    assert {value for row in table.values for value in row} == {Fraction(0), fraction}
    assert table.slack == 0


@pytest.mark.parametrize("value", [math.sqrt(2), math.pi / 4, 1 / math.log2(3), 1e-300, 1 / 12345])
def test_other_floats_are_taken_as_they_are_with_room_for_rounding(value: float) -> None:
    table = value_table(lambda ranking, feedback: value * feedback[ranking[0]], BINARY)
    assert {value for row in table.values for value in row} == {Fraction(0), Fraction(value)}
    assert table.slack == 4 * Fraction(math.ulp(value))
    assert not table.exact


def dcg(labels: list[int], cutoff: int | None = None) -> float:
    return sum((2**y - 1) / math.log2(k + 1) for k, y in enumerate(labels[:cutoff], start=1))


@few_cases
@pytest.mark.parametrize("cutoff", [None, 2])
def test_logarithms_in_floats_have_the_target_of_the_metric(cutoff: int | None) -> None:
    def ndcg(ranking: tuple[int, ...], feedback: Any) -> float:
        best = dcg(sorted(feedback, reverse=True), cutoff)
        return dcg([feedback[i] for i in ranking], cutoff) / best if best else 0.0

    verdict = certify_metric(ndcg, grades=3)
    end = "" if cutoff is None else f"@{cutoff}"
    assert verdict.evidence[0].data["closed_form"] == f"normalised-gain{end}"
    law = Law({(1, 2, 0): Fraction(1, 2), (1, 0, 0): Fraction(1, 2)})
    assert optimal_rankings(ndcg, law) == optimal_rankings(f"nDCG{end}", law)


def test_an_order_that_rounding_may_have_made_is_refused() -> None:
    """The two orders differ by 1e-10 of the largest value: more than rounding, but not by much."""

    def nearly(ranking: tuple[int, ...], feedback: Any) -> float:
        return math.pi * feedback[ranking[0]] + math.pi * (1 - 1e-10) * feedback[ranking[1]]

    law = Law({(1, 0): 1})
    with pytest.raises(PrecisionError, match=r"which may be the rounding of its floats.*fractions\.Fraction"):
        optimal_rankings(nearly, law)


def test_differences_of_rounding_are_ties() -> None:
    def summed(ranking: tuple[int, ...], feedback: Any) -> float:
        # A sum in the order of the ranking, so its last digits depend on it.
        return sum(math.sqrt(2) * 0.1 * (1 + feedback[i]) for i in ranking)

    law = Law({(1, 0, 1): 1})
    assert optimal_rankings(summed, law) == tuple(permutations(range(3)))


# Feedback of other kinds, directions, names -----------------------------------------------------------------


@pytest.mark.parametrize("sign", [1, -1])
def test_floats_of_very_different_sizes_drown_whatever_their_sign(sign: int) -> None:
    """1 and 1.5 beside 2,000,000: less than 1/1000 of it, and apart by less than a millionth of it."""
    rows = ((Fraction(sign * 10**6), Fraction(1)), (Fraction(sign * 2 * 10**6), Fraction(3, 2)))
    assert drowned(rows, Fraction(1, 10**9)) == 1
    assert drowned(rows, Fraction(0)) is None
    assert drowned(tuple(row[1:] for row in rows), Fraction(1, 10**9)) is None


def test_lower_is_better_is_negated() -> None:
    table = value_table(as_user_metric(top, "lower"), BINARY)
    assert table.values == tuple(tuple(-value for value in row) for row in value_table(top, BINARY).values)
    assert regret(as_user_metric(top, "lower"), Law({(1, 0): 1}), (0, 1)) == 1


def test_graphs_and_permutations() -> None:
    def lost(ranking: tuple[int, ...], graph: Any) -> Any:
        return sum(weight for i, j, weight in graph.edges if ranking.index(i) > ranking.index(j))

    space = graph_space(3)
    metric = as_user_metric(lost, "lower")
    assert value_table(metric, space).values == value_table("PD", space).values

    def differs(ranking: tuple[int, ...], order: Any) -> int:
        return int(any(order[item] != rank for rank, item in enumerate(ranking, start=1)))

    orders = permutation_space(3)
    assert (
        value_table(as_user_metric(differs, "lower"), orders).values == value_table("ZeroOne", orders).values
    )


def test_names() -> None:
    class Own:
        def __call__(self, ranking: tuple[int, ...], feedback: Any) -> Any:
            return top(ranking, feedback)

    assert str(as_user_metric(top)) == "top"
    assert str(as_user_metric(Own())) == "metric"
    assert str(as_user_metric(top, name="mine.py:top")) == "mine.py:top"


def test_stored_values_come_back() -> None:
    table = value_table(as_user_metric(lambda r, y: math.pi * y[r[0]], "lower"), BINARY)
    plain = metric_to_plain(table)
    assert plain is not None
    back = metric_from_plain("mine", plain)
    assert (back.values, back.slack, back.space) == (table.values, table.slack, table.space)
    assert (str(back.metric), back.metric.direction) == ("mine", "lower")
    assert metric_to_plain(value_table("AP", BINARY)) is None
    with pytest.raises(ArgumentError, match="known by its stored values alone"):
        value_table(back.metric, graded_space(2, 2))
