"""Samples of real data that are there without a download, for examples and first steps.

`diabetes_wards` is made of the diabetes data that comes with scikit-learn (Efron, Hastie, Johnstone &
Tibshirani 2004): 442 patients with ten measurements and how far the disease had gone a year later. A query
is a ward of patients, the task is to rank those first whose disease goes on fastest; the grade is the fifth
of the patients one belongs to, 0 to 4.

`example_files` has the paths of two TREC runs on 30 queries and of their judgments.
"""

from __future__ import annotations

import numpy as np

from rankproof.data.ranking import RankingData

__all__ = ["WARD", "diabetes_wards", "example_files"]

WARD = 13
GRADES = 5
TESTED = 10


def diabetes_wards(seed: int = 0) -> tuple[RankingData, RankingData]:
    """Wards of patients to train on and to test on.

    Parameters
    ----------
    seed : int
        Of the draw that puts the patients into wards.

    Returns
    -------
    train, test : RankingData
        24 and 10 queries of 13 items with 10 features, grades 0 to 4.

    Examples
    --------
    >>> train, test = diabetes_wards()
    >>> train.queries, test.queries, train.features
    (24, 10, 10)
    """
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


def example_files() -> dict[str, str]:
    """The paths of the example: the runs ``bm25.trec`` and ``ranker.trec``, and ``qrels.txt``.

    >>> import rankproof as rp
    >>> paths = example_files()
    >>> runs = {name: rp.read_run(paths[f"{name}.trec"]) for name in ("bm25", "ranker")}
    >>> rp.compare(runs, rp.read_qrels(paths["qrels.txt"]), "nDCG@10").winner("nDCG@10")
    'ranker'
    """
    from importlib.resources import files

    folder = files("rankproof") / "example"
    return {name: str(folder / name) for name in ("bm25.trec", "ranker.trec", "qrels.txt")}
