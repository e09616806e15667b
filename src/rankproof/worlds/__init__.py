"""Synthetic worlds: data whose law of the labels given the features is known.

A world draws the features of a query, and its labels from a known law given those features. So the scores
that a consistent loss should learn (the expected target), the value of any scorer and its regret are
computed, not estimated.

>>> world = FiniteWorld([{(5, 4): "0.3", (1, 3): "0.7"}])
>>> known = world.population()
>>> known.bayes_scores("gain"), known.bayes_scores("normalised-gain").round(5)
(array([10. ,  9.4]), array([0.32157, 0.75333]))

The two targets sort differently: raw gains lose nDCG even with all the data in the world.

>>> raw, normalised = known.bayes_scores("gain"), known.bayes_scores("normalised-gain")
>>> round(known.regret("nDCG", raw), 5), known.regret("nDCG", normalised)
(0.15935, 0.0)

A metric or a target of your own goes in as a plain function:

>>> import numpy as np
>>> dcg = Positional(lambda labels: 2.0**labels - 1, lambda rank: 1 / np.log2(1 + rank))
>>> known.regret(dcg, known.bayes_scores(lambda labels: 2.0**labels - 1))
0.0
"""

from __future__ import annotations

from rankproof.worlds.best_ranking import Best
from rankproof.worlds.continuous import IndependentWorld, IntentWorld
from rankproof.worlds.drawn import DrawnData
from rankproof.worlds.finite import FiniteWorld
from rankproof.worlds.label_law import LabelLaw
from rankproof.worlds.metric_forms import Positional, QueryMetric, Ranked
from rankproof.worlds.plasmode_world import PlasmodeWorld
from rankproof.worlds.world import KnownData, World

__all__ = [
    "Best",
    "DrawnData",
    "FiniteWorld",
    "IndependentWorld",
    "IntentWorld",
    "KnownData",
    "LabelLaw",
    "PlasmodeWorld",
    "Positional",
    "QueryMetric",
    "Ranked",
    "World",
]
