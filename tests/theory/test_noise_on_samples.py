"""Conditions on a sample: not refuted where they hold, refuted where they clearly fail."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import rankproof as rp
from rankproof.errors import ArgumentError
from rankproof.feedback import Law

INDEPENDENT = Law.product([{0: "1/4", 1: "3/4"}, {0: "1/2", 2: "1/2"}, {0: "2/3", 1: "1/3"}])


def sampled(law: Law, draws: int, seed: int) -> Law:
    return Law({y: Fraction(count, draws) for y, count in Counter(law.sample(draws, seed)).items()})


@pytest.mark.parametrize("condition", ["independent", "low noise", "rank-differentiable"])
def test_a_law_in_the_class_is_refuted_at_most_in_five_of_a_hundred_samples(condition: str) -> None:
    law = INDEPENDENT
    if condition != "independent":
        law = Law({(2, 1, 0): "1/2", (1, 2, 0): "1/4", (2, 0, 1): "1/4"})
    assert rp.noise.check(law, condition).holds
    draws, times = 40, 60
    answers = [rp.noise.check(sampled(law, draws, seed), condition, draws=draws) for seed in range(times)]
    # Without the number of draws almost every sample says no.
    plain = [rp.noise.check(sampled(law, draws, seed), condition).holds for seed in range(times)]
    assert sum(plain) < times
    assert sum(not answer.holds for answer in answers) <= 0.05 * times + 3 * np.sqrt(times * 0.05 * 0.95)
    assert "not refuted" in str(next(answer for answer in answers if answer.holds))


@pytest.mark.parametrize(
    ("condition", "table"),
    [
        ("independent", {(1, 1, 0): "1/2", (0, 0, 1): "1/2"}),
        ("low noise", {(2, 1, 0): "3/5", (0, 1, 2): "2/5"}),
        ("rank-differentiable", {(2, 0, 0): "1/2", (0, 1, 2): "1/2"}),
        ("binary", {(1, 0, 2): "1/8", (1, 0, 0): "7/8"}),
        ("one relevant", {(1, 0, 2): "1/8", (1, 0, 0): "7/8"}),
    ],
)
def test_a_law_far_outside_is_refuted_by_many_draws(condition: str, table: Any) -> None:
    law = Law(table)
    assert not rp.noise.check(law, condition).holds
    answer = rp.noise.check(law, condition, draws=4000)
    assert not answer
    assert answer.p_value is not None
    assert answer.p_value < 0.001
    assert str(answer).startswith(f"{condition}: refuted (p = ")
    assert answer.to_dict()["draws"] == 4000


def test_few_draws_refute_little() -> None:
    answers = rp.noise.check(Law({(2, 1, 0): "1/2", (0, 1, 2): "1/2"}), draws=2)
    assert answers["low noise"].holds
    assert answers["independent"].holds
    assert not answers["binary"].holds  # a grade of 2 was seen


def test_draws_must_be_those_of_the_law() -> None:
    with pytest.raises(ArgumentError, match="draws is 3, and not all probabilities"):
        rp.noise.check(Law({(1, 0): "1/2", (0, 1): "1/2"}), draws=3)
    with pytest.raises(ArgumentError, match="Leave out draws"):
        rp.noise.check(Law.point((1, 0)), draws=1, normalize=True)
