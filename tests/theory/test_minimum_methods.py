"""The methods one by one: closed forms, hinges decided exactly, interval matrices, what a minimum says."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from scipy.optimize import linprog

from every_case import few_cases
from rankproof.errors import ArgumentError, DataError
from rankproof.feedback import Law
from rankproof.losses import KL, Duchi, Preorder, QFamily, Squared
from rankproof.losses import loss as loss_of
from rankproof.targets.user import UserTarget
from rankproof.theory.arithmetic.intervals import Enclosure
from rankproof.theory.base.minimum import Minimum, sure_pairs
from rankproof.theory.formulas.formula import MeanLoss
from rankproof.theory.minima.ball import positive_definite
from rankproof.theory.minima.enclosure import check_minimum, enclose
from rankproof.theory.minima.stationary import unmet
from theory.solved_laws import rankings_of_minimum, solve

# Closed forms -------------------------------------------------------------------------------------

LAW = Law({(2, 0, 1): "1/4", (0, 1, 3): "3/4"})
MEAN = (Fraction(1, 2), Fraction(3, 4), Fraction(5, 2))


def test_squared_is_least_at_the_mean() -> None:
    for name in ("squared", "centred-squared", "bregman(p=2)", "cosine", "q-family(q=2)"):
        found = enclose(loss_of(name), LAW, [0.0, 1.0, 2.0])
        assert found == Minimum("exact", MEAN, Fraction(0)), name
    assert enclose(Duchi(nu=0.25), LAW, [0.0] * 3) == Minimum(
        "exact", tuple(2 * v for v in MEAN), Fraction(0)
    )
    shifted = Minimum("exact", tuple(v + 7 for v in MEAN), Fraction(0))
    assert check_minimum(loss_of("centred-squared"), LAW, shifted) is None
    assert check_minimum(Squared(), LAW, shifted) is not None
    tripled = Minimum("exact", tuple(3 * v for v in MEAN), Fraction(0))
    assert check_minimum(loss_of("cosine"), LAW, tripled) is None
    assert (
        check_minimum(loss_of("cosine"), LAW, Minimum("exact", tuple(-v for v in MEAN), Fraction(0)))
        is not None
    )


def test_softmax_and_kl_are_least_at_the_logarithm_of_the_mean() -> None:
    for name in ("softmax", "kl"):
        found = enclose(loss_of(name), LAW, [-0.7, -0.3, 0.9])
        assert found is not None
        gaps = [
            float(a - found.center[0]) - math.log(v / MEAN[0])
            for a, v in zip(found.center, MEAN, strict=True)
        ]
        assert max(map(abs, gaps)) < 1e-14
        assert found.radius <= Fraction(1, 10**12)
        assert sure_pairs(found) == {(2, 1), (2, 0), (1, 0)}
        assert rankings_of_minimum(found) == {(2, 1, 0)}


def test_the_normalised_gain_is_enclosed() -> None:
    """R11 §3.2.1: E[G/Z] = (0.32157, 0.75333), so item 1 leads though E[G] = (10, 9.4) says item 0."""
    law = Law({(5, 4): "3/10", (1, 3): "7/10"})
    for name in ("squared", "softmax", "kl", "approx-ndcg", "q-family", "cosine"):
        orders = {}
        for metric in ("DCG", "nDCG"):
            loss = loss_of(name, metric=metric)
            found = enclose(loss, law, solve(loss, law) if name != "approx-ndcg" else [0.0, 0.0])
            assert found is not None, (name, metric)
            orders[metric] = sure_pairs(found)
        assert orders == {"DCG": {(0, 1)}, "nDCG": {(1, 0)}}, name
    found = enclose(loss_of("squared", metric="nDCG"), law, [0.3, 0.7])
    assert found is not None
    assert (found.method, [round(float(c), 5) for c in found.center]) == ("ball", [0.32157, 0.75333])


def test_directions_have_their_closed_form() -> None:
    """s_i is along v_i^(1 / (q - 1)), and along E[u / |u|] for the plain cosine (R11 §3.2.2, corrected)."""
    v = np.array([float(x) for x in MEAN])
    lengths = 0.25 * np.array([2, 0, 1]) / math.sqrt(5) + 0.75 * np.array([0, 1, 3]) / math.sqrt(10)
    wanted = {
        "q-family(q=3)": v ** (1 / 2),
        "q-family": v ** (1 / (1 + math.log(3))),
        "cosine(normalize=true)": lengths,
    }
    for name, direction in wanted.items():
        found = enclose(loss_of(name), LAW, [0.0, 1.0, 2.0])
        assert found is not None
        assert found.method == "direction"
        assert [float(c) for c in found.center] == pytest.approx(
            (direction / direction.max()).tolist(), abs=1e-14
        )
        doubled = Minimum("direction", tuple(2 * c for c in found.center), 2 * found.radius)
        assert check_minimum(loss_of(name), LAW, doubled) is None
        turned = Minimum("direction", tuple(-c for c in found.center), found.radius)
        assert check_minimum(loss_of(name), LAW, turned) is not None


def test_negative_targets_have_a_direction_too() -> None:
    """The net weights of a law that mostly ranks item 1 last: a negative mean, and roots of both signs."""
    law = Law({(0, 2, 1): "1/4", (3, 0, 1): "3/4"})
    loss = QFamily(q=3, target=UserTarget(function=lambda y: [x - 1 for x in y]))
    # v = (1/4 (-1) + 3/4 2, 1/4 1 - 3/4, 0)
    found = enclose(loss, law, [1.0, -1.0, 0.0])
    assert found is not None
    ratio = math.sqrt(0.5 / 1.25)
    assert [float(c) for c in found.center] == pytest.approx([1.0, -ratio, 0.0], abs=1e-14)


# Hinges -------------------------------------------------------------------------------------------


@few_cases
@pytest.mark.parametrize("margin", ["hinge", "squared-hinge", "huber"])
@pytest.mark.parametrize("kind", ["preorder", "order-preserving"])
def test_exact_minimisers_are_those_of_least_value(kind: str, margin: str) -> None:
    """The check says yes exactly where the value, in fractions, is the least."""
    rng = np.random.default_rng(5)
    loss = loss_of(kind, margin=margin)
    for _ in range(6):
        labels = [tuple(int(y) for y in rng.integers(0, 3, 3)) for _ in range(3)]
        shares = [int(w) for w in rng.integers(1, 9, 3)]
        law = Law([(y, Fraction(w, sum(shares))) for y, w in zip(labels, shares, strict=True)])
        found = enclose(loss, law, solve(loss, law))
        assert found is not None, law
        assert found.method == "exact"
        mean = MeanLoss(loss, law)
        least = mean.at(list(found.center))
        points = [tuple(Fraction(x, 2) for x in s) for s in product(range(-1, 5), repeat=3)]
        near = [
            tuple(c + Fraction(int(d), 100) for c, d in zip(found.center, move, strict=True))
            for move in rng.integers(-3, 4, (20, 3))
        ]
        for s in points + near:
            value = mean.at(list(s))
            assert value >= least
            verdict = check_minimum(loss, law, Minimum("exact", s, Fraction(0)))
            assert (verdict is None) == (value == least), s


def test_the_hinge_ties_items_that_the_mean_tells_apart() -> None:
    """B11 Th. 1 needs a derivative: u = (1, 0.4, 0.3) is at its least at s = (1, 0, 0)."""
    law = Law({(10, 4, 3): 1})
    found = enclose(loss_of("order-preserving(margin=hinge)"), law, [1.0, 0.0, 0.0])
    assert found == Minimum("exact", (Fraction(1), Fraction(0), Fraction(0)), Fraction(0))
    assert rankings_of_minimum(found) == {(0, 1, 2), (0, 2, 1)}
    assert sure_pairs(found) == {(0, 1), (0, 2)}


def test_a_float_near_a_corner_is_snapped_to_it() -> None:
    law = Law({(1, 0): "2/3", (0, 1): "1/3"})
    hinge = loss_of("RankSVM")
    # For s_0 - s_1 from -1 to 1 the slope is 1/3 - 2/3, beyond 1 it is 1/3.
    assert enclose(hinge, law, [3.5 + 1e-9, 2.5]) == Minimum("exact", (Fraction(1), Fraction(0)), Fraction(0))
    assert enclose(hinge, law, [0.9, 0.0]) is None
    assert (
        check_minimum(hinge, law, Minimum("exact", (Fraction(99, 100), Fraction(0)), Fraction(0))) is not None
    )


def test_squared_hinges_are_solved_exactly() -> None:
    """2/3 (1 - t)^2 + 1/3 (1 + t)^2 is least at t = 1/3."""
    law = Law({(1, 0): "2/3", (0, 1): "1/3"})
    found = enclose(Preorder(), law, [0.3333, 0.0])
    assert found == Minimum("exact", (Fraction(1, 3), Fraction(0)), Fraction(0))


# Parts of the proofs ---------------------------------------------------------------------------------------


def test_interval_matrices_are_positive_definite_or_not() -> None:
    rng = np.random.default_rng(4)
    for _ in range(60):
        n = int(rng.integers(1, 6))
        root = rng.normal(size=(n, n))
        matrix = root @ root.T - rng.uniform(0, 0.3) * np.eye(n)
        exact = (matrix + matrix.T) / 2
        least = np.linalg.eigvalsh(exact).min()
        points = [[Enclosure.from_number(float(x)) for x in row] for row in exact]
        assert positive_definite(points) == (least > 0)
        # Wide enough that a matrix with a negative eigenvalue is inside.
        half = 1.01 * max(least, 0.0) + 1e-9
        wide = [[Enclosure.from_bounds(float(x) - half, float(x) + half) for x in row] for row in exact]
        assert not positive_definite(wide)


def test_the_curvature_must_hold_over_the_whole_ball() -> None:
    """KL with E[u] = 1 is least at 0. At c = 2 the slope is e^2 - 1, the curvature e^2 promises less than 1.8
    to go, but it falls on the way: the minimiser is 2 away."""
    law = Law.point((1,))
    assert 2 * (math.e**2 - 1) / math.e**2 < 1.8
    assert check_minimum(KL(), law, Minimum("ball", (Fraction(2),), Fraction(9, 5))) is not None
    assert check_minimum(KL(), law, Minimum("ball", (Fraction(1, 10),), Fraction(3, 10))) is None
    assert check_minimum(KL(), law, Minimum("ball", (Fraction(1, 10),), Fraction(1, 10))) is not None


def test_flows_are_those_of_a_linear_program() -> None:
    """Whether slopes at kinks can be chosen so that all cancel; most choices need a way back."""
    rng = np.random.default_rng(9)
    answers = set()
    for _ in range(150):
        n = int(rng.integers(2, 6))
        room = {(i, j): Fraction(int(rng.integers(1, 6))) for i in range(n) for j in range(n)
                if i != j and rng.random() < 0.45}  # fmt: skip
        give = rng.integers(-4, 5, n)
        give[-1] -= give.sum()
        pairs = list(room)
        balance = [[float(i == a) - float(j == a) for i, j in pairs] for a in range(n)]
        bounds = [(0, float(room[pair])) for pair in pairs]
        possible = bool(not give.any())
        if pairs:
            possible = linprog(np.zeros(len(pairs)), A_eq=balance, b_eq=give, bounds=bounds).status == 0
        left = unmet([Fraction(int(x)) for x in give], room)
        assert (left == 0) == possible, (give, room)
        answers.add(possible)
    assert answers == {True, False}


def test_every_pair_needs_room() -> None:
    found = Minimum("ball", (Fraction(1), Fraction(0), Fraction(-1, 100)), Fraction(1, 100))
    assert sure_pairs(found) == {(0, 1), (0, 2)}
    assert rankings_of_minimum(found) == set()
    # sqrt(2) / 100 < 3 / 200
    enough = Minimum("ball", (Fraction(1), Fraction(0), Fraction(-3, 200)), Fraction(1, 100))
    assert rankings_of_minimum(enough) == {(0, 1, 2)}


def test_damaged_minima_are_refused() -> None:
    whole = {"method": "ball", "center": ["1/2", "0"], "radius": "1/10"}
    for key, value in (
        ("radius", "-1"),
        ("radius", "x"),
        ("center", []),
        ("method", "guess"),
        ("radius", "0"),
    ):
        with pytest.raises((DataError, ArgumentError)):
            Minimum.from_dict({**whole, key: value})
    with pytest.raises(DataError, match="damaged"):
        Minimum.from_dict({"method": "ball"})
