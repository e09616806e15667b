"""The query ids of the rows that a ranker is handed, and what happens when there are none.

Rows without query ids would be one query: a model of noise, and a metric of one long list. scikit-learn's own
checks hand over a few rows without ids, so few rows are taken with a warning; more are refused.

scikit-learn hands what `cross_validate` and the searches are given in addition to ``fit`` alone, unless
metadata routing is enabled. So ``score`` asks the call that it is part of for the ids of its rows.
"""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Mapping
from types import FrameType
from typing import Any

import numpy as np

from rankproof.errors import ArgumentError, QueryWarning
from rankproof.shown import quoted

__all__ = ["MOST_ROWS", "check_fold", "fold_query_ids", "need_query_ids"]

# The checks of scikit-learn have fewer rows, real data sets more.
MOST_ROWS = 1000
_VALIDATION = "sklearn.model_selection._validation"


def need_query_ids(method: str, rows: int, *, stacklevel: int = 3) -> None:
    """Warn that all rows are taken for one query, or raise `ArgumentError` when these are many.

    >>> need_query_ids("fit", 5000)
    Traceback (most recent call last):
        ...
    rankproof.errors.ArgumentError: fit has no qid=, so it is not known which of the 5000 rows are the items
    of one query. Give qid=, one query id per row (for one query of all rows, the same id for all).
    """
    advice = "Give qid=, one query id per row (for one query of all rows, the same id for all)."
    if rows > MOST_ROWS:
        raise ArgumentError(
            f"{method} has no qid=, so it is not known which of the {rows} rows are the items of one query. "
            f"{advice}"
        )
    warnings.warn(
        f"{method} has no qid=, so all {rows} rows are taken for the items of one query, which is wrong "
        f"unless they are. {advice}",
        QueryWarning,
        stacklevel=stacklevel + 1,
    )


def fold_query_ids(y: Any) -> Any:
    """The query ids of the rows with labels ``y`` that scikit-learn's cross-validation scores, or None.

    Without metadata routing scikit-learn hands ``params={"qid": ...}`` of `cross_validate`, and ``qid=`` of
    ``GridSearchCV.fit``, to ``fit`` alone, cut to the rows of the fold. The whole of it is in the call of
    scikit-learn that scores the fold, with the numbers of the fold's rows. Whoever looks for it there depends
    on names inside scikit-learn, so nothing is guessed: where one of them is missing, the answer is None, and
    the caller refuses to score.
    """
    frame = _fold()
    if frame is None:
        return None
    here = frame.f_locals
    # By identity: a part of the training rows may have as many labels as the test rows.
    part = next((name for name in ("test", "train") if here.get(f"y_{name}") is y), None)
    ids = _whole_ids(frame)
    return None if part is None or ids is None else ids[here[part]]


def check_fold() -> None:
    """Raise `ArgumentError` when scikit-learn's cross-validation tests on a part of a query.

    The rest of that query is trained on, or left out: either way the metric is not that of new queries.
    ``KFold``, ``ShuffleSplit`` and ``cv=5`` cut queries apart, since they know rows alone.
    """
    frame = _fold()
    ids = None if frame is None else _whole_ids(frame)
    if frame is None or ids is None:
        return
    tested = np.zeros(ids.size, dtype=bool)
    tested[frame.f_locals["test"]] = True
    cut = np.isin(ids, ids[tested]) & ~tested
    if not cut.any():
        return
    query, many = ids[cut][0], np.unique(ids[cut]).size
    here, there = int(np.sum(ids[tested] == query)), int(np.sum(ids[~tested] == query))
    others = "" if many == 1 else f", and {many - 1} more queries are cut like it"
    raise ArgumentError(
        f"Cross-validation cuts queries apart: of query {quoted(query)} {here} rows are tested on and "
        f"{there} are not{others}. A metric of parts of queries is not that of queries. Use folds of "
        "whole queries: cv=rankproof.QueryKFold(5), or another splitter by groups with groups=qid. A search "
        "that draws some of the rows, as HalvingGridSearchCV does, always cuts queries: use GridSearchCV."
    )


def _fold() -> FrameType | None:
    """The call of scikit-learn's cross-validation that this call is part of."""
    frame = inspect.currentframe()
    while frame is not None and not _is_fold(frame):
        frame = frame.f_back
    return frame


def _is_fold(frame: FrameType) -> bool:
    named = frame.f_code.co_name in ("_fit_and_score", "_fit_and_predict")
    return named and frame.f_globals.get("__name__") == _VALIDATION


def _whole_ids(fold: FrameType) -> Any:
    """What was given as ``qid`` for all rows, to the ranker or to the step of a pipeline that it is."""
    caller = fold.f_back
    arguments = {} if caller is None else caller.f_locals
    # By name or by position, as the caller of joblib hands them on.
    named, placed = arguments.get("kwargs"), arguments.get("args")
    handed = [*(named.values() if isinstance(named, Mapping) else ()), *(placed or ())]
    ids = [
        value
        for params in handed
        if isinstance(params, Mapping)
        for name, value in params.items()
        if isinstance(name, str) and name.rsplit("__", 1)[-1] == "qid" and value is not None
    ]
    rows = fold.f_locals.get("y")
    if rows is None or "test" not in fold.f_locals or not all(np.array_equal(one, ids[0]) for one in ids):
        return None
    return np.asarray(ids[0]) if ids and np.shape(ids[0]) == (len(rows),) else None
