"""The parameters of a metric or a loss, as its docstring describes them: a table for the terminal."""

from __future__ import annotations

import inspect
import re
from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from rankproof.evaluation.tables import Table
from rankproof.metrics.parameters import written

__all__ = ["descriptions", "parameter_table"]

_ENTRY = re.compile(r"^(\w+(?:, \w+)*) : (.+)$")


def descriptions(cls: type) -> dict[str, tuple[str, str]]:
    """What a parameter may be, and what it does, by name.

    >>> from rankproof.metrics import AP
    >>> descriptions(AP)["rel"]
    ('float', 'The lowest label of a relevant item.')
    """
    lines = (inspect.getdoc(cls) or "").split("\n")
    if "Parameters" not in lines:
        return {}
    texts: dict[str, tuple[str, str]] = {}
    names: Sequence[str] = ()
    for line in lines[lines.index("Parameters") + 2 :]:
        entry = _ENTRY.match(line)
        if entry is not None:
            names = entry[1].split(", ")
            texts |= {name: (entry[2].removesuffix(", optional"), "") for name in names}
        elif line.startswith("    "):
            text = line.strip().replace("``", "").replace("`", "")
            texts |= {name: (texts[name][0], f"{texts[name][1]} {text}".strip()) for name in names}
        elif line:
            break
    return texts


def parameter_table(thing: Any, without: Sequence[str] = ()) -> Table:
    """A row for every parameter: its value here, what it may be, what it does."""
    described = descriptions(type(thing))
    rows = []
    # Metrics list those that all of them have last.
    for field in thing.parameters() if hasattr(thing, "parameters") else fields(thing):
        if field.name not in without:
            kind, text = described.get(field.name, ("", ""))
            value = getattr(thing, field.name)
            rows.append([field.name, "-" if value is None else written(value), kind, text])
    columns = ["parameter", "value", "may be", "what it does"]
    return Table(columns, rows, text_columns=columns)
