"""The charts of a report that are made of bars: of queries in falling order, of a few names, histograms.

Every chart is drawn for a given width, so that its words keep their size: a report holds each chart twice,
for wide and for narrow windows. Colours are classes, which the style sheet knows for light and dark.

>>> from rankproof.report.content import QueryBars
>>> str(query_bars(QueryBars([("a", 0.5), ("b", -0.1)], "nDCG gained"), 400)).count("<rect")
2
"""

from __future__ import annotations

import math
from itertools import pairwise

from rankproof.evaluation.tables import number
from rankproof.report.content import Histograms, NamedBars, QueryBars
from rankproof.report.svg import (
    COLOURS,
    FONT,
    Drawing,
    Scale,
    axis_name,
    drawing,
    frame_of,
    scale_of,
    shortened,
    tag,
    text_width,
    tick_text,
    tip,
)

__all__ = ["MOST_BARS", "histograms", "named_bars", "query_bars"]

HEIGHT = 220.0
# More bars than these become groups of neighbours: single ones could not be told apart.
MOST_BARS = 240
ROW = 24.0
STRIP = 54.0


def query_bars(chart: QueryBars, width: float) -> Drawing:
    """One bar per query, the largest first; or one per group of neighbours when there are many."""
    kept = [(name, value) for name, value in chart.bars if math.isfinite(value)]
    ordered = sorted(kept, key=lambda bar: -bar[1])
    groups = _grouped(ordered, min(MOST_BARS, max(1, int(width / 2.5))))
    y = scale_of([value for _, value in ordered], 0, 1, zero=True)
    name = "queries, sorted" if len(groups) == len(ordered) else "queries, sorted, several to a bar"
    x = Scale(0, max(1, len(ordered)), 0, 1)
    frame = frame_of((width, HEIGHT), x, y, (name, chart.y_label), x_ticks=False)
    parts, zero, done = list(frame.parts), frame.y(0.0), 0
    for group in groups:
        value = sum(v for _, v in group) / len(group)
        left, right = frame.x(done), frame.x(done + len(group))
        done += len(group)
        at = frame.y(value)
        gap = min(1.0, 0.2 * (right - left))
        parts.append(
            tag(
                "rect",
                tip(_of_group(group)),
                x=left,
                y=min(at, zero) if abs(at - zero) >= 1 else zero - 0.5,
                width=max(0.5, right - left - gap),
                height=max(1.0, abs(at - zero)),
                class_="bar up" if value > 0 else "bar down" if value < 0 else "bar same",
            )
        )
    parts.append(tag("line", x1=frame.x.start, x2=frame.x.stop, y1=zero, y2=zero, class_="axis"))
    return drawing(width, HEIGHT, chart.title or chart.y_label, parts)


def _grouped(bars: list[tuple[str, float]], most: int) -> list[list[tuple[str, float]]]:
    """Neighbours together, in at most that many groups of sizes that differ by one at most."""
    if len(bars) <= most:
        return [[bar] for bar in bars]
    edges = [round(k * len(bars) / most) for k in range(most + 1)]
    return [bars[a:b] for a, b in pairwise(edges)]


def _of_group(group: list[tuple[str, float]]) -> str:
    if len(group) == 1:
        return f"query {group[0][0]}\n{_signed(group[0][1])}"
    names = ", ".join(name for name, _ in group[:5]) + (", …" if len(group) > 5 else "")
    return f"{len(group)} queries: {names}\n{_signed(group[-1][1])} to {_signed(group[0][1])}"


def _signed(value: float) -> str:
    text = number(value)
    return f"+{text}" if value > 0 and text.strip("0.") else text.replace("-", "−")


def named_bars(chart: NamedBars, width: float) -> Drawing:
    """Horizontal bars from 0, with name and number."""
    names = [name for name, _ in chart.bars]
    left = min(max((text_width(name, FONT) for name in names), default=0.0) + 8, 0.4 * width)
    values = [value if math.isfinite(value) else 0.0 for _, value in chart.bars]
    room = 62.0
    x = scale_of(values, left + (room if min(values, default=0) < 0 else 4), width - room, zero=True)
    height = ROW * len(names) + 8
    zero, parts = x(0.0), []
    for place, (name, value) in enumerate(zip(names, values, strict=True)):
        top = 4 + ROW * place
        middle, at = top + ROW / 2 + 4, x(value)
        tooltip = tip(f"{name}\n{value:.6g}")
        parts.append(tag("text", shortened(name, left - 8, FONT), tip(name), x=0, y=middle, class_="tick"))
        parts.append(
            tag(
                "rect",
                tooltip,
                x=min(at, zero),
                y=top + 3,
                width=max(1.0, abs(at - zero)),
                height=ROW - 6,
                class_="bar down" if value < 0 else "bar up",
            )
        )
        beside, style = (at - 5, "tick end") if value < 0 else (at + 5, "tick")
        parts.append(tag("text", f"{value:.3g}".replace("-", "−"), x=beside, y=middle, class_=style))
    parts.append(tag("line", x1=zero, x2=zero, y1=0, y2=height, class_="axis"))
    return drawing(width, height, chart.title or "bars", parts)


def histograms(chart: Histograms, width: float) -> Drawing:
    """One strip per group, all on one axis; heights are shares of the group, on a scale of its own."""
    labels = [f"{name} (n={sum(counts)})" for name, counts in chart.groups]
    left = min(max((text_width(label, FONT) for label in labels), default=0.0) + 10, 0.42 * width)
    x = Scale(chart.edges[0], chart.edges[-1], left, width - 10)
    bottom = STRIP * len(labels) + 4
    height = bottom + 38
    parts = []
    for value in x.ticks(max(2, int((width - left) / 70))):
        parts.append(tag("line", x1=x(value), x2=x(value), y1=4, y2=bottom, class_="grid"))
        parts.append(tag("text", tick_text(value), x=x(value), y=bottom + 18, class_="tick middle"))
    for place, (name, counts) in enumerate(chart.groups):
        base, most, total = STRIP * (place + 1), max(counts, default=0), sum(counts)
        label = shortened(labels[place], left - 10, FONT)
        parts.append(tag("text", label, tip(labels[place]), x=0, y=base - 6, class_="tick"))
        parts.append(tag("line", x1=left, x2=width - 10, y1=base, y2=base, class_="axis"))
        for (low, high), count in zip(pairwise(chart.edges), counts, strict=True):
            if count:
                tall = (STRIP - 10) * count / most
                tooltip = tip(f"{name}\n{tick_text(low)} to {tick_text(high)}: {count} ({count / total:.1%})")
                parts.append(
                    tag(
                        "rect",
                        tooltip,
                        x=x(low),
                        y=base - tall,
                        width=max(0.5, x(high) - x(low) - 0.5),
                        height=tall,
                        class_=f"fill c{place % COLOURS}",
                    )
                )
    parts.append(axis_name(chart.x_label, (left + width - 10) / 2, height - 4, width))
    return drawing(width, height, chart.title or f"histograms of {chart.x_label}", parts)
