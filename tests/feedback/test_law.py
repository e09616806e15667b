"""`Law`: exact probabilities, exact expectations, and the laws of the published examples."""

from __future__ import annotations

import math
import pickle
from collections import Counter
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from drawn import examples
from rankproof.errors import ArgumentError, DataError
from rankproof.feedback import Feedback, Graded, Law, Permutation, PreferenceGraph
from rankproof.feedback.rounding import round_probabilities

CHAIN = PreferenceGraph([(0, 1), (1, 2), (0, 2)])
BACK = PreferenceGraph([(2, 0)])


def law_over(support: list[Feedback], counts: list[int]) -> Law:
    return Law([(y, Fraction(count, sum(counts))) for y, count in zip(support, counts, strict=True)])


@st.composite
def laws(draw: st.DrawFn, items: int = 3) -> Law:
    graded = st.tuples(*[st.integers(0, 2) | st.just("1/2")] * items).map(Graded)
    ranking = st.permutations(range(items)).map(Permutation.from_order)
    kind = draw(st.sampled_from([graded, ranking, graded.map(Graded.preferences)]))
    support = draw(st.lists(kind, min_size=1, max_size=5))
    counts = draw(st.lists(st.integers(1, 20), min_size=len(support), max_size=len(support)))
    return law_over(support, counts)


@given(laws())
def test_repr_and_json_and_pickle_give_the_law_back(law: Law) -> None:
    names = {"Law": Law, "PreferenceGraph": PreferenceGraph, "Permutation": Permutation}
    again = eval(repr(law), names)  # noqa: S307
    assert again == law
    assert hash(again) == hash(law)
    assert Law.from_json(law.to_json()) == law
    assert pickle.loads(pickle.dumps(law)) == law  # noqa: S301
    assert Law(law) == law


@given(laws())
def test_probabilities_have_sum_exactly_one(law: Law) -> None:
    assert sum(law.probabilities) == 1
    assert law.expect(lambda _: 1) == 1
    assert len(law) == len(law.support) == len(set(law.support))
    assert dict(law.pairs()) == {y: law[y] for y in law}
    assert all(y in law for y in law)


@given(laws(), st.permutations(range(3)), st.permutations(range(3)))
def test_relabelling_a_law_relabels_its_feedback(law: Law, p: list[int], q: list[int]) -> None:
    new = law.relabel(p)
    for y in law:
        assert new[y.relabel(p)] == law[y]
    assert new.relabel(q) == law.relabel([p[q[i]] for i in range(3)])
    if law.kind != "preferences":
        assert new.marginal(0) == law.marginal(p[0])


@given(laws(), st.fractions(0, 1, max_denominator=12))
def test_a_mixture_mixes_expectations(law: Law, a: Fraction) -> None:
    other = law.relabel((1, 2, 0))
    mixed = law.mix(other, a)
    for y in {*law, *other}:
        assert mixed[y] == (1 - a) * law[y] + a * other[y]
    assert law.mix(other, 0) == law
    assert law.mix(other, 1) == other


def test_what_is_equal_is_not_a_matter_of_order_or_of_spelling() -> None:
    law = Law({(1, 1, 0): Fraction(8, 13), (0, 0, 1): Fraction(5, 13)})
    assert law == Law({(0, 0, 1): "5/13", (1, 1, 0): "8/13", (2, 2, 2): 0})
    assert law == Law([((1.0, 1, 0), "4/13"), (Graded((1, 1, 0)), "4/13"), ([0, 0, 1], "5/13")])
    assert law != Law({(1, 1, 0): "5/13", (0, 0, 1): "8/13"})
    assert law != "law"
    assert len({law, Law(law)}) == 1
    assert law.support == (Graded((1, 1, 0)), Graded((0, 0, 1)))
    assert law.probabilities == (Fraction(8, 13), Fraction(5, 13))
    assert repr(law) == "Law({(1, 1, 0): '8/13', (0, 0, 1): '5/13'})"
    assert (1, 1, 0) in law
    assert (1, 0, 0) not in law
    assert law[1, 0, 0] == 0


def average_precision(order: tuple[int, ...], y: Graded) -> Fraction:
    hits = [rank for rank, item in enumerate(order, start=1) if y[item]]
    return sum((Fraction(k, rank) for k, rank in enumerate(hits, start=1)), start=Fraction(0)) / len(hits)


def expected_reciprocal_rank(order: tuple[int, ...], y: Graded) -> Fraction:
    value, left = Fraction(0), Fraction(1)
    for rank, item in enumerate(order, start=1):
        stop = Fraction(2 ** int(y[item]) - 1, 2)
        value += left * stop / rank
        left *= 1 - stop
    return value


