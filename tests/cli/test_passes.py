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
def test_a_linear_fit_passes_through_few_files_and_through_the_theory_for_its_card_alone(
    tmp_path: Path,
) -> None:
    paths = {name: str(path) for name, path in write_parts(tmp_path).items()}
    held_out = ["--valid", paths["valid"], "--test", paths["test"]]
    files = passed("fit", paths["train"], *held_out, "-m", "nDCG@10", "--out", str(tmp_path / "run"))
    # The card of the run has the verdict with its evidence, which the theory is asked for once, at the end.
    card = [file for file in files if file.startswith(("theory/", "feedback/")) or "card" in file]
    assert "runs/card.py" in card
    assert len(files) - len(card) < 105
    assert "losses/choose.py" in files


@pytest.mark.exhaustive
def test_an_evaluation_passes_through_at_most_37_files() -> None:
    files = passed("evaluate", "--example", "-m", "nDCG@10")
    assert len(files) <= 37
    assert "evaluation/evaluate.py" in files
