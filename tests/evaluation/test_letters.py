"""Significance letters say exactly what the tests say."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drawn import examples
from rankproof.errors import ArgumentError
from rankproof.evaluation.letters import letters


@st.composite
def verdicts(draw: st.DrawFn) -> tuple[list[str], list[float], list[tuple[str, str]]]:
    names = [f"s{i}" for i in range(draw(st.integers(0, 8)))]
    means = [draw(st.integers(0, 5)) / 5 for _ in names]
    pairs = [
        (a, b) if draw(st.booleans()) else (b, a) for a, b in combinations(names, 2) if draw(st.booleans())
    ]
    return names, means, draw(st.permutations(pairs))


@given(verdicts())
@examples(200)
def test_two_systems_share_a_letter_iff_no_difference_was_shown(
    case: tuple[list[str], list[float], list[tuple[str, str]]],
) -> None:
    names, means, pairs = case
    found = letters(names, means, pairs)
    assert list(found) == names
    different = {frozenset(pair) for pair in pairs}
    for a, b in combinations(names, 2):
        assert bool(set(found[a]) & set(found[b])) == (frozenset((a, b)) not in different)
    for word in found.values():
        assert word
        assert list(word) == sorted(set(word))


@given(verdicts())
@examples(100)
def test_no_letter_lies_inside_another_and_order_of_pairs_does_not_matter(
    case: tuple[list[str], list[float], list[tuple[str, str]]],
) -> None:
    names, means, pairs = case
    found = letters(names, means, pairs)
    groups = [
        {name for name in names if letter in found[name]} for letter in sorted(set("".join(found.values())))
    ]
    assert not any(one <= other for one in groups for other in groups if one is not other)
    assert letters(names, means, pairs[::-1]) == found


def test_the_best_has_the_first_letter() -> None:
    # A chain: neighbours are not told apart, the ends are.
    assert letters(["low", "high", "middle"], [0.1, 0.9, 0.5], [("low", "high")]) == {
        "low": "b",
        "high": "a",
        "middle": "ab",
    }
    assert letters(["x", "y"], [float("nan"), 0.1], [("y", "x")]) == {"x": "b", "y": "a"}
    assert letters(["x", "y"], [0.2, 0.1], []) == {"x": "a", "y": "a"}
    assert letters([], [], []) == {}


def test_sixty_groups_still_have_letters_and_too_many_are_refused() -> None:
    # Six pairs of rivals make 2^6 groups: one of each pair.
    names = [f"{i}{side}" for i in range(6) for side in "xy"]
    found = letters(names, [0.0] * 12, [(f"{i}x", f"{i}y") for i in range(6)])
    assert len(set("".join(found.values()))) == 64
    names = [f"{i}{side}" for i in range(7) for side in "xy"]
    with pytest.raises(ArgumentError, match="128 groups of systems need more than 76 letters"):
        letters(names, [0.0] * 14, [(f"{i}x", f"{i}y") for i in range(7)])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((["a", "a"], [1, 2], []), "must not repeat"),
        ((["a", "b"], [1], []), r"one number per name \(2\), got 1"),
        ((["a", "b"], [1, 2], [("a", "c")]), "names 'c', which is not among"),
        ((["a", "b"], [1, 2], [("a", "a")]), "got 'a' twice"),
    ],
)
def test_bad_arguments_are_named(arguments: tuple[object, ...], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        letters(*arguments)  # type: ignore[arg-type]
