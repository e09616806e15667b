"""The report of a reproduced paper: its tables beside what was measured, and how to make them again."""

from __future__ import annotations

from collections.abc import Sequence

from rankproof.evaluation.tables import Table
from rankproof.papers import SOURCES
from rankproof.report.content import Command, DataTable, Facts, Paragraphs, Report, Section
from rankproof.report.pages.origin import versions_fact

__all__ = ["reproduction_report"]


def reproduction_report(paper: str, tables: Sequence[tuple[str, Table]], command: str) -> Report:
    """One section per table, with the command that made them."""
    return Report(
        f"The experiments of {paper}",
        [
            *(Section(title, [DataTable(table)]) for title, table in tables),
            Section(
                "Reproduce",
                [
                    Facts([(paper, SOURCES[paper]), versions_fact()]),
                    Paragraphs(["The files next to this page have the numbers for every query and penalty."]),
                    Command(command),
                ],
            ),
        ],
        lead="The losses and metrics of the paper, trained and measured again on your data.",
    )
