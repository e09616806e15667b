"""Lines over a common axis as SVG, as all charts of a report drawn for a given width.

>>> from rankproof.report.content import LineChart, Series
>>> chart = LineChart([Series("model", [(1, 0.5), (2, 0.7)])], "cutoff", "nDCG")
>>> str(line_chart(chart, 400)).count("<circle")
2
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from rankproof.evaluation.tables import number
from rankproof.report.content import LineChart, Series
from rankproof.report.svg import (
    COLOURS,
    FONT,
    Drawing,
    Frame,
    Markup,
    Scale,
    drawing,
    frame_of,
    path,
    scale_of,
    shortened,
    tag,
    text_width,
    tick_text,
    tip,
)

__all__ = ["line_chart", "names_its_lines", "spread"]

HEIGHT = 300.0
# So many lines can have their names beside them, on paper at least so wide, one name below the other.
NAMED = range(3, 15)
NAMED_WIDTH, LINE = 600.0, 15.0
# Between the end of a line and its name.
LEAD = 22.0

Points = list[tuple[float, float]]


def names_its_lines(chart: LineChart, width: float) -> bool:
    """Whether the names stand at the ends of the lines, so that no legend is needed."""
    return len(chart.series) in NAMED and width >= NAMED_WIDTH


def line_chart(chart: LineChart, width: float) -> Drawing:
    """Lines with their points; the names of several lines at their ends, where there is room."""
    shown = [_visible(series, chart) for series in chart.series]
    xs = [x for points in shown for x, _ in points]
    ys = [y for points in shown for _, y in points] + _limits(chart)
    x, y = scale_of(xs, 0, 1, log=chart.log_x), scale_of(ys, 0, 1, log=chart.log_y)
    y = _with_air(y)
    named = names_its_lines(chart, width)
    longest = max((text_width(series.name, FONT) for series in chart.series), default=0.0)
    room = LEAD + min(longest, width / 4) if named else 0.0
    frame = frame_of((width, HEIGHT), x, y, (chart.x_label, chart.y_label), right=room)
    parts = list(frame.parts)
    for place, (series, points) in enumerate(zip(chart.series, shown, strict=True)):
        if series.limit in _limits(chart) and points:
            ends = [(frame.x(points[end][0]), frame.y(series.limit)) for end in (0, -1)]
            parts.append(tag("path", d=path(ends), class_=f"series c{place % COLOURS} dashed"))
        parts += _line(place, series, points, frame)
        parts += [
            tag("circle", cx=frame.x(a), cy=frame.y(b), r=7, class_=f"ring c{place % COLOURS}")
            for a, b in points
            if a == chart.chosen and not math.isnan(b)
        ]
    if named:
        parts += _names(chart.series, shown, frame, room)
    return drawing(width, HEIGHT, chart.title or f"{chart.y_label} by {chart.x_label}", parts)


def _limits(chart: LineChart) -> list[float]:
    """The levels that have a place on the axis."""
    every = [series.limit for series in chart.series if series.limit is not None]
    return [level for level in every if math.isfinite(level) and (level > 0 or not chart.log_y)]


def _visible(series: Series, chart: LineChart) -> Points:
    """The points that have a place on the axes; NaN where a line breaks."""
    points = []
    for x, y in series.points:
        if math.isfinite(x) and (x > 0 or not chart.log_x):
            shown = math.isfinite(y) and (y > 0 or not chart.log_y)
            points.append((float(x), float(y) if shown else math.nan))
    return points


def _with_air(y: Scale) -> Scale:
    """A little more than the values need, so that no line lies on the frame."""
    if y.log:
        return Scale(y.low / 1.2, y.high * 1.2, 0, 1, y.log)
    air = 0.05 * (y.high - y.low)
    # Values that are not negative do not look as if they could be.
    low = 0.0 if 0 <= y.low < 2 * air else y.low - air
    return Scale(low, y.high + air, 0, 1)


def _line(place: int, series: Series, points: Points, frame: Frame) -> list[Markup]:
    colour = f"series c{place % COLOURS}" + (" dashed" if series.dashed or place >= COLOURS else "")
    parts: list[Markup] = []
    run: Points = []
    for x, y in [*points, (0.0, math.nan)]:
        if math.isnan(y):
            if len(run) > 1:
                parts.append(tag("path", d=path(run), class_=colour))
            run = []
        else:
            run.append((frame.x(x), frame.y(y)))
    for x, y in points:
        if not math.isnan(y):
            tooltip = tip(f"{series.name}\n{tick_text(x)}: {number(y)}")
            dot = f"dot c{place % COLOURS}"
            parts.append(tag("circle", tooltip, cx=frame.x(x), cy=frame.y(y), r=3, class_=dot))
    return parts


def _names(series: Sequence[Series], shown: Sequence[Points], frame: Frame, room: float) -> list[Markup]:
    """The name of every line beside its last point, with a thread to it where the name had to move."""
    ends = [
        (frame.x(finite[-1][0]), frame.y(finite[-1][1])) if finite else (frame.x.stop, frame.y.start)
        for finite in ([(x, y) for x, y in points if not math.isnan(y)] for points in shown)
    ]
    heights = spread([y for _, y in ends], LINE, (frame.y.stop, frame.y.start))
    parts = []
    for place, (one, end, height) in enumerate(zip(series, ends, heights, strict=True)):
        colour, left = f"c{place % COLOURS}", frame.x.stop + LEAD
        thread = [(end[0] + 4, end[1]), (left - 4, height)]
        parts.append(tag("path", d=path(thread), class_=f"lead-line {colour}"))
        name = shortened(one.name, room - LEAD, FONT)
        parts.append(tag("text", name, tip(one.name), x=left, y=height + 4, class_=f"end-name {colour}"))
    return parts


def spread(places: Sequence[float], apart: float, ends: tuple[float, float]) -> list[float]:
    """Places moved as little as need be so that neighbours are ``apart``, from the first end on.

    >>> spread([10.0, 11.0, 50.0], 15, (0, 100))
    [10.0, 25.0, 50.0]
    >>> spread([99.0, 98.0], 15, (0, 100))
    [100, 85]
    """
    low, high = ends
    order = sorted(range(len(places)), key=lambda k: places[k])
    moved = list(places)
    floor = low
    for k in order:
        moved[k] = max(moved[k], floor)
        floor = moved[k] + apart
    # What was pushed beyond the other end pushes back.
    ceiling = high
    for k in reversed(order):
        moved[k] = min(moved[k], ceiling)
        ceiling = moved[k] - apart
    return moved
