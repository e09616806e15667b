"""The search on losses and metrics of a user: bounded by tangents, since there is no formula to prove."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from every_case import few_cases
from rankproof.feedback import Law
from rankproof.feedback.spaces import graded_space
from rankproof.theory.base.minimum import Minimum
from rankproof.theory.custom.loss import as_user_loss
from rankproof.theory.minima.custom import check_user_minimum
from rankproof.theory.search.find import find_counterexample
from theory import by_hand

BINARY, GRADED = graded_space(3, 2), graded_space(3, 3)


@few_cases
@pytest.mark.parametrize(("name", "gradient"), [("RankNet", by_hand.pairs_slope), ("squared:gain", None)])
def test_a_users_convex_loss_is_refuted(name: str, gradient: Any) -> None:
    own = as_user_loss(by_hand.LOSSES[name], gradient=gradient, convex=True, name="own")
    found = find_counterexample(own, "nDCG", BINARY)
    assert found is not None
    by_hand.holds_up(found, name, "nDCG")
    assert check_user_minimum(own, found.law, found.minimum) is None


def test_a_users_convex_loss_that_is_right_is_not_refuted() -> None:
    own = as_user_loss(by_hand.LOSSES["squared:gain"], convex=True, name="own")
    assert find_counterexample(own, "DCG", GRADED, effort=0.3) is None


def test_a_users_loss_of_unknown_shape_is_left_alone() -> None:
    assert find_counterexample(as_user_loss(by_hand.LOSSES["RankNet"]), "nDCG", BINARY) is None


def test_the_box_of_a_users_loss_holds_the_minimiser() -> None:
    own = as_user_loss(by_hand.LOSSES["RankNet"], convex=True, name="own")
    law = Law({(1, 0): "2/3", (0, 1): "1/3"})
    half = np.log(2) / 2

    def at(first: float, second: float, radius: str) -> str | None:
        center = (Fraction(first), Fraction(second))
        return check_user_minimum(own, law, Minimum("ball", center, Fraction(radius)))

    assert at(half, -half, "1/100") is None
    # Shifted by any number, the scores are the same to the loss.
    assert at(half + 5, -half + 5, "1/100") is None
    # Off by more than the box is wide (its half-width is the radius over the root of 2).
    assert "not above" in str(at(half + 0.01, -half - 0.01, "1/100"))
    assert "convex" in str(
        check_user_minimum(replace(own, convex=None), law, Minimum("ball", (Fraction(0),) * 2, Fraction(1)))
    )
    assert "ball" in str(check_user_minimum(own, law, Minimum("exact", (Fraction(0),) * 2, Fraction(0))))
    assert "2 items" in str(check_user_minimum(own, law, Minimum("ball", (Fraction(0),) * 3, Fraction(1))))


def test_the_box_is_closed_at_its_corners_too() -> None:
    """A narrow valley along (1, 1) leaves the box at a corner, lower than the middles of all sides."""

    def valley(s: np.ndarray, y: object) -> float:
        return 100.0 * (s[0] - s[1] - (y[0] - y[1])) ** 2 + 0.01 * (s[0] + s[1]) ** 2  # type: ignore[index]

    own = as_user_loss(valley, convex=True)
    law = Law.point((1, 0))
    least = Minimum("ball", (Fraction(1, 2), Fraction(-1, 2)), Fraction(1, 2))
    beside = Minimum("ball", (Fraction(3, 2), Fraction(1, 2)), Fraction(1, 2))
    assert check_user_minimum(own, law, least) is None
    assert "not above" in str(check_user_minimum(own, law, beside))


def test_a_users_metric_that_needs_three_items_is_refuted_on_three() -> None:
    def third_too(ranking: tuple[int, ...], feedback: object) -> float:
        # Found within the first two, and the third must not be wasted on a relevant item.
        a, b, c = (feedback[item] for item in ranking[:3])  # type: ignore[index]
        return max(a, b) - 0.5 * c

    found = find_counterexample("softmax:relevance", third_too, BINARY)
    assert found is not None
    assert found.law.items == 3
