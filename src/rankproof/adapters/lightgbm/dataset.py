"""What LightGBM hands over in a call, in our terms: a Dataset, or the arrays of its estimators."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankproof.adapters.engine_data import as_written, offsets_from_sizes
from rankproof.data.ranking import RankingData, ranking_data
from rankproof.errors import ArgumentError

__all__ = ["LightGBMCall", "refuse_unsupported"]


class LightGBMCall(NamedTuple):
    """What is handed over in one call; ``owner`` is the data set, or the array that stands for it."""

    owner: Any
    scores: NDArray[Any]
    labels: NDArray[Any]
    weights: NDArray[Any] | None
    sizes: NDArray[Any] | None

    @classmethod
    def from_arguments(cls, first: Any, second: Any, weight: Any, group: Any) -> LightGBMCall:
        """From ``(scores, Dataset)`` or ``(labels, scores, weight, group)``."""
        if isinstance(second, np.ndarray):
            return cls(first, second, first, weight, group)
        if not hasattr(second, "get_label"):
            raise ArgumentError(
                "LightGBM calls this with (scores, Dataset) or (labels, scores, weight, group), "
                f"got a second argument of type {type(second).__name__}."
            )
        labels = second.get_label()
        if labels is None:
            raise ArgumentError("The Dataset has no labels. Give label=.")
        sizes = second.get_group()
        sizes = None if sizes is None else np.asarray(sizes)
        return cls(second, first, np.asarray(labels), second.get_weight(), sizes)

    @property
    def contents(self) -> tuple[NDArray[Any], NDArray[Any] | None, NDArray[Any] | None]:
        """The arrays by which a change of the data set is seen."""
        return self.labels, self.weights, self.sizes

    def data(self, where: str) -> RankingData:
        """The data set; ``where`` is what an error calls it."""
        _refuse_cut(self.owner, where)
        offsets = offsets_from_sizes(self.sizes, self.labels.size, where)
        weights = None if self.weights is None else as_written(self.weights)
        return ranking_data(as_written(self.labels), offsets, item_weights=weights)


def refuse_unsupported(data: Any) -> None:
    """Raise `ArgumentError` for what LightGBM would drop, or do wrong, with a custom objective.

    A Dataset has the parameters only when training made it; the estimators hand over no Dataset at all.
    """
    if getattr(data, "get_position", lambda: None)() is not None:
        raise ArgumentError(
            "The Dataset has position=, which only LightGBM's lambdarank reads: it would be lost. Leave it "
            "out, and put what is known of position bias into the weights."
        )
    if (getattr(data, "params", None) or {}).get("bagging_by_query"):
        raise ArgumentError(
            "bagging_by_query does not work with a custom objective: LightGBM 4.7 then grows wrong "
            "trees, or none. Use bagging_fraction without it, or regression_target and plain regression."
        )


def _refuse_cut(data: Any, where: str) -> None:
    """Raise `ArgumentError` when the Dataset is a part of another and does not have whole queries of it.

    LightGBM's ``cv`` keeps queries together for its own ranking objectives only, and then calls the rest of
    a query a query.
    """
    while (rows := getattr(data, "used_indices", None)) is not None:
        parent = data.reference
        groups = parent.get_group()
        if groups is None:
            return
        sizes = np.asarray(groups, dtype=np.int64)
        kept = np.bincount(
            np.repeat(np.arange(sizes.size), sizes)[np.asarray(rows, dtype=np.int64)], minlength=sizes.size
        )
        cut = (kept > 0) & (kept != sizes)
        if cut.any():
            first = int(np.argmax(cut))
            raise ArgumentError(
                f"{where} cuts queries apart: of query {first} (counted from 0) it has {kept[first]} of "
                f"{sizes[first]} rows, and {int(cut.sum())} queries are cut. Give lightgbm.cv "
                "folds=rankproof.QueryKFold(5), and Dataset.subset the rows of whole queries."
            )
        data = parent
