"""A comparison as the table of a paper: sorted, the best in bold, superscripts for what was shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankproof.evaluation.comparison_text import basis
from rankproof.evaluation.tables import as_latex, escaped, number

if TYPE_CHECKING:
    from rankproof.evaluation.comparison import Comparison

__all__ = ["latex_table", "per_query_latex"]


def latex_table(comparison: Comparison) -> str:
    """The table with its caption; needs booktabs."""
    order = comparison.ranked(comparison.metrics[0])
    names = _labels(order) if comparison.baseline is None else {}
    shown = {m: _superscripts(comparison, m, names) for m in comparison.metrics}
    best = {m: _rounded_best(comparison, m) for m in comparison.metrics}
    rows = []
    for system in order:
        head = escaped(system)
        if comparison.baseline is None:
            head = f"{names[system]} & {head}"
        cells = [head]
        for m in comparison.metrics:
            value = number(comparison.results[system].mean[m])
            text = rf"\textbf{{{value}}}" if value == best[m] else value
            marks = shown[m][system]
            cells.append(text + (f"$^{{{marks}}}$" if marks else ""))
        rows.append(" & ".join(cells) + r" \\")
    lead = 1 if comparison.baseline is None else 0
    header = ["" for _ in range(lead)] + ["system", *map(escaped, comparison.metrics)]
    return "\n".join(
        [
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{_caption(comparison)}}}",
            r"\begin{tabular}{" + "l" * (lead + 1) + "l" * len(comparison.metrics) + "}",
            r"\toprule",
            " & ".join(header) + r" \\",
            r"\midrule",
            *rows,
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
        ]
    )


def per_query_latex(comparison: Comparison) -> str:
    """The values of every query and system, under a caption that says how many count and by whose rules."""
    metrics = escaped(", ".join(comparison.metrics))
    return "\n".join(
        [
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{metrics} by query and system. {_counts(comparison)}}}",
            as_latex(comparison.per_query_table()),
            r"\end{table}",
        ]
    )


def _labels(order: list[str]) -> dict[str, str]:
    """A letter for every row, or a number when the letters do not suffice."""
    few = len(order) <= 26
    return {name: chr(ord("a") + at) if few else str(at + 1) for at, name in enumerate(order)}


def _superscripts(comparison: Comparison, metric: str, labels: dict[str, str]) -> dict[str, str]:
    """By system: the rows that it is shown to be better than; with a baseline, + or -."""
    if comparison.baseline is not None:
        signs = {"better": "+", "worse": "-"}
        outcomes = comparison.against_baseline(metric)
        return {name: signs.get(outcomes.get(name, ""), "") for name in comparison.systems}
    beaten: dict[str, list[str]] = {name: [] for name in comparison.systems}
    for p in comparison.pairs[metric]:
        if p.winner is not None:
            beaten[p.winner].append(p.b if p.winner == p.a else p.a)
    between = "" if len(labels) <= 26 else ","
    return {
        name: between.join(labels[other] for other in labels if other in losers)
        for name, losers in beaten.items()
    }


def _rounded_best(comparison: Comparison, metric: str) -> str:
    """The best mean as printed: all that print the same are the best."""
    return number(comparison.results[comparison.ranked(metric)[0]].mean[metric])


def _caption(comparison: Comparison) -> str:
    if comparison.baseline is None:
        marks = "Superscripts name the systems that a system is shown to be better than"
    else:
        base = escaped(comparison.baseline)
        marks = f"$^{{+}}$ and $^{{-}}$ mark systems that are shown to be better and worse than {base}"
    test = {"t": "t", "wilcoxon": "Wilcoxon", "randomisation": "randomisation"}[comparison.test]
    return (
        f"Mean of {escaped(', '.join(comparison.metrics))}, best in bold. {marks} (paired {test} test, "
        f"Holm's correction over the {escaped(comparison.family)}, level {comparison.level:g}). "
        f"{_counts(comparison)}"
    )


def _counts(comparison: Comparison) -> str:
    """How many queries count, and by whose rules, as sentences."""
    return escaped(". ".join(line[0].upper() + line[1:] for line in basis(comparison.results)) + ".")
