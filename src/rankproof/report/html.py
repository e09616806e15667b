"""A report as one HTML file that needs no network: style, script and pictures are inside.

Text is escaped wherever it stands (templates escape by themselves, the pictures through
`rankproof.report.svg`, data for the script as JSON without angle brackets), and the page forbids its own
script to load anything.

>>> from rankproof.report.content import Report, Section, Paragraphs
>>> page = render(Report("<b>Run</b>", [Section("A & B", [Paragraphs(["1 < 2"])])]))
>>> "<h1>&lt;b&gt;Run&lt;/b&gt;</h1>" in page, "1 &lt; 2" in page
(True, True)
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cache
from importlib.metadata import version
from importlib.resources import files
from itertools import groupby, repeat
from textwrap import dedent
from typing import TYPE_CHECKING, Any

from rankproof.errors import ArgumentError
from rankproof.evaluation.tables import number
from rankproof.experiments.laws.grid import grid
from rankproof.experiments.laws.scene import LawScene
from rankproof.files import StrPath, as_path, write_bytes
from rankproof.report import charts
from rankproof.report.content import MatrixGrid, Report
from rankproof.report.law_charts import BEST, law_chart
from rankproof.report.line_chart import line_chart, names_its_lines
from rankproof.shown import visible

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

__all__ = ["check_report_path", "render", "write_report"]

# The widths that charts are drawn for; the style sheet chooses by the width of the window.
WIDE, NARROW = 840, 330


def render(report: Report) -> str:
    """The page as text."""
    return _environment().get_template("page.html").render(report=report)


def write_report(report: Report, path: StrPath) -> None:
    """Write the page; the file appears when all of it is written."""
    write_bytes(path, render(report).encode())


def check_report_path(path: StrPath) -> None:
    """Raise `ArgumentError` when no file can be written there: to be asked before the work starts."""
    file = as_path(path)
    if file.is_dir():
        raise ArgumentError(f"A report is a file, but {str(path)!r} is a folder. Name a file in it.")
    folder = file.absolute().parent
    if not folder.is_dir():
        raise ArgumentError(
            f"Report {str(path)!r} cannot be written: its folder does not exist. Create it first."
        )
    if not os.access(folder, os.W_OK):
        raise ArgumentError(f"Report {str(path)!r} cannot be written: its folder is not writable.")


def _shown(value: object) -> object:
    """Text of data with what does not print escaped, in lists too; markup has none."""
    if type(value) is str:
        return visible(value, keep="\n\t")
    if isinstance(value, dict):
        return {_shown(key): _shown(one) for key, one in value.items()}
    return [_shown(one) for one in value] if isinstance(value, list | tuple) else value


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("rankproof.report", "templates"),
        autoescape=True,
        finalize=_shown,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["shown"] = _shown
    # NaN is not JSON: it must be refused here, not by the reader's browser.
    environment.policies["json.dumps_kwargs"] = {
        "ensure_ascii": False,
        "allow_nan": False,
        "separators": (",", ":"),
    }
    environment.globals |= {
        "version": version("rankproof"),
        "style": _asset("style.css"),
        "script": _asset("page.js"),
        "WIDE": WIDE,
        "NARROW": NARROW,
        "charts": {
            "lines": line_chart,
            "query_bars": charts.query_bars,
            "named_bars": charts.named_bars,
            "histograms": charts.histograms,
        },
        "law_chart": law_chart,
        "names_its_lines": names_its_lines,
        "matrix_data": _matrix_data,
        "scene_data": _scene_data,
        "evidence": _paragraphs,
    }
    return environment


def _asset(name: str) -> Markup:
    """A file that stands on the page as it is."""
    from markupsafe import Markup

    text = (files("rankproof.report") / "templates" / name).read_text(encoding="utf-8")
    return Markup(text.removesuffix("\n"))  # noqa: S704 - our own file


def _paragraphs(lines: Sequence[str]) -> list[tuple[str, str]]:
    r"""Evidence as paragraphs, which may break anywhere, and tables, whose lines are indented and may not.

    >>> _paragraphs(["Say the labels", "of a query are", "    p    y", "    1/2  0", "So it loses."])
    [('p', 'Say the labels of a query are'), ('pre', 'p    y\n1/2  0'), ('p', 'So it loses.')]
    """
    groups = [(indented, list(some)) for indented, some in groupby(lines, lambda one: one.startswith(" "))]
    return [
        ("pre", dedent("\n".join(some))) if indented else ("p", " ".join(some)) for indented, some in groups
    ]


def _matrix_data(block: MatrixGrid) -> list[list[dict[str, Any]]]:
    """What a click on a cell shows."""
    return [
        [
            {
                "outcome": cell.verdict.outcome,
                "head": cell.verdict.head,
                "rows": [[name, list(sentences)] for name, sentences in cell.verdict.rows],
                "details": _paragraphs(cell.verdict.details),
            }
            for cell in row
        ]
        for row in block.cells
    ]


def _scene_data(scene: LawScene) -> dict[str, Any]:
    """What stands on the page at first, and what the slider needs."""
    laws = grid(len(scene.corners), scene.steps)
    best = _law_row(scene, BEST, scene.best, [0.0] * len(laws))
    rows = [best, *map(_law_row, repeat(scene), scene.losses, scene.reached, scene.costs)]
    shares = zip(scene.corners, laws[scene.start], strict=True)
    return {
        "start": laws[scene.start],
        "words": ", ".join(f"{corner} with {weight / scene.steps:.2f}" for corner, weight in shares),
        "rows": rows,
        "plain": {
            "corners": list(scene.corners),
            "steps": scene.steps,
            "laws": laws,
            "rankings": list(scene.rankings),
            "rows": rows,
        },
    }


def _law_row(
    scene: LawScene, name: str, reached: Sequence[int], costs: Sequence[float]
) -> dict[str, list[Any] | str]:
    """Of every law: the number of the rankings, their value, and what is lost."""
    sign = -1.0 if scene.higher_is_better else 1.0
    return {
        "name": name,
        "reached": list(reached),
        "value": [number(v + sign * cost) for v, cost in zip(scene.values, costs, strict=True)],
        "lost": [number(cost) if cost > 0 else "" for cost in costs],
    }
