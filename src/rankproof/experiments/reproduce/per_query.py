"""The numbers of every test query of an experiment, as text and as a frame."""

from __future__ import annotations

from typing import Any

import numpy as np

from rankproof.arrays import Float64s
from rankproof.evaluation.tables import as_csv
from rankproof.experiments.reproduce.experiment import Experiment

__all__ = ["per_query_csv", "per_query_frame"]


def per_query_csv(experiment: Experiment) -> str:
    """One row per fold, test query and ranker, one column per metric; empty where a query does not count."""
    measured = experiment.measured
    rows = []
    for number, facts in enumerate(experiment.folds):
        queries = [str(query) for query in facts.test_queries.tolist()]
        for ranker in measured.rankers:
            columns: list[Float64s] = [
                measured.outcomes[ranker][metric].folds[number] for metric in measured.metrics
            ]
            rows += [
                [str(number + 1), query, ranker, *("" if v != v else repr(float(v)) for v in values)]
                for query, *values in zip(queries, *columns, strict=True)
            ]
    return as_csv(["fold", "query", "ranker", *measured.metrics], rows)


def per_query_frame(experiment: Experiment, backend: str) -> Any:
    """A frame with one row per fold, test query and ranker, one column per metric; null where a query does
    not count.
    """
    from rankproof.data.frames import frame_of

    measured = experiment.measured
    places = [(number, ranker) for number in range(len(experiment.folds)) for ranker in measured.rankers]
    queries = [experiment.folds[number].test_queries for number, _ in places]
    sizes = [one.size for one in queries]
    columns = {
        "fold": np.repeat([number + 1 for number, _ in places], sizes),
        "query": np.concatenate(queries),
        "ranker": np.repeat([ranker for _, ranker in places], sizes),
    }
    for metric in measured.metrics:
        values = [measured.outcomes[ranker][metric].folds[number] for number, ranker in places]
        columns[metric] = np.concatenate(values)
    return frame_of(columns, backend, nullable=list(measured.metrics))
