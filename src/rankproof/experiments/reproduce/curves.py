"""Figures as bytes: lines over cutoffs and points with intervals, the same bytes for the same numbers.

matplotlib is loaded when a figure is drawn, and is used without its global state, so that drawing is safe in
any thread and under any backend.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["Point", "draw_lines", "draw_points"]

# Okabe & Ito: told apart with any colour vision; markers and dashes tell them apart in grey.
_COLOURS = ("#000000", "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00")
_MARKERS = ("o", "s", "^", "D", "v", "P")
_DASHES = ("-", "--", "-.", ":", "--", "-.")
_DPI = 150


@dataclass(frozen=True)
class Point:
    """One point: its label, its value and the ends of its interval."""

    label: str
    value: float
    low: float
    high: float


def draw_lines(
    panels: Mapping[str, Mapping[str, Sequence[float]]], *, x: Sequence[int], x_label: str, y_label: str
) -> dict[str, bytes]:
    """One panel per entry, one line per entry of it over ``x``; returns the figure as ``svg`` and ``png``."""
    figure = _figure(width=4.0 * len(panels), height=3.4)
    first: Axes | None = None
    for number, (title, lines) in enumerate(panels.items(), start=1):
        axes = figure.add_subplot(1, len(panels), number, sharex=first, sharey=first)
        first = first or axes
        for at, (label, values) in enumerate(lines.items()):
            style = at % len(_COLOURS)
            axes.plot(
                x,
                values,
                label=label,
                color=_COLOURS[style],
                marker=_MARKERS[style],
                linestyle=_DASHES[style],
                markersize=4,
                linewidth=1.2,
            )
        axes.set_title(title, fontsize=10)
        axes.set_xlabel(x_label)
        axes.set_xticks(list(x))
        axes.grid(visible=True, linewidth=0.3)
        axes.legend(fontsize=8, frameon=False)
        if number == 1:
            axes.set_ylabel(y_label)
    return _rendered(figure)


def draw_points(points: Sequence[Point], *, y_label: str) -> dict[str, bytes]:
    """Points side by side with their intervals; returns the figure as ``svg`` and ``png``."""
    figure = _figure(width=1.2 * len(points) + 1.5, height=3.4)
    axes = figure.add_subplot()
    for at, point in enumerate(points):
        ends = [[point.value - point.low], [point.high - point.value]]
        style = at % len(_COLOURS)
        axes.errorbar(
            [at],
            [point.value],
            yerr=ends,
            color=_COLOURS[style],
            marker=_MARKERS[style],
            markersize=7,
            capsize=4,
            linewidth=1.2,
        )
    axes.set_xticks(range(len(points)), [point.label for point in points], fontsize=8)
    axes.set_xlim(-0.5, len(points) - 0.5)
    axes.set_ylabel(y_label)
    axes.grid(visible=True, axis="y", linewidth=0.3)
    return _rendered(figure)


def _figure(*, width: float, height: float) -> Figure:
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def _rendered(figure: Figure) -> dict[str, bytes]:
    import matplotlib as mpl

    images = {}
    # Without a fixed salt and date every run would write another SVG of the same numbers.
    with mpl.rc_context({"svg.hashsalt": "rankproof", "svg.fonttype": "path"}):
        for kind, metadata in (("svg", {"Date": None}), ("png", {"Software": None})):
            out = io.BytesIO()
            figure.savefig(out, format=kind, dpi=_DPI, metadata=metadata)
            images[kind] = out.getvalue()
    return images