def agreement(order: tuple[int, ...], graph: PreferenceGraph) -> Fraction:
    place = {item: rank for rank, item in enumerate(order)}
    return -sum((Fraction(w) for i, j, w in graph.edges if place[i] > place[j]), start=Fraction(0))


@pytest.mark.parametrize(
    ("metric", "base", "other", "shares", "best"),
    [
        (expected_reciprocal_rank, (1, 1, 0), (0, 0, 1), ["7/20", "2/5", "49/100"], {(0, 2, 1), (1, 2, 0)}),
        (average_precision, (1, 1, 0), (0, 0, 1), ["5/13"], {(0, 1, 2), (1, 0, 2), (2, 0, 1), (2, 1, 0)}),
        (agreement, CHAIN, BACK, ["7/10", "3/4", "99/100"], {(1, 2, 0), (2, 0, 1)}),
    ],
    ids=["ERR", "AP", "PD"],
)
def test_table_2_of_calauzenes_usunier_gallinari_2012(
    metric: object, base: object, other: object, shares: list[str], best: set[tuple[int, ...]]
) -> None:
    """The optimal rankings printed there, items counted from 0 here."""
    for share in shares:
        law = Law.point(base).mix(other, share)
        values = {o: law.expect(lambda y, o=o: metric(o, y)) for o in permutations(range(3))}  # type: ignore[operator]
        assert all(isinstance(value, Fraction) for value in values.values())
        assert {o for o, value in values.items() if value == max(values.values())} == best


def test_the_example_of_ravikumar_tewari_yang_2011() -> None:
    """Expected gains and expected normalised gains sort two items differently."""
    law = Law({(5, 4): "0.3", (1, 3): "0.7"})
    gains = law.expect(lambda y: [2**grade - 1 for grade in y])
    assert gains == (Fraction(3, 10) * 31 + Fraction(7, 10) * 1, Fraction(3, 10) * 15 + Fraction(7, 10) * 7)
    assert gains == (10, Fraction(94, 10))

    second = 1 / math.log2(3)
    ideal = {(5, 4): 31 + 15 * second, (1, 3): 7 + 1 * second}
    normalised = law.expect(lambda y: [(2**grade - 1) / ideal[tuple(y)] for grade in y])
    assert normalised == pytest.approx((0.32157, 0.75333), abs=5e-6)
    assert all(isinstance(value, float) for value in normalised)


def test_expectations_are_exact_component_by_component() -> None:
    law = Law({(1, 0): "1/3", (0, 2): "2/3"})
    assert law.expect(lambda y: y) == (Fraction(1, 3), Fraction(4, 3))
    assert law.expect(lambda y: np.outer([1, 2], y)) == (
        (Fraction(1, 3), Fraction(4, 3)),
        (Fraction(2, 3), Fraction(8, 3)),
    )
    assert law.expect(lambda y: y[0] == 1) == Fraction(1, 3)
    mixed = law.expect(lambda y: (y[0], 0.5))
    assert mixed == (Fraction(1, 3), 0.5)
    assert isinstance(mixed[0], Fraction)
    assert isinstance(law.expect(lambda y: np.int64(y[0])), Fraction)
    assert law.expect(lambda y: np.float64(y[0])) == pytest.approx(1 / 3, abs=0)
    with pytest.raises(ArgumentError, match="must give finite numbers, got inf"):
        law.expect(lambda _: math.inf)
    with pytest.raises(ArgumentError, match="values of one shape"):
        law.expect(lambda y: (1,) if y[0] else (1, 2))
    with pytest.raises(ArgumentError, match="a number or a sequence of numbers, got None"):
        law.expect(lambda _: None)


@given(st.lists(st.lists(st.integers(1, 9), min_size=2, max_size=3), min_size=1, max_size=3))
def test_a_product_has_its_marginals_and_independent_items(counts: list[list[int]]) -> None:
    items = [{grade: Fraction(k, sum(row)) for grade, k in enumerate(row)} for row in counts]
    law = Law.product(items)
    assert [law.marginal(i) for i in range(law.items)] == items
    assert len(law) == math.prod(map(len, counts))
    for y in law:
        assert law[y] == math.prod((items[i][y[i]] for i in range(law.items)), start=Fraction(1))  # type: ignore[index]


def test_a_product_of_marginals_differs_where_items_are_dependent() -> None:
    law = Law({(1, 1): "1/2", (0, 0): "1/2"})
    assert Law.product([law.marginal(0), law.marginal(1)]) == Law.product([{0: "1/2", 1: "1/2"}] * 2)
    assert Law.product([law.marginal(0), law.marginal(1)]) != law
    assert Law.product([1, "1/2", {0: 1}]) == Law.point((1, "1/2", 0))


