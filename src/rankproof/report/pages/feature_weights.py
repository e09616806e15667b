"""What a model makes of the features: weights of a linear one, importances of trees."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankproof.report.content import NamedBars

__all__ = ["feature_bars"]

MOST = 20
# What a weight is per, by the scaling of the features.
_UNITS = {
    "standard": "Weights are for features divided by their standard deviation, so they can be compared.",
    "query-minmax": "Weights are for features mapped to 0..1 within each query, so they can be compared.",
    "none": "Features are not scaled: a weight is large also when its feature is small.",
}


def feature_bars(ranker: Any) -> NamedBars | None:
    """The 20 features of the largest weights (in size) or importances; None for a model without either."""
    if hasattr(ranker, "coef_"):
        values, what = np.asarray(ranker.coef_, dtype=np.float64), "weight"
        caption = _UNITS.get(getattr(getattr(ranker, "scaling_", None), "kind", ""), "")
    elif hasattr(ranker, "feature_importances_"):
        values, what = np.asarray(ranker.feature_importances_, dtype=np.float64), "importance"
        caption = (
            "The share of what all splits of the trees gained. Importance says nothing of the direction."
        )
    else:
        return None
    names = getattr(ranker, "feature_names_in_", None)
    order = np.argsort(-np.abs(values), kind="stable")[:MOST].tolist()
    order = [k for k in order if values[k]]
    if not order:
        return None
    bars = [(f"feature {k + 1}" if names is None else str(names[k]), float(values[k])) for k in order]
    zero = int((values == 0).sum())
    counted = f"The {len(order)} largest of {values.size}, {zero} of which are 0."
    return NamedBars(bars, f"Features by {what}", f"{caption} {counted}".strip())
