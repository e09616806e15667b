"""Ids and names with control characters are shown escaped: a terminal must not obey a data file."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

import pytest

import rankproof as rp
from rankproof.cli.main import main

# Turns red, moves the cursor, rings, and the one-byte introducer of C1.
EVIL = "q\x1b[31m\x1b[2J\x9b1m\u202e"
ESCAPED = r"q\x1b[31m\x1b[2J\x9b1m\u202e"
RAW = ("\x1b", "\x9b", "\u202e", "\x07")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A run and judgments whose ids hold control characters, as LETOR text too."""
    monkeypatch.chdir(tmp_path)
    # TREC text has no bytes below 32 but blanks; the C1 controls and marks of direction are UTF-8.
    (tmp_path / "run").write_text("q\x9b1m Q0 d\x9b2J 1 2 t\x9b\nq\x9b1m Q0 e\u202e 2 1 t\nz Q0 d 1 1 t\n")
    (tmp_path / "other").write_text("q\x9b1m Q0 d\x9b2J 1 1 t\nq\x9b1m Q0 e\u202e 2 2 t\nz Q0 d 1 1 t\n")
    (tmp_path / "qrels").write_text(
        "q\x9b1m 0 d\x9b2J 1\nq\x9b1m 0 e\u202e 0\nz 0 d 1\nz 0 e 0\ny\x9b 0 d 1\n"
    )
    rows = "".join(f"{k % 2} qid:{EVIL} 1:{k} #docid = d{k}\x1b[31m\n" for k in range(4))
    (tmp_path / "data.txt").write_text(rows + "1 qid:b 1:2\n0 qid:b 1:1\n")
    (tmp_path / "scores").write_text("1\n2\n3\n4\n5\n6\n")
    return tmp_path


COMMANDS = [
    "evaluate run --qrels qrels -m AP --per-query",
    "evaluate run --qrels qrels -m AP --per-query --latex",
    "evaluate run --qrels qrels -m AP --per-query --json",
    "evaluate --data data.txt --scores scores -m AP --per-query",
    "evaluate --data data.txt --scores scores -m AP(empty=error,rel=9)",
    "compare run other --qrels qrels -m AP",
    "compare run other --qrels qrels -m AP --json",
    "explain AP --data data.txt --scores scores --query b",
    "explain AP --data data.txt --scores scores --query EVIL",
    "explain AP --data data.txt --scores scores --query EVIL --json",
    "explain AP --data data.txt --scores scores --query none",
    "evaluate no\x1b[31mfile --qrels qrels",
    "evaluate run --qrels qrels -m \x1b[31m",
    "evaluate data.txt --qrels qrels",
    "nonsense\x1b[31m",
]


@pytest.mark.parametrize("words", COMMANDS)
def test_nothing_a_terminal_obeys_is_printed(
    folder: Path, capsys: pytest.CaptureFixture[str], words: str
) -> None:
    with suppress(SystemExit):
        main([EVIL if word == "EVIL" else word for word in words.split(" ")])
    out, err = capsys.readouterr()
    assert out or err
    assert not [character for character in RAW if character in out + err]


def test_escaped_ids_are_told_apart(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["evaluate", "--data", "data.txt", "--scores", "scores", "-m", "AP", "--per-query"])
    assert ESCAPED in capsys.readouterr().out
    main(["evaluate", "--data", "data.txt", "--scores", "scores", "-m", "AP", "--per-query", "--json"])
    assert json.loads(capsys.readouterr().out)["query_ids"] == [EVIL, "b"]


def test_csv_is_for_programs_and_keeps_ids(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "qrels").write_text("=1+1 0 d 1\n")
    (folder / "run").write_text("=1+1 Q0 d 1 1 t\n")
    main(["evaluate", "run", "--qrels", "qrels", "-m", "AP", "--per-query", "--csv"])
    assert capsys.readouterr().out.splitlines()[1].startswith("=1+1,")


def test_results_in_python_and_reports_show_escaped_ids(folder: Path) -> None:
    data = rp.read_letor("data.txt")
    results = rp.evaluate(range(6), data, "AP")
    shown = [str(rp.explain("AP", range(6), data, query=EVIL)), data._repr_html_(), results._repr_html_()]
    runs = {"a\x9b": rp.read_run("run"), "b": rp.read_run("other")}
    comparison = rp.compare(runs, rp.read_qrels("qrels"), "AP")
    shown += [str(comparison), comparison._repr_html_(), comparison.to_latex()]
    with suppress(SystemExit):
        main(["compare", "run", "other", "--qrels", "qrels", "-m", "AP", "--report", "page.html"])
    shown.append((folder / "page.html").read_text())
    for text in shown:
        assert not [character for character in RAW if character in text]