def test_marginals_are_sorted_by_grade_and_ranks_have_them_too() -> None:
    law = Law({(2, 0): "1/4", (0, 1): "1/2", (2, 1): "1/4"})
    assert list(law.marginal(0).items()) == [(0, Fraction(1, 2)), (2, Fraction(1, 2))]
    ranks = Law({Permutation((1, 2)): "1/3", Permutation((2, 1)): "2/3"})
    assert ranks.marginal(1) == {1: Fraction(2, 3), 2: Fraction(1, 3)}
    with pytest.raises(ArgumentError, match="no marginal law"):
        Law.point(CHAIN).marginal(0)
    with pytest.raises(ArgumentError, match=r"Items of this Law are 0\.\.1, got 2"):
        law.marginal(2)


@examples(50)
@given(st.lists(st.floats(0.001, 1), min_size=1, max_size=8), st.integers(1, 1000))
def test_rounding_moves_no_probability_by_a_step_and_keeps_the_sum(weights: list[float], steps: int) -> None:
    floats = [weight / math.fsum(weights) for weight in weights]
    rounded = round_probabilities(floats, steps)
    assert sum(rounded) == 1
    for p, exact in zip(floats, rounded, strict=True):
        assert (exact * steps).denominator == 1
        assert abs(float(exact) - p) < 1 / steps + 1e-12


def test_floats_become_the_fractions_that_were_meant() -> None:
    """The witness for average precision: 8/25, 3/25 and 14/25."""
    floats = {(0, 1, 0): 8 / 25, (0, 1, 1): 3 / 25, (1, 0, 1): 14 / 25}
    assert Law.from_floats(floats, denominator=25) == Law(
        {(0, 1, 0): "8/25", (0, 1, 1): "3/25", (1, 0, 1): "14/25"}
    )
    edges = [({(0, 1): 1}, 0.5), ({(1, 2): 1}, 0.5)]
    assert Law.from_floats(edges, denominator=2, items=3).items == 3


def test_draws_follow_the_law_and_the_seed() -> None:
    law = Law({(1, 1, 0): "8/13", (0, 0, 1): "5/13"})
    draws = law.sample(10_000, seed=3)
    assert draws == law.sample(10_000, seed=3)
    assert draws != law.sample(10_000, seed=4)
    share = Counter(draws)[Graded((1, 1, 0))] / 10_000
    assert abs(share - 8 / 13) < 4 * math.sqrt(8 / 13 * 5 / 13 / 10_000)
    assert law.sample(0) == []
    assert Law.point((1, 0)).sample(2) == [Graded((1, 0))] * 2


def test_draws_are_exact_beyond_64_bits() -> None:
    """A probability of 2⁻¹⁰⁰ beside one of almost 1: the denominator does not fit a machine word."""
    tiny = Fraction(1, 2**100)
    law = Law({(1,): tiny, (0,): Fraction(1, 3) - tiny, (2,): Fraction(2, 3)})
    shares = Counter(law.sample(3000, seed=0))
    assert set(shares) == {Graded((0,)), Graded((2,))}
    assert abs(shares[Graded((2,))] / 3000 - 2 / 3) < 4 * math.sqrt(2 / 9 / 3000)


def test_arrays_are_the_labels_and_the_probabilities() -> None:
    labels, probabilities = Law({(1, "1/2"): "1/4", (0, 2): "3/4"}).arrays()
    assert labels.tolist() == [[1.0, 0.5], [0.0, 2.0]]
    assert probabilities.tolist() == [0.25, 0.75]
    with pytest.raises(ArgumentError, match="no label vectors"):
        Law.point(CHAIN).arrays()


def test_the_table_form() -> None:
    assert str(Law({(1, 10): "8/13", ("1/2", 0): "5/13"})).splitlines() == [
        "probability  y(0)  y(1)",
        "       8/13     1    10",
        "       5/13   1/2     0",
    ]
    graph = Law({PreferenceGraph({(0, 1): 1, (0, 2): "1/2"}): "1/4", PreferenceGraph({}, items=3): "3/4"})
    assert str(graph).splitlines() == [
        "probability  preferences",
        "        1/4  0→1, 0→2 (1/2)",
        "        3/4  none",
    ]


