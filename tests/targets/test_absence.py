"""No target exists: the laws that prove it are checked in exact arithmetic, step by step of the argument."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import permutations
from typing import Any

from every_case import every_case
from properties.strategies import ALL_VARIANTS
from rankproof.metrics import AP, ERR, PD, RR, WPDL, MeanNDCG, Metric, Success, metric
from rankproof.targets import absence_of, candidates
from targets.worlds import exchanged, turned

EXTRA = [
    *(AP(cutoff=k, denominator="min") for k in (2, 3)),
    *(ERR(cutoff=k, max_grade=g) for k in (2, None) for g in (1, 2, 9)),
    *(RR(cutoff=2, rel=2), Success(cutoff=2, rel=2), WPDL(normalize=True), PD(normalize=True)),
    MeanNDCG(gain=(0.0, 0.0, 2.0), discount="reciprocal"),
]
SMALL = [
    m
    for m in dict.fromkeys([*ALL_VARIANTS, *EXTRA])
    if absence_of(m) is not None and (getattr(m, "cutoff", 0) or 0) <= 4
]


def expected(found: Metric, law: dict[tuple[Any, ...], Fraction]) -> dict[tuple[int, ...], Any]:
    n = len(next(iter(law)))
    return {
        ranking: sum(p * turned(found, found.of_labels([y[i] for i in ranking])) for y, p in law.items())
        for ranking in permutations(range(n))
    }


@every_case("found", SMALL, ids=str)
def test_under_each_law_every_best_ranking_has_item_0_above_item_1(found: Metric) -> None:
    absence = absence_of(found)
    assert absence is not None
    for _, law in absence.laws():
        assert sum(law.values()) == 1
        values = expected(found, law)
        above = max(v for ranking, v in values.items() if ranking.index(0) < ranking.index(1))
        below = max(v for ranking, v in values.items() if ranking.index(1) < ranking.index(0))
        assert above > below + 1e-6, law


@every_case("found", [m for m in ALL_VARIANTS if absence_of(m) is not None], ids=str)
def test_the_mixture_is_the_same_when_the_two_items_are_exchanged(found: Metric) -> None:
    absence = absence_of(found)
    assert absence is not None
    mixture: Counter[tuple[Any, ...]] = Counter()
    for share, law in absence.laws():
        for y, p in law.items():
            mixture[y] += share * p  # type: ignore[assignment]
    assert sum(mixture.values()) == 1
    assert all(mixture[y] == mixture[exchanged(y, 0, 1)] for y in mixture)


@every_case("found", SMALL, ids=str)
def test_the_metric_treats_all_items_alike(found: Metric) -> None:
    """The value depends on the labels in ranked order alone, so a name of an item means nothing."""
    absence = absence_of(found)
    assert absence is not None
    y = next(iter(absence.parts[-1]))
    for ranking in permutations(range(len(y))):
        other = tuple({0: 1, 1: 0}.get(i, i) for i in ranking)
        renamed = exchanged(y, 0, 1)
        assert found.of_labels([y[i] for i in ranking]) == found.of_labels([renamed[i] for i in other])


@every_case("found", ALL_VARIANTS, ids=str)
def test_a_metric_never_has_both_a_target_and_a_proof_that_there_is_none(found: Metric) -> None:
    always = [target for target, claim in candidates(found) if claim.value is True]
    assert not (always and absence_of(found) is not None)


def test_success_at_deeper_cutoffs_keeps_its_laws() -> None:
    # Two more places, two more items; each is the only relevant one more often than all the rest together.
    first = absence_of(Success(cutoff=4))
    assert first is not None
    assert first.parts[0] == {
        (0, 0, 1, 0, 0, 0): 2,
        (1, 0, 0, 0, 0, 0): 2,
        (0, 0, 0, 0, 1, 0): 5,
        (0, 0, 0, 0, 0, 1): 5,
    }


def test_the_laws_of_b11_and_c12() -> None:
    """C12 Table 2, a = 5/13: the best rankings for AP put items 1 and 2 either way round."""
    law = {(1, 1, 0): Fraction(8, 13), (0, 0, 1): Fraction(5, 13)}
    best = expected(metric("AP"), law)
    top = max(best.values())
    assert top == Fraction(29, 39)
    assert {k for k, v in best.items() if v == top} == {(0, 1, 2), (1, 0, 2), (2, 0, 1), (2, 1, 0)}
