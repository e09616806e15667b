"""`evaluate` gives the numbers of the metrics, for one or several at once, and the bounds over tie-breaks."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankproof as rp
from agree.brute import Oracle
from drawn import examples
from every_case import few_cases
from properties.strategies import Ragged, metrics_named, ragged, values
from rankproof.metrics import METRICS, Metric

# Labels are drawn from all that a metric takes.
pytestmark = pytest.mark.filterwarnings("ignore::rankproof.errors.DataWarning")


def all_retrieved(metric: Metric) -> st.SearchStrategy[Ragged]:
    """Data as arrays of scores and labels hold them: every item has a score."""
    return ragged(metric, most=6, missed=False)


@few_cases
@pytest.mark.parametrize("name", METRICS)
@examples(40)
@given(data=st.data())
def test_evaluate_is_the_metric(name: str, data: st.DataObject) -> None:
    found = data.draw(metrics_named(name))
    drawn = data.draw(all_retrieved(found))
    results = rp.evaluate(drawn.scores, drawn.labels, [found, "nDCG@3"], offsets=drawn.offsets, bounds=True)
    got = results.per_query[str(found)]
    assert got.tobytes() == values(found, drawn).tobytes()
    assert results.empty[str(found)] == np.isnan(got).sum()
    filled = got[~np.isnan(got)]
    if filled.size:
        assert math.isclose(
            results.mean[str(found)], math.fsum(filled) / filled.size, rel_tol=1e-12, abs_tol=1e-12
        )
    for q, (scores, labels, _) in enumerate(drawn.queries()):
        listed = [v for v, _ in Oracle.of(found).all_values(scores, labels)]
        if listed[0] is None:
            assert math.isnan(got[q])
            continue
        worst, best = (min, max) if found.direction == "higher" else (max, min)
        band = results.bounds[str(found)]
        assert math.isclose(band.worst[q], worst(listed), rel_tol=1e-12, abs_tol=1e-12), (
            found,
            scores,
            labels,
        )
        assert math.isclose(band.best[q], best(listed), rel_tol=1e-12, abs_tol=1e-12), (found, scores, labels)


@few_cases
@pytest.mark.parametrize("name", METRICS)
@examples(20)
@given(data=st.data())
def test_threads_change_nothing(name: str, data: st.DataObject) -> None:
    found = data.draw(metrics_named(name))
    drawn = data.draw(all_retrieved(found))
    one, four = (
        rp.evaluate(drawn.scores, drawn.labels, found, offsets=drawn.offsets, threads=t).per_query[str(found)]
        for t in (1, 4)
    )
    assert one.tobytes() == four.tobytes()


def test_all_metrics_at_once() -> None:
    """One sort serves all: asking for everything changes no number."""
    rng = np.random.default_rng(8)
    labels, scores = rng.integers(0, 4, 300).astype(float), rng.integers(0, 30, 300).astype(float)
    labels[rng.random(300) < 0.1] = np.nan
    qid = np.repeat(np.arange(30), 10)
    together = rp.evaluate(scores, labels, list(METRICS), qid=qid)
    for name in METRICS:
        alone = rp.evaluate(scores, labels, name, qid=qid)
        (own,) = alone.per_query
        assert together.per_query[own].tobytes() == alone.per_query[own].tobytes()
