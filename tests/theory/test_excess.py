"""The excess-risk calculator: its weights, its constants, its bounds on sampled laws, and what it refuses."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import permutations, product
from typing import Any

import numpy as np
import pytest

from every_case import every_case
from rankproof.claims import Claim, Claims
from rankproof.errors import ArgumentError
from rankproof.losses import Bregman, Squared, loss
from rankproof.metrics import METRICS, metric
from rankproof.metrics.ap import AP
from rankproof.metrics.base import Metric
from rankproof.targets import candidates, target_for
from rankproof.targets.base import Target
from rankproof.targets.positional import PositionalTarget
from rankproof.theory.excess import Bound, excess_bound, regression_bound
from rankproof.theory.rank_weights import rank_weights
from theory.drawn_laws import DrawnLaws, best_scores, near_misses

LOG3 = 1 / math.log2(3)
LOSSES = ["squared", "centred-squared", "bregman(p=1.2)", "bregman", "bregman(p=2)", "kl", "softmax"]
POSITIONAL = ["nDCG", "nDCG@2", "nDCG(discount=letor,gain=linear)@3", "P@2", "R@1", "RBP(p=0.5)", "AUC"]


# Rank weights -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("DCG@3", [1, LOG3, 1 / 2, 0]),
        ("nDCG", [1, LOG3, 1 / 2, 1 / math.log2(5)]),
        ("nDCG(discount=reciprocal)@2", [1, 1 / 2, 0, 0]),
        ("P@2", [1 / 2, 1 / 2, 0, 0]),
        ("P(rel=3)@1", [1, 0, 0, 0]),
        ("R@3", [1, 1, 1, 0]),
        ("RBP(p=0.5)", [7 / 16, 3 / 16, 1 / 16, 0]),
        ("AUC", [3, 2, 1, 0]),
        ("WPDL(weight=difference)", [3, 2, 1, 0]),
        ("ERR@1", [1, 0, 0, 0]),
        ("R", [0, 0, 0, 0]),
    ],
)
def test_the_weights_of_four_ranks_for_the_target_of_the_metric(name: str, expected: list[float]) -> None:
    asked = metric(name)
    np.testing.assert_allclose(rank_weights(asked, target_for(asked), 4), expected, rtol=1e-12, atol=1e-15)


def standardised() -> list[tuple[Metric, Target]]:
    """Every positional metric of the registry, at no cutoff and at 1, with all its targets."""
    made = [cls() for cls in METRICS.values()]
    made += [cls(cutoff=1) for cls in METRICS.values() if "cutoff" in cls.__dataclass_fields__]  # type: ignore[call-arg]
    pairs = [(m, target) for m in made if m.claims.value("positional") for target, claim in candidates(m)]
    return [
        (m, target) for m, target in pairs if target.standardizes(m).value is True and not same(m, target)
    ]


def same(asked: Metric, target: Target) -> bool:
    """Whether the target is 0 for all items, because the metric is the same for all rankings."""
    return target.name == "positional" and asked.of_labels((1, 0, 0)) == asked.of_labels((0, 0, 1))


@every_case(("asked", "target"), standardised(), ids=str)
def test_weights_and_target_give_the_differences_between_all_rankings(asked: Metric, target: Target) -> None:
    weights = rank_weights(asked, target, 3)
    for labels in product((0, 1, 2), repeat=3):
        u = [float(x) for x in target.of_labels(labels)]
        values = [float(asked.of_labels([labels[i] for i in p]) or 0) for p in permutations(range(3))]
        said = [sum(w * u[i] for w, i in zip(weights, p, strict=True)) for p in permutations(range(3))]
        sign = 1 if asked.direction == "higher" else -1
        differences = [sign * (value - values[0]) for value in values]
        np.testing.assert_allclose([s - said[0] for s in said], differences, atol=1e-12)


def test_a_target_that_tells_no_items_apart_gives_no_weights() -> None:
    with pytest.raises(ArgumentError, match="cannot be read off"):
        rank_weights("R", PositionalTarget(metric="R"), 3)


class FalselyPositional(AP):
    """Average precision, which is not positional, with the claim that it is."""

    @property
    def claims(self) -> Claims:
        return Claims(Claim("positional", value=True, reference="none"), Claim("monotone", True, "none"))


def test_a_false_claim_to_be_positional_is_found_out() -> None:
    fake = FalselyPositional()
    with pytest.raises(ArgumentError, match="the rank weights say"):
        rank_weights(fake, PositionalTarget(metric=fake), 4)


# The constants ------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", LOSSES)
@pytest.mark.parametrize("asked", ["nDCG", "nDCG@2", "P@2", "AUC"])
def test_c_f_is_the_largest_distance_of_two_rankings_in_the_dual_norm(name: str, asked: str) -> None:
    found = excess_bound(name, asked, 5, 1.0)
    c = rank_weights(asked, target_for(asked), 5)
    p = float(found.norm.removesuffix(" per mass")[1:])
    dual = math.inf if p == 1 else p / (p - 1)
    distances = [np.linalg.norm(c - c[list(order)], dual) for order in permutations(range(5))]
    assert found.rank_constant == pytest.approx(max(distances), rel=1e-12)
    # R11's constant is twice the norm; for weights that are not negative the two vectors share no more.
    assert found.rank_constant <= 2 ** (1 / dual) * np.linalg.norm(c, dual) * (1 + 1e-12)


def test_the_constants_of_the_losses() -> None:
    """C_phi is half of what the loss claims: 1 for squares, p - 1 for p-norms, 1/(2 mass) for entropies."""
    phi = {name: excess_bound(name, "R@1", 3, 1.0).convexity_constant for name in LOSSES}
    assert phi == {
        "squared": 1.0,
        "centred-squared": 1.0,
        "bregman(p=1.2)": pytest.approx(0.2, rel=1e-12),
        "bregman": 0.5,
        "bregman(p=2)": 1.0,
        "kl": 0.5,
        "softmax": 0.5,
    }


@pytest.mark.parametrize(
    "asked", ["nDCG", "nDCG@2", "nDCG(discount=reciprocal,gain=linear)@3", "P@2", "R@1", "AUC"]
)
def test_the_mass_is_the_largest_sum_of_targets(asked: str) -> None:
    target = target_for(asked)
    largest = max(sum(map(float, target.of_labels(y))) for y in product((0, 1, 3), repeat=4))
    found = excess_bound("softmax", asked, 4, 1.0)
    assert 0.5 / found.convexity_constant == pytest.approx(largest, rel=1e-12)


def test_bounds_in_visible_arithmetic() -> None:
    # Two items: C_F = |(1 - 1/log2(3), 1/log2(3) - 1)| in the l2, l3 and l-infinity norms.
    step = 1 - LOG3
    assert excess_bound("squared", "nDCG", 2, 0.01).value == pytest.approx(math.sqrt(2) * step * 0.1)
    assert excess_bound("bregman(p=1.5)", "nDCG", 2, 0.01).value == pytest.approx(
        2 ** (1 / 3) * step / math.sqrt(0.5) * 0.1
    )
    mass = 2 / (1 + LOG3)
    assert excess_bound("kl", "nDCG", 2, 0.01).value == pytest.approx(step * math.sqrt(2 * mass) * 0.1)
    assert excess_bound("kl", "DCG", 2, 0.01, mass=8).value == pytest.approx(step * 4 * 0.1)
    margin = excess_bound("squared", "nDCG", 2, 0.01, margin_exponent=1, margin_constant=27)
    assert margin.value == pytest.approx((2 * step**2 * 0.01) ** (2 / 3) * 3)


def test_a_margin_exponent_of_0_is_theorem_10() -> None:
    plain = excess_bound("softmax", "nDCG@3", 6, 0.02).value
    assert excess_bound("softmax", "nDCG@3", 6, 0.02, margin_exponent=0, margin_constant=1).value == (
        pytest.approx(plain, rel=1e-12)
    )


def test_regression_is_the_squared_loss_and_never_above_the_plain_cauchy_schwarz_bound() -> None:
    for asked, n in product(["nDCG@10", "DCG", "P@5", "AUC", "RBP"], [1, 2, 7, 30]):
        found = regression_bound(asked, n, 0.04)
        assert found.value == excess_bound("squared", asked, n, 0.04).value
        weights = rank_weights(asked, target_for(asked), n)
        assert found.value <= math.sqrt(2 * (weights**2).sum()) * 0.2 * (1 + 1e-9)
        assert target_for(asked).name in found.formula
        assert not [text for text in found.conditions if text.startswith("r ")]


def test_nothing_lost_by_the_loss_is_nothing_lost_by_the_metric() -> None:
    assert excess_bound("kl", "nDCG@10", 50, 0).value == 0
    assert excess_bound("squared", "nDCG@10", 1, 5.0).value == 0
    assert excess_bound("squared", "R", 7, 5.0).value == 0


def test_a_bound_for_long_lists_holds_for_shorter_ones() -> None:
    for name, asked in product(LOSSES, ["nDCG", "nDCG@3"]):
        values = [excess_bound(name, asked, n, 0.1).value for n in range(1, 30)]
        assert values == sorted(values)
        assert "at most 29 items" in excess_bound(name, asked, 29, 0.1).conditions[0]
    assert "just 4 items" in excess_bound("squared", "AUC", 4, 0.1).conditions[0]


# Never violated -----------------------------------------------------------------------------------


@pytest.mark.exhaustive
@every_case("asked", POSITIONAL)
@every_case("name", LOSSES)
def test_no_drawn_law_violates_the_bound(name: str, asked: str) -> None:
    rng = np.random.default_rng([*name.encode(), *asked.encode()])
    aimed = loss(name, metric=asked)
    for n in (3, 4):
        drawn = DrawnLaws.draw(rng, 500, 3, n, 3)
        mean = drawn.means(aimed.target)
        keep = mean.min(axis=1) > 1e-6
        drawn, mean = DrawnLaws(drawn.labels[keep], drawn.probabilities[keep]), mean[keep]
        assert keep.sum() > 100
        scores = best_scores(aimed, near_misses(rng, mean))
        lost = drawn.metric_regret(metric(asked), scores)
        extra = drawn.loss_regret(aimed, scores, best_scores(aimed, mean))
        allowed = excess_bound(aimed, asked, n, 1.0).value * np.sqrt(np.maximum(extra, 0.0))
        assert (lost > 1e-3).any()
        assert (lost <= allowed + 1e-9).all()


def test_the_bound_of_two_items_is_reached() -> None:
    """E[u] = (1/2 + e, 1/2 - e) sorted the other way round loses 2e; b = (1/2, 1/2) is sqrt(2) e away."""
    e = 0.1
    regret = 2 * e
    assert regression_bound("R@1", 2, 2 * e**2).value == pytest.approx(regret, rel=1e-9)
    extra = Fraction(3, 5) * math.log(6 / 5) + Fraction(2, 5) * math.log(4 / 5)
    assert regret <= excess_bound("softmax", "R@1", 2, float(extra)).value < 1.01 * regret


@pytest.mark.parametrize("asked", ["nDCG", "nDCG@2", "P@1", "RBP"])
def test_a_ranking_that_is_not_best_loses_the_margin(asked: str) -> None:
    """The margin over the ranks at which the weight falls, so that cutoffs have one too."""
    rng = np.random.default_rng(11)
    target = target_for(asked)
    drawn = DrawnLaws.draw(rng, 800, 3, 4, 3)
    values, mean = drawn.values(metric(asked)), drawn.means(target)
    fall = -np.diff(rank_weights(asked, target, 4))
    steps = -np.diff(np.sort(mean, axis=1)[:, ::-1], axis=1)
    margin = (fall * steps)[:, fall > 0].min(axis=1)
    lost = values.max(axis=1, keepdims=True) - values
    assert (np.where(lost > 1e-9, lost, np.inf).min(axis=1) >= margin - 1e-12).all()
    assert (margin > 0.001).any()


# What is refused ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("listnet", "nDCG", 3, 0.1), "Losses that do: bregman, centred-squared, kl, softmax, squared."),
        (("q-family:nDCG", "nDCG", 3, 0.1), "does not claim to be strongly convex"),
        (("squared", "AP", 3, 0.1), r"AP has no rank weights .*Metrics that have: AUC, DCG"),
        (("squared", "MeanNDCG", 3, 0.1), "MeanNDCG has no rank weights"),
        (("squared:gain", "nDCG", 3, 0.1), "gain, which does not standardise nDCG .*: normalised-gain"),
        ((Squared(), "nDCG", 3, 0.1), r"aims at nothing: .* loss\('squared', metric='nDCG'\)"),
        (("squared", "nDCG", 0, 0.1), "items of excess_bound must be an int >= 1, got 0"),
        (("squared", "nDCG", 3, -0.1), "surrogate_regret of excess_bound must be a number of at least 0"),
        (("squared", "nDCG", 3, math.nan), "surrogate_regret"),
        (("kl", "DCG", 3, 0.1), "mass of excess_bound is needed"),
    ],
)
def test_what_has_no_bound_is_told_why(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        excess_bound(*arguments)


def test_a_users_own_conjugate_has_no_known_curvature() -> None:
    own = Bregman(conjugate=lambda s: float(s @ s) / 4, conjugate_gradient=lambda s: s / 2)
    with pytest.raises(ArgumentError, match="a user's function"):
        excess_bound(loss(own, metric="nDCG"), "nDCG", 3, 0.1)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"margin_exponent": 1}, "go together"),
        ({"margin_exponent": -1, "margin_constant": 2}, "margin_exponent"),
        ({"margin_exponent": 1, "margin_constant": 0.5}, "must be E.gamma.-a. >= 1 for nDCG"),
        ({"margin_exponent": 0, "margin_constant": 0.5}, "margin_constant"),
    ],
)
def test_margins_that_cannot_be(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        excess_bound("squared", "nDCG", 3, 0.1, **given)


def test_a_regression_bound_needs_rank_weights() -> None:
    with pytest.raises(ArgumentError, match="ERR has no rank weights"):
        regression_bound("ERR", 3, 0.1)


def test_a_bound_says_how_it_is_made_and_when_it_holds() -> None:
    found = excess_bound("kl", "nDCG@3", 4, 0.02, margin_exponent=2, margin_constant=9)
    assert isinstance(found, Bound)
    for part in ("C_F", "C_phi", "dual of l1", "mass = ", "C_gamma = 9", f"{found.value:.6g}"):
        assert part in found.formula
    assert found.reference.startswith("R11 Th. 11")
    assert any("gamma" in text for text in found.conditions)
    assert str(found).count("\nif ") == len(found.conditions) == 6
