"""`evaluate`: metrics of scores, per query and in the mean, with what a reader needs to trust them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from rankproof.arrays import Float64s, frozen
from rankproof.errors import ArgumentError, UnjudgedError
from rankproof.evaluation.inputs import Scored, as_scored
from rankproof.evaluation.on_feedback import evaluate_feedback, is_feedback, refuse_options
from rankproof.evaluation.results import Bounds, Results
from rankproof.metrics import Metric, metric
from rankproof.metrics.conventions import CONVENTIONS, Convention, ordered
from rankproof.metrics.empties import without_empties
from rankproof.metrics.lists import Order, RankedLists, sort_by_score

__all__ = ["as_read", "broken", "evaluate", "metric_list", "values_of"]


def evaluate(
    scores: Any,
    data: Any,
    metrics: str | Metric | Iterable[str | Metric],
    *,
    offsets: Any = None,
    qid: Any = None,
    weights: Any = None,
    convention: str = "rankproof",
    bounds: bool = False,
    missing: Literal["zero", "skip"] | None = None,
    level: float = 0.95,
    seed: int = 0,
    threads: int | None = None,
) -> Results:
    """Evaluate scores on judged data.

    Parameters
    ----------
    scores : array of one score per item, or a `Run`
    data : `RankingData`, `Qrels` (with a `Run`), or labels with ``offsets=`` or ``qid=``
        Also a list of feedback objects, one per query: `PreferenceGraph`, `Permutation`, `Graded`.
    metrics : a metric or several, as strings or objects
    weights : array, one weight per query, optional
        The mean is the weighted mean over the queries that count. A `RankingData` brings its own.
    convention : str
        ``rankproof`` averages over tie-breaks; the others reproduce the tool they name.
    bounds : bool
        Also the worst and best value over all ways to break ties.
    missing : "zero" or "skip", optional
        What a judged query counts that the run does not have; by default what the convention says.
    level, seed : of the bootstrap interval over queries
    threads : how many threads; the numbers do not depend on it

    Returns
    -------
    Results

    Examples
    --------
    >>> results = evaluate([0.9, 0.3, 0.3], [1, 0, 2], ["nDCG@10", "AP"], qid=["q", "q", "q"])
    >>> results.per_query["AP"]
    array([0.91666667])
    """
    tool = CONVENTIONS[convention]
    asked = metric_list(metrics)
    if is_feedback(data):
        refuse_options(convention, bounds=bounds)
        return evaluate_feedback(scores, data, asked, weights=weights, level=level, seed=seed)
    scored = as_scored(
        scores, data, offsets=offsets, qid=qid, weights=weights, missing=missing or tool.missing
    )
    return _evaluate(scored, asked, tool, bounds=bounds, level=level, seed=seed, threads=threads)


def metric_list(metrics: str | Metric | Iterable[str | Metric]) -> list[Metric]:
    """The metrics asked for, each once."""
    if isinstance(metrics, (str, Metric)):
        metrics = [metrics]
    try:
        asked = list(dict.fromkeys(metric(m) for m in metrics))
    except TypeError:
        raise ArgumentError(f"Argument metrics must be metrics or their names, got {metrics!r}.") from None
    if not asked:
        raise ArgumentError("Argument metrics must name at least one metric.")
    return asked


def _evaluate(
    scored: Scored,
    asked: list[Metric],
    tool: Convention,
    *,
    bounds: bool,
    level: float,
    seed: int,
    threads: int | None,
) -> Results:
    from rankproof.kernels.pool import thread_count

    workers = thread_count(threads)
    resolved = {str(m): tool.resolve(m) for m in asked}
    scored = as_read(scored, tool)
    for m in resolved.values():
        tool.check(m, scored.labels)
        m.check(scored.labels)
    tied = sort_by_score(scored.scores, scored.offsets, scored.depth, threads=workers)
    order = broken(scored, tool, tied)
    raw = values_of(resolved, scored, order)
    per_query = _finished(resolved, raw, scored, tool)
    band = _bounds(resolved, scored, tied, tool) if bounds else None

    def baseline(kind: str) -> dict[str, Float64s]:
        """Constant scores under the tie rule of the convention, or the mean over all rankings."""
        flat = sort_by_score(np.zeros(scored.scores.size), scored.offsets, scored.depth, threads=workers)
        if kind == "random":
            chosen = {name: m.averaging() for name, m in resolved.items()}
        else:
            chosen, flat = resolved, broken(scored, tool, flat)
        return _finished(resolved, values_of(chosen, scored, flat), scored, tool)

    judged = ~np.isnan(scored.labels)
    return Results(
        query_ids=scored.query_ids,
        per_query=per_query,
        metrics=resolved,
        weights=scored.weights,
        empty={name: int(np.isnan(values).sum()) for name, values in raw.items()},
        tied=tied.tied,
        unjudged=int(judged.size - judged.sum()),
        items=int(scored.depth.sum()),
        missing=scored.missing,
        unknown=scored.unknown,
        convention=tool.name,
        bounds=band,
        level=level,
        seed=seed,
        baseline=baseline,
    )


def as_read(scored: Scored, tool: Convention) -> Scored:
    """Scores and labels as the tool reads them; read-only all, so that kernels compile for one kind only."""
    return replace(
        scored,
        scores=frozen(tool.read_scores(scored.scores)),
        labels=frozen(tool.read_labels(scored.labels)),
        offsets=frozen(scored.offsets),
        depth=frozen(scored.depth),
    )


def broken(scored: Scored, tool: Convention, order: Order) -> Order:
    """Ties broken as the tool breaks them; left as groups when it averages."""
    return ordered(tool, order, scored.labels, scored.doc_rank)


def values_of(metrics: dict[str, Metric], scored: Scored, order: Order) -> dict[str, Float64s]:
    """Values per query, NaN where a query is empty: one gather per policy for unjudged items."""
    lists: dict[str, RankedLists] = {"keep": RankedLists.of(order, scored.labels)}
    values: dict[str, Float64s] = {}
    for name, m in metrics.items():
        policy = "keep" if m.sees_unjudged else _checked_policy(m, scored)
        if policy not in lists:
            lists[policy] = lists["keep"].with_unjudged(policy)  # type: ignore[arg-type]
        values[name] = m.per_query(lists[policy])
    return values


def _finished(
    metrics: dict[str, Metric], values: dict[str, Float64s], scored: Scored, tool: Convention
) -> dict[str, Float64s]:
    """Values as they count: the tool's oddities, then the policy for empty queries."""
    return {
        name: without_empties(m, tool.adjust(m, values[name], scored.depth), scored.query_ids)
        for name, m in metrics.items()
    }


