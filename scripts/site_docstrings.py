"""Docstrings as the site shows them: formulas become MathML, examples become code blocks.

A Griffe extension that `mkdocs.yml` names. Docstrings are written for ``help()``: formulas in the form
``:math:`...` ``, examples wherever they belong. Markdown would show the first as it is and take ``>>>`` for a
quotation. Types of parameters are words; Griffe would read ``"a", "b" or "c"`` as a tuple. And a default that
the source takes from a table (``LINEAR.l2``) is shown as its value.
"""

from __future__ import annotations

import ast
import re
from importlib import import_module
from typing import Any

import griffe
from latex2mathml.converter import convert

__all__ = ["SiteDocstrings"]

FORMULA = re.compile(r":math:`([^`]+)`")
SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}$", re.MULTILINE)
# "name : type", "name, name : type" or "name, name".
ENTRY = re.compile(r"^(?:(\w+(?:, \w+)*) : (.+)|(\w+(?:, \w+)+))$")


class SiteDocstrings(griffe.Extension):  # type: ignore[misc,unused-ignore]
    """Rewrites every docstring before it is parsed."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        if obj.docstring is not None:
            obj.docstring.value = with_code_blocks(with_formulas(with_plain_types(obj.docstring.value)))

    def on_function(self, *, func: griffe.Function, **_: Any) -> None:
        for parameter in func.parameters:
            parameter.default = with_value(parameter.default, func.module.path)


def with_value(default: Any, module: str) -> Any:
    """A default as a reader needs it: the number or word, where the source has the name of a constant."""
    if not re.fullmatch(r"[A-Z]\w*(\.\w+)*", str(default)) or str(default) in ("None", "True", "False"):
        return default
    value: Any = import_module(module)
    for name in str(default).split("."):
        value = getattr(value, name)
    return repr(value) if value is None or isinstance(value, (bool, int, float, str, tuple)) else default


def with_plain_types(text: str) -> str:
    """One entry for each parameter (each has its own default), and its type as plain words."""
    lines = text.split("\n")
    written: list[str] = []
    for place, line in enumerate(lines):
        entry = ENTRY.match(line)
        if entry is None:
            written.append(line)
            continue
        names = (entry[1] or entry[3]).split(", ")
        kind = f" : {plain_type(entry[2])}" if entry[2] else ""
        length = next((k for k, below in enumerate(lines[place + 1 :]) if not below.startswith("    ")), None)
        body = lines[place + 1 :][:length]
        for name in names[:-1]:
            written += [name + kind, *body]
        written.append(names[-1] + kind)
    return "\n".join(written)


def plain_type(kind: str) -> str:
    """A type without backticks, and alternatives joined by "or" where commas would make them a tuple.

    >>> plain_type('"skip", 0, 1 or "error"')
    '"skip" or 0 or 1 or "error"'
    >>> plain_type("`Run` or array, optional")
    'Run or array, optional'
    """
    kind = kind.replace("`", "")
    words, optional = kind.removesuffix(", optional"), kind.endswith(", optional")
    try:
        tree = ast.parse(words, mode="eval").body
    except SyntaxError:
        return kind
    if isinstance(tree, ast.Tuple):
        words = " or ".join(ast.get_source_segment(words, item) or "" for item in tree.elts)
    return f"{words}, optional" if optional else words


def with_formulas(text: str) -> str:
    """``:math:`...` `` as MathML, which every browser draws without a script.

    The span keeps a formula at the beginning of a line within its paragraph.
    """
    return FORMULA.sub(lambda formula: f"<span>{convert(' '.join(formula[1].split()))}</span>", text)


def with_code_blocks(text: str) -> str:
    """Examples as code blocks: Griffe finds those of a section called so, others get a fence or a section."""
    pieces, section = [], ""
    for paragraph in text.split("\n\n"):
        heading = SECTION.search(paragraph)
        section = section if heading is None else heading[1]
        if not paragraph.startswith(">>>") or section == "Examples":
            pieces.append(paragraph)
        elif section:
            # After a list of parameters, a fence would be read as one more of them.
            section = "Examples"
            pieces.append(f"Examples\n--------\n{paragraph}")
        else:
            pieces.append(f"```pycon\n{paragraph}\n```")
    return "\n\n".join(pieces)
