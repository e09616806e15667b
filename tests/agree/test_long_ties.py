"""Long groups of equal scores, where listing rankings ends: exact fractions from counting, value by value.

One group of t items, of which r are relevant and all others are not; what a random ranking gives is known.
Rounding must stay at 1e-12 however long the group is.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import permutations
from math import comb, factorial

import numpy as np
import pytest

from agree.brute import Oracle
from every_case import every_case, exhaustive, few_cases
from properties.strategies import Ragged, values, variants
from rankproof.metrics import METRICS, metric

SIZES = [(1, 1), (2, 1), (10, 3), (63, 1), (64, 63), (200, 100), (1000, 4), (1500, 700), (3000, 2999)]
CUTOFFS = [1, 10, 100]
# By its definition it takes the longest.
MEAN_NDCG_LAST = [*(name for name in METRICS if name != "MeanNDCG"), *exhaustive("MeanNDCG")]


def constant_scores(spec: str, t: int, r: int, grade: float = 1.0) -> float:
    """The value of one query of equal scores, r of t items relevant, spread over the rows."""
    labels = np.zeros(t)
    labels[np.random.default_rng(t).permutation(t)[:r]] = grade
    return float(values(metric(spec), Ragged(np.zeros(t), labels, np.array([0, t]), np.array([t])))[0])


def close(got: float, wanted: Fraction) -> bool:
    return math.isclose(got, float(wanted), rel_tol=1e-12, abs_tol=1e-12)


def first_relevant(t: int, r: int) -> list[Fraction]:
    """P(the first relevant item is at rank j), j = 1..t."""
    return [Fraction(comb(t - j, r - 1), comb(t, r)) for j in range(1, t + 1)]


# What a random ranking gives, cut at K ------------------------------------------------------------


def success(t: int, r: int, K: int) -> Fraction:
    return 1 - Fraction(comb(t - r, K), comb(t, K)) if t >= K else Fraction(1)


def reciprocal_rank(t: int, r: int, K: int) -> Fraction:
    return sum((p / j for j, p in enumerate(first_relevant(t, r)[:K], 1)), Fraction(0))


def average_precision(t: int, r: int, K: int) -> Fraction:
    """Rank j is relevant with r/t; then (j-1)(r-1)/(t-1) of the ranks above are, in the mean."""
    inner = Fraction(r - 1, t - 1) if t > 1 else Fraction(0)
    return sum((Fraction(1, t) * (1 + (j - 1) * inner) / j for j in range(1, min(t, K) + 1)), Fraction(0))


def precision(t: int, r: int, K: int) -> Fraction:
    return Fraction(r, t) * min(t, K) / K


def recall(t: int, r: int, K: int) -> Fraction:
    return Fraction(min(t, K), t)


def rbp(t: int, r: int, K: int) -> Fraction:
    """(1 - p)(1 + p + ... + p^(K-1)) = 1 - p^K, with p = 0.5."""
    return Fraction(r, t) * (1 - Fraction(1, 2) ** min(t, K))


def err(t: int, r: int, K: int) -> Fraction:
    """Grade 2 of 3 satisfies with 3/8; h of the first j-1 are relevant with hypergeometric chance."""
    stop, total = Fraction(3, 8), Fraction(0)
    for j in range(1, min(t, K) + 1):
        hits = range(max(0, j - 1 - (t - r)), min(j - 1, r - 1) + 1)
        going = sum(
            (comb(r - 1, h) * comb(t - r, j - 1 - h) * (1 - stop) ** h for h in hits), Fraction(0)
        ) / comb(t - 1, j - 1)
        total += Fraction(r, t) * stop * going / j
    return total


CUT: dict[str, Callable[[int, int, int], Fraction]] = {
    "Success@{}": success,
    "RR@{}": reciprocal_rank,
    "AP@{}": average_precision,
    "P@{}": precision,
    "R@{}": recall,
    "RBP(p=0.5)@{}": rbp,
}


@every_case(("t", "r"), SIZES)
@every_case("spec", CUT)
def test_cut_lists(spec: str, t: int, r: int) -> None:
    for K in (*CUTOFFS, t):
        assert close(constant_scores(spec.format(K), t, r), CUT[spec](t, r, K)), K


@pytest.mark.parametrize(("t", "r"), SIZES)
def test_err(t: int, r: int) -> None:
    K = t if t <= 200 else 40
    assert close(constant_scores(f"ERR(max_grade=3)@{K}", t, r, 2.0), err(t, r, K))


@pytest.mark.parametrize("t", [5, 40, 150])
def test_err_of_many_grades(t: int) -> None:
    """The chance to go on after k random items: elementary symmetric polynomials, in fractions."""
    grades = np.random.default_rng(t).integers(0, 5, t)
    symmetric = [Fraction(1)] + [Fraction(0)] * t
    for y in grades.tolist():
        stay = 1 - Fraction(2**y - 1, 16)
        symmetric = [symmetric[0]] + [symmetric[k] + stay * symmetric[k - 1] for k in range(1, t + 1)]
    going = [e / comb(t, k) for k, e in enumerate(symmetric)]
    wanted = sum((going[k - 1] - going[k]) / k for k in range(1, t + 1))
    data = Ragged(np.zeros(t), grades.astype(float), np.array([0, t]), np.array([t]))
    assert close(values(metric("ERR"), data)[0], wanted)


# What a random ranking of all items gives ---------------------------------------------------------


def bpref(t: int, r: int) -> Fraction:
    """The number of others above a relevant item is uniform on 0..N."""
    others = t - r
    if not others:
        return Fraction(1)
    lost = sum((Fraction(min(m, r), min(others, r)) for m in range(others + 1)), Fraction(0)) / (others + 1)
    return 1 - lost


WHOLE: dict[str, Callable[[int, int], Fraction]] = {
    "bpref": bpref,
    "Rprec": lambda t, r: Fraction(r, t),
    "judged": lambda _t, _r: Fraction(1),
    "F": lambda t, r: Fraction(2 * r, t + r),
    "AUC": lambda _t, _r: Fraction(1, 2),
    "PD": lambda t, r: Fraction(r * (t - r), 2),
    "PD(normalize=true)": lambda _t, _r: Fraction(1, 2),
    "PD(ties=full)": lambda t, r: Fraction(r * (t - r)),
    "WPDL(weight=gain)": lambda t, r: Fraction(r * (t - r), 2),
    "tau": lambda _t, _r: Fraction(0),
    "tau(ties=b)": lambda _t, _r: Fraction(0),
    "ZeroOne": lambda t, r: 1 - Fraction(factorial(r) * factorial(t - r), factorial(t)),
    "nDCG(discount=reciprocal)": lambda t, r: (
        Fraction(r, t)
        * sum(Fraction(1, k) for k in range(1, t + 1))
        / sum(Fraction(1, k) for k in range(1, r + 1))
    ),
}


@every_case(("t", "r"), SIZES)
@every_case("spec", WHOLE)
def test_whole_lists(spec: str, t: int, r: int) -> None:
    got = constant_scores(spec, t, r)
    needs_both = metric(spec).name in ("AUC", "PD", "WPDL", "tau", "ZeroOne")
    if needs_both and r == t:
        assert math.isnan(got)
    else:
        assert close(got, WHOLE[spec](t, r))


@few_cases
@pytest.mark.parametrize("name", MEAN_NDCG_LAST)
def test_few_graded_items_in_a_long_group(name: str) -> None:
    """Two strict items, twelve tied ones of which two have a grade, one below: every place of these two."""
    t = 12
    scores = [9.0, 8.0, *[1.0] * t, 0.0]
    for found in variants(METRICS[name]):
        oracle = Oracle.of(found)
        listed = []
        for i, j in permutations(range(t), 2):
            group = [0] * t
            group[i], group[j] = 1, 2
            listed.append(oracle.strict([0, 1, *group, 1], ()))
        got = values(found, Ragged.of([(scores, [0, 1, 2, *[0] * 5, 1, *[0] * 5, 1], [])]))[0]
        if listed[0] is None:
            assert math.isnan(got)
        elif oracle.averages:
            assert close(got, sum(listed, Fraction(0)) / len(listed)), found
