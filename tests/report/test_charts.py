"""Charts put numbers where they belong, name what they show, and stay on the paper."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankproof.experiments.laws.grid import grid
from rankproof.report.charts import MOST_BARS, histograms, named_bars, query_bars
from rankproof.report.content import Histograms, LineChart, NamedBars, QueryBars, Series
from rankproof.report.law_charts import cost_texts, law_chart
from rankproof.report.line_chart import line_chart, names_its_lines, spread
from rankproof.report.svg import (
    Drawing,
    Scale,
    decades,
    scale_of,
    shortened,
    tag,
    text_width,
    tick_text,
    ticks,
)
from report.every_block import HOSTILE, SHOWN, three_corners, two_corners

Node = ET.Element


def parsed(drawing: Drawing) -> Node:
    return ET.fromstring(str(drawing))  # noqa: S314 - our own text


def of_class(root: Node, word: str) -> list[Node]:
    return [node for node in root.iter() if word in node.get("class", "").split()]


def told(node: Node) -> str:
    title = node.find("title")
    return "" if title is None else title.text or ""


def numbers(node: Node, *names: str) -> list[float]:
    return [float(node.get(name, "nan")) for name in names]


LINES = LineChart([Series("a", [(1, 0.0), (2, 1.0), (3, 0.5)]), Series("b", [(1, 0.5)])], "x", "y")
ENDS = {"top": 0.9, "a name that is longer": 0.9, "below": 0.89, "bottom": 0.0}
SEVERAL = LineChart([Series(name, [(1, 0.5), (2, end)]) for name, end in ENDS.items()], "x", "y")
BARS = QueryBars([("low", -0.5), ("high", 1.0), ("none", 0.0), ("mid", 0.25)], "gained")
SHORT: dict[str, Callable[[float], Drawing]] = {
    "lines": lambda width: line_chart(LINES, width),
    "several lines": lambda width: line_chart(SEVERAL, width),
    "query bars": lambda width: query_bars(BARS, width),
    "named bars": lambda width: named_bars(NamedBars([("a feature", 1.5), ("b", -2.0)]), width),
    "histograms": lambda width: histograms(Histograms([0, 1, 2], [("grade 1", [2, 6])], "score"), width),
    "strips": lambda width: law_chart(two_corners(""), width),
    "triangles": lambda width: law_chart(three_corners(""), width),
}


@pytest.mark.parametrize("width", [330.0, 840.0])
@pytest.mark.parametrize("name", SHORT)
def test_all_of_a_chart_is_on_the_paper(name: str, width: float) -> None:
    root = parsed(SHORT[name](width))
    wide, tall = numbers(root, "width", "height")
    assert wide == width
    for node in root.iter("text"):
        x, y = numbers(node, "x", "y")
        size = text_width(node.text or "", 12)
        style = node.get("class", "").split()
        left = x - size if "end" in style else x - size / 2 if "middle" in style else x
        assert left >= -1, (node.text, left)
        assert left + size <= wide + 1, (node.text, left + size)
        assert 0 < y <= tall
    for node in root.iter("rect"):
        x, y, w, h = numbers(node, "x", "y", "width", "height")
        assert -0.01 <= x <= x + w <= wide + 0.02
        assert -0.01 <= y <= y + h <= tall + 0.02


def test_points_lie_in_the_order_of_their_numbers() -> None:
    root = parsed(line_chart(LINES, 400))
    dots = [dot for dot in of_class(root, "dot") if "c0" in dot.get("class", "")]
    (x1, y1), (x2, y2), (x3, y3) = (numbers(dot, "cx", "cy") for dot in dots)
    assert x2 - x1 == pytest.approx(x3 - x2, abs=0.02)
    assert y1 > y3 > y2  # 0 < 0.5 < 1, and down is up on paper
    assert y1 - y3 == pytest.approx(y3 - y2, abs=0.02)
    assert [told(dot) for dot in dots] == ["a\n1: 0.0000", "a\n2: 1.0000", "a\n3: 0.5000"]
    assert len(of_class(root, "series")) == 1  # one point is no line


def test_several_lines_have_their_names_at_their_ends() -> None:
    root = parsed(line_chart(SEVERAL, 840))
    names = of_class(root, "end-name")
    assert [name.text for name in names] == list(ENDS)
    heights = [numbers(name, "y")[0] for name in names]
    # In the order of the ends, from the top down, and far enough apart to be read.
    assert all(below - above >= 14.99 for above, below in pairwise(heights))
    dots = {told(dot): numbers(dot, "cx", "cy") for dot in of_class(root, "dot")}
    assert heights[0] == pytest.approx(dots["top\n2: 0.9000"][1] + 4, abs=0.02)
    assert all(numbers(name, "x")[0] > dots["top\n2: 0.9000"][0] for name in names)
    assert names_its_lines(SEVERAL, 840)
    # There the legend has to do.
    assert not names_its_lines(SEVERAL, 330)
    assert of_class(parsed(line_chart(SEVERAL, 330)), "end-name") == []
    assert not names_its_lines(LINES, 840)


@given(st.lists(st.floats(0, 100), max_size=6))
def test_names_are_moved_apart_and_stay_inside(places: list[float]) -> None:
    found = spread(places, 15, (0, 100))
    order = sorted(range(len(places)), key=lambda k: places[k])
    assert all(found[b] - found[a] >= 15 - 1e-9 for a, b in pairwise(order))
    assert all(-1e-9 <= place <= 100 + 1e-9 for place in found)
    if all(places[b] - places[a] >= 15 for a, b in pairwise(order)):
        assert found == places


def test_what_was_chosen_has_a_ring() -> None:
    root = parsed(line_chart(replace(LINES, chosen=2.0), 400))
    (ring,) = of_class(root, "ring")
    (dot,) = [dot for dot in of_class(root, "dot") if told(dot) == "a\n2: 1.0000"]
    assert numbers(ring, "cx", "cy") == numbers(dot, "cx", "cy")


def test_nan_breaks_a_line() -> None:
    points = [(1, 0.5), (2, 0.5), (3, math.nan), (4, 0.5), (5, 0.5)]
    root = parsed(line_chart(LineChart([Series("a", points)], "x", "y"), 400))
    assert len(of_class(root, "series")) == 2
    assert len(of_class(root, "dot")) == 4


def test_a_logarithmic_axis_has_no_place_for_zero() -> None:
    chart = LineChart([Series("a", [(0, 1), (10, 1), (100, 0), (1000, 4)])], "x", "y", log_x=True, log_y=True)
    root = parsed(line_chart(chart, 400))
    assert [told(dot).splitlines()[1] for dot in of_class(root, "dot")] == ["10: 1.0000", "1,000: 4.0000"]


def test_bars_fall_from_left_to_right_and_name_their_query() -> None:
    root = parsed(query_bars(BARS, 400))
    bars = of_class(root, "bar")
    assert [told(bar) for bar in bars] == [
        "query high\n+1.0000",
        "query mid\n+0.2500",
        "query none\n0.0000",
        "query low\n−0.5000",
    ]
    assert [bar.get("class") for bar in bars] == ["bar up", "bar up", "bar same", "bar down"]
    heights = [numbers(bar, "height")[0] for bar in bars]
    assert heights[0] == pytest.approx(4 * heights[1], abs=0.1)
    assert heights[0] == pytest.approx(2 * heights[3], abs=0.1)
    assert sorted(numbers(bar, "x")[0] for bar in bars) == [numbers(bar, "x")[0] for bar in bars]


@given(st.integers(1, 2000))
def test_many_queries_share_bars_and_none_is_lost(count: int) -> None:
    chart = QueryBars([(str(k), math.sin(k)) for k in range(count)], "gained")
    bars = of_class(parsed(query_bars(chart, 840)), "bar")
    assert len(bars) == min(count, MOST_BARS)
    counted = [1 if told(bar).startswith("query ") else int(told(bar).split()[0]) for bar in bars]
    assert sum(counted) == count
    assert max(counted) - min(counted) <= 1


def test_a_number_that_is_none_has_no_bar() -> None:
    chart = QueryBars([("a", math.nan), ("b", 0.5)], "gained")
    assert [told(bar) for bar in of_class(parsed(query_bars(chart, 400)), "bar")] == ["query b\n+0.5000"]


def test_named_bars_start_at_zero_and_are_as_long_as_their_numbers() -> None:
    root = parsed(named_bars(NamedBars([("a", 2.0), ("b", -1.0), ("c", 0.0)]), 400))
    first, second, third = (numbers(bar, "x", "width") for bar in of_class(root, "bar"))
    assert first[1] == pytest.approx(2 * second[1], abs=0.02)
    assert second[0] + second[1] == pytest.approx(first[0], abs=0.02)
    assert third == pytest.approx([first[0], 1.0], abs=0.02)


def test_a_histogram_is_as_high_as_its_counts() -> None:
    root = parsed(histograms(Histograms([0, 1, 2, 3], [("g", [1, 0, 4])], "score"), 400))
    low, high = of_class(root, "fill")
    assert numbers(high, "height")[0] == pytest.approx(4 * numbers(low, "height")[0], abs=0.02)
    assert told(low) == "g\n0 to 1: 1 (20.0%)"
    assert numbers(low, "x")[0] < numbers(high, "x")[0]


def test_strips_mark_the_laws_where_a_loss_fails() -> None:
    root = parsed(law_chart(two_corners(""), 700))
    best, loss = [[r for r in of_class(root, "law") if told(r).startswith(n)] for n in ("best", "L")]
    cell = sum(numbers(r, "width")[0] for r in best) / 5
    assert [numbers(r, "width")[0] / cell for r in best] == pytest.approx([2, 3], abs=0.01)
    # The loss ranks as is best, then fails once, then ranks as is best again.
    assert [numbers(r, "width")[0] / cell for r in loss] == pytest.approx([2, 1, 2], abs=0.01)
    (fault,) = of_class(root, "fault")
    assert numbers(fault, "x") == numbers(loss[1], "x")
    assert told(fault) == "L\n0 > 1\nnot a best ranking"
    cursor = of_class(root, "cursor")[0]
    low, high = numbers(cursor, "data-low", "data-high")
    assert numbers(cursor, "x1")[0] == pytest.approx((low + high) / 2, abs=0.01)


def test_triangles_mark_the_laws_where_a_loss_fails() -> None:
    root = parsed(law_chart(three_corners(""), 700))
    (dots,) = of_class(root, "fault-dots")
    assert dots.get("d", "").count("M") == 1
    # One hexagon per law and panel; the last law of the grid is always B, the corner at the right.
    assert sum(path.get("d", "").count("M") for path in of_class(root, "law")) == 6
    right = of_class(root, "cursor")[1].get("data-corners", "").split()[1].split(",")
    assert dots.get("d") == f"M{float(right[0]):.1f},{float(right[1]):.1f}h0"
    assert cost_texts(three_corners("")) == ["loses up to 0.5000"]


def test_the_grid_lists_every_law_once() -> None:
    for corners, steps, count in ((2, 7, 8), (3, 4, 15)):
        laws = grid(corners, steps)
        assert len(set(laws)) == len(laws) == count
        assert all(sum(law) == steps and min(law) >= 0 and len(law) == corners for law in laws)


@pytest.mark.parametrize("width", [330.0, 840.0])
def test_hostile_names_are_text(width: float) -> None:
    charts = [
        line_chart(LineChart([Series(HOSTILE, [(1, 1), (2, 2)])], HOSTILE, HOSTILE), width),
        query_bars(QueryBars([(HOSTILE, 1.0)], HOSTILE), width),
        named_bars(NamedBars([(HOSTILE, 1.0)]), width),
        histograms(Histograms([0, 1], [(HOSTILE, [1])], HOSTILE), width),
        law_chart(two_corners(HOSTILE), width),
        law_chart(three_corners(HOSTILE), width),
    ]
    for chart in charts:
        root = parsed(chart)
        assert {node.tag for node in root.iter()} <= {
            "svg",
            "text",
            "title",
            "line",
            "rect",
            "circle",
            "path",
        }
        assert any(SHOWN in told(node) for node in root.iter())


@pytest.mark.parametrize(
    "chart",
    [
        line_chart(LineChart([], "x", "y"), 400),
        line_chart(LineChart([Series("a", [])], "x", "y"), 400),
        line_chart(LineChart([Series("a", [(1, 5.0)])], "x", "y"), 400),
        query_bars(QueryBars([], "y"), 400),
        query_bars(QueryBars([("a", 0.0)], "y"), 400),
        named_bars(NamedBars([]), 400),
        histograms(Histograms([0, 1], [("g", [0])], "x"), 400),
    ],
    ids=["no line", "no point", "one point", "no bar", "a bar of 0", "no name", "no count"],
)
def test_little_to_show_is_still_a_chart(chart: Drawing) -> None:
    assert parsed(chart).tag == "svg"
    assert "nan" not in str(chart)


@given(st.floats(-1e9, 1e9), st.floats(1e-6, 1e9), st.integers(2, 10))
def test_ticks_are_round_and_inside(low: float, width: float, many: int) -> None:
    high = low + width
    if high <= low:
        return
    found = ticks(low, high, many)
    slack = 1e-8 * width + 1e-9 * max(abs(low), abs(high))
    assert all(low - slack <= value <= high + slack for value in found)
    assert len(found) <= 3 * many
    assert sorted(set(found)) == found


def test_scales() -> None:
    assert Scale(10, 1000, 0, 200, log=True)(100) == pytest.approx(100)
    scale = scale_of([3, 3], 0, 1)
    assert scale.low < 3 < scale.high
    assert scale_of([2, 5], 0, 1, zero=True).low == 0
    assert scale_of([-1, 0, 2, 50], 0, 1, log=True).low == 2
    assert decades(1e-6, 1) == pytest.approx([1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1])
    assert tick_text(3e-5) == "3·10⁻⁵"


@given(st.text(max_size=60), st.floats(10, 300))
def test_shortened_text_fits(text: str, width: float) -> None:
    found = shortened(text, width, 12)
    assert text_width(found, 12) <= width or found == "…"
    assert found == text or found.endswith("…")


@given(st.text())
def test_any_text_is_well_formed_and_read_back(text: Any) -> None:
    root = ET.fromstring(str(tag("text", text, class_=text)))  # noqa: S314
    # What does not print is shown as Python writes it, so that two names stay apart.
    expected = "".join(c if c.isprintable() or c in "\t\n\r" else repr(c)[1:-1] for c in text)
    # XML reads every end of a line as a newline.
    assert (root.text or "") == expected.replace("\r\n", "\n").replace("\r", "\n")


def test_a_limit_is_a_dashed_level_in_the_colour_of_its_line() -> None:
    points = [(1.0, 0.5), (10.0, 0.3)]
    chart = LineChart([Series("a", points), Series("b", points, limit=0.2)], "n", "lost", log_y=True)
    drawn = str(line_chart(chart, 600))
    assert drawn.count("dashed") == 1
    assert 'class="series c1 dashed"' in drawn
    # On a logarithmic axis 0 has no place.
    none = LineChart([Series("a", points, limit=0.0)], "n", "lost", log_y=True)
    assert "dashed" not in str(line_chart(none, 600))
