"""Results as plain data and as small pages: what ``to_json`` and ``_repr_html_`` of every result are made of.

>>> json_text({"mean": plain_number(0.5), "spread": plain_number(float("nan"))})
'{"mean": 0.5, "spread": null}'
>>> html_table(["mean"], [["<b>"]], left=())
'<table><thead><tr><th>mean</th></tr></thead><tbody><tr><td>&lt;b&gt;</td></tr></tbody></table>'
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import fields
from html import escape
from typing import Any

from rankproof.shown import visible

__all__ = ["html_fields", "html_table", "html_text", "json_text", "plain_fields", "plain_number"]

LEFT = ' style="text-align: left"'


def plain_number(value: float) -> float | None:
    """A float that JSON can hold: None stands for NaN and for the two infinities."""
    return float(value) if math.isfinite(value) else None


def plain_fields(value: Any) -> dict[str, Any]:
    """The fields of a dataclass whose values are numbers and text, as plain data.

    >>> from rankproof.evaluation.bootstrap import Interval
    >>> plain_fields(Interval(0.25, float("nan"), 0.95, "bca"))
    {'low': 0.25, 'high': None, 'level': 0.95, 'method': 'bca'}
    """
    listed = ((field.name, getattr(value, field.name)) for field in fields(value))
    return {name: plain_number(entry) if isinstance(entry, float) else entry for name, entry in listed}


def html_fields(value: Any) -> str:
    """The same as a table of one row."""
    plain = plain_fields(value)
    texts = [_shown(entry) for entry in plain.values()]
    return html_table(list(plain), [texts], left=(), title=type(value).__name__)


def html_text(text: str) -> str:
    """Text for a notebook as it is printed, escaped.

    >>> html_text("a < b")
    '<pre>a &lt; b</pre>'
    """
    return f"<pre>{escape(text)}</pre>"


def json_text(plain: Any) -> str:
    """Plain data as JSON text that any reader takes: no NaN, no infinity, text as it is.

    What does not print is written by its number, which readers undo.

    >>> json_text("ü \x1b \x9b")
    '"ü \\\\u001b \\\\u009b"'
    """
    text = json.dumps(plain, ensure_ascii=False, allow_nan=False)
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else json.dumps(c)[1:-1] for c in text)


def html_table(
    columns: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    title: str = "",
    notes: Iterable[str] = (),
    left: Iterable[int] = (0,),
) -> str:
    """A table for a notebook; every text is escaped, so that a system's name cannot bring in a script.

    ``left`` numbers the columns of words. A notebook aligns all cells to the right.
    """
    left_columns = frozenset(left)

    def cells(tag: str, texts: Sequence[str]) -> str:
        row = (
            f"<{tag}{LEFT if column in left_columns else ''}>{escape(visible(text))}</{tag}>"
            for column, text in enumerate(texts)
        )
        return f"<tr>{''.join(row)}</tr>"

    caption = f"<caption>{escape(visible(title))}</caption>" if title else ""
    head = f"<thead>{cells('th', columns)}</thead>"
    body = "".join(cells("td", row) for row in rows)
    lines = "<br>".join(escape(visible(note)) for note in notes)
    table = f"<table>{caption}{head}<tbody>{body}</tbody></table>"
    return f"<div>{table}<p>{lines}</p></div>" if lines else table


def _shown(entry: Any) -> str:
    if entry is None:
        return ""
    return f"{entry:.6g}" if isinstance(entry, float) else str(entry)
