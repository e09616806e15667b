"""The two layouts of TREC files, and what is said of a line that breaks its layout."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["QRELS", "RUN", "TrecLayout", "bad_line"]

_SHOWN = 60


@dataclass(frozen=True)
class TrecLayout:
    """The columns of a TREC file; ``value`` is the one with the number, which must be ``finite`` or not.

    With ``more``, what comes after the last column is passed over, as trec_eval does in runs.
    """

    kind: str
    columns: tuple[str, ...]
    value: int
    finite: bool
    more: bool

    @property
    def value_name(self) -> str:
        """What the number is called."""
        return self.columns[self.value]

    @property
    def line(self) -> str:
        """A line of the layout, by the names of its columns."""
        return " ".join(self.columns)


RUN = TrecLayout("run", ("qid", "Q0", "docno", "rank", "score", "tag"), value=4, finite=False, more=True)
QRELS = TrecLayout("qrels", ("qid", "iter", "docno", "grade"), value=3, finite=True, more=False)


def shown(token: bytes) -> str:
    """A token of a file as it is quoted in a message."""
    text = token.decode("utf-8", "backslashreplace")
    return repr(text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "...")


def bad_line(error: int, line: bytes, layout: TrecLayout) -> str:
    """What is wrong with a line that `rankproof.kernels.text.trec.parse_lines` refused."""
    from rankproof.kernels.text import trec

    columns = line.split()
    if error == trec.BAD_BYTE:
        # Blanks of a line are tab to CR and the space.
        byte = next(b for b in line if b < 9 or 13 < b < 32)
        return f"the line holds the byte 0x{byte:02x}, which no text has. Is this a TREC {layout.kind} file?"
    if error == trec.BAD_UTF8:
        return f"the line {shown(line.strip())} is not UTF-8. Convert the file to UTF-8."
    if error == trec.BAD_COLUMNS:
        other = RUN if layout is QRELS else QRELS
        hint = f" It looks like a {other.kind} file." if len(columns) == len(other.columns) else ""
        return (
            f"the line {shown(line.strip())} has {len(columns)} columns, but a {layout.kind} has "
            f"{len(layout.columns)}{' or more' * layout.more}: {layout.line}.{hint}"
        )
    if error == trec.LONG_ID:
        name, size = max(
            ("query id", len(columns[0])), ("document id", len(columns[2])), key=lambda pair: pair[1]
        )
        most = trec.MOST_ID_BYTES
        return f"the {name} has {size} bytes; {most} is the maximum. Is this a TREC {layout.kind} file?"
    rule = "a finite number" if layout.finite else "a number (or inf)"
    return (
        f"the {layout.value_name} of document {shown(columns[2])} of query {shown(columns[0])} must be "
        f"{rule}, got {shown(columns[layout.value])}."
    )
