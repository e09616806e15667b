"""A small writer of SVG, with every name and every word escaped, and the axes of charts.

>>> print(tag("text", "a < b", x=1.0, y=2.504, class_="tick"))
<text x="1" y="2.5" class="tick">a &lt; b</text>
>>> print(tag("rect", tip('"q" & co'), width=3))
<rect width="3"><title>&#34;q&#34; &amp; co</title></rect>

Axes say where numbers lie on the paper, and have round numbers to label and a frame with a grid.

>>> ticks(0.0, 1.0), ticks(-0.31, 0.47)
([0.0, 0.2, 0.4, 0.6, 0.8, 1.0], [-0.2, 0.0, 0.2, 0.4])
>>> decades(70.0, 2e4)
[100.0, 1000.0, 10000.0]
>>> Scale(0.0, 10.0, 50.0, 250.0)(5.0), Scale(1.0, 100.0, 0.0, 100.0, log=True)(10.0)
(150.0, 50.0)
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TypeAlias

from rankproof.shown import visible

__all__ = [
    "COLOURS",
    "FONT",
    "Drawing",
    "Frame",
    "Markup",
    "Scale",
    "axis_name",
    "decade_texts",
    "decades",
    "drawing",
    "frame_of",
    "number_of",
    "path",
    "scale_of",
    "shortened",
    "tag",
    "text_width",
    "tick_text",
    "tick_texts",
    "ticks",
    "tip",
]

# A share of the font size, for the fonts that systems use for their menus.
NARROW, WIDE = 0.56, 1.05
_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&#34;", "'": "&#39;"})


@dataclass(frozen=True)
class Markup:
    """Text that is SVG already."""

    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Drawing:
    """A whole SVG; a template takes it as it is."""

    text: str

    def __html__(self) -> str:
        return self.text

    def __str__(self) -> str:
        return self.text


Attribute: TypeAlias = str | float | int | None


def escaped(text: str) -> str:
    """Text for the inside of an element or an attribute; characters that do not print are escaped."""
    return visible(text, keep="\t\n\r").translate(_ESCAPES)


def number_of(value: float) -> str:
    """A coordinate: at most two decimals.

    >>> number_of(1.0), number_of(2.505), number_of(-0.001)
    ('1', '2.5', '0')
    """
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def tag(name: str, *inside: str | Markup, **attributes: Attribute) -> Markup:
    """An element. Strings are escaped; underscores in attribute names become hyphens, None leaves one out."""
    listed = ""
    for key, value in attributes.items():
        if value is not None:
            shown = escaped(value) if isinstance(value, str) else number_of(value)
            listed += f' {key.rstrip("_").replace("_", "-")}="{shown}"'
    content = "".join(part.text if isinstance(part, Markup) else escaped(part) for part in inside)
    return Markup(f"<{name}{listed}>{content}</{name}>" if content else f"<{name}{listed}/>")


def tip(text: str) -> Markup:
    """What is told when the element is pointed at."""
    return tag("title", text)


def path(points: list[tuple[float, float]], *, closed: bool = False) -> str:
    """The ``d`` of a path through points."""
    listed = " ".join(f"{number_of(x)},{number_of(y)}" for x, y in points)
    return f"M{listed}{'Z' if closed else ''}" if points else ""


def drawing(width: float, height: float, label: str, parts: list[Markup], class_: str = "") -> Drawing:
    """An SVG of that size, which shrinks with its place but does not grow; ``label`` is read out."""
    whole = tag(
        "svg",
        *parts,
        viewBox=f"0 0 {number_of(width)} {number_of(height)}",
        width=width,
        height=height,
        role="img",
        aria_label=label,
        class_=f"chart {class_}".strip(),
    )
    return Drawing(whole.text)


def text_width(text: str, size: float) -> float:
    """About how wide a text is."""
    return sum(WIDE if unicodedata.east_asian_width(c) in "WF" else NARROW for c in text) * size


def shortened(text: str, width: float, size: float) -> str:
    """The text, or its beginning and an ellipsis, so that it fits.

    >>> shortened("a long name of a system", 60, 12)
    'a long …'
    """
    if text_width(text, size) <= width:
        return text
    kept = text
    while kept and text_width(kept + "…", size) > width:
        kept = kept[:-1]
    return kept + "…"


FONT = 12.0
# Of lines and histograms, as the style sheet has them.
COLOURS = 8
# Space for the labels below, and for the name of the axis.
BELOW, AXIS_NAME, TOP, RIGHT = 18.0, 18.0, 26.0, 10.0


@dataclass(frozen=True)
class Scale:
    """Numbers from ``low`` to ``high`` lie between ``start`` and ``stop`` on the paper."""

    low: float
    high: float
    start: float
    stop: float
    log: bool = False

    def __call__(self, value: float) -> float:
        if self.log:
            share = math.log(value / self.low) / math.log(self.high / self.low)
        else:
            share = (value - self.low) / (self.high - self.low)
        return self.start + share * (self.stop - self.start)

    def ticks(self, many: int = 5) -> list[float]:
        """Round numbers on the axis."""
        if self.log:
            powers = decades(self.low, self.high)
            if len(powers) >= 2:
                return powers
        return ticks(self.low, self.high, many)


def scale_of(
    values: Iterable[float], start: float, stop: float, *, log: bool = False, zero: bool = False
) -> Scale:
    """A scale that holds all values (those above 0, if logarithmic), and 0 if asked for."""
    finite = [v for v in values if math.isfinite(v) and (v > 0 or not log)]
    if zero:
        finite.append(0.0)
    low, high = (min(finite), max(finite)) if finite else (1.0 if log else 0.0, 1.0)
    if low == high:
        low, high = (low / 2, high * 2) if log else (low - 0.5, high + 0.5)
    return Scale(low, high, start, stop, log)


def ticks(low: float, high: float, many: int = 5) -> list[float]:
    """About that many multiples of 1, 2 or 5 times a power of ten between two numbers; two, if they exist.

    >>> ticks(-4.9, 4.03, 2)
    [-4.0, -2.0, 0.0, 2.0, 4.0]
    """
    width = high - low
    if not (math.isfinite(width) and width > 0):
        return [low] if math.isfinite(low) else []
    power = 10.0 ** math.floor(math.log10(width / many))

    def ends(step: float) -> tuple[int, int]:
        return math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)

    # One number beside an axis says nothing of its scale.
    steps = [power * k for k in (1, 2, 5, 10)]
    usable = [step for step in steps if ends(step)[1] > ends(step)[0]] or steps
    step = min(usable, key=lambda s: (abs(width / s - many), s))
    digits = max(0, 12 - math.floor(math.log10(step)))
    first, last = ends(step)
    # Each once, also where steps are lost in rounding.
    return list(dict.fromkeys(round(k * step, digits) + 0.0 for k in range(first, last + 1)))


def decades(low: float, high: float) -> list[float]:
    """The powers of ten between two positive numbers."""
    first, last = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
    return [10.0**k for k in range(first, last + 1)]


def tick_text(value: float) -> str:
    """A number beside an axis.

    >>> tick_text(0.25), tick_text(1e5), tick_text(-1e-6), tick_text(2000.0)
    ('0.25', '100,000', '−10⁻⁶', '2,000')
    """
    if _needs_power(value):
        return _power_text(value)
    whole = abs(value) >= 1000 and value == round(value)
    return (f"{value:,.0f}" if whole else f"{value:.6g}").replace("-", "−")


def _power_text(value: float) -> str:
    power = math.floor(math.log10(abs(value)) + 1e-9)
    front = abs(value) / 10.0**power
    shown = "" if abs(front - 1) < 1e-9 else f"{front:.3g}·"
    raised = str(power).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"{'−' if value < 0 else ''}{shown}10{raised}"


def tick_texts(values: list[float]) -> list[str]:
    """Numbers beside an axis, with the same decimals where they have any.

    >>> tick_texts([0.1, 0.15, 0.2]), tick_texts([0.0, 1e7])
    (['0.10', '0.15', '0.20'], ['0', '10⁷'])
    """
    shown = [tick_text(value) for value in values]
    if any(map(_needs_power, values)):
        return shown
    decimals = max((len(text.partition(".")[2]) for text in shown), default=0)
    return [f"{value:,.{decimals}f}".replace("-", "−") for value in values]


def decade_texts(values: list[float]) -> list[str]:
    """Powers of ten beside an axis, all of them in one way of writing; 1 is 1.

    >>> decade_texts([0.001, 0.01]), decade_texts([1e-5, 1e-4, 1e-3]), decade_texts([1e-6, 0.1, 1.0])
    (['0.001', '0.01'], ['10⁻⁵', '10⁻⁴', '10⁻³'], ['10⁻⁶', '10⁻¹', '1'])
    """
    if any(map(_needs_power, values)):
        return ["1" if value == 1 else _power_text(value) for value in values]
    return [tick_text(value) for value in values]


def _needs_power(value: float) -> bool:
    return bool(value) and not 1e-4 <= abs(value) < 1e6


@dataclass(frozen=True)
class Frame:
    """Two scales, and the grid with its labels."""

    x: Scale
    y: Scale
    parts: list[Markup]


def frame_of(
    size: tuple[float, float],
    x: Scale,
    y: Scale,
    names: tuple[str, str],
    *,
    x_ticks: bool = True,
    right: float = 0.0,
) -> Frame:
    """The frame of a chart of that width and height; ``x`` and ``y`` are moved to their places on it.

    Without ``x_ticks`` the places along x have no numbers; ``right`` is room to leave beside the frame.
    """
    width, height = size
    end = width - RIGHT - right
    bottom = height - BELOW - AXIS_NAME
    y = Scale(y.low, y.high, bottom, TOP, y.log)
    rows = _labelled(y, max(2, int((bottom - TOP) / 38)))
    left = max((text_width(text, FONT) for _, text in rows), default=0.0) + 10
    x = Scale(x.low, x.high, left, end, x.log)
    parts = []
    for value, text in rows:
        at = y(value)
        parts.append(tag("line", x1=left, x2=end, y1=at, y2=at, class_="grid"))
        parts.append(tag("text", text, x=left - 6, y=at + 4, class_="tick end"))
    if x_ticks:
        for value, text in _labelled(x, max(2, int((end - left) / 70))):
            at = x(value)
            parts.append(tag("line", x1=at, x2=at, y1=bottom, y2=bottom + 4, class_="axis"))
            parts.append(tag("text", text, x=at, y=bottom + BELOW, class_="tick middle"))
        parts.append(tag("line", x1=left, x2=end, y1=bottom, y2=bottom, class_="axis"))
    parts.append(axis_name(names[0], (left + end) / 2, height - 4, width))
    parts.append(tag("text", shortened(names[1], width, FONT), tip(names[1]), x=0, y=12, class_="axis-name"))
    return Frame(x, y, parts)


def axis_name(name: str, middle: float, y: float, width: float) -> Markup:
    """The name of an axis, in its middle, or further left where it would leave the paper."""
    shown = shortened(name, width, FONT)
    if middle + text_width(shown, FONT) / 2 > width:
        return tag("text", shown, tip(name), x=width, y=y, class_="axis-name end")
    return tag("text", shown, tip(name), x=middle, y=y, class_="axis-name middle")


def _labelled(scale: Scale, many: int) -> list[tuple[float, str]]:
    """Round numbers with their texts."""
    values = scale.ticks(many)
    texts = (decade_texts if scale.log and values == decades(scale.low, scale.high) else tick_texts)(values)
    return list(zip(values, texts, strict=True))
