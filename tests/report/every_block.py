"""A report with every kind of block, with the same text wherever a text can stand."""

from __future__ import annotations

from rankproof.evaluation.tables import Table
from rankproof.experiments.laws.scene import LawScene
from rankproof.report.content import (
    Cell,
    Command,
    DataTable,
    Facts,
    Histograms,
    LawScenes,
    LineChart,
    Link,
    MatrixGrid,
    NamedBars,
    Paragraphs,
    QueryBars,
    RankedItems,
    Rankings,
    Report,
    Section,
    Series,
    VerdictBox,
)

HOSTILE = """</script></style><img src=x onerror=alert(1)>"'`&amp;{{7*7}} 日本語 עברית \u2028 a\u0007b"""
# What does not print is shown as Python writes it.
SHOWN = HOSTILE.replace("\u0007", "\\x07").replace("\u2028", "\\u2028")


def two_corners(text: str = "x") -> LawScene:
    """Four steps between two label vectors: the loss changes its ranking one law too late."""
    return LawScene(
        metric=f"M{text}",
        corners=[f"A{text}", f"B{text}"],
        steps=4,
        rankings=[f"0 > 1{text}", f"1 > 0{text}"],
        best=[0, 0, 1, 1, 1],
        values=[1.0, 0.75, 0.5, 0.75, 1.0],
        losses=[f"L{text}"],
        reached=[[0, 0, 0, 1, 1]],
        costs=[[0.0, 0.0, 0.125, 0.0, 0.0]],
        start=2,
    )


def three_corners(text: str = "x") -> LawScene:
    """One step between three label vectors; the loss fails at the last."""
    return LawScene(
        metric=f"N{text}",
        corners=[f"A{text}", f"B{text}", f"C{text}"],
        steps=1,
        rankings=[f"0 > 1{text}", f"1 > 0{text}"],
        best=[0, 1, 1],
        values=[1.0, 1.0, 1.0],
        losses=[f"L{text}"],
        reached=[[0, 1, 0]],
        costs=[[0.0, 0.0, 0.5]],
        start=1,
        higher_is_better=False,
    )


def every_block(text: str = "x") -> Report:
    """The report; ``text`` is a part of every text in it."""
    table = Table([f"name{text}", f"value{text}"], [[text, "2"], [f"b{text}", "10"]], [text], text_columns=[])
    verdicts = [
        VerdictBox(outcome, text, [(text, [text])], [text, f"    {text}"])
        for outcome in ("consistent", "undecided")
    ]
    blocks = [
        Paragraphs([text], "warning"),
        Facts([(text, text)]),
        verdicts[0],
        DataTable(table, text),
        DataTable(table, text, folded=True),
        LineChart(
            [Series(text, [(1, 0.5), (2, 0.75)]), Series("other", [(1, 0.2), (2, 0.1)], dashed=True)],
            text,
            text,
            text,
            caption=text,
        ),
        QueryBars([(text, 0.5), ("q2", -0.25), ("q3", 0.0)], text, text, text),
        QueryBars([(text, 0.5)], text, text, text, folded=True),
        NamedBars([(text, 0.5), ("b", -1.0)], text, text),
        Histograms([0.0, 1.0, 2.0], [(text, [1, 3]), ("none", [0, 0])], text, text, text),
        Rankings(text, text, [RankedItems(text, table, [0, 4])]),
        MatrixGrid(text, [text], [text, "column"], [[Cell(text, one) for one in verdicts]]),
        LawScenes([two_corners(text), three_corners(text)]),
        Command(text),
        Link(text, text),
    ]
    return Report(text, [Section(text, blocks), Section("second", [])], text)
