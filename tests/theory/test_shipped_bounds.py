"""Bounds of shipped fields over boxes, tried at points by another implementation."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from rankproof.theory.shipped.field import Box
from theory.shipped_by_hand import field_by_hand, weigh_ndcg
from theory.shipped_cases import KINDS, drawn_law, field_of


def random_box(rng: np.random.Generator, gaps: int) -> Box:
    box = []
    for _ in range(gaps):
        low = Fraction(float(np.round(rng.choice([0.0, 0.01, 0.1, 1.0, 5.0, 40.0]) * rng.random(), 4)))
        width = Fraction(float(np.round(rng.choice([0.01, 0.1, 1.0]) * rng.random(), 4)))
        box.append((low, None if rng.random() < 0.3 else low + width))
    return tuple(box)


def inside(bounds: tuple[Fraction, Fraction | None], rng: np.random.Generator) -> float:
    low, high = bounds
    above = 10.0 ** rng.uniform(-3, 4) if high is None else float(high - low) * rng.random()
    return float(low) + float(above)


@pytest.mark.parametrize("spec", KINDS)
def test_a_bound_below_0_is_below_0_everywhere_in_the_box(spec: str) -> None:
    """The theorem's premise, tried at points of the boxes by another implementation, far apart included."""
    weigh, c, by_sum = KINDS[spec]
    rng = np.random.default_rng(3)
    proven = 0
    for _ in range(40):
        law = drawn_law(rng, 2 if spec == "xgboost:rank:map" else 4)
        field = field_of(spec, law)
        ranking = tuple(int(i) for i in rng.permutation(3))
        face, box = tuple((item,) for item in ranking), random_box(rng, 2)
        for direction in ((1, 0, 0), (0, -1, 0), (0, 0, -1), (1, -1, 0), (-1, 0, 1)):
            bound = field.upper_bound(face, ranking, box, direction)
            if bound is None or bound >= 0:
                continue
            proven += 1
            for _ in range(6):
                gaps = [inside(bounds, rng) for bounds in box]
                scores = np.zeros(3)
                scores[list(ranking)] = (gaps[0] + gaps[1], gaps[1], 0.0)
                force = field_by_hand(law, scores, weigh, c=c, by_sum=by_sum)
                assert float(np.dot(direction, force)) < 1e-12 * np.abs(force).max(), (law, box, direction)
    assert proven > 25


def weigh_at_1(labels: Any, ranking: Any, i: int, j: int) -> float:
    """By how much DCG over the best DCG@1 changes: the ideal ends at the truncation, the change does not."""
    gains = [2.0**y - 1.0 for y in labels]
    first, last = sorted((ranking.index(i), ranking.index(j)))
    change = abs(gains[i] - gains[j]) * (1.0 / np.log2(first + 2.0) - 1.0 / np.log2(last + 2.0))
    return float(change / max(gains))


@pytest.mark.parametrize("count", [25, pytest.param(400, marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize(
    ("parameters", "more"),
    [
        ("sigmoid=2.5", {"sigma": 2.5}),
        ("sigmoid=40", {"sigma": 40.0}),
        ("sigmoid=0.2,lambdarank_norm=false", {"sigma": 0.2, "c": None, "by_sum": False}),
        ("lambdarank_truncation_level=1", {"truncation": 1, "weigh": weigh_at_1}),
    ],
)
def test_bounds_hold_for_other_parameters_ties_and_the_table(
    parameters: str, more: dict[str, Any], count: int
) -> None:
    spec = f"lightgbm:lambdarank({parameters})"
    rng = np.random.default_rng(8)
    proven = 0
    for _ in range(count):
        law = drawn_law(rng, 4)
        field = field_of(spec, law)
        ranking = tuple(int(i) for i in rng.permutation(3))
        tied = rng.random() < 0.4
        face = ((ranking[0],), tuple(sorted(ranking[1:]))) if tied else tuple((item,) for item in ranking)
        box = random_box(rng, len(face) - 1)
        for direction in ((1, 0, 0), (0, -1, 0), (0, 0, 1), (1, -1, 0), (-1, 0, 1)):
            bound = field.upper_bound(face, ranking, box, direction)
            if bound is None or bound >= 0:
                continue
            proven += 1
            for _ in range(6):
                gaps = [inside(bounds, rng) for bounds in box]
                scores = np.zeros(3)
                # A tie is taken in the order of the ranking: the field of that ranking, at the tie.
                scores[list(ranking)] = (gaps[0], 1e-13, 0.0) if tied else (sum(gaps), gaps[1], 0.0)
                words = {"weigh": weigh_ndcg, "c": 0.01, "by_sum": True, "table": True, **more}
                force = field_by_hand(law, scores, **words)
                product = float(np.dot(direction, force))
                assert product < 1e-9 * np.abs(force).max() + 1e-25, (law, face, box, direction)
    assert proven >= count // 2
