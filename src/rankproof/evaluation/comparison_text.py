"""A comparison as tables and as plain data."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rankproof.evaluation.pairs import PairResult
from rankproof.evaluation.results import Results
from rankproof.evaluation.tables import Table, number

if TYPE_CHECKING:
    from rankproof.evaluation.compare import Comparison

__all__ = ["csv_rows", "pair_rows", "plain_dict", "system_table"]


def system_table(
    results: Mapping[str, Results], marks: Mapping[str, Mapping[str, str]], notes: Sequence[str]
) -> Table:
    """One row per system, then the constant scorer and the random ranking."""
    columns = ["system"]
    for m in marks:
        columns += [m, "interval", "letters"]
    rows = []
    for name, r in results.items():
        row = [name]
        for m, letters in marks.items():
            interval = r.interval[m]
            row += [number(r.mean[m]), f"[{number(interval.low)}, {number(interval.high)}]", letters[name]]
        rows.append(row)
    for label, means in _baselines(results):
        row = [label]
        for m in marks:
            row += [number(means[m]), "", ""]
        rows.append(row)
    return Table(columns, rows, list(notes), text_columns=["letters"])


def _baselines(results: Mapping[str, Results]) -> list[tuple[str, dict[str, float]]]:
    """A line for all systems that rank the same items, else one for each system's own items.

    The random ranking has lines of its own where it differs from the constant scorer: when ties are broken,
    not averaged.
    """
    lines = _lines("constant scorer", {name: r.constant for name, r in results.items()})
    if all(_same(r.constant, r.random) for r in results.values()):
        return lines
    return lines + _lines("random ranking", {name: r.random for name, r in results.items()})


def _lines(kind: str, means: dict[str, dict[str, float]]) -> list[tuple[str, dict[str, float]]]:
    first = next(iter(means.values()))
    if all(_same(first, baseline) for baseline in means.values()):
        return [(f"({kind})", first)]
    return [(f"({kind}, items of {name})", baseline) for name, baseline in means.items()]


def _same(one: dict[str, float], other: dict[str, float]) -> bool:
    return all(math.isclose(one[m], other[m], abs_tol=1e-12) or math.isnan(one[m]) for m in one)


def pair_rows(pairs: Mapping[str, Sequence[PairResult]]) -> list[dict[str, Any]]:
    """One row per metric and pair, by the names of the columns."""
    return [
        {
            "metric": metric,
            "a": p.a,
            "b": p.b,
            "difference": p.difference,
            "low": p.interval.low,
            "high": p.interval.high,
            **{f"p_{name}": p.tests[name].p for name in ("randomisation", "t", "wilcoxon")},
            "p_adjusted": p.adjusted,
            "effect_g": p.effect.g,
            "wins": p.wins,
            "ties": p.ties,
            "losses": p.losses,
            "queries": p.n,
            "dropped": p.dropped,
            "winner": p.winner,
        }
        for metric, listed in pairs.items()
        for p in listed
    ]


def csv_rows(pairs: Mapping[str, Sequence[PairResult]]) -> tuple[list[str], list[list[str]]]:
    """Header and rows of text: one row per metric and pair, numbers in full."""
    header = ["metric", "a", "b", "difference", "low", "high", "p_randomisation", "p_t", "p_wilcoxon"]
    header += ["p_adjusted", "effect_g", "wins", "ties", "losses", "queries", "dropped", "winner"]
    return header, [[_cell(row[name]) for name in header] for row in pair_rows(pairs)]


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return repr(value) if isinstance(value, float) else str(value)


def plain_dict(comparison: Comparison, *, per_query: bool) -> dict[str, Any]:
    """Everything as JSON-ready data."""
    return {
        "schema": "rankproof.comparison/1",
        "test": comparison.test,
        "level": comparison.level,
        "correction": f"holm over {comparison.correction}",
        "systems": {name: r.to_dict(per_query=per_query) for name, r in comparison.results.items()},
        "metrics": {
            m: {
                "winner": comparison.winner(m),
                "letters": comparison.letters(m),
                "pairs": [p.to_dict() for p in pairs],
            }
            for m, pairs in comparison.pairs.items()
        },
    }
