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

__all__ = ["MOST_ROWS", "fold_query_ids", "need_query_ids"]

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
    frame = inspect.currentframe()
    while frame is not None and not _scores_a_fold(frame):
        frame = frame.f_back
    if frame is None:
        return None
    here = frame.f_locals
    # By identity: a part of the training rows may have as many labels as the test rows.
    part = next((name for name in ("test", "train") if here.get(f"y_{name}") is y), None)
    ids = _whole_ids(frame.f_back)
    if part is None or ids is None or np.shape(ids) != (len(here["y"]),):
        return None
    return np.asarray(ids)[here[part]]


def _scores_a_fold(frame: FrameType) -> bool:
    return frame.f_code.co_name == "_fit_and_score" and frame.f_globals.get("__name__") == _VALIDATION


def _whole_ids(caller: FrameType | None) -> Any:
    """What was given as ``qid``, to the ranker or to the step of a pipeline that it is."""
    given = None if caller is None else caller.f_locals.get("kwargs")
    params = given.get("fit_params") if isinstance(given, Mapping) else None
    if not isinstance(params, Mapping):
        return None
    named = [value for name, value in params.items() if name.rsplit("__", 1)[-1] == "qid"]
    return named[0] if len(named) == 1 else None
