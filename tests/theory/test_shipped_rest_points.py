"""Rest points of objectives as the engines ship them: the theorem, the proofs, and attempts to break both."""

from __future__ import annotations

import copy
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from time import perf_counter
from typing import Any

import numpy as np
import pytest

import rankproof as rp
from rankproof.feedback import Law
from rankproof.theory.base.rest_points import all_faces
from rankproof.theory.base.risk import optimal_rankings
from rankproof.theory.base.shipped_rest_points import Cut, PushedApart, ShippedRestPoints
from rankproof.theory.rest_points.shipped import broken_pushes, falls_never, points_away
from rankproof.theory.rest_points.shipped_prove import prove_shipped
from rankproof.theory.shipped.objective import engine_objective
from theory.shipped_by_hand import field_by_hand, rests_in, weigh_ndcg
from theory.shipped_cases import KINDS, PLAIN, field_of

# The law, best 0 > 1 > 2, and what is lost; nDCG of 9/10 (2, 1, 0) + 1/10 (0, 0, 1) by hand below.
SMALL = Law({(2, 1, 0): "9/10", (0, 0, 1): "1/10"})
SHIPPED = Law({(1, 2, 1): "3/5", (1, 0, 0): "2/5"})


@cache
def verdict() -> Any:
    return rp.certify(PLAIN, "nDCG@10")


def test_the_small_law_loses_what_arithmetic_says() -> None:
    found = prove_shipped(engine_objective(PLAIN), "nDCG", SMALL)
    assert found is not None
    assert found.best_rankings == ((0, 1, 2),)
    # Items 1 and 2 change places: 9/10 of 1 and 1/10 of 1, over ideals of 3 + 1 / log2(3) and 1.
    discount = 1.0 / np.log2(3.0)
    step = (discount - 0.5) * (0.9 / (3.0 + discount) - 0.1)
    np.testing.assert_allclose(float(found.cost), step, rtol=1e-12)


@pytest.mark.parametrize("spec", ["lightgbm:lambdarank", "xgboost:rank:ndcg"])
def test_the_defaults_are_refuted_and_a_plain_solver_agrees(spec: str) -> None:
    found = prove_shipped(engine_objective(spec), "nDCG", SHIPPED)
    assert found is not None
    assert found.best_rankings == ((0, 1, 2),)
    field = field_of(spec, SHIPPED)
    assert all(broken_pushes(field, one) is None for one in found.excluded)
    # E[u] = (2/5 + 3/5 u, 3/5 v, 3/5 u), u = 1 / (3 + 1/log2(3) + 1/2), v = 3 u; it ranks 1 > 0 > 2.
    d = np.array([1.0, 1.0 / np.log2(3.0), 0.5])
    u = 1.0 / (3.0 + d[1] + d[2])
    lost = (d[0] - d[1]) * (0.4 + 0.6 * u - 0.6 * 3.0 * u)
    np.testing.assert_allclose(float(found.cost), lost, rtol=1e-12)
    assert not rests_in(SHIPPED, found.best_rankings, weigh_ndcg, c=0.01, by_sum=True)


@pytest.mark.parametrize("spec", ["lightgbm:lambdarank", "xgboost:rank:ndcg"])
def test_two_items_are_enough_and_the_law_can_be_checked_by_hand(spec: str) -> None:
    law = Law({(2, 1): "3/5", (0, 1): "2/5"})
    found = prove_shipped(engine_objective(spec), "nDCG", law)
    assert found is not None
    assert found.best_rankings == ((1, 0),)
    assert [one.face for one in found.excluded] == [((1,), (0,))]
    # E[u] = (3/5 3/Z, 3/5 1/Z + 2/5), Z = 3 + 1/log2(3). A tie, which is not excluded, loses half of the gap.
    d = 1.0 / np.log2(3.0)
    means = 0.6 * 3.0 / (3.0 + d), 0.6 / (3.0 + d) + 0.4
    np.testing.assert_allclose(float(found.cost), (means[1] - means[0]) * (1.0 - d) / 2.0, rtol=1e-12)
    assert not rests_in(law, found.best_rankings, weigh_ndcg, c=0.01, by_sum=True)
    # The division and the factor of the sum do it: without them two items are sorted by their means.
    assert prove_shipped(engine_objective(PLAIN), "nDCG", law) is None


