"""Tables of text: aligned for people, HTML for notebooks, CSV for programs, LaTeX for papers."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from dataclasses import dataclass

from rankproof.plain import html_table
from rankproof.shown import visible

__all__ = ["Table", "as_csv", "as_html", "as_latex", "as_text", "escaped", "number"]


@dataclass(frozen=True)
class Table:
    """A header, rows of text, and notes to print below.

    The first column and those named in ``text_columns`` are aligned to the left, numbers to the right.
    """

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    notes: Sequence[str] = ()
    text_columns: Sequence[str] = ()

    def is_left(self, column: int) -> bool:
        """Whether a column is aligned to the left."""
        return column == 0 or self.columns[column] in self.text_columns


def number(value: float, missing: str = "nan") -> str:
    """Four decimals, as the field prints its metrics.

    >>> number(0.41666), number(float("nan")), number(-0.00001)
    ('0.4167', 'nan', '0.0000')
    """
    if math.isnan(value):
        return missing
    text = f"{value:.4f}"
    return text[1:] if text.startswith("-") and not text.strip("-0.") else text


def as_text(table: Table) -> str:
    """Columns aligned, a rule below the header, the notes at the end."""
    lines = [[visible(cell) for cell in line] for line in (table.columns, *table.rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(table.columns))]

    def row(cells: Sequence[str]) -> str:
        padded = (
            c.ljust(w) if table.is_left(i) else c.rjust(w)
            for i, (c, w) in enumerate(zip(cells, widths, strict=True))
        )
        return "  ".join(padded).rstrip()

    rule = "  ".join("-" * w for w in widths)
    head, *body = map(row, lines)
    return "\n".join([head, rule, *body, *map(visible, table.notes)])


def as_html(table: Table, title: str = "") -> str:
    """The table for a notebook: escaped, words to the left, the notes below."""
    left = [column for column in range(len(table.columns)) if table.is_left(column)]
    return html_table(table.columns, table.rows, title=title, notes=table.notes, left=left)


def as_csv(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Comma-separated text with one header line.

    Cells are written as they are, so that a program reads back the ids that were read: an id such as
    ``=1+1`` is a formula to a spreadsheet, and control characters stay.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(header)
    writer.writerows(rows)
    return out.getvalue()


_LATEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}


def escaped(text: str) -> str:
    """Text as LaTeX prints it."""
    return "".join(_LATEX.get(character, character) for character in visible(text))


def as_latex(table: Table) -> str:
    r"""A booktabs tabular.

    >>> print(as_latex(Table(["metric", "mean"], [["P_5", "0.5000"]])))
    \begin{tabular}{lr}
    \toprule
    metric & mean \\
    \midrule
    P\_5 & 0.5000 \\
    \bottomrule
    \end{tabular}
    """
    lines = [" & ".join(map(escaped, cells)) + r" \\" for cells in (table.columns, *table.rows)]
    notes = [f"% {visible(note)}" for note in table.notes]
    return "\n".join(
        [
            r"\begin{tabular}{"
            + "".join("l" if table.is_left(i) else "r" for i in range(len(table.columns)))
            + "}",
            *(r"\toprule", lines[0], r"\midrule", *lines[1:], r"\bottomrule", r"\end{tabular}"),
            *notes,
        ]
    )
