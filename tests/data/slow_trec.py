"""TREC files and their join, once more: line by line with Python's own text functions, sharing no code."""

from __future__ import annotations

import re

NUMBER = re.compile(rb"[+-]?((\d+\.?\d*|\.\d+)(e[+-]?\d+)?|inf|infinity)", re.IGNORECASE)
CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f]")

Lists = dict[str, list[tuple[str, float]]]


class BadLineError(Exception):
    """The first bad line: its number, and for a duplicate the number of the line before it."""

    def __init__(self, line: int | None, before: int | None = None) -> None:
        Exception.__init__(self, line, before)
        self.line, self.before = line, before


def slow_parse(content: bytes, kind: str) -> Lists:
    """``{query: [(document, number), ...]}`` in file order, or BadLineError."""
    columns, place = {"run": (6, 4), "qrels": (4, 3)}[kind]
    lists: Lists = {}
    seen: dict[tuple[bytes, bytes], int] = {}
    for number, line in enumerate(content.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        tokens = line.split()
        if tokens and tokens[0].startswith(b"#"):
            continue
        if CONTROL.search(line):
            raise BadLineError(number)
        if not tokens:
            continue
        try:
            line.decode()
        except UnicodeDecodeError:
            raise BadLineError(number) from None
        if len(tokens) < columns or (kind == "qrels" and len(tokens) > columns):
            raise BadLineError(number)
        if max(len(tokens[0]), len(tokens[2])) > 4096:
            raise BadLineError(number)
        if not NUMBER.fullmatch(tokens[place]):
            raise BadLineError(number)
        value = float(tokens[place])
        if kind == "qrels" and abs(value) == float("inf"):
            raise BadLineError(number)
        key = tokens[0], tokens[2]
        if key in seen:
            raise BadLineError(number, seen[key])
        seen[key] = number
        lists.setdefault(tokens[0].decode(), []).append((tokens[2].decode(), value))
    if not lists:
        raise BadLineError(None)
    return lists


def slow_join(
    run: Lists, qrels: Lists, missing: str
) -> list[tuple[str, int, list[tuple[str, float | None, float]]]]:
    """For each query: its id, how many were retrieved, and (document, label or None, score) of its items."""
    joined = []
    for query, retrieved in run.items():
        if query in qrels:
            grades = dict(qrels[query])
            items: list[tuple[str, float | None, float]] = [(doc, grades.get(doc), s) for doc, s in retrieved]
            names = {doc for doc, _ in retrieved}
            items += [(doc, grade, -float("inf")) for doc, grade in qrels[query] if doc not in names]
            joined.append((query, len(retrieved), items))
    for query, judged in qrels.items():
        if query not in run and missing == "zero":
            joined.append((query, 0, [(doc, grade, -float("inf")) for doc, grade in judged]))
    return joined
