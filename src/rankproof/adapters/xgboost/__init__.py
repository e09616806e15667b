"""XGBoost: consistent losses as its objective, exact metrics for its evaluation and early stopping.

``rankproof.xgboost`` is this module. The objects are for ``xgboost.train`` (and ``cv``). XGBoost's
scikit-learn estimators hand no groups to a custom objective (``XGBRanker`` refuses any), so they take
the plain-regression route: `regression_target` with ``XGBRegressor``. `early_stopping` works with both.

>>> objective("nDCG@10")
xgboost.objective(nDCG@10, loss=query-ordinal:normalised-gain@10)
>>> eval_metric("nDCG@10").maximize
True
"""

from __future__ import annotations

from rankproof.adapters.curvature import Curvature, curvature
from rankproof.adapters.regression import regression_target, relative_target
from rankproof.adapters.xgboost.custom_objective import XGBoostObjective, objective
from rankproof.adapters.xgboost.metric import XGBoostMetric, eval_metric, parameters
from rankproof.adapters.xgboost.stopping import early_stopping

__all__ = [
    "Curvature",
    "XGBoostMetric",
    "XGBoostObjective",
    "curvature",
    "early_stopping",
    "eval_metric",
    "objective",
    "parameters",
    "regression_target",
    "relative_target",
]
