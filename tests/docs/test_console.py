"""The commands that a page shows print what it shows, run in a folder with the files of the page."""

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
# Pages whose commands can be run. Their files are the blocks with a title, or what the first Python block
# makes in the folder that it names ``folder``, or what the commands themselves write.
PAGES = [
    "tutorial/first-model.md",
    "how-to/train-a-linear-ranker.md",
    "how-to/boosted.md",
    "how-to/certify-your-metric.md",
    "how-to/pick-a-loss.md",
    "how-to/ties-empties-unjudged.md",
]
PROGRAMS = {"rankproof": [sys.executable, "-m", "rankproof"], "head": ["head"]}


def commands(text: str) -> list[tuple[str, str]]:
    """Every command of the console blocks with the output below it."""
    blocks = re.findall(r"```console\n(.*?)```", text, re.DOTALL)
    return [
        (command, output)
        for block in blocks
        for command, output in re.findall(r"^\$ ([^\n]+)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE)
    ]


def prepared(text: str, folder: Path) -> Path:
    """The folder with the files of the page."""
    files = re.findall(r'```python title="([^"]+)"\n(.*?)```', text, re.DOTALL)
    for name, content in files:
        (folder / name).write_text(content, encoding="utf-8")
    if files:
        return folder
    names: dict[str, Any] = {}
    block = re.search(r"```python\n(.*?)```", text, re.DOTALL)
    if block is None or "folder = " not in block[1]:
        return folder
    for example in doctest.DocTestParser().get_examples(block[1]):
        exec(example.source, names)  # noqa: S102 - the page's own text
    made = names["folder"]
    assert isinstance(made, Path)
    return made


@pytest.mark.parametrize("page", PAGES)
def test_the_commands_print_what_the_page_shows(page: str, tmp_path: Path) -> None:
    """Exit statuses are 0 unless the page shows another one by ``echo $?``."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    folder = prepared(text, tmp_path)
    shown = commands(text)
    assert len(shown) >= 3
    for place, (command, output) in enumerate(shown):
        words = shlex.split(command)
        # It is installed already; and a status belongs to the command above.
        if words[0] in ("pip", "echo"):
            continue
        ran = subprocess.run(
            [*PROGRAMS[words[0]], *words[1:]],
            capture_output=True,
            text=True,
            check=False,
            cwd=folder,
            # No number depends on the threads, and engines are slow when they wait for busy ones.
            env={**os.environ, "PYTHONIOENCODING": "utf-8", "RANKPROOF_THREADS": "1"},
            encoding="utf-8",
        )
        after = shown[place + 1] if place + 1 < len(shown) else ("", "")
        status = int(after[1]) if after[0] == "echo $?" else 0
        assert ran.returncode == status, f"$ {command}\n{ran.stderr}"
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
