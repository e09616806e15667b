"""LightGBM: consistent losses as its objective, exact metrics for its evaluation and early stopping.

``rankproof.lightgbm`` is this module. The objects work with ``lightgbm.train`` (and ``cv``), which hands over
scores and a Dataset, and with ``LGBMRanker`` and ``LGBMModel``, which hand over arrays.

>>> objective("nDCG@10")
lightgbm.objective(nDCG@10, loss=query-ordinal:normalised-gain@10)
>>> eval_metric(["nDCG@10", "AP"])
lightgbm.eval_metric(nDCG@10, AP)
"""

from __future__ import annotations

from rankproof.adapters.curvature import Curvature, curvature
from rankproof.adapters.lightgbm.custom_objective import LightGBMObjective, objective, parameters
from rankproof.adapters.lightgbm.metric import LightGBMMetric, eval_metric
from rankproof.adapters.regression import regression_target, relative_target

__all__ = [
    "Curvature",
    "LightGBMMetric",
    "LightGBMObjective",
    "curvature",
    "eval_metric",
    "objective",
    "parameters",
    "regression_target",
    "relative_target",
]