def test_json_is_plain_and_versioned() -> None:
    law = Law({PreferenceGraph({(0, 1): "1/2"}, items=3): 1})
    assert law.to_dict() == {
        "format": "rankproof.law",
        "version": 1,
        "feedback": "preferences",
        "items": 3,
        "support": [[[0, 1, "1/2"]]],
        "probabilities": ["1"],
    }
    inexact = Law.point((0.1, 1))
    assert not inexact.exact
    assert Law.from_json(inexact.to_json()) == inexact


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"format": "other"}, "format 'rankproof.law'"),
        ({"version": 2}, "version 1, got version 2"),
        ({"feedback": "clicks"}, "graded, preferences, permutation, got 'clicks'"),
        ({"probabilities": ["1", "0"]}, "one probability per feedback, got 2 for 1"),
        ({"probabilities": ["1/2"]}, "sum exactly 1, got 1/2"),
        ({"items": 3}, "must have 3 items, got 2"),
    ],
)
def test_a_stored_law_that_breaks_a_rule_is_refused(change: dict[str, object], text: str) -> None:
    plain = Law.point((1, 0)).to_dict()
    with pytest.raises((DataError, ArgumentError), match=text):
        Law.from_dict({**plain, **change})
    with pytest.raises(DataError, match="lacks support"):
        Law.from_dict({key: value for key, value in plain.items() if key != "support"})
    with pytest.raises(DataError, match=r"JSON text, as Law\.to_json writes it.*Law\.from_dict reads a dict"):
        Law.from_json(plain)  # type: ignore[arg-type]
    with pytest.raises(DataError, match="a JSON object"):
        Law.from_json("[1]")


def test_laws_do_not_change() -> None:
    law = Law.point((1, 0))
    with pytest.raises(ArgumentError, match="cannot be changed"):
        law._table = {}
    with pytest.raises(ArgumentError, match="cannot be changed"):
        law.items = 3  # type: ignore[misc]


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda: Law({(1, 0): "1/2"}), DataError, "sum exactly 1, got 1/2"),
        (lambda: Law({}), DataError, "sum exactly 1, got 0"),
        (lambda: Law({(1, 0): "3/2", (0, 1): "-1/2"}), ArgumentError, r"got -1/2 for Graded\(\(0, 1\)\)"),
        (
            lambda: Law({(1, 0): 0.5, (0, 1): 0.5}),
            ArgumentError,
            r"Graded\(\(1, 0\)\) must be exact.*0.5. Write '1/2'",
        ),
        (lambda: Law({(1, 0): True}), ArgumentError, "must be a number, got True"),
        (lambda: Law({(1, 0): None}), ArgumentError, "must be exact"),  # type: ignore[dict-item]
        (lambda: Law({(1, 0): "1/2", (1, 0, 0): "1/2"}), DataError, "one number of items, got 2 in"),
        (lambda: Law({(1, 0): "1/2", Permutation((1, 2)): "1/2"}), DataError, "feedback of one kind"),
        (lambda: Law(3), ArgumentError, "made from a mapping"),  # type: ignore[arg-type]
        (lambda: Law([1]), ArgumentError, "made from a mapping"),  # type: ignore[list-item]
        (lambda: Law.point((1, 0))[1, 0, 0], ArgumentError, "must have 2 items, got 3"),
        (lambda: Law.point((1, 0))[Permutation((1, 2))], ArgumentError, "on graded feedback"),
        (
            lambda: Law.point((1, 0)).mix((0, 1), "3/2"),
            ArgumentError,
            r"a of Law\.mix must lie in 0\.\.1, got 3/2",
        ),
        (lambda: Law.point((1, 0)).mix((0, 1), 0.5), ArgumentError, r"a of Law\.mix must be exact"),
        (
            lambda: Law.point((1, 0)).sample(-1),
            ArgumentError,
            r"size of Law\.sample must be an int >= 0, got -1",
        ),
        (lambda: Law.product([]), ArgumentError, "at least one item"),
        (lambda: Law.product([{0: "1/2"}]), DataError, "item 0 must have sum exactly 1, got 1/2"),
        (lambda: Law.product([{0: "-1", 1: 2}]), ArgumentError, "must not be negative, got -1 for item 0"),
        (
            lambda: Law.product([{0: "1/2", 1: "1/2"}] * 30),
            ArgumentError,
            "1073741824 label vectors, more than",
        ),
        (lambda: Law.from_floats({(1, 0): 0.5}, denominator=2), DataError, "sum 1 to within 1e-6, got 0.5"),
        (
            lambda: Law.from_floats({(1,): 2.0, (0,): -1.0}, denominator=2),
            DataError,
            "not negative, got -1.0 at 1",
        ),
        (
            lambda: Law.from_floats({(1,): 1.0}, denominator=0),
            ArgumentError,
            "denominator .* int >= 1, got 0",
        ),
        (lambda: Law.from_floats({(1,): "x"}, denominator=1), ArgumentError, "sequence of numbers"),  # type: ignore[dict-item]
    ],
)
def test_errors_name_the_value_and_the_rule(make: object, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        make()  # type: ignore[operator]
