"""A demonstration for people: the law, what was trained, where it ended, and what that costs."""

from __future__ import annotations

from collections import Counter
from textwrap import wrap

from rankproof.experiments.engines.demonstration import Demonstration
from rankproof.experiments.engines.runs import order_text
from rankproof.theory.shipped.table import NAMES

__all__ = ["CALLED", "demonstration_text", "outcome_text"]

WIDTH = 100
CALLED = "a demonstration, not a proof"
# Tree counts at which the runs are looked at, as shares of all trees.
_SHARES = (4, 2, 1)


def demonstration_text(shown: Demonstration) -> str:
    """The demonstration in paragraphs and small tables."""
    engine = NAMES[shown.engine]
    rates = dict.fromkeys(f"{run.rate:g}" for run in shown.runs)
    seeds = dict.fromkeys(str(run.seed) for run in shown.runs)
    trained = (
        f"{engine} {shown.engine_version} was trained on {shown.queries} queries in exact proportion to the "
        f"law: one column per item, trees that may give every item its own score, learning "
        f"{_plural('rate', rates)} {', '.join(rates)}, {_plural('seed', seeds)} {', '.join(seeds)}, "
        f"{shown.trees} trees."
    )
    best = " or ".join(" > ".join(map(str, ranking)) for ranking in shown.best_rankings[:3])
    more = " or others" if len(shown.best_rankings) > 3 else ""
    rows = [("best possible", f"{best}{more}", f"{shown.metric} {shown.best_value:.4f}")]
    for (order, lost), count in Counter((run.end.order, run.end.lost) for run in shown.runs).most_common():
        loses = "best" if lost == 0 else f"loses {lost:.4f}"
        rows.append((f"{count} of {len(shown.runs)} runs", order_text(order), loses))
    widths = [max(len(row[k]) for row in rows) for k in range(2)]
    counts = sorted({max(1, shown.trees // share) for share in _SHARES})
    at = ", ".join(f"{sum(not run.at(trees).best for run in shown.runs)} after {trees}" for trees in counts)
    return "\n".join(
        [
            f"Shown by training ({CALLED}): {shown.objective}, {shown.metric}",
            "Law of the labels (the probability of each set of labels of a query):",
            *(f"    {line}" for line in str(shown.law).splitlines()),
            *wrap(trained, WIDTH),
            *(f"    {a:{widths[0]}}  {b:{widths[1]}}  {c}" for a, b, c in rows),
            *wrap(f"{outcome_text(shown)} Runs that were not best: {at} trees.", WIDTH),
        ]
    )


def outcome_text(shown: Demonstration) -> str:
    """The outcome in a sentence or two."""
    runs = len(shown.runs)
    if shown.wrong_runs == 0:
        head = f"All {runs} runs ended at a best order" if runs > 1 else "The run ended at a best order"
        return f"{head}; after {shown.wrong_iterations:.0%} of the iterations the order was not best."
    return (
        f"{shown.wrong_runs} of {runs} runs ended at an order that is not best, losing {shown.lost:.4f} of "
        f"{shown.metric} in the mean over all runs. After {shown.wrong_iterations:.0%} of all iterations the "
        "order was not best."
    )


def _plural(word: str, listed: dict[str, None]) -> str:
    return word if len(listed) == 1 else f"{word}s"
