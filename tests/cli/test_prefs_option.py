"""``--prefs`` of evaluate and compare."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    texts = {
        "prefs.txt": "q1 ann 1 a 3\nq1 ann 1 b 2\nq1 ann 1 c 0\nq2 ann 1 x 1\nq2 ann 1 y 0.5\n",
        "one.trec": "q1 Q0 b 1 3 t\nq1 Q0 a 2 2 t\nq2 Q0 x 1 1 t\nq2 Q0 y 2 1 t\n",
        "two.trec": "q1 Q0 a 1 3 t\nq1 Q0 b 2 2 t\nq2 Q0 x 1 2 t\nq2 Q0 y 2 1 t\n",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    return {name.split(".")[0]: str(tmp_path / name) for name in texts}


def test_evaluate(rankproof: Run, files: dict[str, str]) -> None:
    # q1: a>b is lost of three, q2: x and y are tied.
    ran = rankproof("evaluate", files["one"], "--prefs", files["prefs"], "--json", "--per-query")
    assert (ran.status, ran.err) == (0, "")
    assert json.loads(ran.out)["metrics"][0]["mean"] == (1 + 0.5) / 2


def test_compare_with_a_report(rankproof: Run, files: dict[str, str], tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    ran = rankproof(
        *("compare", files["one"], files["two"], "--prefs", files["prefs"], "-m", "PD(normalize=true)"),
        *("--report", str(page)),
    )
    assert (ran.status, ran.err) == (0, "")
    # (1/3 + 1/2) / 2, and nothing lost.
    assert "0.4167" in ran.out
    assert "0.0000" in ran.out
    assert "prefs.txt" in page.read_text(encoding="utf-8")


def test_prefs_given_as_qrels(rankproof: Run, files: dict[str, str]) -> None:
    ran = rankproof("evaluate", files["one"], "--qrels", files["prefs"], "-m", "AP")
    assert ran.status == 3
    assert "has 5 columns, but a qrels has 4" in ran.err
    assert "use --prefs" in ran.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-m", "AP"], "AP: not defined on preferences, which have no grades. Use PD or WPDL."),
        (["--as", "trec_eval"], "Option --as goes with grades, not with preferences."),
        (["--depth", "5"], "Option --depth goes with grades"),
        (["--qrels", "x"], "--prefs replaces --qrels: give one of them."),
        (["--data", "x"], "--prefs replaces --data: give one of them."),
        (["--group"], "--group is about LETOR text"),
        (["--example"], "--example comes with its own run"),
    ],
)
def test_what_is_refused(rankproof: Run, files: dict[str, str], words: list[str], message: str) -> None:
    ran = rankproof("evaluate", files["one"], "--prefs", files["prefs"], *words)
    assert ran.status == 3
    assert message in ran.err
    assert ran.err.count("\n") == 1
