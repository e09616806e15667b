"""The commands that a how-to page shows print what it shows, run where its first block wrote the files."""

from __future__ import annotations

import doctest
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
# Pages whose commands can be run: their first Python block makes the files and names their folder ``folder``.
PAGES = ["train-a-linear-ranker.md"]


def commands(text: str) -> list[tuple[str, str]]:
    """Every command of the console blocks with the output below it."""
    blocks = re.findall(r"```console\n(.*?)```", text, re.DOTALL)
    return [
        (command, output)
        for block in blocks
        for command, output in re.findall(r"^\$ ([^\n]+)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE)
    ]


def prepared(text: str) -> Path:
    """The folder that the first Python block fills."""
    names: dict[str, Any] = {}
    block = re.search(r"```python\n(.*?)```", text, re.DOTALL)
    assert block is not None
    for example in doctest.DocTestParser().get_examples(block[1]):
        exec(example.source, names)  # noqa: S102 - the page's own text
    folder = names["folder"]
    assert isinstance(folder, Path)
    return folder


@pytest.mark.parametrize("page", PAGES)
def test_the_commands_print_what_the_page_shows(page: str) -> None:
    text = (ROOT / "docs" / "how-to" / page).read_text(encoding="utf-8")
    folder = prepared(text)
    shown = commands(text)
    assert len(shown) >= 5
    for command, output in shown:
        words = shlex.split(command)
        assert words[0] == "rankproof"
        ran = subprocess.run(
            [sys.executable, "-m", *words],
            capture_output=True,
            text=True,
            check=False,
            cwd=folder,
            env={**os.environ, "PYTHONIOENCODING": "utf-8"},
            encoding="utf-8",
        )
        assert ran.returncode == 0, ran.stderr
        # A page that shows a warning shows it alone: it is what the reader is to see.
        printed = ran.stderr if output.startswith("rankproof: ") else ran.stdout
        assert matches(output, printed), f"$ {command}\n{printed}"


def matches(shown: str, printed: str) -> bool:
    """Whether a text is what a page shows; ``...`` stands for anything, lines may break anywhere."""
    pieces = [re.escape(" ".join(piece.split())) for piece in shown.split("...")]
    return re.fullmatch(" ?.* ?".join(pieces), " ".join(printed.split())) is not None


def test_a_difference_is_seen() -> None:
    assert matches("a (...) b\nc\n", "a (x y) b c\n")
    assert not matches("a (...) b 0.7989\n", "a (x) b 0.7988\n")
    assert not matches("a\n", "a b\n")
