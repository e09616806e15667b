"""``rankproof demo`` runs to its end, and leaves other people's folders alone."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]


@pytest.mark.exhaustive
def test_the_demonstration_ends_with_a_report_and_the_next_command(rankproof: Run, tmp_path: Path) -> None:
    out = tmp_path / "demo"
    ran = rankproof("demo", "--quick", "--seed", "2", "--out", str(out))
    assert ran.status == 0, ran.err
    assert "softmax on the nDCG target" in ran.out
    assert "No convex loss is consistent with ERR(max_grade=3)" in ran.out
    assert ran.out.rstrip().splitlines()[-1].startswith("next    rankproof fit ")
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "What the wrong loss costs" in page
    # The command as it was typed, and the result of the run with the way to its report.
    assert f"rankproof demo --out {out} --seed 2 --quick" in page
    (test,) = json.loads((out / "run" / "results.json").read_text())["results"]["test"]["metrics"]
    assert f"{test['mean']:.4f}" in page
    assert 'href="./run/report.html"' in page
    assert (out / "run" / "report.html").exists()
    assert (out / "run" / "results.json").exists()


@pytest.mark.exhaustive
def test_the_demonstration_runs_again_into_the_same_folder(rankproof: Run, tmp_path: Path) -> None:
    for _ in range(2):
        assert rankproof("demo", "--quick", "--out", str(tmp_path / "demo")).status == 0


def test_a_folder_with_other_things_is_refused(rankproof: Run, tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("years of work")
    ran = rankproof("demo", "--out", str(tmp_path))
    assert ran.status == 3
    assert "not from an earlier demo" in ran.err
    assert "Traceback" not in ran.err
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_a_file_of_ones_own_is_read_first(rankproof: Run, tmp_path: Path) -> None:
    ran = rankproof("demo", "--out", str(tmp_path / "demo"), "--data", str(tmp_path / "no.txt"))
    assert ran.status == 3
    assert "no.txt" in ran.err
    assert ran.out == ""
