"""The convention ``yahoo`` equals the definitions of the Yahoo! Learning to Rank Challenge.

There is no package to run, so the definitions are written out here from Chapelle & Chang, "Yahoo! Learning to
Rank Challenge Overview", JMLR W&CP 14 (2011), section 5: on the labels y_1, y_2, ... in ranked order,

    NDCG = DCG / ideal DCG,   DCG = sum over i = 1 .. min(10, n) of (2^y_i - 1) / log2(1 + i)
    ERR  = sum over i = 1 .. n of R(y_i) / i * product over j < i of (1 - R(y_j)),   R(y) = (2^y - 1) / 16.

The overview does not say what NDCG is when the ideal DCG is 0; the challenge's script counts 0.5. A
submission lists ranks, which cannot tie: the ranks of a stable sort break ties of scores by row.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from agree.convention_values import Data, random_data, values
from every_case import every_case
from rankproof.errors import ConventionError, DataError
from rankproof.metrics import metric
from rankproof.metrics.conventions.named import CONVENTIONS


def ranked(data: Data, query: slice) -> list[int]:
    """The grades in ranked order: the higher score first, then the earlier row."""
    rows = range(query.start, query.stop)
    return [int(data.labels[i]) for i in sorted(rows, key=lambda i: (-data.scores[i], i))]


def dcg(grades: list[int], cutoff: int) -> float:
    return sum((2**y - 1) / np.log2(1 + i) for i, y in enumerate(grades[:cutoff], start=1))


def ndcg(grades: list[int], cutoff: int) -> float:
    ideal = dcg(sorted(grades, reverse=True), cutoff)
    return dcg(grades, cutoff) / ideal if ideal else 0.5


def err(grades: list[int]) -> float:
    total, going_on = Fraction(0), Fraction(1)
    for i, y in enumerate(grades, start=1):
        satisfied = Fraction(2**y - 1, 16)
        total += going_on * satisfied / i
        going_on *= 1 - satisfied
    return float(total)


@every_case("seed", range(20))
@every_case("levels", [1, 6, None])
def test_equal(seed: int, levels: int | None) -> None:
    data = random_data(seed, levels=levels)
    lists = [ranked(data, q) for q in data.queries]
    for cutoff in (1, 10):
        wanted = [ndcg(grades, cutoff) for grades in lists]
        np.testing.assert_allclose(values("yahoo", f"nDCG@{cutoff}", data), wanted, rtol=1e-12, atol=0)
    wanted = [err(grades) for grades in lists]
    np.testing.assert_allclose(values("yahoo", "ERR", data), wanted, rtol=1e-12, atol=0)


def test_by_hand() -> None:
    """One query with grades 4, 0 and one without a relevant item."""
    data = Data(np.array([1.0, 2.0, 5.0]), np.array([4.0, 0.0, 0.0]), np.array([2, 1]), np.array([2, 1]))
    # The grade 4 stands at rank 2.
    assert values("yahoo", "nDCG@10", data) == pytest.approx([1 / np.log2(3), 0.5], rel=1e-15)
    assert values("yahoo", "ERR", data) == pytest.approx([15 / 16 / 2, 0.0], rel=1e-15)


def test_what_it_does_not_have() -> None:
    convention = CONVENTIONS["yahoo"]
    with pytest.raises(ConventionError, match="ERR with max_grade=4"):
        convention.resolve(metric("ERR(max_grade=3)"))
    with pytest.raises(ConventionError, match="over the whole list only"):
        convention.resolve(metric("ERR@10"))
    with pytest.raises(DataError, match="whole grades from 0 to 4"):
        convention.check(metric("nDCG@10"), np.array([5.0]))
