"""LETOR text read line by line in plain Python: the independent reader that the tests compare with."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np

GOOD = b"""# a header: 1:2
2 qid:10 1:0.25 2:1e-3 3:7 #docid = GX008-86-4444840 inc = 1 prob = 0.08

0 qid:10 1:-1.5 2:nan 3:12 #docid = GX2
1 qid:20 1:0 2:.5 3:5. # GX3
nan qid:20 1:1E+2 2:inf 3:0.1
"""
# Numbers of threads and of bytes in a range.
WAYS = [(1, 1), (2, 1), (4, 7), (2, 50), (None, 1 << 21)]


class Refused(Exception):  # noqa: N818
    """The text breaks a rule at this line (None: as a whole)."""

    def __init__(self, line: int | None, rule: str) -> None:
        Exception.__init__(self, f"{line}: {rule}")
        self.line, self.rule = line, rule


@dataclass
class Row:
    line: int
    label: float
    query: bytes | None
    cells: dict[int, float]
    doc: str


def number(word: bytes) -> float | None:
    if not re.fullmatch(rb"[0-9.+\-a-zA-Z]+", word):
        return None
    try:
        return float(word)
    except ValueError:
        return None


def doc_of(comment: bytes) -> str:
    named = re.match(rb"[ \t]*docid[ \t]*[=:][ \t]*([^ \t\r]*)", comment, re.IGNORECASE)
    words = [named.group(1)] if named else re.split(rb"[ \t]+", comment.strip(b" \t"))
    one = len(words) == 1 and b"\r" not in words[0]
    return words[0].decode("utf-8", "backslashreplace") if one else ""


def row_of(line: bytes, at: int) -> Row | None:
    body, _, comment = line.removesuffix(b"\r").partition(b"#")
    if b"\r" in body:
        raise Refused(at, "return inside a line")
    words = [word for word in re.split(rb"[ \t]", body) if word]
    if not words:
        return None
    label = number(words.pop(0))
    if label is None or np.isinf(label):
        raise Refused(at, "label")
    query = None
    if words and words[0].startswith(b"qid:"):
        query = words.pop(0)[4:]
        if not query or b"\0" in query or len(query) > 4096:
            raise Refused(at, "query id")
    cells: dict[int, float] = {}
    for word in words:
        index, colon, text = word.partition(b":")
        if not colon or not re.fullmatch(rb"[0-9]+", index):
            raise Refused(at, "feature")
        # int() of a text refuses thousands of digits, so leading zeros go first.
        where = int(index.lstrip(b"0")[:12] or b"0")
        value = float("nan") if text.upper() == b"NULL" else number(text)
        if not 1 <= where <= 2**31 - 2 or value is None or (cells and where <= max(cells)):
            raise Refused(at, "feature")
        cells[where] = value
    doc = doc_of(comment)
    if "\0" in doc:
        raise Refused(at, "document id")
    return Row(at, label, query, cells, doc)


def slow_read(content: bytes, group: bool = False) -> tuple[list[Row], list[list[int]]]:
    """The rows of a text and the rows of every query; or `Refused` at the first line that breaks a rule."""
    lines = content.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    whole = lines[-1] == b""
    rows: list[Row] = []
    queries: dict[bytes, list[int]] = {}
    for at, line in enumerate(lines[:-1] if whole else lines, 1):
        row = row_of(line, at)
        if row is None:
            continue
        if row.query is None:
            raise Refused(at, "missing query id")
        if row.query in queries and rows[-1].query != row.query and not group:
            raise Refused(at, "query comes back")
        ends = {max(other.cells, default=0) for other in rows}
        if not whole and at == len(lines) and len(ends) == 1 and max(row.cells, default=0) < min(ends):
            raise Refused(at, "truncated")
        queries.setdefault(row.query, []).append(len(rows))
        rows.append(row)
    if not rows:
        raise Refused(None, "no rows")
    return rows, list(queries.values())


def ids_of(names: list[bytes]) -> list[int] | list[str]:
    if all(re.fullmatch(rb"0|-?[1-9][0-9]*", name) and abs(int(name) + 0.5) < 2**63 for name in names):
        return [int(name) for name in names]
    return [name.decode("utf-8", "backslashreplace") for name in names]


def check_same(data: Any, content: bytes, group: bool = False) -> None:
    """That ``data`` is what the slow reader makes of ``content``, bit for bit."""
    rows, queries = slow_read(content, group)
    order = [k for members in queries for k in members]
    rows = [rows[k] for k in order]
    assert data.sizes.tolist() == [len(members) for members in queries]
    firsts = np.cumsum([0] + [len(members) for members in queries[:-1]])
    assert data.query_ids.tolist() == ids_of([rows[k].query or b"" for k in firsts])
    assert data.labels.tobytes() == np.array([row.label for row in rows]).tobytes()
    docs = [row.doc for row in rows]
    assert (data.doc_ids is None and not any(docs)) or data.doc_ids.tolist() == docs
    width = max((max(row.cells, default=0) for row in rows), default=0)
    assert data.features == width
    if width == 0:
        assert data.X is None
        return
    stored = sum(len(row.cells) for row in rows)
    assert isinstance(data.X, np.ndarray) == (8 * stored + 4 * len(rows) >= 4 * width * len(rows))
    with np.errstate(over="ignore"):
        if isinstance(data.X, np.ndarray):
            expected = np.zeros((len(rows), width), dtype=np.float32)
            for k, row in enumerate(rows):
                for index, value in row.cells.items():
                    expected[k, index - 1] = np.float32(value)
            assert data.X.dtype == np.float32
            assert data.X.tobytes() == expected.tobytes()
        else:
            values = [np.float32(value) for row in rows for value in row.cells.values()]
            assert data.X.data.tobytes() == np.array(values, dtype=np.float32).tobytes()
            assert data.X.indices.tolist() == [index - 1 for row in rows for index in row.cells]
            assert np.diff(data.X.indptr).tolist() == [len(row.cells) for row in rows]
