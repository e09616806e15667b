"""What was chosen by the metric on held-out queries: a penalty, a number of trees, a number of epochs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rankproof.arrays import Int64s
from rankproof.data.ranking import RankingData
from rankproof.evaluation.evaluate import check_counts
from rankproof.evaluation.odd_labels import labels_are_looked_at
from rankproof.evaluation.tables import Table, number
from rankproof.judgments.labels import labels_to_learn
from rankproof.metrics.base import Metric
from rankproof.plain import html_table, json_text
from rankproof.runs.defaults import VALID_SHARE

__all__ = ["Selection", "drops_trees", "fit_and_select", "held_out_queries"]


@dataclass(frozen=True, eq=False)
class Selection:
    """What was chosen by the metric on held-out queries.

    ``word`` is what was chosen (l2, trees, epochs), ``what`` the same in a sentence, ``path`` the metric for
    every candidate; it is empty when there was nothing to choose.
    """

    word: str
    what: str
    chosen: float
    held_out: str
    path: Mapping[float, float] = field(default_factory=dict)

    def table(self, metric: Metric) -> Table:
        """The candidates; of many numbers of steps 1, 2, 5, 10, 20, 50, ..., the one chosen and the last."""
        shown = [
            value
            for value in self.path
            if self.word == "l2" or value in (self.chosen, max(self.path)) or _is_round(value)
        ]
        rows = [
            [f"{value:g}", number(self.path[value]), "chosen" if value == self.chosen else ""]
            for value in shown
        ]
        return Table([self.word, f"{metric}, {self.held_out}", ""], rows, text_columns=[""])

    @property
    def unchosen(self) -> str | None:
        """A sentence when a number of steps could have been chosen, and was not."""
        return None if self.path or self.word == "l2" else f"{self.what} is {self.chosen:g}"

    def to_dict(self) -> dict[str, Any]:
        """Plain data."""
        path = [{self.word: candidate, "value": value} for candidate, value in self.path.items()]
        return {self.word: self.chosen, "held_out": self.held_out, "path": path}

    def to_json(self) -> str:
        """`to_dict` as JSON text."""
        return json_text(self.to_dict())

    def to_frame(self, backend: str = "pandas") -> Any:
        """A pandas, polars or pyarrow frame: one row per candidate, with the metric on held-out queries."""
        from rankproof.data.frames import frame_of_rows

        rows = [{self.word: candidate, "value": value} for candidate, value in self.path.items()]
        return frame_of_rows(rows, backend)

    def _repr_html_(self) -> str:
        return html_table([self.word, "held out"], [[f"{self.chosen:g}", self.held_out]], left=(1,))


def _is_round(value: float) -> bool:
    digits = f"{value:.0f}"
    return digits[0] in "125" and not digits[1:].strip("0")


@labels_are_looked_at()  # by the evaluation of the run
def fit_and_select(
    ranker: Any, train: RankingData, valid: RankingData | None, metric: Metric, *, hold_out: bool = True
) -> Selection:
    """Fit a ranker to ``train``.

    ``valid`` decides what there is to choose, or else what the ranker holds out itself; of trees a share of
    the queries, when ``hold_out`` says so.
    """
    if not (hasattr(ranker, "l2s") or hasattr(ranker, "n_estimators") or hasattr(ranker, "valid_share")):
        _fit(ranker, train)
        return Selection("l2", "The penalty", float(ranker.l2), "one penalty, nothing to choose")
    if valid is None and hasattr(ranker, "n_estimators"):
        return _trees_by_share(ranker, train, metric, hold_out=hold_out and not drops_trees(ranker))
    _fit(ranker, train, validation=valid)
    if hasattr(ranker, "l2s"):
        return _penalty(ranker, metric, valid)
    return _trees(ranker, "valid") if hasattr(ranker, "n_estimators") else _epochs(ranker, valid)


def _fit(ranker: Any, data: RankingData, **more: Any) -> None:
    """Fit to data with the weights that they have."""
    weights = {"query_weight": data.query_weights, "sample_weight": data.item_weights}
    present = {name: values for name, values in weights.items() if values is not None}
    ranker.fit(data.X, labels_to_learn(data), qid=data.qids, **present, **more)


def held_out_queries(queries: int, seed: int) -> Int64s | None:
    """The queries of the training data to choose the number of trees by; None when there are too few.

    >>> held_out_queries(10, 0), held_out_queries(4, 0)
    (array([4, 6]), None)
    """
    cut = int(VALID_SHARE * queries)
    if cut == 0:
        return None
    order = np.random.Generator(np.random.PCG64(seed)).permutation(queries).astype(np.int64)
    return np.sort(order[:cut])


def drops_trees(ranker: Any) -> bool:
    """Whether earlier trees change with every new one (dart), so that no number of them can be chosen."""
    return "dart" in map(str, (ranker.parameters or {}).values())


def _trees_by_share(ranker: Any, train: RankingData, metric: Metric, *, hold_out: bool) -> Selection:
    """Fit to most of the queries, and choose the number of trees by the others."""
    held = held_out_queries(train.queries, ranker.random_state) if hold_out else None
    if held is None:
        _fit(ranker, train)
        return _trees(ranker, "none, so all trees are kept")
    rest = train[np.setdiff1d(np.arange(train.queries), held, assume_unique=True)]
    valid = train[held]
    share = f"{VALID_SHARE:.0%} of the queries of train"
    check_counts(metric, valid, f"the {share} that are held out")
    _fit(ranker, rest, validation=valid)
    return _trees(ranker, share)


def _penalty(ranker: Any, metric: Metric, valid: RankingData | None) -> Selection:
    sign = 1.0 if metric.direction == "higher" else -1.0
    means = sign * np.asarray(ranker.scores_).mean(axis=0)
    path = dict(zip(ranker.l2_path_.tolist(), means.tolist(), strict=True))
    held_out = "valid" if valid is not None else f"mean of {ranker.scores_.shape[0]} folds of train"
    return Selection("l2", "The penalty", float(ranker.l2_), held_out, path)


def _trees(ranker: Any, held_out: str) -> Selection:
    path: dict[float, float] = dict(enumerate(ranker.evaluations_.tolist(), start=1))
    return Selection("trees", "The number of trees", int(ranker.n_iter_), held_out, path)


def _epochs(ranker: Any, valid: RankingData | None) -> Selection:
    path: dict[float, float] = {one.number: one.metric for one in ranker.history_ if one.metric is not None}
    share = f"{ranker.valid_share:.0%} of the queries of train"
    held_out = ("valid" if valid is not None else share) if path else "none, so the last epoch is kept"
    return Selection("epochs", "The number of epochs", int(ranker.report_.best_epoch), held_out, path)
