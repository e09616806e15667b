"""CatBoost: its own losses on the target of the metric, and the exact metric for its evaluation.

``rankproof.catboost`` is this module. CatBoost hands no groups to a custom objective or metric. But
with the target in place of the label, its own losses are some of ours:

=================  ================  =====================================================================
our loss           CatBoost's        why
=================  ================  =====================================================================
centred-squared    ``QueryRMSE``     both centre scores and targets per query
softmax            ``QuerySoftMax``  CatBoost does not divide the targets of a query by their sum either
squared            ``RMSE``
relative           ``RMSE``          on another target, with weights; see `rankproof.losses.Relative`
=================  ================  =====================================================================

>>> parameters("nDCG@10")
{'loss_function': 'QueryRMSE'}
>>> parameters("nDCG@10", "softmax"), parameters("nDCG@10", "squared")
({'loss_function': 'QuerySoftMax'}, {'loss_function': 'RMSE'})
"""

from __future__ import annotations

from rankproof.adapters.catboost.metric import CatBoostMetric, best_iteration, eval_metric
from rankproof.adapters.catboost.pool import parameters, pool
from rankproof.adapters.regression import regression_target, relative_target

__all__ = [
    "CatBoostMetric",
    "best_iteration",
    "eval_metric",
    "parameters",
    "pool",
    "regression_target",
    "relative_target",
]
