"""`rankproof.write_report`: results of Python as pages, without a command."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankproof as rp
from rankproof.errors import ArgumentError

LABELS = np.tile([2.0, 1.0, 0.0, 0.0], 12)
OFFSETS = np.arange(0, 49, 4)
SCORES = {"right": LABELS, "wrong": -LABELS}


def written(result: Any, folder: Path, **options: Any) -> str:
    rp.write_report(result, folder / "page.html", **options)
    return (folder / "page.html").read_text(encoding="utf-8")


def test_a_comparison_with_nothing_else(tmp_path: Path) -> None:
    found = rp.compare(SCORES, LABELS, ["nDCG@3", "AP"], offsets=OFFSETS)
    page = written(found, tmp_path)
    assert "<h1>Comparison of 2 systems</h1>" in page
    assert "right is significantly better than every other system" in page
    assert "12 of 12 queries count; convention: rankproof" in page
    assert "nDCG at cutoffs" not in page


def test_a_comparison_with_what_was_compared(tmp_path: Path) -> None:
    data = rp.RankingData(labels=LABELS, offsets=OFFSETS)
    found = rp.compare(SCORES, data, "AP")
    page = written(found, tmp_path, systems=SCORES, data=data)
    for title in ("nDCG at cutoffs", "Where the two best systems differ most", "Grades"):
        assert title in page
    with_labels = rp.compare(SCORES, LABELS, "AP", offsets=OFFSETS)
    assert "nDCG at cutoffs" in written(with_labels, tmp_path, systems=SCORES, data=LABELS, offsets=OFFSETS)


def test_results(tmp_path: Path) -> None:
    results = rp.evaluate(SCORES["wrong"], LABELS, ["nDCG@3", "AP"], offsets=OFFSETS)
    page = written(results, tmp_path)
    assert "<h1>Results of the system</h1>" in page
    assert f"nDCG@3 {results.mean['nDCG@3']:.4f}" in page
    assert "AP: the system against the constant scorer" in page


def test_a_training_run_and_its_ranker(tmp_path: Path) -> None:
    wards, others = rp.samples.diabetes_wards()
    run = rp.train(wards, test=others, metric="nDCG@10", l2=0.1)
    page = written(run, tmp_path)
    mean = f"{run.results['test'].mean['nDCG@10']:.4f}"
    assert "<h1>A ranker for nDCG@10</h1>" in page
    assert f"On test it gets {mean}" in page
    of_ranker = written(run.ranker, tmp_path, data=others)
    assert f"nDCG@10 {mean} on" in of_ranker
    assert "Trained with softmax:normalised-gain@10." in of_ranker
    with pytest.raises(ArgumentError, match="The report of a ranker needs data=RankingData"):
        rp.write_report(run.ranker, tmp_path / "no.html")


def test_wrong_things_are_refused_and_leave_nothing(tmp_path: Path) -> None:
    found = rp.compare(SCORES, LABELS, "AP", offsets=OFFSETS)
    with pytest.raises(ArgumentError, match="both of systems= and data=, or neither"):
        rp.write_report(found, tmp_path / "a.html", data=LABELS)
    with pytest.raises(ArgumentError, match=r"A report is of a Comparison, .* got list"):
        rp.write_report([1, 2], tmp_path / "a.html")
    with pytest.raises(ArgumentError, match="systems goes with a Comparison, got Results"):
        rp.write_report(found.results["right"], tmp_path / "a.html", systems=SCORES)
    with pytest.raises(ArgumentError, match="its folder does not exist"):
        rp.write_report(found, tmp_path / "no" / "a.html")
    assert list(tmp_path.iterdir()) == []
