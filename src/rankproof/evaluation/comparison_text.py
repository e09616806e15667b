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

__all__ = ["csv_rows", "pair_table", "plain_dict", "probability", "system_table"]


def probability(p: float) -> str:
    """A p-value for a table.

    >>> probability(0.03125), probability(0.00001), probability(1.0)
    ('0.031', '<0.001', '1.000')
    """
    if math.isnan(p):
        return "nan"
    return "<0.001" if p < 0.001 else f"{p:.3f}"


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
        for m, given in marks.items():
            interval = r.interval[m]
            row += [number(r.mean[m]), f"[{number(interval.low)}, {number(interval.high)}]", given[name]]
        rows.append(row)
    for label, means in _baselines(results):
        row = [label]
        for m in marks:
            row += [number(means[m]), "", ""]
        rows.append(row)
    return Table(columns, rows, list(notes), words=["letters"])


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
    if all(_same(first, found) for found in means.values()):
        return [(f"({kind})", first)]
    return [(f"({kind}, items of {name})", found) for name, found in means.items()]


def _same(one: dict[str, float], other: dict[str, float]) -> bool:
    return all(math.isclose(one[m], other[m], abs_tol=1e-12) or math.isnan(one[m]) for m in one)


def pair_table(pairs: Sequence[PairResult], test: str) -> Table:
    """One row per pair: the deciding test's p-value before and after Holm, then the two others."""
    others = [t for t in ("randomisation", "t", "wilcoxon") if t != test]
    columns = ["pair", "difference", "interval", f"p {test}", "p Holm", *(f"p {t}" for t in others)]
    columns += ["effect g", "wins/ties/losses", "winner"]
    rows = [
        [
            *(
                f"{p.a} - {p.b}",
                number(p.difference),
                f"[{number(p.interval.low)}, {number(p.interval.high)}]",
            ),
            *(probability(p.p), probability(p.adjusted), *(probability(p.tests[t].p) for t in others)),
            *(f"{p.effect.g:.2f}", f"{p.wins}/{p.ties}/{p.losses}", p.winner or "none shown"),
        ]
        for p in pairs
    ]
    return Table(columns, rows, words=["winner"])


def csv_rows(pairs: Mapping[str, Sequence[PairResult]]) -> tuple[list[str], list[list[str]]]:
    """Header and rows: one row per metric and pair, numbers in full."""
    header = ["metric", "a", "b", "difference", "low", "high", "p_randomisation", "p_t", "p_wilcoxon"]
    header += ["p_adjusted", "effect_g", "wins", "ties", "losses", "queries", "dropped", "winner"]
    rows = []
    for metric, found in pairs.items():
        for p in found:
            numbers = (p.difference, p.interval.low, p.interval.high)
            ps = (p.tests["randomisation"].p, p.tests["t"].p, p.tests["wilcoxon"].p, p.adjusted, p.effect.g)
            counts = (p.wins, p.ties, p.losses, p.n, p.dropped)
            rows.append([metric, p.a, p.b, *map(repr, (*numbers, *ps)), *map(str, counts), p.winner or ""])
    return header, rows


def plain_dict(found: Comparison, *, per_query: bool) -> dict[str, Any]:
    """Everything as JSON-ready data."""
    return {
        "schema": "rankproof.comparison/1",
        "test": found.test,
        "level": found.level,
        "correction": f"holm over {found.correction}",
        "systems": {name: r.to_dict(per_query=per_query) for name, r in found.results.items()},
        "metrics": {
            m: {
                "winner": found.winner(m),
                "letters": found.letters(m),
                "pairs": [_pair_dict(p) for p in pairs],
            }
            for m, pairs in found.pairs.items()
        },
    }


def _pair_dict(p: PairResult) -> dict[str, Any]:
    return {
        "a": p.a,
        "b": p.b,
        "difference": _plain(p.difference),
        "interval": [_plain(p.interval.low), _plain(p.interval.high)],
        "p": {name: {"p": _plain(t.p), "exact": t.exact, "detail": t.detail} for name, t in p.tests.items()},
        "p_adjusted": _plain(p.adjusted),
        "effect": {"dz": _plain(p.effect.dz), "g": _plain(p.effect.g)},
        "wins": p.wins,
        "ties": p.ties,
        "losses": p.losses,
        "queries": p.n,
        "dropped": p.dropped,
        "winner": p.winner,
    }


def _plain(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