@pytest.mark.parametrize("count", [24, pytest.param(1500, marks=pytest.mark.exhaustive)])
def test_on_two_items_the_field_is_looked_at_all_along_the_line(count: int) -> None:
    """A proof is found only if the better item is pulled down at every distance, and if it clearly is."""
    rng = np.random.default_rng(5)
    distances = np.concatenate(([1e-6], np.geomspace(1e-3, 300.0, 120)))
    proven = refused = 0
    for k in range(count):
        spec = list(KINDS)[k % (len(KINDS) - 1)]
        weigh, c, by_sum = KINDS[spec]
        share = Fraction(int(rng.integers(3, 18)), 20)
        (low, high), (bottom, top) = (sorted(rng.choice(4, 2, replace=False).tolist()) for _ in range(2))
        law = Law({(high, low): share, (bottom, top): 1 - share})
        best = optimal_rankings("nDCG", law)
        if len(best) > 1:
            continue
        sign = 1.0 if best[0] == (0, 1) else -1.0
        scales = np.ones(distances.size) if c is None else 0.01 + distances
        along = [
            field_by_hand(law, np.array([sign * x, 0.0]), weigh, c=c, by_sum=by_sum)[0] * sign * scale
            for x, scale in zip(distances, scales, strict=True)
        ]
        found = prove_shipped(engine_objective(spec), "nDCG", law)
        if max(along) > 0:
            assert found is None, (spec, law)
            refused += 1
        elif max(along) < -1e-4:
            assert found is not None, (spec, law)
            proven += 1
    assert proven
    assert refused > proven


def test_laws_where_the_engine_is_right_are_not_refuted() -> None:
    right: list[dict[tuple[int, ...], Any]] = [
        {(2, 1, 0): 1},
        {(2, 1, 0): "2/3", (1, 2, 0): "1/3"},
        {(1, 0, 0): "1/2", (0, 1, 0): "1/3", (0, 0, 1): "1/6"},
        # A tie: every ranking of the first two is best.
        {(1, 0, 0): "1/2", (0, 1, 0): "1/2"},
        {(1, 1, 1): 1},
    ]
    for law in right:
        for spec in ("lightgbm:lambdarank", PLAIN, "xgboost:rank:pairwise"):
            assert prove_shipped(engine_objective(spec), "nDCG", Law(law), most=150) is None, (spec, law)


def test_two_rest_points_of_which_one_is_best_are_not_refuted() -> None:
    """Started from equal scores LightGBM ends at 0 > 1 > 2 under this law, but it could rest at the best."""
    law = Law({(3, 2, 2): "62/100", (0, 3, 0): "38/100"})
    assert optimal_rankings("nDCG", law) == ((1, 0, 2),)
    assert prove_shipped(engine_objective("lightgbm:lambdarank"), "nDCG", law, most=150) is None
    assert rests_in(law, ((1, 0, 2),), weigh_ndcg, c=0.01, by_sum=True)


def test_a_drift_to_infinity_is_no_proof() -> None:
    """Under (2, 1, 0) alone item 0 rises for ever: no rest point, but training is right in the limit."""
    law = Law({(2, 1, 0): 1})
    face, box = ((0,), (1,), (2,)), ((Fraction(0), None), (Fraction(0), None))
    rises = PushedApart(face, ((-1, 0, 0),))
    for spec in ("lightgbm:lambdarank", PLAIN):
        field = field_of(spec, law)
        assert "points to infinity" in str(broken_pushes(field, rises))
        # Near every scores it is pushed, but the bound over all of them is not below 0.
        assert points_away(field, face, ((Fraction(1), Fraction(2)),) * 2, (-1, 0, 0))
        assert not points_away(field, face, box, (-1, 0, 0))
    assert falls_never(face, box, (1, 0, 0))
    assert falls_never(face, box, (0, 0, -1))
    assert falls_never(face, box, (1, -1, 0))
    assert not falls_never(face, box, (0, 1, 0))
    # Within a tie a direction leads nowhere on the face.
    assert falls_never(((0, 1), (2,)), box[:1], (1, -1, 0))


