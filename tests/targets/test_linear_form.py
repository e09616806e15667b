"""The linear form of a metric: its value on E[u] is the mean of the metric over the law."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import rankproof as rp
from rankproof.evaluation.per_query import mean_metric
from rankproof.metrics.parse import metric as metric_of
from rankproof.targets.linear_form import linear_form


@pytest.mark.parametrize(
    "name",
    [
        *("nDCG", "nDCG@2", "nDCG(discount=letor)@3", "DCG@3", "DCG(gain=linear)"),
        *("P@2", "P@9", "R@2", "F@2", "RBP(p=0.5)", "RBP@2"),
    ],
)
@pytest.mark.parametrize("scores", [[3.0, 1.0, 2.0, 0.0], [1.0, 1.0, 0.0, 1.0]])
def test_the_value_on_the_mean_is_the_mean_of_the_values(name: str, scores: list[float]) -> None:
    metric = metric_of(name)
    target = rp.target_for(metric)
    form = linear_form(metric, target)
    assert form is not None
    rng = np.random.default_rng(0)
    laws, offsets = rng.dirichlet(np.ones(3), 4), np.array([0, 4])
    mean, expected = np.zeros(4), 0.0
    for y in product(range(3), repeat=4):
        p = float(np.prod([laws[i, g] for i, g in enumerate(y)]))
        labels = np.array(y, float)
        mean += p * target.values(labels, offsets)
        # A labelling without a relevant item counts 0.
        if labels.any():
            expected += p * mean_metric(metric, np.array(scores), labels, offsets)
    assert mean_metric(form, np.array(scores), mean, offsets) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("name", ["ERR", "AP", "nDCG(empty=1)@3", "P", "AUC"])
def test_other_metrics_have_none(name: str) -> None:
    assert linear_form(metric_of(name), rp.target_for(name, noise="independent")) is None
