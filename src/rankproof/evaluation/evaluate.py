"""`evaluate`: metrics of scores, per query and in the mean, with what a reader needs to trust them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from rankproof.arrays import Float64s, frozen
from rankproof.data.trec.prefs import Prefs, rank_prefs
from rankproof.data.trec.read import Run
from rankproof.errors import ArgumentError, DataError, MetricCallError, RankproofError
from rankproof.evaluation.defaults import CONVENTION, LEVEL, SEED
from rankproof.evaluation.depth import cut_at
from rankproof.evaluation.inputs import JudgedScores, as_scored, is_feedback
from rankproof.evaluation.odd_labels import warn_of_labels
from rankproof.evaluation.on_feedback import evaluate_feedback, refuse_options
from rankproof.evaluation.per_query import (
    as_convention_reads,
    break_ties,
    check_labels,
    counted_values,
    raw_values,
    sort_retrieved,
)
from rankproof.evaluation.results import Bounds, Results
from rankproof.feedback import PreferenceGraph
from rankproof.metrics import METRICS, Metric, metric
from rankproof.metrics.base import MetricLike
from rankproof.metrics.conventions.named import CONVENTIONS, Convention
from rankproof.metrics.ranked.lists import Order
from rankproof.threads import setting, using

__all__ = ["check_counts", "empty_queries", "evaluate", "metric_list", "refuse_uncounted"]


def evaluate(
    scores: Any,
    data: Any,
    metrics: MetricLike | Iterable[MetricLike],
    *,
    offsets: Any = None,
    qid: Any = None,
    weights: Any = None,
    convention: str = CONVENTION,
    bounds: bool = False,
    missing: Literal["zero", "skip"] | None = None,
    depth: int | None = None,
    level: float = LEVEL,
    seed: int = SEED,
    threads: int | None = None,
    warn: bool = True,
) -> Results:
    """Evaluate scores on judged data.

    Parameters
    ----------
    scores : array of one score per item, or `Run`
        Higher is better.
    data : `RankingData`, `Qrels`, `Prefs` or labels
        `Qrels` go with a `Run`; plain labels with ``offsets`` or ``qid``; NaN is an item without a judgment.
        `Prefs` go with a `Run` and metrics of preferences, such as PD: documents that were not retrieved
        stand below all others and are tied, so that PD counts 1/2 for a preference between two of them.
        Also a list of feedback objects, one per query: `PreferenceGraph`, `Permutation`, `Graded`.
    metrics : Metric, str, function or list of these
        ``["nDCG@10", "AP(rel=2)"]``; see `rankproof.metric` for the parameters of a metric. A function
        ``(ranking, feedback) -> number`` is a metric of your own; see `rankproof.own_metric`.
    offsets : array of int, optional
        With plain labels: query q owns the items ``offsets[q]:offsets[q + 1]``.
    qid : array of one query id per item, optional
        With plain labels, in place of ``offsets``; the items of a query stand together.
    weights : array, one weight per query, optional
        The mean is the weighted mean over the queries that count. A `RankingData` brings its own.
    convention : str
        By which rules numbers are made. ``"rankproof"``: metrics as they are defined, and the mean over all
        rankings that sort the scores. The others reproduce the tool they name to the digit, with its gains,
        ties and empty queries: ``"trec_eval"``, ``"ranx"``, ``"sklearn"``, ``"lightgbm"``, ``"xgboost"``,
        ``"catboost"``, and the scripts of ``"letor3"``, ``"letor4"``, ``"mslr"`` and ``"yahoo"``. A metric
        that the tool does not have is an error.
    bounds : bool
        Also the worst and best value over all ways to break ties.
    missing : "zero" or "skip", optional
        What a judged query counts that the run does not have: as if nothing was retrieved, or nothing at
        all. By default what the convention says.
    depth : int, optional
        Look at the first so many items of every ranking only, as ``trec_eval -M`` does: judged items below
        count as not retrieved. Equal scores across the cut are refused where the convention does not break
        ties.
    level : float
        The confidence level of the bootstrap interval over queries.
    seed : int
        Of the bootstrap; the same seed gives the same interval.
    threads : int, optional
        How many threads; the numbers do not depend on it.
    warn : bool
        Whether a `DataWarning` is issued for labels that the metric takes and that are probably not meant:
        labels above 10 or below 0 with exponential gains, a ``max_grade`` of ERR above all labels.

    Returns
    -------
    Results
        Per query and in the mean, with intervals, counts, and what constant scores and random rankings get.

    Examples
    --------
    >>> results = evaluate([0.9, 0.3, 0.3], [1, 0, 2], ["nDCG@10", "AP"], qid=["q", "q", "q"])
    >>> results.per_query["AP"]
    array([0.91666667])
    """
    with using(threads):
        tool = CONVENTIONS[convention]
        chosen = metric_list(metrics)
        if is_feedback(data):
            refuse_options(convention, bounds=bounds, depth=depth)
            return evaluate_feedback(scores, data, chosen, weights=weights, level=level, seed=seed)
        if isinstance(data, Prefs):
            _refuse_with_prefs(
                convention=convention != CONVENTION,
                bounds=bounds,
                depth=depth is not None,
                offsets=offsets is not None,
                qid=qid is not None,
            )
            return _evaluate_prefs(
                scores, data, chosen, weights=weights, missing=missing or tool.missing, level=level, seed=seed
            )
        scored = as_scored(
            scores, data, offsets=offsets, qid=qid, weights=weights, missing=missing or tool.missing
        )
        results = _evaluate(scored, chosen, tool, depth=depth, bounds=bounds, level=level, seed=seed)
        if warn:
            warn_of_labels(results.metrics.values(), as_convention_reads(scored, tool).labels)
        return results


def metric_list(metrics: MetricLike | Iterable[MetricLike]) -> list[Metric]:
    """The metrics that are named, each once."""
    if isinstance(metrics, (str, Metric)) or callable(metrics):
        metrics = [metrics]
    try:
        chosen = list(dict.fromkeys(metric(m) for m in metrics))
    except TypeError:
        raise ArgumentError(f"Argument metrics must be metrics or their names, got {metrics!r}.") from None
    if not chosen:
        raise ArgumentError("Argument metrics must name at least one metric.")
    return chosen


def _evaluate(
    scored: JudgedScores,
    chosen: list[Metric],
    tool: Convention,
    *,
    depth: int | None,
    bounds: bool,
    level: float,
    seed: int,
) -> Results:
    resolved = {str(m): tool.resolve(m) for m in chosen}
    scored = as_convention_reads(scored, tool)
    if depth is not None:
        scored = cut_at(scored, depth, tool)
    for m in resolved.values():
        check_labels(m, scored, tool)
    tied = sort_retrieved(scored)
    raw = raw_values(resolved, scored, break_ties(scored, tool, tied))
    per_query = counted_values(resolved, raw, scored, tool)
    band = _bounds(resolved, scored, tied, tool) if bounds else None

    def baseline(kind: str) -> dict[str, Float64s]:
        """Constant scores under the tie rule of the convention, or the mean over all rankings."""
        flat = sort_retrieved(replace(scored, scores=frozen(np.zeros(scored.scores.size))))
        if kind == "random":
            chosen = {name: m.averaging() for name, m in resolved.items()}
        else:
            chosen, flat = resolved, break_ties(scored, tool, flat)
        return counted_values(resolved, _raw_baseline(chosen, scored, flat), scored, tool)

    return Results(
        query_ids=scored.query_ids,
        per_query=per_query,
        metrics=resolved,
        weights=scored.weights,
        empty={name: int(np.isnan(values).sum()) for name, values in raw.items()},
        tied=tied.tied,
        unjudged=scored.unjudged,
        items=int(scored.depth.sum()),
        missing=scored.missing,
        unknown=scored.unknown,
        convention=tool.name,
        depth=depth,
        bounds=band,
        level=level,
        seed=seed,
        baseline=baseline,
        threads=setting(),
    )


def _raw_baseline(metrics: dict[str, Metric], scored: JudgedScores, order: Order) -> dict[str, Float64s]:
    """The values of scores that are all tied; NaN where a function of the user's has no mean over them."""
    values = raw_values({name: m for name, m in metrics.items() if not m.by_users}, scored, order)
    for name, m in metrics.items():
        if m.by_users:
            try:
                values |= raw_values({name: m.hurried()}, scored, order)
            except MetricCallError:
                values[name] = np.full(scored.query_ids.size, np.nan)
    return {name: values[name] for name in metrics}


