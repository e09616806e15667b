"""Rest points: what LambdaRank and its kin can come to rest at, and the proofs that nothing of it is best."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise, permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankproof as rp
from drawn import examples
from every_case import every_case, exhaustive
from rankproof.feedback import Law
from rankproof.losses import LambdaLoss, LambdaRank
from rankproof.losses.base import Loss
from rankproof.theory.base.minimum import Minimum
from rankproof.theory.base.rest_points import NoRest, Push, RestPoints, all_faces, face_text, rankings_of
from rankproof.theory.base.risk import optimal_rankings, risks
from rankproof.theory.rest_points.check import HALF, broken_exclusion, broken_rest_point, points_one_way
from rankproof.theory.rest_points.field import MeanField
from rankproof.theory.rest_points.minimise import minimise_pairs
from rankproof.theory.rest_points.prove import prove_rest_points
from theory.mean_field import MeanFieldByHand, ends_of, gains_over_ideal, rests_best

LAW = Law({(1, 2, 0): "9/10", (0, 0, 1): "1/10"})
KINDS: dict[str, Loss] = {
    "lambdarank": LambdaRank(),
    "loss2": LambdaLoss(scheme="loss2"),
    "loss2pp": LambdaLoss(),
}


def random_law(rng: np.random.Generator, items: int = 3, grades: int = 3) -> Law:
    """A few label vectors with small whole weights."""
    many = int(rng.integers(2, 5))
    weights: dict[tuple[int, ...], int] = {}
    for labels in rng.integers(0, grades, (many, items)).tolist():
        weights[tuple(labels)] = weights.get(tuple(labels), 0) + int(rng.integers(1, 10))
    total = sum(weights.values())
    return Law({labels: Fraction(weight, total) for labels, weight in weights.items()})


# The law of the page on consistency ------------------------------------------------------------------------


def test_the_law_that_a_reader_can_check() -> None:
    mean = 0.9 * gains_over_ideal((1, 2, 0)) + 0.1 * gains_over_ideal((0, 0, 1))
    # 9/10 of 1/Z and 3/Z with Z = 3 + 1/log2(3), and 1/10.
    ideal = 3.0 + 1.0 / np.log2(3.0)
    np.testing.assert_allclose(mean, [0.9 / ideal, 2.7 / ideal, 0.1], rtol=1e-15)
    found = prove_rest_points(LambdaRank(), "nDCG", LAW)
    assert found is not None
    assert found.best_rankings == ((1, 0, 2),)
    ((ranking, place),) = found.resting
    assert ranking == (1, 2, 0)
    np.testing.assert_allclose([float(x) for x in place.center], [-1.0644, 1.7877, -0.7233], atol=1e-4)
    # The exchange of items 0 and 2 at ranks 2 and 3.
    lost = (mean[0] - mean[2]) * (1.0 / np.log2(3.0) - 0.5)
    assert float(found.cost) == pytest.approx(lost, abs=1e-12)
    assert found.cost == max(risks("nDCG", LAW).values()) - risks("nDCG", LAW)[1, 2, 0]


def test_a_plain_solver_ends_there_from_everywhere() -> None:
    field = MeanFieldByHand(LAW)
    starts = np.random.default_rng(0).normal(0.0, 3.0, (40, 3))
    ends, speed = ends_of(field, starts, 40_000)
    ends -= ends.mean(axis=1, keepdims=True)
    assert speed.max() < 1e-6
    np.testing.assert_allclose(ends, np.tile([-1.0644, 1.7877, -0.7233], (40, 1)), atol=2e-3)


# Faces -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("items", "many"), [(1, 1), (2, 3), (3, 13), (4, 75)])
def test_faces_are_counted_by_the_ordered_bell_numbers(items: int, many: int) -> None:
    faces = all_faces(items)
    assert len(faces) == len(set(faces)) == many
    assert sum(len(rankings_of(face)) == 1 for face in faces) == len(list(permutations(range(items))))


def test_faces_in_words() -> None:
    assert face_text(((1,), (0, 2))) == "1 > 0 = 2"
    assert rankings_of(((1,), (0, 2))) == [(1, 0, 2), (1, 2, 0)]


# The two theorems, attacked --------------------------------------------------------------------------------


@examples(150)
@given(st.integers(0, 10**6), st.sampled_from(sorted(KINDS)))
def test_a_push_is_one_everywhere_on_its_face(seed: int, kind: str) -> None:
    """At random scores of the face, every ranking's gradient has a product above 0 with the direction."""
    rng = np.random.default_rng(seed)
    law = random_law(rng)
    field, plain = MeanField(KINDS[kind], law), MeanFieldByHand(law, kind)
    face = all_faces(3)[int(rng.integers(13))]
    direction = tuple(Fraction(int(x), 10) for x in rng.integers(-10, 11, 3))
    low, high = (
        (Fraction(0), HALF)
        if len(face) != 2
        else sorted(Fraction(int(x), 20) for x in rng.integers(0, 11, 2))
    )
    if not points_one_way(field, face, Push(low, high, direction)):
        return
    for _ in range(30):
        y = rng.uniform(max(float(low), 1e-9), max(float(high), 1e-9), len(face) - 1)
        gaps = np.log(1.0 / y - 1.0)
        scores = np.zeros(3)
        for below, group in enumerate(face):
            scores[list(group)] = -gaps[:below].sum()
        for ranking in rankings_of(face):
            # A ranking of tied items: a little apart, so that the field takes its weights.
            apart = scores - 1e-9 * np.argsort(ranking)
            assert -plain(apart[None])[0] @ np.array([float(x) for x in direction]) > -1e-6


