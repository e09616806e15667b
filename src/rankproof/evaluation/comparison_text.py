"""A comparison as tables and as plain data."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rankproof.evaluation.pair_result import PairResult
from rankproof.evaluation.results import Results
from rankproof.evaluation.tables import Table, number

if TYPE_CHECKING:
    from rankproof.evaluation.comparison import Comparison

__all__ = [
    "basis",
    "comparison_rows",
    "csv_rows",
    "pair_rows",
    "per_query_rows",
    "plain_dict",
    "system_table",
]


def basis(results: Mapping[str, Results]) -> list[str]:
    """How many queries count, and by whose rules: the line below every table of a comparison."""
    first = next(iter(results.values()))
    queries = first.query_ids.size
    counts = {m: sorted({r.counted[m] for r in results.values()}) for m in first.metrics}
    said: dict[str, list[str]] = {}
    for m, numbers in counts.items():
        spread = str(numbers[0]) if len(numbers) == 1 else f"{numbers[0]} to {numbers[-1]} (by system)"
        said.setdefault(spread, []).append(m)
    if len(said) == 1:
        count = f"{next(iter(said))} of {queries} queries count"
    else:
        each = "; ".join(f"{', '.join(ms)}: {spread}" for spread, ms in said.items())
        count = f"queries that count, of {queries}: {each}"
    lines = [f"{count}; convention: {first.convention}"]
    if first.depth is not None:
        lines.append(f"depth: the first {first.depth} items of every ranking")
    other = [f"{name} = {m}" for name, m in first.metrics.items() if name != str(m)]
    if other:
        lines.append(f"as {first.convention} defines them: {', '.join(other)}")
    return lines


def system_table(
    results: Mapping[str, Results],
    marks: Mapping[str, Mapping[str, str]],
    title: str,
    notes: Sequence[str],
) -> Table:
    """One row per system, in the order given, then the constant scorer and the random ranking."""
    columns = ["system"]
    for m in marks:
        columns += [m, "interval", title]
    rows = []
    for name, r in results.items():
        row = [name]
        for m, marked in marks.items():
            interval = r.interval[m]
            row += [number(r.mean[m]), f"[{number(interval.low)}, {number(interval.high)}]", marked[name]]
        rows.append(row)
    for label, cells in _baselines(results):
        row = [label]
        for m in marks:
            row += [cells[m], "", ""]
        rows.append(row)
    return Table(columns, rows, list(notes), text_columns=[title])


def _baselines(results: Mapping[str, Results]) -> list[tuple[str, dict[str, str]]]:
    """One line for the constant scorer, whatever the systems retrieved.

    The random ranking has a line where it differs from the constant scorer: when ties are broken, not
    averaged.
    """
    lines = [_line("constant scorer", [r.constant for r in results.values()])]
    if all(_same(r.constant, r.random) for r in results.values()):
        return lines
    return [*lines, _line("random ranking", [r.random for r in results.values()])]


def _line(kind: str, means: Sequence[Mapping[str, float]]) -> tuple[str, dict[str, str]]:
    """What it gets; from the lowest to the highest when the systems ranked different items."""
    if all(_same(means[0], other) for other in means):
        return f"({kind})", {m: number(value) for m, value in means[0].items()}
    cells = {}
    for m in means[0]:
        values = [one[m] for one in means if not math.isnan(one[m])]
        cells[m] = f"{number(min(values))}-{number(max(values))}" if values else "nan"
    return f"({kind}, by system)", cells


def _same(one: Mapping[str, float], other: Mapping[str, float]) -> bool:
    return all(math.isclose(one[m], other[m], abs_tol=1e-12) or math.isnan(one[m]) for m in one)


def comparison_rows(comparison: Comparison) -> list[dict[str, Any]]:
    """One row per metric and pair, with the convention, and the metric as it defines it."""
    first = next(iter(comparison.results.values()))
    rows = pair_rows(comparison.pairs)
    return [{**row, "convention": first.convention, "as": str(first.metrics[row["metric"]])} for row in rows]


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
            "interval_level": p.interval.level,
            **{f"p_{name}": p.tests[name].p for name in ("randomisation", "t", "wilcoxon")},
            "p_error": p.p_error,
            "p_adjusted": p.adjusted,
            "effect_g": p.effect.g,
            "wins": p.wins,
            "ties": p.ties,
            "losses": p.losses,
            "queries": p.n,
            "dropped": p.dropped,
            "winner": p.winner,
            "within_sampling_error": p.undecided,
            "test": p.test,
        }
        for metric, listed in pairs.items()
        for p in listed
    ]


def csv_rows(rows: Sequence[Mapping[str, Any]]) -> tuple[list[str], list[list[str]]]:
    """Header and rows of text, numbers in full."""
    return list(rows[0]), [[_cell(value) for value in row.values()] for row in rows]


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return repr(value) if isinstance(value, float) else str(value)


def per_query_rows(results: Mapping[str, Results]) -> Iterator[tuple[Any, ...]]:
    """Query, system, and the value of every metric: the systems of a query one after the other."""
    first = next(iter(results.values()))
    for at, query in enumerate(first.query_ids.tolist()):
        for name, r in results.items():
            yield (str(query), name, *(float(values[at]) for values in r.per_query.values()))


def plain_dict(comparison: Comparison, *, per_query: bool) -> dict[str, Any]:
    """Everything as JSON-ready data."""
    first = next(iter(comparison.results.values()))
    return {
        "schema": "rankproof.comparison/1",
        "test": comparison.test,
        "level": comparison.level,
        "correction": f"holm over {comparison.correction}",
        "baseline": comparison.baseline,
        "convention": first.convention,
        "queries": int(first.query_ids.size),
        "notes": comparison.notes(),
        "systems": {name: r.to_dict(per_query=per_query) for name, r in comparison.results.items()},
        "metrics": {
            m: {
                "winner": comparison.winner(m),
                "as": str(first.metrics[m]),
                "counted": {name: r.counted[m] for name, r in comparison.results.items()},
                "ranked": comparison.ranked(m),
                "letters" if comparison.baseline is None else "against_baseline": (
                    comparison.letters(m) if comparison.baseline is None else comparison.against_baseline(m)
                ),
                "pairs": [p.to_dict() for p in pairs],
            }
            for m, pairs in comparison.pairs.items()
        },
    }
