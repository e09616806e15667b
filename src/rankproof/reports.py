"""`write_report`: a result of Python as one HTML file. Gathers what a page shows, and hands it over."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rankproof.data.ranking import RankingData
from rankproof.errors import ArgumentError
from rankproof.evaluation.comparison import Comparison
from rankproof.evaluation.cutoffs import CutoffMeans, cutoff_means
from rankproof.evaluation.data_summary import DataSummary, GradeCounts, count_grades, summarise
from rankproof.evaluation.evaluate import empty_queries, evaluate
from rankproof.evaluation.results import Results
from rankproof.files import StrPath
from rankproof.report.content import Report
from rankproof.report.html import check_report_path
from rankproof.report.html import write_report as write_page
from rankproof.report.pages.comparison import comparison_report
from rankproof.report.pages.results import results_report
from rankproof.report.pages.run import run_report
from rankproof.runs.review import feature_weights
from rankproof.runs.training_run import TrainingRun

__all__ = ["comparison_page", "write_report"]


def write_report(
    result: Any, path: StrPath, *, data: Any = None, systems: Mapping[str, Any] | None = None, **options: Any
) -> None:
    """Write a report: one HTML file that needs no network.

    Parameters
    ----------
    result : Comparison, Results, TrainingRun or a fitted ranker
        What is reported. A ranker is evaluated on ``data``, under its own metric.
    path : path of the file
        It is replaced if it exists; it appears when all of it is written.
    data : RankingData, Qrels or labels, optional
        Of a comparison, what was given to `rankproof.compare`: with ``systems`` the page also shows nDCG at
        cutoffs, what the data hold, and the queries on which the best two differ most. Of a ranker, the data
        to report on; it is needed.
    systems : mapping of name to scores or `Run`, optional
        Of a comparison: what was compared.
    **options
        With ``data`` and ``systems``: ``offsets``, ``qid``, ``missing`` as they were given to
        `rankproof.compare`.

    Examples
    --------
    >>> import rankproof as rp, pathlib, tempfile
    >>> labels, starts = [2, 0, 1, 0, 1, 0], [0, 2, 4, 6]
    >>> found = rp.compare({"up": [2, 1] * 3, "down": [1, 2] * 3}, labels, "nDCG", offsets=starts)
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "comparison.html"
    >>> rp.write_report(found, file)
    >>> "Comparison of 2 systems" in file.read_text(encoding="utf-8")
    True
    """
    check_report_path(path)
    write_page(_page(result, data, systems, options), path)


def _page(result: Any, data: Any, systems: Mapping[str, Any] | None, options: Mapping[str, Any]) -> Report:
    if isinstance(result, Comparison):
        if (systems is None) != (data is None):
            raise ArgumentError("The report of a comparison takes both of systems= and data=, or neither.")
        if systems is None:
            return comparison_report(result)
        return comparison_page(result, systems, data, options)
    if systems is not None:
        raise ArgumentError(f"Argument systems goes with a Comparison, got {type(result).__name__}.")
    if isinstance(result, Results):
        return results_report(result)
    if isinstance(result, TrainingRun):
        return run_report(result.record())
    if hasattr(result, "predict") and hasattr(result, "metric"):
        return _of_ranker(result, data)
    raise ArgumentError(
        "A report is of a Comparison, Results, a TrainingRun or a fitted ranker, got "
        f"{type(result).__name__}."
    )


def comparison_page(
    comparison: Comparison,
    systems: Mapping[str, Any],
    judged: Any,
    options: Mapping[str, Any],
    *,
    command: str | None = None,
    files: Mapping[str, str | None] | None = None,
) -> Report:
    """The report of a comparison with what was compared: rankings, curves, data."""
    convention = next(iter(comparison.results.values())).convention
    cutoffs: CutoffMeans = cutoff_means(systems, judged, convention=convention, **options)
    return comparison_report(
        comparison,
        systems,
        judged,
        cutoffs=cutoffs,
        contents=_contents(comparison, judged),
        command=command,
        files=files,
    )


def _contents(comparison: Comparison, judged: Any) -> DataSummary | GradeCounts | None:
    """What the data hold that the systems were judged by: all of it, or of judgments the grades."""
    if isinstance(judged, RankingData):
        metric = next(iter(comparison.results.values())).metrics[comparison.metrics[0]]
        return summarise({"data": judged}, str(metric), {"data": empty_queries(metric, judged)})
    grades = getattr(judged, "grades", None)
    return None if grades is None else count_grades({"judgments": grades})


def _of_ranker(ranker: Any, data: Any) -> Report:
    if not isinstance(data, RankingData):
        raise ArgumentError(
            f"The report of a ranker needs data=RankingData to evaluate it on, got {type(data).__name__}."
        )
    scores = ranker.predict(data.X, qid=data.qids)
    results = evaluate(scores, data, ranker.metric)
    return results_report(
        results,
        name=type(ranker).__name__,
        loss=str(ranker.loss_),
        weights=feature_weights(ranker),
        contents=summarise({"data": data}, str(ranker.metric), {"data": next(iter(results.empty.values()))}),
    )
