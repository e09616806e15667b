"""What `certify` answers unless told otherwise never contradicts the matrix, which tries more grades."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest

from every_case import every_case
from rankproof.theory.certify import certify, certify_metric
from rankproof.theory.matrix import ANY, LOSS_ROWS, metric_columns
from theory.questions import first_two

MATRIX = Path(__file__).parents[2] / "docs" / "reference" / "matrix.md"
WORDS = {"yes": "consistent", "no": "inconsistent", "?": "undecided"}
# On two grades the label is as good as any gain, and pairs are as good as means.
MISLED = ("ordinal", "squared:gain", "pointwise-logistic")


@cache
def matrix() -> dict[tuple[str, str], str]:
    """The outcomes that the page of all verdicts shows, which a test compares with the code."""
    lines = [line.strip("|").split("|") for line in MATRIX.read_text().splitlines() if line.startswith("|")]
    columns = [cell.strip().strip("[").partition("]")[0] for cell in lines[0][1:]]
    rows = lines[2 : 2 + 1 + len(LOSS_ROWS)]
    return {
        (row[0].strip().strip("`"), column): WORDS[cell.strip().rstrip("*")]
        for row in rows
        for column, cell in zip(columns, row[1:], strict=True)
    }


def contradicts(row: str, column: str) -> bool:
    verdict = certify_metric(column) if row == ANY else certify(row, column, effort=0.3)
    return {verdict.outcome, matrix()[row, column]} == {"consistent", "inconsistent"}


def test_the_page_is_read() -> None:
    assert set(matrix()) == {(row, column) for row in (ANY, *LOSS_ROWS) for column in metric_columns()}
    assert matrix()["ordinal", "RBP"] == "inconsistent"


@every_case("row", MISLED)
@every_case("column", ["RBP", "P@2", "DCG", "Recall@2"])
def test_two_grades_do_not_mislead(row: str, column: str) -> None:
    assert (row, column) not in matrix() or not contradicts(row, column)


def test_metrics_of_pairs_are_not_taken_for_those_of_two_grades() -> None:
    assert not [column for column in ("PD", "WPDL", "tau", "RBP") if contradicts(ANY, column)]


@pytest.mark.exhaustive
@every_case("row", [ANY, *LOSS_ROWS])
def test_no_default_question_contradicts_the_matrix(row: str) -> None:
    assert [column for column in metric_columns() if contradicts(row, column)] == []


def test_where_it_was_tried_stands_in_the_first_line_and_in_the_exit_status(
    tmp_path: Path, rankproof: Any
) -> None:
    verdict = certify("squared:gain(gain=linear)", first_two)
    assert verdict.outcome == "consistent"
    assert verdict.exit_status == 4
    first = " ".join(str(verdict).split("\nwhy")[0].split())
    assert "shown on 3 items with grades 0, 1; longer lists and other grades are not covered" in first
    file = tmp_path / "mine.py"
    file.write_text(
        "def two(ranking, feedback):\n    return 2 * feedback[ranking[0]] + feedback[ranking[1]]\n"
    )
    for metric, status in ((f"{file}:two", 4), ("DCG", 0), ("AP", 1)):
        assert rankproof("certify", "--metric", metric).status == status
