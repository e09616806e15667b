"""The formulas agree with the kernels for every registered loss; what losses read is exact or enclosed."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import fields
from fractions import Fraction
from itertools import product
from typing import Any

import mpmath
import numpy as np
import pytest

from every_case import every_case
from properties.loss_cases import NOT_FOR_VALUES, OWN_FUNCTIONS, highest_grade, options_of, smooth_query
from rankproof.errors import ArgumentError, DataError
from rankproof.feedback import Graded, Law, Permutation, PreferenceGraph
from rankproof.losses import LOSSES, Bregman, Duchi, Loss, Margin, OrderPreserving, Preorder, Squared
from rankproof.losses import loss as loss_of
from rankproof.losses.margins import huber
from rankproof.losses.softmax import Softmax
from rankproof.targets.base import TARGETS
from rankproof.targets.parse import target as target_of
from rankproof.targets.user import UserTarget
from rankproof.theory.arithmetic.functions import exp, log, softplus
from rankproof.theory.arithmetic.intervals import Enclosure, UnprovenError
from rankproof.theory.arithmetic.jets import Jet, variables
from rankproof.theory.formulas.formula import MeanLoss, formula
from rankproof.theory.formulas.inputs import exact_inputs
from rankproof.theory.formulas.margins import exact_pieces
from rankproof.theory.formulas.pairwise import preorder_weights
from rankproof.theory.formulas.table import LOSS_THEORY
from rankproof.theory.formulas.target_numbers import discount_weight, target_values


def test_every_registered_loss_has_a_formula() -> None:
    assert set(LOSS_THEORY) == set(LOSSES.values())


def all_choices(cls: type[Loss]) -> Iterator[Loss]:
    """The loss with every combination of the values to try."""
    free = [f.name for f in fields(cls) if f.name not in NOT_FOR_VALUES]
    for values in product(*(options_of(cls, name) for name in free)):
        chosen: dict[str, Any] = dict(zip(free, values, strict=True))
        if chosen.get("width", 0.5) == 0.5 or chosen["margin"] == "huber":
            yield cls(**chosen)


def point(scores: Any) -> tuple[Jet, ...]:
    return variables([Enclosure.from_number(float(s)) for s in scores])


def as_jet(found: Any) -> Jet:
    return found if isinstance(found, Jet) else Jet(Enclosure.from_number(found), {}, {})


def middle(x: Enclosure) -> float:
    return float(x.middle)


def close(found: Any, wanted: Any, scale: Any) -> bool:
    return bool(np.all(np.abs(np.asarray(found) - np.asarray(wanted)) <= 1e-10 * np.max(np.abs(scale))))


@pytest.mark.parametrize("name", LOSSES)
def test_formulas_agree_with_the_kernels(name: str) -> None:
    rng = np.random.default_rng(7)
    for loss in all_choices(LOSSES[name]):
        for n in (1, 2, 3, 5):
            data = smooth_query(loss, rng, n)
            # Feedback has no negative grades; formulas of u are tried with positive ones.
            u = np.abs(data.targets)
            kernel = loss.evaluate(data.scores, u, data.offsets, hessian=True)
            labels, scores = [float(x) for x in u], [float(s) for s in data.scores]
            size = 1e-6 + abs(kernel.value)
            plain = formula(loss, scores, labels)
            assert isinstance(plain, float)
            assert close(plain, kernel.value, size), f"{loss} at {scores}, {labels}"
            jet = as_jet(formula(loss, point(scores), labels))
            assert close(middle(jet.value), kernel.value, size), f"{loss} at {scores}, {labels}"
            slopes = [middle(jet.slope(i)) for i in range(n)]
            assert close(slopes, kernel.gradient, 1e-6 + np.abs(kernel.gradient)), (
                f"{loss} at {scores}, {labels}"
            )
            bends = [middle(jet.bend(i, i)) for i in range(n)]
            assert close(bends, kernel.hessian, 1e-6 + np.abs(kernel.hessian)), (
                f"{loss} at {scores}, {labels}"
            )


@pytest.mark.parametrize("name", ["lambdarank", "lambdaloss"])
def test_tied_scores_share_the_weights(name: str) -> None:
    for loss in all_choices(LOSSES[name]):
        scores, labels = [0.5, 0.5, -1.0, 0.5], [1, 2, 0, 0]
        kernel = loss.evaluate(scores, labels, [0, 4], hessian=True)
        jet = as_jet(formula(loss, point(scores), labels))
        assert formula(loss, scores, labels) == pytest.approx(kernel.value, rel=1e-12)
        assert [middle(jet.slope(i)) for i in range(4)] == pytest.approx(kernel.gradient.tolist(), rel=1e-12)


@pytest.mark.parametrize("loss", OWN_FUNCTIONS, ids=["own-function"])
def test_a_function_that_numpy_alone_can_run_is_refused(loss: Loss) -> None:
    assert formula(loss, [0.5, -1.0], [1, 0]) == pytest.approx(
        math.log1p(math.exp(0.5)) + math.log1p(math.exp(-1.0)) - 0.5, rel=1e-14
    )
    with pytest.raises(ArgumentError, match=r"conjugate of loss bregman cannot be run on Jet .*logaddexp"):
        formula(loss, point([0.5, -1.0]), [1, 0])


def test_a_conjugate_of_plain_arithmetic_is_differentiated() -> None:
    own = Bregman(conjugate=lambda s: np.exp(s).sum(), conjugate_gradient=np.exp)
    jet = formula(own, point([0.0, 1.0]), [2, 1])
    assert [middle(jet.slope(i)) for i in range(2)] == pytest.approx([1 - 2, math.e - 1], rel=1e-14)
    assert middle(jet.bend(1, 1)) == pytest.approx(math.e, rel=1e-14)


# Exact values -------------------------------------------------------------------------------------


def test_rational_losses_are_exact_on_fractions() -> None:
    s = [Fraction(1, 3), Fraction(-1, 7), Fraction(2)]
    y = (2, 0, 1)
    assert formula(Squared(), s, y) == Fraction(5, 3) ** 2 + Fraction(1, 49) + 1
    # 0 above 1: 1 - 10/21; 0 above 2: 1 + 5/3; 2 above 1: 0.
    hinge = Fraction(11, 21) + Fraction(8, 3)
    assert formula(Preorder(margin="hinge"), s, y) == hinge
    # Within 1/2 of 1 above: (3/2 - 10/21)^2 / 2 - 0, below: 1 - t.
    huber_value = (Fraction(3, 2) - Fraction(10, 21)) ** 2 / 2 - (Fraction(1, 2) - Fraction(10, 21)) ** 2 / 2
    assert formula(Preorder(margin="huber"), s, y) == huber_value + Fraction(8, 3)
    assert isinstance(formula(Softmax(), s, y), Enclosure)


def test_the_value_of_an_irrational_loss_is_enclosed() -> None:
    found = formula(Softmax(), [Fraction(0), Fraction(1)], (1, 0))
    with mpmath.workprec(400):
        value = mpmath.log(1 + mpmath.e) * 2**128
        assert found.low <= value <= found.high <= found.low + 100


# Preference graphs and permutations ---------------------------------------------------------------

GRAPH = PreferenceGraph({(0, 1): 2, (2, 1): "1/2"})


def test_pairwise_losses_on_graphs_weigh_the_edges() -> None:
    assert preorder_weights(Preorder(), GRAPH) == {(0, 1): 2, (2, 1): Fraction(1, 2)}
    assert preorder_weights(Preorder(weight="pairs"), GRAPH) == {(0, 1): 1, (2, 1): Fraction(1, 4)}
    scores = [Fraction(0), Fraction(1), Fraction(3)]
    # 2 (1 + 1) + 1/2 * 0
    assert formula(Preorder(margin="hinge"), scores, GRAPH) == 4
    with pytest.raises(ArgumentError, match="weighs pairs by their labels"):
        formula(Preorder(weight="gain"), scores, GRAPH)


def test_duchi_on_graphs_reads_net_weights() -> None:
    # 2 (s_1 - s_0) + (s_1 - s_2) / 2 + s^2
    scores = [Fraction(1), Fraction(2), Fraction(-1)]
    assert formula(Duchi(), scores, GRAPH) == 2 * 1 + Fraction(3, 2) + 1 + 4 + 1


def test_other_losses_on_graphs_need_a_target() -> None:
    with pytest.raises(ArgumentError, match="a preference graph does not have"):
        formula(Squared(), [Fraction(0)] * 3, GRAPH)
    aimed = Squared(target=target_of("balance(bound=2)"))
    assert exact_inputs(aimed, GRAPH) == [6 + 2, 6 - Fraction(5, 2), 6 + Fraction(1, 2)]


def test_a_permutation_is_read_as_grades() -> None:
    assert exact_inputs(Squared(), Permutation((1, 3, 2))) == [3, 1, 2]
    assert exact_inputs(Squared(target=target_of("rank-grade")), Permutation((1, 3, 2))) == [3, 1, 2]
    with pytest.raises(ArgumentError, match="defined on feedback of kind graded"):
        exact_inputs(Squared(target=target_of("gain")), Permutation((1, 3, 2)))


# What losses read ---------------------------------------------------------------------------------

SPECS = [
    *TARGETS,
    "gain(gain=linear)",
    "gain(gain=[0,1,1.5,5,9])",
    "normalised-gain@2",
    "normalised-gain(discount=letor)",
    "normalised-gain(discount=ln,gain=linear)@2",
    "normalised-gain(discount=reciprocal)",
    "normalised-gain(discount=[1,0.3])",
    "normalised-gain(gain=[0,1,1.5,5,9])",
    "satisfaction(max_grade=2.5)",
    "pair-weight(weight=gain)",
    "pair-weight(normalize=true)",
    "pair-weight(weight=gain,normalize=true)",
    "balance(normalize=pairs)",
    "balance(normalize=root)",
    "balance(normalize=root,bound=1.5)",
    "f-share(beta=0.5)@2",
    "positional:DCG",
    "positional:DCG(gain=linear)@2",
    "positional:nDCG@3",
    "positional:RBP(p=0.5)",
    "positional:P@1",
]
QUERIES = [(0, 0, 0), (2, 0, 1), (1, 1, 0), (0, 2, 2, 1), (1,), (2, 1)]


@every_case("spec", SPECS)
def test_targets_are_enclosed_as_the_kernels_have_them(spec: str) -> None:
    target = target_of(spec)
    for labels in QUERIES:
        found = target_values(target, Graded(labels))
        kernel = target.values(labels, [0, len(labels)])
        assert not any(isinstance(u, float) for u in found)
        plain = [float(u.middle) if isinstance(u, Enclosure) else float(u) for u in found]
        assert plain == pytest.approx(kernel.tolist(), rel=1e-13, abs=1e-15), labels
        assert all(u.high - u.low < 2**20 for u in found if isinstance(u, Enclosure))
        # Equal labels are known to be equal.
        for i, y in enumerate(labels):
            assert all(found[i] == found[j] for j, x in enumerate(labels) if x == y)


def test_labels_that_are_not_whole_are_enclosed_too() -> None:
    for spec in ("gain", "normalised-gain", "satisfaction", "pair-weight(weight=gain,normalize=true)"):
        labels = (0.5, 2.0, 1.25)
        found = target_values(target_of(spec), Graded(labels))
        wanted = target_of(spec).values(labels, [0, 3]).tolist()
        assert [float(Enclosure.from_number(u).middle) for u in found] == pytest.approx(wanted, rel=1e-13)


def test_the_normalised_gain_contains_the_true_value() -> None:
    u = target_values(target_of("normalised-gain"), Graded((2, 0, 1)))
    with mpmath.workprec(400):
        best = 3 + 1 / mpmath.log(3, 2)
        for found, gain in ((u[0], 3), (u[2], 1)):
            assert isinstance(found, Enclosure)
            assert found.low <= gain / best * 2**128 <= found.high <= found.low + 20
    assert u[1] == 0


@pytest.mark.parametrize("rank", range(1, 9))
def test_discounts_contain_the_true_value(rank: int) -> None:
    with mpmath.workprec(400):
        wanted = {
            "log2": 1 / mpmath.log(1 + rank, 2),
            "letor": 1 / mpmath.log(max(2, rank), 2),
            "ln": 1 / mpmath.log(1 + rank),
            "reciprocal": mpmath.mpf(1) / rank,
        }
        for name, value in wanted.items():
            found = Enclosure.from_number(discount_weight(name, rank))
            # mpmath rounds exact halves and quarters too.
            slack = mpmath.mpf(2) ** -100
            assert found.low - slack <= value * 2**128 <= found.high + slack, name
            assert found.high - found.low <= 4, name
    assert isinstance(discount_weight("log2", 3), Fraction)


def test_a_users_target_is_what_its_function_returns() -> None:
    own = UserTarget(function=lambda y: [math.sqrt(x) for x in y])
    assert target_values(own, Graded((2, 0))) == [Fraction(math.sqrt(2)), 0]


def test_what_is_outside_the_domain_is_refused() -> None:
    negative = UserTarget(function=lambda y: [-x for x in y])
    with pytest.raises(ArgumentError, match="needs targets of at least 0"):
        formula(Softmax(target=negative), [0.0, 0.0], (1, 0))
    with pytest.raises(DataError, match="whole grades from 0 to 4"):
        formula(loss_of("ordinal"), [0.0], (5,))
    with pytest.raises(ArgumentError, match="on 2 items, but there are 3 scores"):
        formula(Squared(), [0.0] * 3, (1, 0))


# Margins of one's own -----------------------------------------------------------------------------


def unused(t: float) -> float:
    """A derivative that formulas do not ask for."""
    return 0.0 * t


def test_a_margin_written_with_our_functions_is_differentiated() -> None:
    own = Margin(lambda t: softplus(-t), unused, unused, name="mine")
    for kind in (Preorder, OrderPreserving):
        jets = [formula(kind(margin=m), point([0.3, -0.2, 1.0]), (2, 1, 0)) for m in (own, "logistic")]
        assert middle(jets[0].bend(0, 1)) == pytest.approx(middle(jets[1].bend(0, 1)), rel=1e-15)


def test_a_margin_that_takes_floats_alone_is_refused() -> None:
    own = Margin(lambda t: math.exp(-t), lambda t: -math.exp(-t), lambda t: math.exp(-t), name="mine")
    loss = Preorder(margin=own)
    assert formula(loss, [0.0, 1.0], (1, 0)) == math.e
    with pytest.raises(ArgumentError, match=r"Margin 'mine' cannot be run on Jet .*rankproof.arithmetic"):
        formula(loss, point([0.0, 1.0]), (1, 0))


def test_a_margin_with_branches_runs_where_they_are_decided() -> None:
    own = Margin(lambda t: (1 - t) ** 2 if t < 1 else 0 * t, unused, unused, name="mine")
    loss = Preorder(margin=own)
    assert middle(formula(loss, point([0.5, 0.0]), (1, 0)).slope(0)) == -1
    with pytest.raises(UnprovenError, match="cannot be decided"):
        formula(loss, variables([Enclosure.from_bounds(0, 2), Enclosure.from_number(0)]), (1, 0))


def test_margins_of_pieces_have_their_slopes() -> None:
    cases = [("hinge", 0.5), ("squared-hinge", 0.5), ("huber", 0.5), ("huber", 0.3), ("huber", 2.0)]
    for name, width in cases:
        pieces = exact_pieces(name, width)
        assert pieces is not None
        known = huber(width) if name == "huber" else Preorder(margin=name).margin
        assert known is not None
        for t in (Fraction(k, 8) for k in range(-20, 40)):
            low, high = pieces.slopes(t)
            step = Fraction(1, 10**6)
            # Convex: slopes to the left and right bound those at t.
            left, right = (pieces(t) - pieces(t - step)) / step, (pieces(t + step) - pieces(t)) / step
            assert left <= low <= high <= right
            assert right - left <= (high - low) + 2 * pieces.bend * step * 2


def test_a_users_pieces_are_used_when_they_fit() -> None:
    double = Margin(
        lambda t: max(0.0, 2.0 * (1.5 - t)),
        unused,
        unused,
        name="mine",
        pieces=(1.5, 1.5, 0.0, 2.0, 0.0),
    )
    pieces = exact_pieces(double, 0.5)
    assert pieces is not None
    assert (pieces(Fraction(0)), pieces.slopes(Fraction(3, 2))) == (3, (-2, 0))
    crooked = Margin(
        lambda t: max(0.0, 1.0 - t),
        unused,
        unused,
        name="mine",
        pieces=(1.0, 1.0, 0.0, 1.0, 1e-13),
    )
    assert exact_pieces(crooked, 0.5) is None


# Expected losses ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", LOSSES)
def test_the_mean_loss_is_the_mean_of_the_formula(name: str) -> None:
    loss = loss_of(name)
    top = highest_grade(loss)
    law = Law({(top, 0, 1): "1/2", (0, 1, 1): "1/3", (1, 0, 0): "1/6"})
    scores = [0.25, -0.5, 1.125]
    jet = as_jet(MeanLoss(loss, law).at(point(scores)))
    parts = [(as_jet(formula(loss, point(scores), y)), p) for y, p in law.pairs()]
    for i in range(3):
        assert middle(jet.slope(i)) == pytest.approx(
            sum(middle(part.slope(i)) * float(p) for part, p in parts), rel=1e-13, abs=1e-15
        )


def test_a_users_function_is_a_loss() -> None:
    class Own:
        convex = True

        @staticmethod
        def function(scores: Any, feedback: Any) -> Any:
            return sum(exp(s) - y * s + log(1 + y) for s, y in zip(scores, feedback, strict=True))

    assert middle(formula(Own(), [0.0, 0.0], (1, 0))) == pytest.approx(2 + math.log(2), rel=1e-15)
    jet = MeanLoss(Own(), Law({(1, 0): "1/2", (0, 3): "1/2"})).at(point([0.0, 0.0]))
    assert [middle(jet.slope(i)) for i in range(2)] == [1 - 0.5, 1 - 1.5]