def test_boxes_must_cover_everything() -> None:
    found = prove_shipped(engine_objective(PLAIN), "nDCG", SMALL)
    assert found is not None
    field, one = field_of(PLAIN, SMALL), found.excluded[0]
    cuts = [k for k, part in enumerate(one.parts) if isinstance(part, Cut)]
    assert broken_pushes(field, one) is None
    assert cuts
    wrong = {
        "of its boxes are left out": one.parts[:-1],
        "more parts than boxes": (*one.parts, (1, 0, 0)),
        "outside of its box": (Cut(0, Fraction(-1)), *one.parts[1:]),
        "outside": (Cut(2, Fraction(1)), *one.parts[1:]),
        "one number per item": ((1, 0),),
        "the field may point along": ((0, 1, -1),),
        "finer than any proof needs": tuple(Cut(0, Fraction(1, 2**k)) for k in range(80)),
    }
    for said, parts in wrong.items():
        assert said in str(broken_pushes(field, PushedApart(one.face, parts)))
    assert "no order" in str(broken_pushes(field, PushedApart(((0,), (1,)), one.parts)))
    many = PushedApart(one.face, one.parts * 2000)
    assert "at most" in str(broken_pushes(field, many))


def test_certify_refutes_the_shipped_objective_and_says_what_is_claimed() -> None:
    found = verdict()
    assert (found.outcome, found.rule, found.loss) == ("inconsistent", "shipped-rest-points", PLAIN)
    assert found.reason.startswith(f"No rest point of {PLAIN} sorts best")
    assert "LightGBM 4.7, src/objective/rank_objective.hpp" in found.reason
    assert "minimum" not in str(found)
    stored = ShippedRestPoints.from_dict(found.evidence[0].data)
    assert ShippedRestPoints.from_json(stored.to_json()) == stored
    assert rp.replay(found.to_dict()).holds


def _put(*path: Any) -> Callable[[dict[str, Any]], None]:
    *keys, last, value = path

    def change(data: dict[str, Any]) -> None:
        place: Any = data
        for key in keys:
            place = place[key]
        place[last] = value

    return change


def _shifted(data: dict[str, Any]) -> None:
    """Every cut at half of where it was: boxes of other places, with the directions of the old ones."""
    for part in data["excluded"][0]["parts"]:
        if isinstance(part, dict):
            part["at"] = str(Fraction(part["at"]) / 2)


def _turned(data: dict[str, Any]) -> None:
    parts = data["excluded"][0]["parts"]
    at = next(k for k, part in enumerate(parts) if isinstance(part, list))
    parts[at] = [-number for number in parts[at]]


TIE = Law({(2, 1, 0): "1/2", (1, 2, 0): "1/2"})
TAMPERED: list[tuple[Callable[[dict[str, Any]], None], str]] = [
    (_put("law", SHIPPED.to_dict()), "is not proven"),
    (_put("law", TIE.to_dict()), "is not proven"),
    (_put("excluded", []), "is best, and may hold a rest point"),
    (_put("excluded", 0, "parts", []), "boxes are left out"),
    (lambda data: data["excluded"][0]["parts"].pop(), "boxes are left out"),
    (_shifted, "is not proven"),
    (_turned, "is not proven"),
    (_put("objective", "lightgbm:lambdarank"), "the verdict about"),
    (_put("objective", "xgboost:rank:ndcg"), "the verdict about"),
    (_put("source", "LightGBM 3.0"), "the formula was read in"),
    (_put("cost", "1/10"), "the cost is"),
    (_put("cost_value", 0.5), "the cost value is"),
    (_put("value_best", 0.99), "the value best is"),
    (_put("value_reached", 0.99), "the value reached is"),
    (_put("best_rankings", [[0, 2, 1]]), "the best rankings are"),
    (_put("noise", "independent"), "it is about noise="),
    (_put("metric", "AP"), "its numbers are about"),
    (_put("version", 2), "version 2"),
    (_put("excluded", 0, "parts", 0, 7), "cannot be read"),
    (_put("excluded", 0, "parts", 0, "gap", True), "cannot be read"),
]