@examples(60)
@given(st.integers(0, 10**6), st.sampled_from(sorted(KINDS)))
def test_the_function_of_a_ranking_has_the_gradient_of_the_field(seed: int, kind: str) -> None:
    rng = np.random.default_rng(seed)
    law = random_law(rng)
    scores = rng.normal(size=3)
    ranking = tuple(int(i) for i in np.argsort(-scores))
    jet = MeanField(KINDS[kind], law).function(ranking).jet([Fraction(s) for s in scores], Fraction(0))
    expected = -MeanFieldByHand(law, kind)(scores[None])[0]
    np.testing.assert_allclose([float(jet.slope(i).middle) for i in range(3)], expected, rtol=0, atol=1e-12)


def test_statements_that_do_not_hold_are_refused() -> None:
    field = MeanField(LambdaRank(), LAW)
    whole = (Fraction(0), HALF)
    up = tuple(map(Fraction, (0, 1, 0)))
    best = ((1,), (0,), (2,))
    near = Minimum("ball", tuple(map(Fraction, ("-1.0644", "1.7877", "-0.7233"))), Fraction(1, 1000))
    for one, said in (
        (NoRest(best, (Push(*whole, up),)), "point the same way"),
        (NoRest(best, ()), "is left out"),
        (NoRest(best, (Push(Fraction(0), Fraction(1, 4), up),)), "two groups"),
        (NoRest(((1,), (0, 2)), (Push(Fraction(1, 4), HALF, up),)), "is left out"),
        (NoRest(((1,), (0, 2)), elsewhere=near), "more than one function"),
        (NoRest(((1,), (2,), (0,)), elsewhere=near), "may have the ranking"),
        (NoRest(((1,), (0,)), (Push(*whole, up),)), "no order"),
        (NoRest(best, (Push(*whole, up[:2]),)), "one number per item"),
        # The right side of the tie, but the minimiser of this ranking's function is elsewhere.
        (NoRest(best, elsewhere=near), "not proven"),
    ):
        wrong = broken_exclusion(field, one)
        assert wrong is not None
        assert said in wrong
    assert broken_rest_point(field, (1, 0, 2), near) is not None
    assert broken_rest_point(field, (1, 2), near) is not None


# Laws where nothing may be said ----------------------------------------------------------------------------


def test_a_law_at_a_tie_is_not_refuted() -> None:
    """Items 0 and 1 are alike, and the rest point ties them: every ranking that sorts it is best."""
    law = Law({(1, 0, 0): "1/2", (0, 1, 0): "2/5", (0, 0, 1): "1/10"})
    tied = Law({(1, 0, 0): "9/20", (0, 1, 0): "9/20", (0, 0, 1): "1/10"})
    assert set(optimal_rankings("nDCG", tied)) == {(0, 1, 2), (1, 0, 2)}
    for one in (law, tied):
        assert prove_rest_points(LambdaRank(), "nDCG", one) is None


def test_a_field_with_two_rest_points_of_which_one_is_best_is_not_refuted() -> None:
    """Found by trying laws: two rankings hold the minimiser of their own function."""
    rng, met = np.random.default_rng(5), 0
    for _ in range(400):
        law = random_law(rng)
        holds = holding(LambdaRank(), law)
        best = set(optimal_rankings("nDCG", law))
        if len(holds) > 1 and holds & best:
            met += 1
            assert prove_rest_points(LambdaRank(), "nDCG", law) is None
    assert met


def holding(loss: Loss, law: Law) -> set[tuple[int, ...]]:
    """The rankings that hold the minimiser of their own function, by floats."""
    field = MeanField(loss, law)
    found = set()
    for ranking in permutations(range(law.items)):
        matrix = np.zeros((1, law.items, law.items))
        for (i, j), lead in field.leads.items():
            weight = field.weight(ranking, i, j) * lead
            matrix[0, i, j] = float(getattr(weight, "middle", weight))
        scores, reached = minimise_pairs(matrix, 1.0)
        if reached[0] and all(scores[0, i] > scores[0, j] + 1e-6 for i, j in pairwise(ranking)):
            found.add(ranking)
    return found


