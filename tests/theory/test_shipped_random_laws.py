"""Rest points of shipped formulas on random laws of three items, beside paths by another implementation.

`research/engine_rest_points.py` tries 10,000 laws in the same way.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import islice

import numpy as np
import pytest

from rankproof.feedback import Law
from theory.shipped_agreement import agreement, random_laws
from theory.shipped_by_hand import field_by_hand, rests_in, weigh_ndcg
from theory.shipped_cases import KINDS, PLAIN
from theory.shipped_paths import RANKINGS, PathsByHand

# Of the laws under which the paths rest in no best ranking, this share must be proven within the boxes. A few
# boxes are enough without the division by c + |x|. With it they are not, so there less is asked for.
PROVEN = {spec: 0.9 if c is None else 0.2 for spec, (_, c, _) in KINDS.items()}
# Fails under so few laws that no share is asked for.
RARE = "xgboost:rank:ndcg(lambdarank_normalization=false)"


@pytest.mark.parametrize("spec", KINDS)
def test_fields_at_many_rows_are_those_by_the_definition(spec: str) -> None:
    weigh, c, by_sum = KINDS[spec]
    rng = np.random.default_rng(2)
    laws = list(islice(random_laws(rng, binary=spec == "xgboost:rank:map"), 20))
    paths = PathsByHand(laws, weigh, c=c, by_sum=by_sum)
    at, scores = rng.integers(0, len(laws), 60), 3.0 * rng.normal(size=(60, 3))
    # Ties, in which the order of the items counts, and far apart.
    scores[:10, 2], scores[10:15] = scores[:10, 0], 0.0
    scores[15:20] *= 100.0
    fields = paths.fields(at, scores)
    for law, row, force in zip(at, scores, fields, strict=True):
        expected = field_by_hand(laws[law], row, weigh, c=c, by_sum=by_sum)
        np.testing.assert_allclose(force, expected, rtol=1e-9, atol=1e-14)
        order = tuple(np.argsort(-row, kind="stable").tolist())
        assert RANKINGS[int(paths.rankings(row[None])[0])] == order


def test_paths_of_many_laws_end_where_those_of_one_do() -> None:
    laws = [
        Law({(2, 1, 0): "9/10", (0, 0, 1): "1/10"}),
        Law({(2, 1, 0): "2/3", (1, 2, 0): "1/3"}),
        Law({(1, 2, 0): "1/2", (0, 0, 1): "1/2"}),
    ]
    rankings = [[(0, 1, 2)], [(0, 1, 2)], [(1, 0, 2), (2, 1, 0)]]
    many = PathsByHand(laws, weigh_ndcg, c=None, by_sum=False).rests_in(rankings, steps=200)
    single = [
        rests_in(law, some, weigh_ndcg, c=None, by_sum=False, steps=200)
        for law, some in zip(laws, rankings, strict=True)
    ]
    assert many.tolist() == single
    assert many.tolist()[:2] == [False, True]


def test_random_laws_are_laws_and_differ() -> None:
    laws = list(islice(random_laws(np.random.default_rng(0), binary=False), 300))
    assert len({frozenset(law.pairs()) for law in laws}) == 300
    assert {len(law.support) for law in laws} == {2, 3}
    assert all(sum(law.probabilities, Fraction(0)) == 1 for law in laws)


@pytest.mark.parametrize("spec", [PLAIN, "xgboost:rank:ndcg(lambdarank_score_normalization=false)"])
def test_no_path_rests_where_it_is_proven_that_none_does(spec: str) -> None:
    _check(spec, laws=60, most=100)


@pytest.mark.exhaustive
@pytest.mark.parametrize("spec", KINDS)
def test_no_path_rests_where_it_is_proven_that_none_does_on_more_laws(spec: str) -> None:
    _check(spec, laws=28, most=300)


def _check(spec: str, laws: int, most: int) -> None:
    result = agreement(spec, laws, most, seed=11)
    assert not result.against
    # What is proven fails, so the paths must say so too.
    assert result.proven <= result.failing, result
    if spec == "xgboost:rank:map":
        # Nine in ten of its proofs need more boxes than a test affords; what it has must not be contradicted.
        assert result.proven >= 1, result
    elif spec != RARE:
        assert result.failing >= laws // 5, result
        assert result.proven >= PROVEN[spec] * result.failing, result