@pytest.mark.parametrize(("change", "said"), TAMPERED)
def test_tampered_evidence_is_refused(change: Callable[[dict[str, Any]], None], said: str) -> None:
    plain = copy.deepcopy(verdict().to_dict())
    change(plain["evidence"][0])
    wrong = [str(piece.wrong) for piece in rp.replay(plain).pieces if piece.wrong is not None]
    assert any(said in text for text in wrong), wrong


@pytest.mark.parametrize(
    "other",
    [
        "lightgbm:lambdarank",
        "xgboost:rank:ndcg",
        "lightgbm:lambdarank(lambdarank_norm=false,sigmoid=2)",
        "lightgbm:rank_xendcg",
        "catboost:QuerySoftMax",
        "lambdarank",
        "lightgbm:x",
    ],
)
def test_another_objective_needs_another_proof(other: str) -> None:
    """Verdict and evidence changed together, so that only the proof can tell."""
    plain = copy.deepcopy(verdict().to_dict())
    plain["loss"] = plain["evidence"][0]["objective"] = other
    plain["reason"] = plain["reason"].replace(PLAIN, other)
    assert not rp.replay(plain).holds


def test_what_the_checker_does_not_take_is_not_proven_either() -> None:
    """A large factor of scores, labels that the engine refuses, or parts of labels."""
    assert prove_shipped(engine_objective("lightgbm:lambdarank(sigmoid=1000.5)"), "nDCG", SMALL) is None
    too_large, parted = (
        Law({(31, 1, 0): "9/10", (0, 0, 1): "1/10"}),
        Law({("5/2", 1, 0): "9/10", (0, 0, 1): "1/10"}),
    )
    for law in (too_large, parted):
        assert prove_shipped(engine_objective(PLAIN), "nDCG", law) is None


def test_a_file_that_asks_for_too_much_work_is_refused_at_once() -> None:
    plain = copy.deepcopy(verdict().to_dict())
    for one in plain["evidence"][0]["excluded"]:
        one["parts"] *= 1000
    began = perf_counter()
    assert any("are checked" in str(piece.wrong) for piece in rp.replay(plain).pieces)
    assert perf_counter() - began < 5


def test_faces_with_ties_are_excluded_by_all_their_rankings() -> None:
    """A direction that one field of a tie points away from is no proof when another does not."""
    field = field_of(PLAIN, Law({(1, 0, 0): "1/2", (0, 1, 0): "1/2"}))
    face = ((0, 1), (2,))
    for direction in ((1, -1, 0), (-1, 1, 0)):
        assert broken_pushes(field, PushedApart(face, (direction,))) is not None
    assert len(all_faces(3)) == 13


def test_equal_scores_count_with_and_without_the_division() -> None:
    """Where all scores are equal the engines do not divide; both must point away."""
    field = field_of("lightgbm:lambdarank", Law({(2, 1, 0): 1}))
    asked: list[bool] = []
    bound = field.upper_bound

    def watched(*args: Any, divided: bool = True) -> Any:
        asked.append(divided)
        return bound(*args, divided=divided)

    field.upper_bound = watched  # type: ignore[method-assign, assignment]
    assert points_away(field, ((0, 1, 2),), (), (-1, 0, 1))
    assert asked.count(True) == asked.count(False) == 6
