"""The convention ``sklearn`` equals scikit-learn's ``ndcg_score`` and ``dcg_score``, ties averaged."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn.metrics import dcg_score, ndcg_score, roc_auc_score

from agree.convention_values import Data, random_data, values
from every_case import every_case, exhaustive
from rankproof.errors import ConventionError, DataError
from rankproof.metrics import metric
from rankproof.metrics.conventions.named import CONVENTIONS

CUTOFFS = (1, 2, 3, 5, 10, 100, None)


def several(seed: int, levels: int | None) -> Data:
    """Two items or more in every query: scikit-learn refuses one."""
    data = random_data(seed, levels=levels, queries=20)
    kept = data.sizes[data.qid] > 1
    sizes = data.sizes[data.sizes > 1]
    return Data(data.scores[kept], data.labels[kept], sizes, sizes)


@pytest.mark.parametrize("seed", [0, *exhaustive(1, 2, 3)])
@every_case("levels", [1, 4, None])
@every_case("cutoff", CUTOFFS)
def test_equal(seed: int, levels: int | None, cutoff: int | None) -> None:
    data = several(seed, levels)
    at = "" if cutoff is None else f"@{cutoff}"
    pairs = [(data.labels[None, q], data.scores[None, q]) for q in data.queries]
    for ours, theirs in (
        (f"nDCG{at}", [ndcg_score(y, s, k=cutoff) for y, s in pairs]),
        (f"DCG{at}", [dcg_score(y, s, k=cutoff) for y, s in pairs]),
        (f"DCG(discount=ln){at}", [dcg_score(y, s, k=cutoff, log_base=math.e) for y, s in pairs]),
    ):
        np.testing.assert_allclose(values("sklearn", ours, data), theirs, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("levels", [1, 4, None])
def test_auc(levels: int | None) -> None:
    """A tied pair counts 1/2; a query of one class has no AUC and is left out of the mean."""
    graded = several(9, levels)
    data = Data(graded.scores, np.minimum(graded.labels, 1.0), graded.sizes, graded.depth)
    ours = values("sklearn", "AUC", data)
    for q, value in zip(data.queries, ours, strict=True):
        both = 0.0 < data.labels[q].mean() < 1.0
        assert np.isnan(value) != both
        assert not both or value == pytest.approx(roc_auc_score(data.labels[q], data.scores[q]), rel=1e-12)
    assert np.isnan(ours).any()


def test_labels_need_not_be_whole() -> None:
    rng = np.random.default_rng(1)
    data = Data(rng.integers(0, 3, size=9) * 1.0, rng.random(9), np.array([9]), np.array([9]))
    theirs = ndcg_score(data.labels[None], data.scores[None], k=4)
    assert values("sklearn", "nDCG@4", data)[0] == pytest.approx(theirs, rel=1e-12)


def test_what_it_does_not_have() -> None:
    convention = CONVENTIONS["sklearn"]
    # Its average precision and its ranking average precision count a tie group as one step: other metrics.
    with pytest.raises(ConventionError, match="scikit-learn has no AP"):
        convention.resolve(metric("AP"))
    with pytest.raises(ConventionError, match="scikit-learn has nDCG with gain=linear"):
        convention.resolve(metric("nDCG(gain=[0,1,3])"))
    with pytest.raises(ValueError, match="negative"):
        ndcg_score([[-1.0, 1.0]], [[1.0, 2.0]])
    with pytest.raises(DataError, match="grades of at least 0"):
        convention.check(metric("nDCG"), np.array([-1.0]))