def _checked_policy(m: Metric, scored: Scored) -> str:
    if m.unjudged != "error":
        return m.unjudged
    missing = np.isnan(scored.labels)
    if missing.any():
        item = int(np.argmax(missing))
        q = int(np.searchsorted(scored.offsets, item, side="right")) - 1
        ids = scored.doc_ids()
        which = f"item {item - int(scored.offsets[q])}" if ids is None else f"item {str(ids[item])!r}"
        raise UnjudgedError(
            f"{m}: {which} of query {scored.query_ids[q]} has no judgment "
            f"({int(missing.sum())} items in all). Judge it, or use unjudged=zero or unjudged=drop."
        )
    return "zero"


def _bounds(metrics: dict[str, Metric], scored: Scored, tied: Order, tool: Convention) -> dict[str, Bounds]:
    """Best and worst over tie-breaks: better grades first, or last, within each group of equal scores."""
    found: dict[str, Bounds] = {}
    for policy in ("zero", "keep"):
        group = {
            n: m
            for n, m in metrics.items()
            if (m.unjudged == "zero" and not m.sees_unjudged) == (policy == "zero")
        }
        if not group:
            continue
        keys = np.where(np.isnan(scored.labels), 0.0 if policy == "zero" else -np.inf, scored.labels)
        good = _finished(group, values_of(group, scored, tied.broken_by(keys)), scored, tool)
        bad = _finished(group, values_of(group, scored, tied.broken_by(-keys)), scored, tool)
        found |= {name: Bounds(worst=bad[name], best=good[name]) for name in group}
    return found