def _refuse_with_prefs(**arguments: bool) -> None:
    for name, is_set in arguments.items():
        if is_set:
            raise ArgumentError(f"Argument {name} goes with grades, not with preferences. Leave it out.")


def _evaluate_prefs(
    run: Any,
    prefs: Prefs,
    chosen: list[Metric],
    *,
    weights: Any,
    missing: Literal["zero", "skip"],
    level: float,
    seed: int,
) -> Results:
    if not isinstance(run, Run):
        raise ArgumentError(f"Prefs name documents, so they go with a Run, got {type(run).__name__}.")
    wrong = [str(m) for m in chosen if PreferenceGraph.kind not in m.feedback_kinds]
    if wrong:
        able = [name for name, cls in METRICS.items() if PreferenceGraph.kind in cls.feedback_kinds]
        raise ArgumentError(
            f"{', '.join(wrong)}: not defined on preferences, which have no grades. Use {' or '.join(able)}."
        )
    ranked = rank_prefs(run, prefs, missing=missing)
    graphs = [PreferenceGraph(prefs.pairs[q], items=len(prefs.doc_ids[q])) for q in ranked.queries]
    results = evaluate_feedback(ranked.scores, graphs, chosen, weights=weights, level=level, seed=seed)
    return replace(
        results,
        query_ids=prefs.query_ids[ranked.queries],
        tied=ranked.tied,
        unjudged=ranked.unjudged,
        items=ranked.retrieved,
        missing=ranked.missing,
        unknown=ranked.unknown,
    )


