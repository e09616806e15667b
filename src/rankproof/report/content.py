"""What a report says, as data only: sections made of a few kinds of blocks.

`rankproof.report.html` draws them. A block is a value of plain text and numbers; whatever the text holds, it
is shown as text.

>>> report = Report("Two systems", [Section("Results", [Paragraphs(["No difference was shown."])])])
>>> [block.kind for section in report.sections for block in section.blocks]
['text']
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

from rankproof.evaluation.tables import Table
from rankproof.experiments.laws.scene import LawScene

__all__ = [
    "Block",
    "Cell",
    "Command",
    "DataTable",
    "Facts",
    "Histograms",
    "LawScenes",
    "LineChart",
    "Link",
    "MatrixGrid",
    "NamedBars",
    "Paragraphs",
    "QueryBars",
    "RankedItems",
    "Rankings",
    "Report",
    "Section",
    "Series",
    "VerdictBox",
]


@dataclass(frozen=True)
class Paragraphs:
    """Paragraphs; a note is quieter, a warning is louder."""

    kind: ClassVar[str] = "text"
    paragraphs: Sequence[str]
    tone: Literal["plain", "note", "warning"] = "plain"


@dataclass(frozen=True)
class Facts:
    """Names with what is to be said of each."""

    kind: ClassVar[str] = "facts"
    rows: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class VerdictBox:
    """A verdict on a loss and a metric.

    Attributes
    ----------
    outcome : "consistent", "inconsistent" or "undecided"
    head : the verdict in a sentence
    rows : why, under which conditions, by which source: a name with one or more sentences
    details : the evidence as lines of text, aligned by spaces
    """

    kind: ClassVar[str] = "verdict"
    outcome: str
    head: str
    rows: Sequence[tuple[str, Sequence[str]]]
    details: Sequence[str] = ()


@dataclass(frozen=True)
class DataTable:
    """A table that its reader can sort; ``folded`` ones are opened by a click."""

    kind: ClassVar[str] = "table"
    table: Table
    title: str = ""
    folded: bool = False


@dataclass(frozen=True)
class Series:
    """One line of a chart. NaN breaks it. A ``limit`` is drawn dashed, as a level in the same colour."""

    name: str
    points: Sequence[tuple[float, float]]
    dashed: bool = False
    limit: float | None = None


@dataclass(frozen=True)
class LineChart:
    """Lines over a common axis; on a logarithmic axis what is not above 0 is left out.

    The points at ``chosen`` on the axis get a ring.
    """

    kind: ClassVar[str] = "lines"
    series: Sequence[Series]
    x_label: str
    y_label: str
    title: str = ""
    log_x: bool = False
    log_y: bool = False
    caption: str = ""
    chosen: float | None = None


@dataclass(frozen=True)
class QueryBars:
    """One number per query, drawn in falling order; the name of a query is shown when it is pointed at."""

    kind: ClassVar[str] = "query_bars"
    bars: Sequence[tuple[str, float]]
    y_label: str
    title: str = ""
    caption: str = ""
    folded: bool = False


@dataclass(frozen=True)
class NamedBars:
    """A few numbers with their names, in the order given."""

    kind: ClassVar[str] = "named_bars"
    bars: Sequence[tuple[str, float]]
    title: str = ""
    caption: str = ""


@dataclass(frozen=True)
class Histograms:
    """The same axis for several groups: how the numbers of each are spread.

    ``groups`` are (name, count in every interval); there is one more edge than intervals.
    """

    kind: ClassVar[str] = "histograms"
    edges: Sequence[float]
    groups: Sequence[tuple[str, Sequence[int]]]
    x_label: str
    title: str = ""
    caption: str = ""


@dataclass(frozen=True)
class RankedItems:
    """Items in an order; ``shades`` (0 to 4, one per row) show how good they are."""

    name: str
    table: Table
    shades: Sequence[int]


@dataclass(frozen=True)
class Rankings:
    """The items of one query in several orders, side by side."""

    kind: ClassVar[str] = "rankings"
    title: str
    note: str
    sides: Sequence[RankedItems]


@dataclass(frozen=True)
class Cell:
    """A cell of a matrix: a sign to show, and the verdict that a click shows."""

    sign: str
    verdict: VerdictBox


@dataclass(frozen=True)
class MatrixGrid:
    """Cells by row and column."""

    kind: ClassVar[str] = "matrix"
    corner: str
    rows: Sequence[str]
    columns: Sequence[str]
    cells: Sequence[Sequence[Cell]]


@dataclass(frozen=True)
class LawScenes:
    """Scenes of which the reader chooses one, and moves its law by a slider."""

    kind: ClassVar[str] = "laws"
    scenes: Sequence[LawScene]


@dataclass(frozen=True)
class Command:
    """A command line to be copied."""

    kind: ClassVar[str] = "command"
    text: str


@dataclass(frozen=True)
class Link:
    """A file beside the page, by its path from there."""

    kind: ClassVar[str] = "link"
    text: str
    file: str


Block: TypeAlias = (
    Paragraphs
    | Facts
    | VerdictBox
    | DataTable
    | LineChart
    | QueryBars
    | NamedBars
    | Histograms
    | Rankings
    | MatrixGrid
    | LawScenes
    | Command
    | Link
)


@dataclass(frozen=True)
class Section:
    """A part of the report with a title of its own."""

    title: str
    blocks: Sequence[Block]


@dataclass(frozen=True)
class Report:
    """A title, a sentence below it, and the sections."""

    title: str
    sections: Sequence[Section]
    lead: str = ""
