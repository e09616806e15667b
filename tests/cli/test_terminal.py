"""On a real pseudo-terminal, because that is what decides: tables are drawn, and no number is cut."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from rankproof.cli.terminal import narrowed, show_facts, widest
from rankproof.evaluation.tables import Table


@cache
def off_terminal(*words: str) -> str:
    """What a command prints into a pipe."""
    command = [sys.executable, "-m", "rankproof", *words]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def on_terminal(*words: str, columns: int) -> str:
    """What a command prints in a window of that width, without colours."""
    import pty

    parent, child = pty.openpty()
    command = [sys.executable, "-m", "rankproof", *words]
    environment = {**os.environ, "COLUMNS": str(columns), "TERM": "xterm"}
    with subprocess.Popen(command, stdout=child, stderr=child, env=environment) as process:
        os.close(child)
        text = b""
        while True:
            try:
                part = os.read(parent, 4096)
            except OSError:
                break
            if not part:
                break
            text += part
    os.close(parent)
    assert process.returncode == 0
    return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", text.decode()).replace("\r\n", "\n")


@pytest.mark.exhaustive
def test_tables_are_drawn() -> None:
    text = on_terminal("evaluate", "--example", "-m", "AP", columns=120)
    assert "─" in text
    assert "AP" in text


@pytest.mark.exhaustive
@pytest.mark.parametrize("columns", [50, 80, 160])
def test_no_number_is_cut_in_a_narrow_window(columns: int) -> None:
    """In a wide window a table, in a narrow one a list; the same numbers in both."""
    words = ("compare", "--example", "-m", "nDCG@10")
    text = on_terminal(*words, columns=columns)
    plain = off_terminal(*words)
    assert "…" not in text
    numbers = re.compile(r"\[?-?\d+\.\d+")
    assert sorted(numbers.findall(text)) == sorted(numbers.findall(plain))
    assert max(map(len, text.splitlines())) <= columns
    assert ("wins/ties/losses  8/0/21" in text) == (columns < 160)


@pytest.mark.exhaustive
def test_the_reason_of_a_choice_is_broken_between_words(tmp_path: Path) -> None:
    data = tmp_path / "train.txt"
    data.write_text("".join(f"{k % 3} qid:{k // 4} 1:{k % 5} 2:{k % 7}\n" for k in range(40)))
    words = ("fit", str(data), "-m", "nDCG", "--l2", "1", "-q", "--out", str(tmp_path / "run"))
    text = on_terminal(*words, columns=70)
    lines = text.split("train  ")[0].splitlines()
    assert max(map(len, lines)) <= 70
    assert re.search(r"^loss    softmax:normalised-gain, chosen because .*\n {8}\w", text, re.MULTILINE)


def test_letters_that_take_two_places_are_counted_so() -> None:
    table = Table(["系统", "AP"], [["日本語", "0.5000"]])
    assert widest(table) == [6, 6]
    assert narrowed(table, 12) == [6, 6]
    assert narrowed(table, 11) is None


def test_a_name_is_not_broken_to_fill_a_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What a user copies is in one piece: the name of a loss, a path longer than the line."""
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "24")
    show_facts([("loss", "takes centred-squared"), ("data", "/a/folder/of/a/long/name/train.txt")])
    assert capsys.readouterr().out.splitlines() == [
        "loss  takes",
        "      centred-squared",
        "data  /a/folder/of/a/long/name/train.txt",
    ]
