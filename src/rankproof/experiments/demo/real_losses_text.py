"""The losses on real data as a table and in words: who differs from whom, and what is noise."""

from __future__ import annotations

from rankproof.evaluation.compare import Comparison
from rankproof.evaluation.pair_result import PairResult, probability
from rankproof.evaluation.tables import Table, number
from rankproof.experiments.demo.real_losses import CONSISTENT

__all__ = ["difference_table", "in_words"]


def difference_table(comparison: Comparison) -> Table:
    """One row per loss: its mean, and its difference from the consistent loss with interval and p-values."""
    (metric,) = comparison.metrics
    rows = []
    for name, results in comparison.results.items():
        interval = results.interval[metric]
        row = [name, number(results.mean[metric]), f"[{number(interval.low)}, {number(interval.high)}]"]
        pair = next((p for p in comparison.pairs[metric] if {p.a, p.b} == {CONSISTENT, name}), None)
        rows.append([*row, *_against(pair, name)])
    constant = next(iter(comparison.results.values())).constant[metric]
    rows.append(["(constant scorer)", number(constant), *[""] * 5])
    level = f"{1 - comparison.level:.0%} interval"
    columns = ["loss", metric, level, "difference from the first", "its interval", "p", "p Holm"]
    notes = [
        f"The first loss is consistent with {metric}, the others are not.",
        (
            f"p: paired {comparison.test} test on the same queries. p Holm: the same after Holm's "
            f"correction, needed because {len(comparison.pairs[metric])} pairs of losses are tested and some "
            f"p are small by chance. A difference is significant if p Holm is at most {comparison.level:g}."
        ),
        "The constant scorer gives every item the same score: what you get without a model.",
    ]
    return Table(columns, rows, notes)


def _against(pair: PairResult | None, name: str) -> list[str]:
    """The difference of a loss from the first, whichever of the two comes first in the pair."""
    if pair is None:
        return [""] * 4
    sign = 1.0 if pair.a == name else -1.0
    low, high = sorted((sign * pair.interval.low, sign * pair.interval.high))
    shown = [number(sign * pair.difference), f"[{number(low)}, {number(high)}]"]
    return [*shown, probability(pair.p), probability(pair.adjusted)]


def in_words(comparison: Comparison) -> str:
    """Whether the differences are more than noise, in a sentence or two."""
    (metric,) = comparison.metrics
    pairs = comparison.pairs[metric]
    queries = max(pair.n for pair in pairs)
    shown = [(pair.winner, pair.b if pair.winner == pair.a else pair.a) for pair in pairs if pair.winner]
    if not shown:
        return (
            f"There is no sign of it: on these {queries} queries no loss is significantly better than "
            f"another by {metric}. All differences are within the noise, so the order of the means tells you "
            f"nothing. Real differences may exist, but they are too small to be seen with {queries} queries."
        )
    listed = "; ".join(f"{better} is better than {worse}" for better, worse in shown)
    rest = len(pairs) - len(shown)
    noise = f" The other {rest} of {len(pairs)} pairs are within the noise." if rest else ""
    return f"Some do, by {metric} on these {queries} queries: {listed}.{noise}"
