"""``rankproof card`` prints the card of a run, or says why there is none that holds."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cli.small_letor import write_parts
from rankproof.files import sha256_of

Run = Callable[..., Any]


@pytest.fixture
def made(rankproof: Run, tmp_path: Path) -> Path:
    paths = write_parts(tmp_path)
    words = ("fit", paths["train"], "--test", paths["test"], "-m", "nDCG@10", "--l2", "0.1", "--seed", "3")
    assert rankproof(*words, "--out", tmp_path / "run").status == 0
    return tmp_path / "run"


def test_the_card_is_the_page_in_the_run(rankproof: Run, made: Path) -> None:
    ran = rankproof("card", made)
    assert (ran.status, ran.err) == (0, "")
    assert ran.out == (made / "card.md").read_text(encoding="utf-8")
    for part in ("train", "test"):
        file = made.parent / f"{part}.txt"
        assert f"| {part} | `{file}` | {sha256_of(file)} |" in ran.out
    plain = rankproof("card", made, "--json")
    assert json.loads(plain.out) == json.loads((made / "card.json").read_bytes())


def test_its_command_makes_the_run_again(rankproof: Run, made: Path) -> None:
    command = json.loads(rankproof("card", made, "--json").out)["command"]
    assert f"$ {command}\n" in (made / "card.md").read_text()
    words = shlex.split(command)
    assert words[:2] == ["rankproof", "fit"]
    assert words[-2:] == ["--out", "run"]
    assert rankproof(*words[1:-1], made.parent / "again").status == 0
    first, again = (
        json.loads((folder / "card.json").read_bytes()) for folder in (made, made.parent / "again")
    )
    for word in first:
        assert first[word] == again[word], word


def test_the_evidence_can_be_replayed(rankproof: Run, made: Path) -> None:
    ran = rankproof("replay", made / "verdict.json")
    assert ran.status == 0
    assert ran.out.startswith("consistent: softmax:normalised-gain@10 with nDCG@10")


def test_results_that_were_changed_are_told(rankproof: Run, made: Path) -> None:
    results = json.loads((made / "results.json").read_text())
    results["results"]["test"]["metrics"][0]["mean"] = 0.9999
    (made / "results.json").write_text(json.dumps(results))
    ran = rankproof("card", made)
    assert (ran.status, ran.out) == (3, "")
    assert "is not that of its results: the SHA-256 of results.json differs" in ran.err
    assert '"mean": 0.9999' in ran.err


def test_a_folder_without_a_run_is_told(rankproof: Run, tmp_path: Path) -> None:
    ran = rankproof("card", tmp_path)
    assert ran.status == 3
    assert "holds no run" in ran.err
