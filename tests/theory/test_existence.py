"""Does a metric have a target: every metric of the registry, on small spaces, with its proof."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from fractions import Fraction
from itertools import permutations, product

import pytest

from every_case import every_case, few_cases
from properties.strategies import ALL_VARIANTS
from rankproof.errors import PrecisionError
from rankproof.feedback import Graded, Law
from rankproof.feedback.spaces import Space, graded_space, graph_space, permutation_space
from rankproof.metrics import METRICS
from rankproof.metrics import metric as metric_of
from rankproof.metrics.ranked.ties import sorting_rankings
from rankproof.targets import TARGETS, absence_of, candidates, target, why_none
from rankproof.theory.base.proofs import AssumptionA, SplitLaw, TargetTable
from rankproof.theory.base.risk import optimal_rankings
from rankproof.theory.base.values import value_table
from rankproof.theory.existence.closed_form import closed_form
from rankproof.theory.existence.decide import assumption_a, target_exists
from rankproof.theory.existence.symmetry import orbits, rounded
from theory.existence_cases import ONE_HOT, SPACES, is_optimal, some_laws, wrong_with


@every_case("space", SPACES.values(), ids=SPACES)
@every_case("name", METRICS)
def test_every_metric_is_decided_as_its_claims_say(name: str, space: Space) -> None:
    metric = METRICS[name]()
    found = target_exists(metric, space)
    assert found.outcome != "undecided"
    claimed = any(claim.value is True for _, claim in candidates(metric))
    if claimed:
        assert found.outcome in ("target", "trivial")
    if found.outcome == "target":
        assert found.closed_form is not None
        assert all(is_optimal(found, metric, law) for law in some_laws(space, 25, seed=1))
    if found.outcome == "none":
        assert why_none(metric) is not None
        assert found.contradiction is not None
    if found.outcome == "trivial":
        assert len(set(value_table(metric, space).values)) == 1
    else:
        assert wrong_with(found, metric) is None


@few_cases
@pytest.mark.parametrize("metric", [*METRICS, "Success@2", "ERR@2", "RR@2", "AP@2", "AP(denominator=min)@2"])
def test_what_has_no_target_shows_it_on_a_small_space(metric: str) -> None:
    outcomes = {target_exists(metric, space).outcome for space in SPACES.values()}
    assert ("none" in outcomes) == (absence_of(metric_of(metric)) is not None)


@pytest.mark.exhaustive
def test_all_parameters_are_decided_as_their_claims_say() -> None:
    """Every metric with every other value of each parameter."""
    for metric in ALL_VARIANTS:
        try:
            found = target_exists(metric, SPACES["3 items"])
        except PrecisionError:
            # A highest grade of 3.5 makes stops of (2^y - 1) / 2^3.5, whose products are no roots.
            assert str(metric) == "ERR(max_grade=3.5)"
            continue
        claimed = any(claim.value is True for _, claim in candidates(metric))
        assert found.outcome in (("target", "trivial") if claimed else ("target", "trivial", "none")), metric
        assert (found.outcome == "none") == (found.contradiction is not None)


def test_success_at_2_needs_four_items() -> None:
    # Of three items one is left out: 1 unless that is the only relevant one, so the target is 1 for it.
    on_three = target_exists("Success@2", SPACES["3 items"])
    assert on_three.outcome == "target"
    assert on_three.target is not None
    assert on_three.target.row(Graded((0, 1, 0))) == (0, 1, 0)
    assert on_three.target.row(Graded((0, 1, 1))) == (0, 0, 0)
    assert target_exists("Success@2", SPACES["4 items"]).outcome == "none"
    assert target_exists("Success@3", SPACES["3 items"]).outcome == "trivial"


@pytest.mark.parametrize(
    ("metric", "form"),
    [
        ("DCG", "gain"),
        ("DCG(gain=linear)", "gain(gain=linear)"),
        ("nDCG", "normalised-gain"),
        ("nDCG@1", "normalised-gain@1"),
        ("nDCG@2", "normalised-gain@2"),
        ("P@1", "relevance"),
        ("P@2", "relevance"),
        ("R@1", "relevance-share"),
        ("R@2", "relevance-share"),
        ("RBP", "relevance"),
        ("AUC", "pair-share"),
        ("F@2", "f-share@2"),
        ("WPDL(weight=gain)", "pair-weight(weight=gain)"),
    ],
)
def test_metrics_with_a_target_and_its_closed_form(metric: str, form: str) -> None:
    found = target_exists(metric, SPACES["3 grades"])
    assert (found.outcome, found.closed_form) == ("target", form)
    assert str(target(form)) == form
    assert form in str(found)


@few_cases
@pytest.mark.parametrize(
    "metric", ["RR", "AP", "ERR", "PD", "WPDL", "tau", "MeanNDCG", "Rprec", "bpref", "ZeroOne"]
)
def test_metrics_without_a_target(metric: str) -> None:
    found = target_exists(metric, SPACES["3 grades"])
    assert found.outcome == "none"
    assert found.contradiction is not None
    assert found.split is not None
    assert wrong_with(found, metric) is None


def test_binary_disagreement_has_a_target() -> None:
    # B11 and L12: with two grades the pairs lost are a linear function of the ranks of the relevant items.
    assert target_exists("PD", SPACES["3 items"]).closed_form == "balance"
    assert target_exists("tau", SPACES["4 items"]).closed_form == "balance(normalize=root)"


@pytest.mark.parametrize("space", [graph_space(3), permutation_space(3)], ids=str)
def test_disagreement_has_no_target_on_graphs_and_permutations(space: Space) -> None:
    found = target_exists("PD", space)
    assert found.outcome == "none"
    assert wrong_with(found, "PD") is None
    # A chain 0→1→2 with 0→2 gains 1 for each of the three orders, but u_0 - u_2 is the sum of two.
    assert found.clash is not None
    assert found.clash.kind == "sum"


def test_whole_numbers() -> None:
    found = target_exists("DCG", SPACES["3 grades"])
    assert found.target is not None
    assert found.target.row(Graded((2, 0, 1))) == (3, 0, 1)
    shares = target_exists("R@1", SPACES["3 items"])
    assert shares.target is not None
    assert shares.target.row(Graded((1, 0, 1))) == (1, 0, 1)
    assert shares.target.row(Graded((1, 0, 0))) == (2, 0, 0)


@pytest.mark.parametrize("metric", ["AP", "RR", "ERR(max_grade=1)"])
def test_with_exactly_one_relevant_item_there_is_a_target(metric: str) -> None:
    found = target_exists(metric, ONE_HOT)
    assert (found.outcome, found.closed_form) == (
        "target",
        "satisfaction(max_grade=1)" if "ERR" in metric else "relevance",
    )
    assert all(is_optimal(found, metric, law) for law in some_laws(ONE_HOT, 60, seed=2))


@pytest.mark.parametrize(
    ("metric", "worth"),
    [
        ("ERR(max_grade=2)", lambda grade: Fraction(2**grade - 1, 4)),
        ("AP", lambda grade: Fraction(grade >= 1)),
        ("RR", lambda grade: Fraction(grade >= 1)),
    ],
)
def test_independent_labels_sort_by_their_own_means(metric: str, worth: Callable[[int], Fraction]) -> None:
    draw = random.Random(3)
    for _ in range(60):
        shares = [[draw.randint(0, 4) for _ in range(3)] for _ in range(3)]
        laws = [{g: Fraction(m, sum(own)) for g, m in enumerate(own)} for own in shares if any(own)]
        if len(laws) < 3:
            continue
        means = [sum(p * worth(grade) for grade, p in law.items()) for law in laws]
        assert set(sorting_rankings(means)) <= set(optimal_rankings(metric, Law.product(laws)))


@pytest.mark.parametrize("metric", ["DCG", "AP", "ERR", "RR"])
def test_assumption_a_holds(metric: str) -> None:
    found = assumption_a(metric, SPACES["3 items"])
    assert found.holds
    assert found.feedback == (Graded((1, 0, 0)), Graded((0, 1, 0)), Graded((0, 0, 1)))
    assert AssumptionA.from_dict(json.loads(json.dumps(found.to_dict()))) == found


def test_assumption_a_on_graphs_and_where_it_fails() -> None:
    # C12: the graph i→j for all j; its pairs lost are the ranks above item i.
    on_graphs = assumption_a("PD", graph_space(3))
    assert on_graphs.betas == (0, -1, -2)
    for metric in ("P@1", "Success@2", "ZeroOne", "judged"):
        failed = assumption_a(metric, SPACES["3 items"])
        assert not failed
        assert AssumptionA.from_dict(failed.to_dict()) == failed


@pytest.mark.parametrize("metric", ["AP", "ERR(max_grade=1)", "Rprec", "ZeroOne", "P@2", "MeanNDCG"])
def test_each_ranking_is_best_alone_but_for_those_with_its_values(metric: str) -> None:
    """The law in proportion to the values of a ranking plus a constant: Cauchy-Schwarz."""
    table = rounded(value_table(metric, SPACES["3 items"]))
    for row in table.values:
        masses = [value + 1 for value in row]
        law = Law((y, m / sum(masses)) for y, m in zip(table.space.feedback, masses, strict=True))
        same = [r for r, other in zip(table.rankings, table.values, strict=True) if other == row]
        assert list(optimal_rankings(metric, law)) == same


def test_orbits_are_pairs_up_to_renaming() -> None:
    space = SPACES["3 grades"]
    number = orbits(space)
    for (y, a), (x, b) in product(product(range(len(space)), range(3)), repeat=2):
        left, right = space.feedback[y], space.feedback[x]
        renamed = any(right == left.relabel(order) and order[b] == a for order in permutations(range(3)))
        assert (number[y][a] == number[x][b]) == renamed


def test_closed_forms_tell_targets_apart() -> None:
    """Every registered target is recognised on a space where no two of them are the same."""
    space = graded_space(4, 3)
    for name in TARGETS:
        rows = []
        for y in space.feedback:
            row = target(name).of_feedback(y)
            rows.append(tuple(Fraction(value).limit_denominator(10**9) for value in row))
        found = closed_form("P@1", TargetTable(space, tuple(rows)), Fraction(1, 10**6))
        assert found is not None
        again = target(found)
        for y, exact_row in zip(space.feedback, rows, strict=True):
            other = again.of_feedback(y)
            order = [(a > b) - (a < b) for a in exact_row for b in exact_row]
            assert order == [(a > b + 1e-9) - (a < b - 1e-9) for a in other for b in other]
    constant = TargetTable(space, tuple((Fraction(1),) * 4 for _ in space.feedback))
    assert closed_form("P@1", constant) is None
    # Relevance for all labels but the first, 0000.
    binary = tuple(tuple(Fraction(grade > 0) for grade in y) for y in space.feedback)  # type: ignore[union-attr]
    assert closed_form("P@1", TargetTable(space, binary)) == "relevance"
    first = (Fraction(0), Fraction(0), Fraction(0), Fraction(1))
    assert closed_form("P@1", TargetTable(space, (first, *binary[1:]))) is None
    turned = tuple(tuple(-value for value in row) for row in rows)
    assert closed_form("P@1", TargetTable(space, turned)) is None


def test_split_is_a_plain_value() -> None:
    split = target_exists("RR", SPACES["3 items"]).split
    assert split is not None
    assert SplitLaw.from_dict(json.loads(json.dumps(split.to_dict()))) == split
