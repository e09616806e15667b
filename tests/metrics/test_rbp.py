"""RBP against visible arithmetic, the geometric series, and every order of tied items."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given

import rankproof as rp
from metrics.drawn_queries import Query, agrees_with_every_order, explanation_agrees, prints, tied
from metrics.one_query import lists_of, value
from rankproof.errors import ArgumentError
from rankproof.metrics import RBP


def test_by_hand() -> None:
    # 1/2 (1 + 1/4), with relevant items at ranks 1 and 3.
    assert RBP(p=0.5).of_labels([1, 0, 2]) == Fraction(5, 8)
    assert value(RBP(p=0.5), [3, 2, 1], [1, 0, 2]) == 5 / 8
    assert value(RBP(), [3, 2, 1], [1, 0, 2]) == pytest.approx(0.2 * (1 + 0.8**2), rel=1e-15, abs=0)
    assert value(RBP(p=0.5, cutoff=2), [3, 2, 1], [1, 0, 2]) == 1 / 2
    assert value(RBP(p=0.5, rel=2), [3, 2, 1], [1, 0, 2]) == 1 / 8


def test_ties_share_the_weights() -> None:
    # Ranks 2 and 3 weigh 1/4 and 1/8; one of the two items is relevant.
    assert value(RBP(p=0.5), [9, 5, 5], [0, 1, 0]) == (1 / 4 + 1 / 8) / 2
    # Cut behind rank 2.
    assert value(RBP(p=0.5, cutoff=2), [9, 5, 5], [0, 1, 0]) == (1 / 4) / 2


def test_a_long_list_of_relevant_items_comes_to_one() -> None:
    for p in (0.5, 0.8, 0.9, 0.95):
        n = 3000
        assert value(RBP(p=p), list(range(n)), [1] * n) == pytest.approx(1 - p**n, rel=1e-14, abs=0)
        assert value(RBP(p=p), list(range(n)), [1] * n) <= 1.0


def test_ties_far_down_keep_their_digits() -> None:
    n, p = 400, 0.8
    wanted = Fraction(1, 2) * (1 - Fraction(p)) * (Fraction(p) ** n + Fraction(p) ** (n + 1))
    scores, labels = [*range(n, 0, -1), 0, 0], [0] * n + [1, 0]
    assert value(RBP(p=p), scores, labels) == pytest.approx(float(wanted), rel=1e-13, abs=0)


def test_no_relevant_item_is_empty() -> None:
    assert RBP().of_labels([0]) is None
    assert math.isnan(value(RBP(), [1], [0]))
    assert value(RBP(), [1], [0], missed=[1]) == 0.0


@pytest.mark.parametrize("cutoff", [None, 1, 3])
@given(tied())
def test_every_order(cutoff: int | None, query: Query) -> None:
    relevant = any(y >= 1 for y in (*query[1], *query[2]))
    p = Fraction(0.8)

    def definition(ranked: list[float]) -> Fraction | None:
        seen = [(1 - p) * p**k for k, y in enumerate(ranked[:cutoff]) if y >= 1]
        return sum(seen, Fraction(0)) if relevant else None

    agrees_with_every_order(RBP(cutoff=cutoff), query, definition)
    explanation_agrees(RBP(cutoff=cutoff), query)


def test_explanation_shows_the_weights() -> None:
    told = RBP(p=0.5, cutoff=2).explain(lists_of([3, 2, 1], [1, 0, 1]))
    assert told.rows == [(1.0, 0.5, 0.5, 0.5), (0.0, 0.25, 0.0, 0.5)]
    assert told.steps == ["RBP(p=0.5)@2 = 0.500000"]


def test_printed_form() -> None:
    prints(RBP(), "RBP")
    prints(RBP(p=0.95, rel=2, cutoff=100), "RBP(p=0.95,rel=2)@100")


@pytest.mark.parametrize("p", [0, 1, -0.1, 1.5, math.nan, "0.5"])
def test_parameters(p: object) -> None:
    with pytest.raises(ArgumentError, match="Argument p of RBP must"):
        RBP(p=p)  # type: ignore[arg-type]


def test_under_the_name_of_trec_eval_p_is_its_own() -> None:
    """(1 - p) (1 + p^2) for relevant items at ranks 1 and 3: p is 0.9 there, 0.8 here, unless it is given."""

    run = rp.Run.from_dict({"q": {"a": 3.0, "b": 2.0, "c": 1.0}})
    qrels = rp.Qrels.from_dict({"q": {"a": 1, "b": 0, "c": 1}})

    def mean(spec: str, convention: str) -> float:
        return rp.evaluate(run, qrels, spec, convention=convention).mean[spec]

    assert mean("RBP", "trec_eval") == pytest.approx(0.1 * 1.81)
    assert mean("RBP", "rankproof") == pytest.approx(0.2 * 1.64)
    assert mean("RBP(p=0.5)", "trec_eval") == pytest.approx(0.5 * 1.25)