def _bounds(
    metrics: dict[str, Metric], scored: JudgedScores, tied: Order, tool: Convention
) -> dict[str, Bounds]:
    """Best and worst over tie-breaks: better grades first, or last, within each group of equal scores."""
    own = [name for name, m in metrics.items() if m.by_users]
    if own:
        raise ArgumentError(
            "Argument bounds is for metrics that gain when a better grade moves up, and that is not known of "
            f"{', '.join(own)}. Leave it out."
        )
    bounds: dict[str, Bounds] = {}
    for policy in ("zero", "keep"):
        group = {
            n: m
            for n, m in metrics.items()
            if (m.unjudged == "zero" and not m.sees_unjudged) == (policy == "zero")
        }
        if not group:
            continue
        keys = np.where(np.isnan(scored.labels), 0.0 if policy == "zero" else -np.inf, scored.labels)
        good = counted_values(group, raw_values(group, scored, tied.broken_by(keys)), scored, tool)
        bad = counted_values(group, raw_values(group, scored, tied.broken_by(-keys)), scored, tool)
        bounds |= {name: Bounds(worst=bad[name], best=good[name]) for name in group}
    return bounds


def refuse_uncounted(counted: Mapping[str, int], name: str) -> None:
    """Raise `DataError` when no metric counts a query; ``counted`` says how many each does.

    >>> refuse_uncounted({"AP": 0, "P@5": 3}, "test.txt")
    >>> refuse_uncounted({"AP": 0, "RR": 0}, "test.txt")
    Traceback (most recent call last):
        ...
    rankproof.errors.DataError: test.txt: no query counts for AP, RR: each is empty (for
    example, has no relevant item). Give data with relevant items, or use empty=0.
    """
    if not any(counted.values()):
        raise DataError(
            f"{name}: no query counts for {', '.join(counted)}: each is empty (for example, has no "
            "relevant item). Give data with relevant items, or use empty=0."
        )


def check_counts(metric: Metric, data: Any, name: str) -> int | None:
    """How many queries are empty for the metric; raises `DataError` when it counts none of them.

    None when the metric cannot be asked: what reads the data next says what else is wrong with them.
    """
    try:
        constant = evaluate(np.zeros(data.items), data, [metric])
    except RankproofError:
        return None
    refuse_uncounted(constant.counted, name)
    return constant.empty[str(metric)]


def empty_queries(metric: Metric, data: Any) -> int | None:
    """How many queries the metric says nothing about; None when that cannot be asked of these labels."""
    try:
        return evaluate(np.zeros(data.items), data, [metric], warn=False).empty[str(metric)]
    except RankproofError:
        return None
