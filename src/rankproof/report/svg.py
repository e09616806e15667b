"""A small writer of SVG: elements as text, with every name and every word escaped.

>>> print(tag("text", "a < b", x=1.0, y=2.504, class_="tick"))
<text x="1" y="2.5" class="tick">a &lt; b</text>
>>> print(tag("rect", tip('"q" & co'), width=3))
<rect width="3"><title>&#34;q&#34; &amp; co</title></rect>
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import TypeAlias

__all__ = ["Drawing", "Markup", "drawing", "number_of", "path", "shortened", "tag", "text_width", "tip"]

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
    """Text for the inside of an element or an attribute; characters that XML does not know are left out."""
    known = (c for c in text if c in "\t\n\r" or (c >= " " and not "\ud800" <= c <= "\udfff"))
    return "".join(c for c in known if c not in "\ufffe\uffff").translate(_ESCAPES)


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
