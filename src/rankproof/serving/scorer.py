"""`Scorer`: a saved model, ready to score the items of queries in a service."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any

import numpy as np

from rankproof.arrays import Float64s
from rankproof.errors import ArgumentError
from rankproof.fit.model_files import ModelFiles, read_model
from rankproof.serving.models import RowScores, of_kind
from rankproof.serving.rows import as_rows, offsets_of
from rankproof.threads import using

__all__ = ["BACKENDS", "Scorer", "load_scorer"]

BACKENDS = ("engine", "compiled")


class Scorer:
    """A saved model that scores, and does nothing else; made by `load_scorer`.

    It gives the scores that the ranker's ``predict`` gives, to the last bit, and is made for services:

    - a call checks what could give wrong scores without a word (the number of features, their type, numbers
      that are not finite), and nothing else;
    - neither scikit-learn nor anything that trains is imported, only numpy and the engine of the trees;
    - threads may share it, and pickle and cloudpickle copy it into other processes.

    Parameters
    ----------
    saved : ModelFiles
        The files of a model; `load_scorer` reads them.
    threads, backend
        As in `load_scorer`.

    Attributes
    ----------
    kind : str
        The ranker that was trained, such as ``"BoostedRanker"``.
    engine : str or None
        The engine of its trees.
    features : int
        How many features an item has.
    feature_names : tuple of str, or None
        Their names, in the order of the columns, where the model was fitted to named columns.
    categories : mapping
        Column number -> what its codes 0, 1, ... stand for; empty for a column that was codes in training.
    takes_missing : bool
        Whether NaN is a missing value; else it is refused.
    by_query : bool
        Whether the score of an item depends on the other items of its query.
    threads : int
        How many threads a call uses.
    backend : "engine" or "compiled"
        What applies the trees.
    version : str
        The SHA-256 of the model: two models with the same one score alike.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import rankproof as rp
    >>> train, test = rp.samples.diabetes_wards()
    >>> ranker = rp.LinearRanker("nDCG@10").fit(train.X, train.labels, qid=train.qids)
    >>> folder = pathlib.Path(tempfile.mkdtemp()) / "model"
    >>> ranker.save(folder)
    >>> scorer = rp.load_scorer(folder)
    >>> scorer
    Scorer(LinearRanker, 10 features, threads=1)
    >>> one_query = test.X[:13]
    >>> bool((scorer(one_query) == ranker.predict(one_query)).all())
    True
    """

    def __init__(self, saved: ModelFiles, *, threads: int = 1, backend: str = "engine") -> None:
        if backend not in BACKENDS:
            raise ArgumentError(f"Argument backend must be 'engine' or 'compiled', got {backend!r}.")
        self._saved, self.threads, self.backend = saved, threads, backend
        with using(threads):
            self._scores: RowScores = _backend(backend)(saved)
        self.kind, self.engine, self.version = saved.kind, self._scores.engine, saved.sha256
        self.features = int(saved.state["features"])
        names = saved.state["feature_names"]
        self.feature_names: tuple[str, ...] | None = None if names is None else tuple(names)
        self.categories: Mapping[int, Sequence[str]] = dict(self._scores.categories)
        self.takes_missing, self.by_query = self._scores.missing, self._scores.by_query

    def __call__(self, X: Any) -> Float64s:
        """The scores of the items of one query; higher is better.

        Parameters
        ----------
        X : array of shape (items, features), float32 or float64
            Columns in the order of the training data. No rows give no scores.

        Returns
        -------
        array
            One score per row.
        """
        return self.batch(X)

    def batch(self, X: Any, offsets: Any = None) -> Float64s:
        """The scores of the items of many queries.

        Parameters
        ----------
        X : array of shape (items, features), float32 or float64
            The items of all queries, one query after the other.
        offsets : array of int, optional
            Query q has the rows ``offsets[q]`` to ``offsets[q + 1]``. Without them all rows are one query.

        Returns
        -------
        array
            One score per row.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> import rankproof as rp
        >>> train, test = rp.samples.diabetes_wards()
        >>> run = rp.train(train, metric="nDCG@10", l2=0.1, scale="query-minmax")
        >>> folder = pathlib.Path(tempfile.mkdtemp()) / "run"
        >>> _ = run.save(folder)
        >>> scores = rp.load_scorer(folder).batch(test.X, test.offsets)
        >>> bool((scores == run.ranker.predict(test.X, qid=test.qids)).all())
        True
        """
        rows = as_rows(X, self.features)
        queries = offsets_of(rows, offsets)
        if not rows.shape[0]:
            return np.empty(0)
        with using(self.threads):
            return self._scores(rows, queries)

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (self._saved, self.threads, self.backend)

    def __repr__(self) -> str:
        engine = "" if self.engine is None else f" on {self.engine}"
        compiled = ", compiled" if self.backend == "compiled" else ""
        return f"Scorer({self.kind}{engine}, {self.features} features, threads={self.threads}{compiled})"


def _again(saved: ModelFiles, number: int, backend: str) -> Scorer:
    return Scorer(saved, threads=number, backend=backend)


def _backend(name: str) -> Any:
    if name == "compiled":
        from rankproof.serving.compiled import CompiledTrees

        return CompiledTrees
    return of_kind


def load_scorer(path: str | PathLike[str], *, threads: int = 1, backend: str = "engine") -> Scorer:
    """A saved model for a service: scores and nothing else.

    Nothing is unpickled and no code of the model runs. Checksums find damage, not intent: load a model only
    from someone you trust.

    Parameters
    ----------
    path : str or path
        The directory that ``save`` wrote, or the folder of a run (``rankproof fit --out``).
    threads : int
        How many threads a call uses. One is best where many requests are served at once.
    backend : "engine" or "compiled"
        What applies the trees: the engine that grew them, or machine code that treelite and tl2cgen make of
        them (LightGBM and XGBoost; ``pip install treelite tl2cgen``, with a C compiler). It is compiled when
        the model is loaded and compared with the engine on and around every threshold: one score with
        another bit, and it is refused.

    Returns
    -------
    Scorer

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import rankproof as rp
    >>> train, test = rp.samples.diabetes_wards()
    >>> ranker = rp.BoostedRanker("nDCG@10", n_estimators=10).fit(train.X, train.labels, qid=train.qids)
    >>> folder = pathlib.Path(tempfile.mkdtemp()) / "model"
    >>> ranker.save(folder)
    >>> scorer = load_scorer(folder)
    >>> bool((scorer.batch(test.X, test.offsets) == ranker.predict(test.X)).all())
    True
    """
    return Scorer(read_model(path), threads=threads, backend=backend)
