"""How many files of the package a command passes through: whoever reads along has to open each of them."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from cli.small_letor import write_parts

ROOT = Path(__file__).parents[2]


def passed(*command: str) -> list[str]:
    """The files that a command passes through, as ``scripts/passes`` lists them."""
    words = [sys.executable, str(ROOT / "scripts" / "passes"), "--files", *command]
    ended = subprocess.run(words, capture_output=True, text=True, check=True)
    files = re.findall(r"^[* ] (\S+\.(?:py|html))$", ended.stderr, re.M)
    assert f"passed:         {len(files)} files" in ended.stderr
    return files


@pytest.mark.exhaustive
def test_a_linear_fit_passes_through_fewer_than_90_files_and_never_the_theory(tmp_path: Path) -> None:
    paths = {name: str(path) for name, path in write_parts(tmp_path).items()}
    held_out = ["--valid", paths["valid"], "--test", paths["test"]]
    files = passed("fit", paths["train"], *held_out, "-m", "nDCG@10", "--out", str(tmp_path / "run"))
    assert len(files) < 90
    assert "losses/choose.py" in files
    assert not [file for file in files if file.startswith(("theory/", "feedback/"))]


@pytest.mark.exhaustive
def test_an_evaluation_passes_through_at_most_37_files() -> None:
    files = passed("evaluate", "--example", "-m", "nDCG@10")
    assert len(files) <= 37
    assert "evaluation/evaluate.py" in files
