"""Third scene: the same on real data, the user's own or a small sample that is there without a download.

The sample is made of the diabetes data that comes with scikit-learn (Efron, Hastie, Johnstone & Tibshirani
2004): 442 patients with ten measurements and how far the disease had gone a year later. A query is a ward of
patients, the task is to rank those first whose disease goes on fastest; the grade is the fifth of the
patients one belongs to, 0 to 4.
"""

from __future__ import annotations

import numpy as np

from rankproof.data.ranking import RankingData

__all__ = ["WARD", "diabetes_wards"]

WARD = 13
GRADES = 5
TESTED = 10


def diabetes_wards(seed: int = 0) -> tuple[RankingData, RankingData]:
    """Wards of patients to train on and to test on."""
    from sklearn.datasets import load_diabetes

    X, progress = load_diabetes(return_X_y=True)
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(progress))
    wards = len(order) // WARD
    order = order[: wards * WARD]
    edges = np.quantile(progress, np.arange(1, GRADES) / GRADES)
    grades = np.searchsorted(edges, progress[order], side="right").astype(np.float64)
    names = tuple(load_diabetes().feature_names)

    def some(first: int, last: int) -> RankingData:
        rows = slice(first * WARD, last * WARD)
        return RankingData(
            labels=grades[rows],
            offsets=np.arange(last - first + 1, dtype=np.int64) * WARD,
            X=X[order[rows]].astype(np.float32),
            feature_names=names,
        )

    return some(0, wards - TESTED), some(wards - TESTED, wards)
