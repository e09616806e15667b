"""The layouts of TREC files, and what is said of a line that breaks its layout."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["PREFS", "QRELS", "RUN", "TrecLayout", "bad_line", "shown"]

_SHOWN = 60
_ARTICLE = {"run": "a run has", "qrels": "a qrels has", "prefs": "prefs have"}


@dataclass(frozen=True)
class TrecLayout:
    """The columns of a TREC file; ``value`` is the one with the number, which must be ``finite`` or not, and
    ``doc`` the one with the document.

    With ``more``, what comes after the last column is passed over, as trec_eval does in runs.
    """

    kind: str
    columns: tuple[str, ...]
    value: int
    finite: bool
    more: bool
    doc: int = 2

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
# What trec_eval -R prefs reads.
PREFS = TrecLayout(
    "prefs", ("qid", "group", "subgroup", "docno", "level"), value=4, finite=True, more=False, doc=3
)


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
        return (
            f"the line {shown(line.strip())} has {len(columns)} columns, but {_ARTICLE[layout.kind]} "
            f"{len(layout.columns)}{' or more' * layout.more}: {layout.line}.{_likely(len(columns), layout)}"
        )
    if error == trec.LONG_ID:
        name, size = max(
            ("query id", len(columns[0])), ("document id", len(columns[layout.doc])), key=lambda pair: pair[1]
        )
        most = trec.MOST_ID_BYTES
        return f"the {name} has {size} bytes; {most} is the maximum. Is this a TREC {layout.kind} file?"
    rule = "a finite number" if layout.finite else "a number (or inf)"
    return (
        f"the {layout.value_name} of document {shown(columns[layout.doc])} of query {shown(columns[0])} "
        f"must be {rule}, got {shown(columns[layout.value])}."
    )


def _likely(columns: int, layout: TrecLayout) -> str:
    """What else a line with so many columns may be from."""
    if layout is not RUN and columns == len(RUN.columns):
        return " It looks like a run file."
    if layout is not QRELS and columns == len(QRELS.columns):
        return " It looks like a qrels file."
    if layout is QRELS and columns == len(PREFS.columns):
        return " It looks like a prefs file of trec_eval -R prefs: use --prefs, or in Python read_prefs."
    return ""
