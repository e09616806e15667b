"""The models that can be trained by name, and what is taken unless something else is asked for.

What a model takes is in `rankproof.fit.defaults`. Only numbers are imported, so that a help text is quick.
"""

from __future__ import annotations

from rankproof.evaluation.defaults import LEVEL, SEED

__all__ = ["BOOSTED", "FOLDS", "LEVEL", "LOSS", "MODELS", "SAMPLERS", "SEED", "TRIALS", "VALID_SHARE"]

BOOSTED = ("lightgbm", "xgboost", "catboost")
# The first one is the default; of searches, the first that boosts trees.
MODELS = ("linear", *BOOSTED, "neural")
# A loss that is consistent with the metric.
LOSS = "auto"
# Of searches: how many settings are tried, and on how many folds of the queries.
TRIALS, FOLDS = 20, 5
# The share of the training queries that is held out to choose the number of steps, without others for it.
VALID_SHARE = 0.2
# And what draws the settings: we from the seed, or Optuna from what came before.
SAMPLERS = ("random", "tpe")
