"""Proven minimisers: found for every loss near a solver's answer, and refused when anything is changed."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from itertools import permutations
from typing import Any

import numpy as np
import pytest

from every_case import every_case, few_cases
from properties.loss_cases import VARIANTS, highest_grade, identity
from rankproof.errors import ArgumentError
from rankproof.feedback import Law, Permutation, PreferenceGraph
from rankproof.losses import Bregman, Duchi, Loss, Softmax
from rankproof.losses import loss as loss_of
from rankproof.theory.arithmetic.functions import exp, softplus
from rankproof.theory.base.minimum import Minimum, sure_pairs
from rankproof.theory.minima.enclosure import check_minimum, enclose
from theory.solved_laws import draw_law, rankings_of_minimum, risk, solve


def laws_for(loss: Loss, seed: int) -> list[Law]:
    rng, top = np.random.default_rng(seed), min(2, highest_grade(loss))
    sizes = (2, 2) if loss.name.startswith("lambda") else (2, 3)
    return [draw_law(rng, n, top if n == 2 else 1) for n in sizes]


EXPECTED = {
    "approx-ndcg": "mean",
    "centred-squared": "exact",
    "lift": "exact",
    "relative": "exact",
    "squared": "exact",
    "lambdarank": "ball",
}


def expected_method(loss: Loss) -> str:
    if loss.name in EXPECTED:
        return EXPECTED[loss.name]
    if loss.name in ("preorder", "order-preserving"):
        return "ball" if loss.margin in ("logistic", "exponential") else "exact"  # type: ignore[attr-defined]
    if loss.name in ("cosine", "q-family"):
        return "exact" if str(loss) in ("cosine", "q-family(q=2)") else "direction"
    if str(loss) in ("bregman(p=2)", "duchi", "duchi(nu=0.3)"):
        return "exact"
    return "ball"


def infinite(loss: Loss, law: Law) -> bool:
    """Labels 0 and 1 never reach rel=2: all items are pushed down for ever."""
    return getattr(loss, "rel", 1) > 1 and all(max(y) < 2 for y in law)  # type: ignore[arg-type]


@every_case("loss", VARIANTS, ids=identity)
def test_the_minimiser_is_enclosed_and_proven(loss: Loss) -> None:
    for law in laws_for(loss, 3):
        near = solve(loss, law)
        found = enclose(loss, law, near)
        if infinite(loss, law):
            assert found is None
            continue
        assert found is not None, f"{loss} under {law!r}, near {near}"
        assert found.method == expected_method(loss)
        assert check_minimum(loss, law, found) is None
        assert Minimum.from_dict(json.loads(json.dumps(found.to_dict()))) == found
        center = np.array([float(c) for c in found.center])
        if found.method == "ball":
            gaps = center - near
            assert np.abs(gaps - gaps.mean() * bool(loss.claims.value("shift_invariant"))).max() < 1e-4
        if found.method == "direction":
            assert center / np.linalg.norm(center) == pytest.approx(near / np.linalg.norm(near), abs=1e-5)
        if found.method in ("ball", "exact") and loss.claims.value("smooth"):
            assert np.abs(risk(loss, law, center)[1]).max() < 1e-9


@every_case("loss", VARIANTS, ids=identity)
def test_nothing_else_passes_the_check(loss: Loss) -> None:
    law = laws_for(loss, 4)[-1]
    found = enclose(loss, law, solve(loss, law))
    if found is None:
        assert infinite(loss, law)
        return
    moved = [list(found.center) for _ in range(law.items)]
    for i, center in enumerate(moved):
        center[i] += max(4 * found.radius, Fraction(1, 1000))
        changed = Minimum(found.method, tuple(center), found.radius)
        if law.items == 2 and found.method == "direction":
            continue
        # Hinges may be least on a whole face; whether they are is decided exactly elsewhere.
        if getattr(loss, "margin", None) not in ("hinge", "squared-hinge", "huber"):
            assert check_minimum(loss, law, changed) is not None
    if found.radius:
        narrow = Minimum(found.method, found.center, found.radius / 10**8)
        assert check_minimum(loss, law, narrow) is not None
    other = law.mix((1, *(0,) * (law.items - 1)), Fraction(1, 50))
    if getattr(loss, "margin", None) != "hinge":
        assert check_minimum(loss, other, found) is not None
    wider = Law.point((0,) * (law.items + 1))
    assert "numbers, but the law is on" in str(check_minimum(loss, wider, found))


CHANGED = [
    ("softmax", "listnet"),
    ("xe-ndcg", "xe-ndcg(gamma=0.51)"),
    ("listmle", "softmax"),
    ("bregman", "bregman(p=1.51)"),
    ("duchi(penalty=cosh)", "duchi(penalty=cosh,nu=1.01)"),
    ("duchi", "duchi(nu=1.01)"),
    ("kl", "squared"),
    ("ordinal", "ordinal(thresholds=[-1.5,-0.5,0.5,1.51])"),
    ("pointwise-logistic", "pointwise-logistic(rel=2)"),
    ("order-preserving(margin=logistic)", "order-preserving(margin=exponential)"),
    ("order-preserving(margin=huber)", "order-preserving(margin=huber,width=0.51)"),
    ("preorder(margin=logistic)", "preorder(margin=logistic,weight=gain)"),
    ("preorder(margin=logistic)", "preorder(margin=logistic,weight=pairs)"),
    ("preorder", "preorder(weight=difference)"),
    ("cosine(normalize=true)", "cosine"),
    ("q-family", "q-family(q=3)"),
    ("approx-ndcg:gain", "approx-ndcg"),
    ("softmax:normalised-gain", "softmax:normalised-gain@2"),
]


@few_cases
@pytest.mark.parametrize(("name", "other"), CHANGED)
def test_a_changed_loss_is_refused(name: str, other: str) -> None:
    law = draw_law(np.random.default_rng(8), 3, 2)
    loss = loss_of(name)
    found = enclose(loss, law, solve(loss, law))
    assert found is not None
    assert check_minimum(loss, law, found) is None
    assert check_minimum(loss_of(other), law, found) is not None


def test_a_ball_around_another_point_is_refused_by_exact_and_back() -> None:
    law = draw_law(np.random.default_rng(1), 3, 1)
    found = enclose(Softmax(), law, solve(Softmax(), law))
    assert found is not None
    for method in ("exact", "direction", "mean"):
        radius = Fraction(0) if method == "exact" else found.radius
        assert check_minimum(Softmax(), law, Minimum(method, found.center, radius)) is not None
    as_ball = Minimum("ball", found.center, found.radius)
    assert "does not claim to be" in str(check_minimum(loss_of("cosine"), law, as_ball))


# Minimisers at infinity, and where nothing is proven ----------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        "softmax",
        "kl",
        "listmle",
        "pointwise-logistic",
        "preorder(margin=logistic)",
        "preorder(margin=exponential)",
        "order-preserving(margin=logistic)",
        "lambdarank",
    ],
)
def test_a_minimiser_at_infinity_is_not_enclosed(name: str) -> None:
    law = Law({(1, 0): 1})
    for spread in (0.0, 3.0, 12.0, 40.0):
        assert enclose(loss_of(name), law, [spread, -spread]) is None


def test_without_a_mean_there_is_no_direction() -> None:
    zero = loss_of("q-family", target=None)
    assert enclose(zero, Law.point((0, 0)), [1.0, 0.0]) is None
    assert enclose(loss_of("cosine"), Law.point((0, 0)), [1.0, 0.0]) is None
    with pytest.raises(ArgumentError, match="must hold 2 finite numbers"):
        enclose(Softmax(), Law.point((1, 0)), [1.0, math.nan])


def test_lambdas_of_three_items_are_not_convex() -> None:
    law = draw_law(np.random.default_rng(2), 3, 1)
    for name in ("lambdarank", "lambdaloss"):
        assert enclose(loss_of(name), law, [0.0, 0.0, 0.0]) is None
        claimed = Minimum("ball", (Fraction(0),) * 3, Fraction(1, 100))
        assert "does not claim to be" in str(check_minimum(loss_of(name), law, claimed))


def test_a_target_that_is_not_known_exactly_gives_no_proof() -> None:
    own = Bregman(
        conjugate=lambda s: float(np.logaddexp(0, s).sum()), conjugate_gradient=lambda s: 1 / (1 + np.exp(-s))
    )
    assert enclose(own, Law({(1, 0): "1/2", (0, 1): "1/2"}), [0.0, 0.0]) is None


# Other feedback, and functions of the user --------------------------------------------------------


def test_laws_on_graphs() -> None:
    law = Law({PreferenceGraph([(0, 1), (1, 2)], 3): "3/5", PreferenceGraph([(2, 0), (1, 0)], 3): "2/5"})
    duchi = enclose(Duchi(), law, [0.0] * 3)
    # Net weights 3/5 (1, 0, -1) + 2/5 (-2, 1, 1), halved.
    assert duchi == Minimum("exact", (Fraction(-1, 10), Fraction(1, 5), Fraction(-1, 10)), Fraction(0))
    assert rankings_of_minimum(duchi) == {(1, 0, 2), (1, 2, 0)}
    both = law.mix(PreferenceGraph([(1, 0), (2, 1), (0, 2)][:2], 3), "1/2")
    logistic = enclose(loss_of("RankNet"), both, [0.0, 0.2, 0.1])
    assert logistic is not None
    assert logistic.method == "ball"
    assert (
        check_minimum(loss_of("RankNet"), law.mix(PreferenceGraph([(2, 1)], 3), "1/2"), logistic) is not None
    )


def test_laws_on_permutations() -> None:
    ranks = list(permutations((1, 2, 3)))
    law = Law([(Permutation(r), Fraction(k + 1, 21)) for k, r in enumerate(ranks)])
    for name in ("listmle", "RankNet", "softmax", "squared:rank-grade"):
        near = enclose(loss_of(name), law, [0.1, 0.0, -0.1])
        assert near is not None, name
        # The later permutations, in which item 0 stands last, weigh more.
        assert (1, 0) in sure_pairs(near)


LAW = Law({(2, 0, 1): "1/4", (0, 1, 3): "3/4"})
MEAN = (Fraction(1, 2), Fraction(3, 4), Fraction(5, 2))


class Own:
    """A convex function of the user's, as the theory layer takes it."""

    def __init__(
        self, function: Any, *, convex: bool | None = True, shift_invariant: bool | None = None
    ) -> None:
        self.function, self.convex, self.shift_invariant = function, convex, shift_invariant


