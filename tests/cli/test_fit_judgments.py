"""``rankproof fit --judgments``: trained on the mean of the target, whatever the labels of the file say."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankproof as rp


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    rng = np.random.default_rng(0)
    rows, judged = [], ["query,item,judge,grade"]
    for q in range(12):
        for i in range(5):
            x = rng.normal(size=2)
            rows.append(f"{rng.integers(0, 3)} qid:{q} 1:{x[0]:.3f} 2:{x[1]:.3f} #docid = d{i}")
            judged += [f"{q},d{i},{k},{int(np.clip(round(x[0] + 1 + rng.normal()), 0, 2))}" for k in range(3)]
    train, judgments = tmp_path / "train.txt", tmp_path / "judged.csv"
    train.write_text("\n".join(rows) + "\n")
    # In another order than the rows of the data.
    judgments.write_text("\n".join([judged[0], *judged[:0:-1]]) + "\n")
    return train, judgments


Run = Callable[..., Any]


def test_the_model_is_that_of_the_expected_target(
    rankproof: Run, files: tuple[Path, Path], tmp_path: Path
) -> None:
    train, judgments = files
    out = tmp_path / "run"
    ran = rankproof(
        "fit",
        train,
        "--judgments",
        judgments,
        "--reading",
        "joint",
        "-m",
        "nDCG@3",
        "--l2",
        0.1,
        "--out",
        out,
    )
    assert ran.status == 0, ran.err
    data = rp.read_letor(train)
    j = rp.read_judgments(judgments, reading="joint")
    assert isinstance(j, rp.Judgments)
    by_hand = rp.LinearRanker("nDCG@3", l2=0.1).fit(data.X, j.for_data(data), qid=data.qids)
    model = rp.load_model(out)
    assert np.allclose(model.predict(data.X), by_hand.predict(data.X), rtol=1e-9)
    settings = json.loads((out / "results.json").read_text())["settings"]
    assert settings["judgments"] == str(judgments)
    assert settings["reading"] == "joint"
    by_train = rp.train(data, judgments=j, metric="nDCG@3", l2=0.1)
    assert np.allclose(by_train.ranker.coef_, by_hand.coef_, rtol=1e-9)


def test_the_reading_must_be_said(rankproof: Run, files: tuple[Path, Path], tmp_path: Path) -> None:
    train, judgments = files
    ran = rankproof("fit", train, "--judgments", judgments, "-m", "nDCG@3", "--out", tmp_path / "run")
    assert ran.status == 3
    assert "--judgments needs --reading" in ran.err
    ran = rankproof("fit", train, "--reading", "joint", "-m", "nDCG@3", "--out", tmp_path / "run")
    assert ran.status == 3
    assert "Give --judgments too" in ran.err


def test_boosted_trees_hold_queries_out_by_the_mean_of_the_metric(
    rankproof: Run, files: tuple[Path, Path], tmp_path: Path
) -> None:
    train, judgments = files
    words = ("--reading", "independent", "-m", "nDCG@3", "--model", "lightgbm", "--min-data-in-leaf", 2)
    ran = rankproof("fit", train, "--judgments", judgments, *words, "--out", tmp_path / "run")
    assert ran.status == 0, ran.err


def test_items_without_judgments_are_named(rankproof: Run, files: tuple[Path, Path], tmp_path: Path) -> None:
    train, judgments = files
    lines = judgments.read_text().splitlines()
    judgments.write_text("\n".join(line for line in lines if not line.startswith("7,d2,")) + "\n")
    words = ("--reading", "joint", "-m", "nDCG@3", "--out", tmp_path / "run")
    ran = rankproof("fit", train, "--judgments", judgments, *words)
    assert ran.status == 3
    assert "Item 'd2' of query '7' has no judgment (1 of 60 items have none)" in " ".join(ran.err.split())
