"""Synthetic worlds: data whose law of the labels given the features is known.

A world draws the features of a query, and its labels from a known law given those features. So the scores
that a consistent loss should learn (the expected target), the value of any scorer and its regret are
computed, not estimated.

>>> import numpy as np
>>> world = FiniteWorld([{(5, 4): "0.3", (1, 3): "0.7"}])
>>> known = world.population()
>>> gain = lambda labels: 2.0**labels - 1
>>> discount = lambda rank: 1 / np.log2(1 + rank)
>>> def normalised(labels):
...     best = -np.sort(-gain(labels), axis=1) @ discount(np.arange(1, labels.shape[1] + 1))
...     return gain(labels) / best[:, None]
>>> known.bayes_scores(gain), known.bayes_scores(normalised).round(5)
(array([10. ,  9.4]), array([0.32157, 0.75333]))

The two targets sort differently: raw gains lose nDCG even with all the data in the world.

>>> ndcg = Positional(normalised, discount)
>>> round(known.regret(ndcg, known.bayes_scores(gain)), 5), known.regret(ndcg, known.bayes_scores(normalised))
(0.15935, 0.0)
"""

from __future__ import annotations

from rankproof.data.synthetic_continuous import IndependentWorld, IntentWorld
from rankproof.data.synthetic_finite import FiniteWorld
from rankproof.data.synthetic_law import Best, LabelLaw
from rankproof.data.synthetic_metrics import Positional, QueryMetric, Ranked
from rankproof.data.synthetic_world import KnownData, World

__all__ = [
    "Best",
    "FiniteWorld",
    "IndependentWorld",
    "IntentWorld",
    "KnownData",
    "LabelLaw",
    "Positional",
    "QueryMetric",
    "Ranked",
    "World",
]
