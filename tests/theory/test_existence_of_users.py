"""Does a function of the user's have a target: random metrics try to fool the decision."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from drawn import examples
from rankproof.errors import ArgumentError, PrecisionError
from rankproof.feedback import Graded
from rankproof.feedback.spaces import Space, graded_space
from rankproof.metrics.ranked.ties import sorting_rankings
from rankproof.theory.base.proofs import TargetTable
from rankproof.theory.base.risk import optimal_rankings
from rankproof.theory.base.values import value_table
from rankproof.theory.existence.checks import check_clash, check_target
from rankproof.theory.existence.contradiction import find_contradiction
from rankproof.theory.existence.decide import target_exists
from rankproof.theory.existence.symmetry import keeps_an_order, same_values, turned_alone
from theory.existence_cases import SPACES, is_optimal, ranked, some_laws, wrong_with


def positional(weights: Sequence[Fraction], worth: dict[Any, Fraction]) -> Callable[..., Fraction]:
    """sum_k c_k u, where what an item is worth depends on its grade and on the grades of the query."""

    def value(ranking: tuple[int, ...], y: Any) -> Fraction:
        query = tuple(sorted(y))
        return sum((c * worth[query, y[i]] for c, i in zip(weights, ranking, strict=True)), Fraction(0))

    return value


@st.composite
def positional_metrics(draw: st.DrawFn) -> tuple[Space, list[Fraction], dict[Any, Fraction]]:
    space = draw(st.sampled_from([graded_space(3, 2), graded_space(3, 3), graded_space(4, 2)]))
    steps = draw(st.lists(st.integers(0, 6), min_size=space.items, max_size=space.items))
    weights = [Fraction(sum(steps[k:]), 12) for k in range(space.items)]
    queries = sorted({(tuple(sorted(y)), grade) for y in space.feedback for grade in y})  # type: ignore[union-attr]
    values = draw(st.lists(st.integers(-5, 5), min_size=len(queries), max_size=len(queries)))
    return space, weights, {query: Fraction(v, 4) for query, v in zip(queries, values, strict=True)}


def varies(weights: Sequence[Fraction], worth: dict[Any, Fraction]) -> bool:
    """Whether rankings differ at all: the weights do, and some query has items of different worth."""
    by_query: dict[Any, set[Fraction]] = {}
    for (query, _), value in worth.items():
        by_query.setdefault(query, set()).add(value)
    return weights[0] != weights[-1] and any(len(values) > 1 for values in by_query.values())


@pytest.mark.exhaustive
@examples(15)
@given(made=positional_metrics(), seed=st.integers(0, 10**6))
def test_every_positional_metric_has_a_target(
    made: tuple[Space, list[Fraction], dict[Any, Fraction]], seed: int
) -> None:
    space, weights, worth = made
    metric = positional(weights, worth)
    found = target_exists(metric, space)
    if not varies(weights, worth):
        assert found.outcome == "trivial"
        return
    assert found.outcome == "target"
    assert wrong_with(found, metric) is None
    assert all(is_optimal(found, metric, law) for law in some_laws(space, 5, seed))
    # It is what the metric was made of, up to a factor and a number per query.
    assert found.target is not None
    made_of = tuple(tuple(worth[tuple(sorted(y)), grade] for grade in y) for y in space.feedback)  # type: ignore[union-attr]
    assert check_target(value_table(metric, space), TargetTable(space, made_of)) is None


@pytest.mark.exhaustive
@examples(15)
@given(made=positional_metrics(), data=st.data())
def test_one_changed_entry_is_noticed(
    made: tuple[Space, list[Fraction], dict[Any, Fraction]], data: st.DataObject
) -> None:
    """One entry, with its renamed copies: the value of one order of labels from the top."""
    space, weights, worth = made
    place = data.draw(st.sampled_from(space.feedback))
    changed = tuple(place)  # type: ignore[arg-type]
    by = Fraction(data.draw(st.integers(1, 9)), data.draw(st.sampled_from([2, 7, 30])))
    plain = positional(weights, worth)

    def metric(ranking: tuple[int, ...], y: Any) -> Fraction:
        return plain(ranking, y) + (by if ranked(ranking, y) == changed else 0)

    found = target_exists(metric, space)
    if len(set(changed)) == 1:
        # All items have the same grade, so all rankings of these labels changed alike.
        assert found.outcome == target_exists(plain, space).outcome
        return
    if found.outcome == "undecided":
        # Only for what cannot tell some rankings apart that share no order, such as one and its reverse.
        table = value_table(metric, space)
        assert not keeps_an_order(same_values(table), table.rankings)
        return
    assert found.outcome in ("target", "none")
    assert wrong_with(found, metric) is None
    if found.outcome == "target":
        assert all(is_optimal(found, metric, law) for law in some_laws(space, 5, seed=4))
    else:
        # Exchanges that clash are as good as masses that cancel.
        assert found.contradiction is not None or found.clash is not None
        # The target of the metric before the change is none now.
        made_of = tuple(tuple(worth[tuple(sorted(y)), grade] for grade in y) for y in space.feedback)  # type: ignore[union-attr]
        assert check_target(value_table(metric, space), TargetTable(space, made_of)) is not None


@examples(15)
@given(data=st.data(), space=st.sampled_from([graded_space(3, 2), graded_space(3, 3)]))
def test_any_values_are_decided(data: st.DataObject, space: Space) -> None:
    """The value of every order of labels drawn on its own: always a proof that holds, or a strange metric."""
    orders = sorted(set(space.feedback), key=tuple)  # type: ignore[type-var]
    drawn = data.draw(st.lists(st.integers(0, 3), min_size=len(orders), max_size=len(orders)))
    values = {tuple(y): Fraction(v) for y, v in zip(orders, drawn, strict=True)}  # type: ignore[arg-type]

    def metric(ranking: tuple[int, ...], y: Any) -> Fraction:
        return values[ranked(ranking, y)]

    found = target_exists(metric, space)
    table = value_table(metric, space)
    if found.outcome == "undecided":
        assert not keeps_an_order(same_values(table), table.rankings)
    elif found.outcome != "trivial":
        assert wrong_with(found, metric) is None
    if found.outcome == "none":
        # Where a ranking has the values of the one turned round, laws need not contradict each other.
        assert turned_alone(same_values(table)) or found.contradiction is not None


def floats_dcg(ranking: tuple[int, ...], y: Any) -> float:
    return sum((2 ** y[i] - 1) / math.log2(k) for k, i in enumerate(ranking, start=2))


def test_floats_are_read_with_their_rounding() -> None:
    found = target_exists(floats_dcg, SPACES["3 grades"])
    assert (found.outcome, found.closed_form) == ("target", "gain")
    assert found.target is not None
    assert found.target.row(Graded((2, 0, 1))) == (3, 0, 1)
    assert wrong_with(found, floats_dcg) is None


def changed_dcg(by: float) -> Callable[..., float]:
    def metric(ranking: tuple[int, ...], y: Any) -> float:
        return floats_dcg(ranking, y) + (by if ranked(ranking, y) == (1, 0, 1) else 0.0)

    return metric


def test_floats_near_a_target_are_refused_or_not_claimed() -> None:
    with pytest.raises(PrecisionError, match="rounding"):
        target_exists(changed_dcg(1e-10), SPACES["3 items"])
    # Beyond the rounding of floats, but no law shows it with a margin: nothing is claimed.
    assert target_exists(changed_dcg(1e-6), SPACES["3 items"]).outcome == "undecided"
    assert target_exists(changed_dcg(1e-2), SPACES["3 items"]).outcome == "none"


def test_exact_values_need_no_margin() -> None:
    def metric(ranking: tuple[int, ...], y: Any) -> Fraction:
        tiny = Fraction(1, 10**12) if ranked(ranking, y) == (1, 0, 1) else Fraction(0)
        return y[ranking[0]] + Fraction(y[ranking[1]], 2) + tiny

    found = target_exists(metric, SPACES["3 items"])
    assert found.outcome == "none"
    assert found.contradiction is None
    assert wrong_with(found, metric) is None


def parity(ranking: tuple[int, ...], y: Any) -> int | None:
    """1 for an even permutation of the best ranking, 0 for an odd one."""
    labels = ranked(ranking, y)
    lost = sum(a < b for k, a in enumerate(labels) for b in labels[k + 1 :])
    return 1 - lost % 2 if len(set(labels)) == 3 else None


def test_a_target_that_treats_items_differently_is_not_excluded() -> None:
    """Sorting by (d, 0, -2), d what 0-1-2 gains over 1-0-2, is optimal, though no symmetric u is."""
    space = SPACES["3 grades"]
    assert target_exists(parity, space).outcome == "undecided"
    table = value_table(parity, space)
    gain = [a - b for a, b in zip(table.row((0, 1, 2)), table.row((1, 0, 2)), strict=True)]
    u = {y: (d, Fraction(0), Fraction(-2)) for y, d in zip(space.feedback, gain, strict=True)}
    for law in some_laws(space, 100, seed=5):
        means = [sum(p * u[y][item] for y, p in law.pairs()) for item in range(3)]
        assert set(sorting_rankings(means)) <= set(optimal_rankings(parity, law))
    # Nor is there a contradiction, and the clash alone must not pass for a proof.
    assert find_contradiction(table) is None
    clash = target_exists(parity, space).clash
    assert clash is not None
    assert "differently" in str(check_clash(table, clash))


def turned_metrics() -> list[Callable[..., Fraction]]:
    """The same for a ranking and the ranking turned round; the last looks at pairs of labels."""

    def middle(ranking: tuple[int, ...], y: Any) -> Fraction:
        return Fraction(y[ranking[1]])

    def ends(ranking: tuple[int, ...], y: Any) -> Fraction:
        return Fraction(y[ranking[0]] * y[ranking[2]] * 2 + y[ranking[1]] * 5, 3)

    return [middle, ends]


@pytest.mark.parametrize("metric", turned_metrics())
def test_metrics_that_turned_rankings_do_not_change_have_no_target(metric: Callable[..., Fraction]) -> None:
    """Apart from the proof: of r and its turn E[u] must sort as one, whichever; no u does on drawn laws.

    Widest margin t with |u| <= 1 such that E[u] sorts strictly as the ranking chosen from the best two.
    """
    space = SPACES["3 items"]
    found = target_exists(metric, space)
    assert found.outcome == "none"
    assert found.clash is not None
    assert check_clash(value_table(metric, space), found.clash) is None
    table = value_table(metric, space)
    values = np.array([[float(value) for value in row] for row in table.values])
    masses = np.random.default_rng(0).dirichlet(np.full(len(space), 0.4), 300)
    worth = masses @ values.T
    two = [tuple(np.flatnonzero(row > row.max() - 1e-9)) for row in worth]
    classes = sorted(set(two))
    assert [len(best) for best in classes] == [2, 2, 2]
    for choice in product((0, 1), repeat=3):
        chosen = {best: table.rankings[best[way]] for best, way in zip(classes, choice, strict=True)}
        rows = []
        for law, best in zip(masses, two, strict=True):
            for above, below in pairwise(chosen[best]):
                row = np.zeros((len(space), 3))
                row[:, above], row[:, below] = -law, law
                rows.append(np.append(row, 1.0))
        bounds = [(-1, 1)] * (3 * len(space)) + [(None, None)]
        cost = np.append(np.zeros(3 * len(space)), -1.0)
        solved = linprog(cost, A_ub=np.array(rows), b_ub=np.zeros(len(rows)), bounds=bounds)
        assert solved.status == 0
        assert -solved.fun < 1e-9


def test_weights_that_rise_have_no_target() -> None:
    def metric(ranking: tuple[int, ...], y: Any) -> int:
        return 3 * y[ranking[0]] + y[ranking[1]] + 2 * y[ranking[2]]

    found = target_exists(metric, SPACES["3 items"])
    assert found.outcome == "none"
    assert wrong_with(found, metric) is None


def test_lower_is_better_turns_the_target() -> None:
    from rankproof.theory.custom.metric import as_user_metric

    def rank_of_relevant(ranking: tuple[int, ...], y: Any) -> int:
        return sum(rank * y[i] for rank, i in enumerate(ranking, start=1))

    lower = target_exists(as_user_metric(rank_of_relevant, "lower"), SPACES["3 items"])
    higher = target_exists(rank_of_relevant, SPACES["3 items"])
    assert lower.target is not None
    assert higher.target is not None
    assert lower.target.row(Graded((1, 0, 0))) == (1, 0, 0)
    assert higher.target.row(Graded((1, 0, 0))) == (0, 1, 1)


def test_two_items_always_have_a_target() -> None:
    for metric in ("AP", "RR", "PD", "ERR"):
        assert target_exists(metric, graded_space(2, 3)).outcome == "target"


def test_a_space_that_lacks_renamed_feedback_is_refused() -> None:
    with pytest.raises(ArgumentError, match="renamed"):
        target_exists("AP", Space("graded", 3, (Graded((1, 0, 0)), Graded((0, 1, 1)))))
