"""The commands that a page shows print what it shows, run in a folder with the files of the page."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# Pages whose commands can be run. Their files are the blocks with a title, or what the commands write.
PAGES = [
    "README.md",
    "how-to/compare-systems.md",
    "how-to/pick-a-loss.md",
    "how-to/evaluate-runs.md",
    "tutorial/first-model.md",
    "how-to/train-a-linear-ranker.md",
    "how-to/boosted.md",
    "how-to/export.md",
    "how-to/certify-your-metric.md",
    "how-to/own-metric-to-model.md",
    "how-to/ties-empties-unjudged.md",
    "how-to/production.md",
    "how-to/read-data.md",
]
PROGRAMS = {
    "rankproof": [sys.executable, "-m", "rankproof"],
    "python": [sys.executable],
    "head": ["head"],
}
# A verdict is also the exit status.
STATUSES = {"Inconsistent": 1, "Undecided": 2}


def commands(text: str) -> list[tuple[str, str]]:
    """Every command of the console blocks with the output below it."""
    blocks = re.findall(r"```console\n(.*?)```", text, re.DOTALL)
    return [
        (command, output)
        for block in blocks
        for command, output in re.findall(r"^\$ ([^\n]+)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE)
    ]


@pytest.mark.exhaustive
@pytest.mark.parametrize("page", PAGES)
def test_the_commands_print_what_the_page_shows(page: str, tmp_path: Path) -> None:
    """Exit statuses are 0 unless the page shows another one by ``echo $?``, or a verdict that has one."""
    text = (ROOT if page == "README.md" else ROOT / "docs").joinpath(page).read_text(encoding="utf-8")
    for name, content in re.findall(r'```python title="([^"]+)"\n(.*?)```', text, re.DOTALL):
        (tmp_path / name).write_text(content, encoding="utf-8")
    shown = commands(text)
    assert shown
    for place, (command, output) in enumerate(shown):
        words = shlex.split(command)
        # It is installed already; and a status belongs to the command above.
        if words[0] in ("pip", "echo"):
            continue
        # A page that shows a warning shows it where it stands among the other lines.
        warned = re.search("^rankproof: ", output, re.MULTILINE) is not None
        ran = subprocess.run(
            [*PROGRAMS[words[0]], *words[1:]],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT if warned else subprocess.PIPE,
            text=True,
            check=False,
            cwd=tmp_path,
            # No number depends on the threads, and engines are slow when they wait for busy ones.
            env={**os.environ, "PYTHONIOENCODING": "utf-8", "RANKPROOF_THREADS": "1"},
            encoding="utf-8",
        )
        after = shown[place + 1] if place + 1 < len(shown) else ("", "")
        status = int(after[1]) if after[0] == "echo $?" else STATUSES.get(output.split(":")[0], 0)
        assert ran.returncode == status, f"$ {command}\n{ran.stdout}\n{ran.stderr}"
        assert matches(output, ran.stdout), f"$ {command}\n{ran.stdout}"


def test_no_page_with_commands_is_forgotten() -> None:
    pages = [*ROOT.glob("docs/tutorial/*.md"), *ROOT.glob("docs/how-to/*.md")]
    shown = {page.relative_to(ROOT / "docs").as_posix() for page in pages if "```console" in page.read_text()}
    assert shown == {*PAGES} - {"README.md"}


def matches(shown: str, printed: str) -> bool:
    """Whether a text is what a page shows; ``...`` stands for anything, lines may break anywhere."""
    pieces = [re.escape(" ".join(piece.split())) for piece in shown.split("...")]
    return re.fullmatch(" ?.* ?".join(pieces), " ".join(printed.split())) is not None


def test_a_difference_is_seen() -> None:
    assert matches("a (...) b\nc\n", "a (x y) b c\n")
    assert not matches("a (...) b 0.7989\n", "a (x) b 0.7988\n")
    assert not matches("a\n", "a b\n")
