"""What runs many cases in one test runs each of them, and names those that fail."""

from __future__ import annotations

import pytest

from every_case import every_case, thinned


def test_every_case_runs_and_those_that_fail_are_named() -> None:
    seen = []

    @every_case("number", range(6), ids=lambda number: f"number {number}")
    def odd(number: int) -> None:
        seen.append(number)
        assert number % 2, "it is even"

    with pytest.raises(ExceptionGroup, match="3 of 6 cases fail") as failed:
        odd()
    assert seen == [0, 1, 2, 3, 4, 5]
    notes = [one.__notes__[-1] for one in failed.value.exceptions]
    assert notes == ["with number = number 0", "with number = number 2", "with number = number 4"]


def test_a_single_failure_is_raised_as_it_is() -> None:
    @every_case(("a", "b"), [(1, 2), (2, 2)])
    def different(a: int, b: int) -> None:
        assert a != b

    with pytest.raises(AssertionError) as failed:
        different()
    assert failed.value.__notes__[-1] == "with a, b = (2, 2)"


def test_two_of_them_are_all_pairs() -> None:
    pairs = []

    @every_case("a", "xy")
    @every_case("b", [1, 2])
    def pair(a: str, b: int) -> None:
        pairs.append((a, b))

    pair()
    assert pairs == [("x", 1), ("x", 2), ("y", 1), ("y", 2)]


@every_case("case", [1])
def test_other_arguments_are_fixtures(case: int, tmp_path: object) -> None:
    assert case == 1
    assert tmp_path


def test_thinning_leaves_no_class_out() -> None:
    cases = [
        *([1.5] * 7),
        "text",
        True,
        *map(frozenset, ["a", "b", "c", "d", "e", "f"]),
        ("x", {}),
        ("y", {}),
    ]
    # The first and the sixth of what is alike; texts are alike when they are equal, sets when they are sets.
    assert thinned(cases) == [1.5, 1.5, "text", True, {"a"}, {"f"}, ("x", {}), ("y", {})]