@examples(60)
@given(st.integers(0, 10**6))
def test_lambdarank_at_1_rests_with_the_best_item_first(seed: int) -> None:
    """Why ``lambdarank(cutoff=1)`` with nDCG@1 stays undecided: it is right.

    Only pairs with the first item weigh, all alike, so that inside of a ranking s_i - s_j = log(A_ij / A_ji)
    for the first item i, which is above 0 exactly when E[u_i] > E[u_j].
    """
    rng = np.random.default_rng(seed)
    law = random_law(rng)
    found = holding(LambdaRank(cutoff=1), law)
    best = {ranking[0] for ranking in optimal_rankings("nDCG@1", law)}
    assert {ranking[0] for ranking in found} <= best
    assert prove_rest_points(LambdaRank(cutoff=1), "nDCG@1", law) is None


# An independent solver agrees ------------------------------------------------------------------------------


@pytest.mark.parametrize("laws", [120, *exhaustive(10_000)])
@pytest.mark.parametrize("kind", [*KINDS])
def test_a_plain_solver_agrees_on_random_laws(kind: str, laws: int) -> None:
    """No law that is proven to have no rest point that sorts best has one by the solver."""
    rng, proven = np.random.default_rng(laws), 0
    metrics = ("nDCG", "nDCG@2", "DCG", "P@2", "AP")
    for at in range(laws if laws < 1000 else laws // len(KINDS) + 1):
        law = random_law(rng, grades=2 + at % 3)
        found = prove_rest_points(KINDS[kind], metrics[at % len(metrics)], law)
        if found is not None:
            proven += 1
            assert not rests_best(found, MeanFieldByHand(law, kind), rng)
    assert proven > laws // 100


# Verdicts --------------------------------------------------------------------------------------------------


@pytest.mark.exhaustive
@every_case("metric", ["nDCG", "nDCG@2", "F@2", "P@2", "R@2", "Success@2"])
@every_case("loss", ["lambdarank", "lambdaloss", "lambdaloss(scheme=loss2)", "lambdarank(cutoff=2)"])
def test_lambdas_are_decided_and_replay(loss: str, metric: str) -> None:
    verdict = rp.certify(loss, metric, grades=3)
    assert (verdict.outcome, verdict.rule) == ("inconsistent", "rest-points")
    assert rp.replay(verdict).holds
    text = str(verdict)
    assert "No rest point of" in " ".join(text.split())
    assert (
        RestPoints.from_dict(verdict.evidence[0].data).to_dict().items()
        <= dict(verdict.evidence[0].data).items()
    )


def _without(place: str) -> Any:
    def change(data: dict[str, Any]) -> None:
        data[place] = data[place][1:]

    return change


def _put(place: str, value: Any) -> Any:
    def change(data: dict[str, Any]) -> None:
        data[place] = value

    return change


AT = {"method": "ball", "center": ["2", "1", "0"], "radius": "1/10"}
TAMPERED = [
    (_without("excluded"), "is best, and may hold a rest point"),
    (_put("cost", "1/10"), "the cost is"),
    (_put("cost_value", 0.5), "the cost value is"),
    (_put("value_reached", 0.99), "the value reached is"),
    (_put("best_rankings", [[0, 2, 1]]), "the best rankings are"),
    (_put("noise", "independent"), "it is about noise="),
    (_put("metric", "AP"), "its numbers are about"),
    (_put("resting", [{"ranking": [0, 1, 2], "minimum": AT}]), "the rest point is not proven"),
    (_put("version", 2), "version 2"),
    (_put("format", "x"), "format"),
]


@pytest.mark.parametrize(("change", "said"), TAMPERED)
def test_tampered_rest_points_are_refused(change: Any, said: str) -> None:
    plain = rp.certify("lambdarank", "nDCG@10").to_dict()
    assert rp.replay(plain).holds
    change(plain["evidence"][0])
    pieces = rp.replay(plain).pieces
    assert any(piece.wrong is not None and said in piece.wrong for piece in pieces)


def test_another_law_is_refused() -> None:
    plain = rp.certify("lambdarank", "nDCG@10").to_dict()
    plain["evidence"][0]["law"] = LAW.to_dict()
    assert not rp.replay(plain).holds


def test_rest_points_of_a_loss_that_has_a_minimum_are_refused() -> None:
    plain = rp.certify("lambdarank", "nDCG@10").to_dict()
    plain["loss"] = "RankNet"
    assert not rp.replay(plain).holds