def poisson(scores: Any, feedback: Any) -> Any:
    return sum(exp(s) - y * s for s, y in zip(scores, feedback, strict=True))


def pairs(scores: Any, feedback: Any) -> Any:
    n = range(len(scores))
    return sum(softplus(scores[j] - scores[i]) for i in n for j in n if feedback[i] > feedback[j])


def test_a_users_function_is_enclosed() -> None:
    found = enclose(Own(poisson), LAW, [-0.7, -0.3, 0.9])
    assert found is not None
    assert [float(c) for c in found.center] == pytest.approx([math.log(v) for v in MEAN], abs=1e-14)
    assert enclose(Own(poisson, convex=None), LAW, [-0.7, -0.3, 0.9]) is None
    assert check_minimum(Own(poisson, convex=None), LAW, found) is not None
    law = draw_law(np.random.default_rng(3), 3, 1)
    near = solve(loss_of("RankNet"), law)
    proven = enclose(loss_of("RankNet"), law, near)
    assert proven is not None
    assert enclose(Own(pairs), law, near) is None
    assert check_minimum(Own(pairs), law, proven) is not None
    assert enclose(Own(pairs, shift_invariant=True), law, near) == proven
    assert enclose(Own(lambda s, y: np.logaddexp(s[0], float(y[0]))), LAW, [0.0] * 3) is None
