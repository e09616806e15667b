"""What the library says in words of Python, a command says in its options."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]
ROWS = "2 qid:1 1:1\n0 qid:1 1:2\n1 qid:2 1:3\n0 qid:2 1:4\n"


def test_the_condition_of_a_loss_is_an_option(rankproof: Run, tmp_path: Path) -> None:
    (tmp_path / "train.txt").write_text(ROWS)
    ran = rankproof(
        *("fit", str(tmp_path / "train.txt"), "-m", "ERR(max_grade=2)@10", "--l2", "1"),
        *("--out", str(tmp_path / "run")),
    )
    assert ran.status == 0
    assert "If you know that this holds, set --noise independent." in ran.err
    assert "noise=" not in ran.err
    assert "--noise independent" in json.dumps(json.loads((tmp_path / "run" / "results.json").read_text()))


def test_a_loss_that_is_not_ours_in_a_command_without_the_option(rankproof: Run) -> None:
    ran = rankproof("certify", "YetiRank", "--metric", "nDCG@10")
    assert ran.status == 3
    assert "Use the loss 'auto' in training (it is consistent with the metric), or lambdarank" in ran.err
    assert "loss=" not in ran.err


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("gm_map", "Take it of the AP of every query (--per-query), or use AP."),
        ("gm_bpref", "Take it of the bpref of every query (--per-query), or use bpref."),
        ("num_q", "It is the number of queries."),
        ("num_ret", "It is the number of items."),
    ],
)
def test_a_number_that_is_no_metric(rankproof: Run, name: str, message: str) -> None:
    ran = rankproof("evaluate", "--example", "-m", name)
    assert ran.status == 3
    assert message in ran.err
    assert "results." not in ran.err


def test_a_penalty_is_an_option(rankproof: Run, tmp_path: Path) -> None:
    (tmp_path / "train.txt").write_text(ROWS)
    words = ["-m", "nDCG@10", "--l2", "-1", "--out", str(tmp_path / "run")]
    ran = rankproof("fit", str(tmp_path / "train.txt"), *words)
    assert ran.status == 3
    assert "Option --l2 must be path, or numbers >= 0 separated by commas, got '-1' in '-1'." in ran.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--parameter", "foo=1"), "Option --parameter has 'foo'"),
        (("--parameter", "objective=lambdarank"), "--loss"),
        (("--categorical", "9"), "Option --categorical names the column 8; there are 0 to 0, counted from 0"),
        (("--l2", "path"), "Option --l2 must be one number >= 0"),
    ],
)
def test_settings_of_trees_are_options(rankproof: Run, tmp_path: Path, words: Any, message: str) -> None:
    (tmp_path / "train.txt").write_text(ROWS)
    ran = rankproof(
        *("fit", str(tmp_path / "train.txt"), "-m", "nDCG", "--model", "lightgbm", *words),
        *("--out", str(tmp_path / "run")),
    )
    assert ran.status == 3
    assert message in ran.err
    assert "Argument" not in ran.err
    assert "loss=" not in ran.err


def test_negative_labels_are_counted_once_with_a_remedy_that_works(rankproof: Run, tmp_path: Path) -> None:
    (tmp_path / "train.txt").write_text(ROWS.replace("0 qid", "-1 qid") * 1)
    out = str(tmp_path / "search")
    ran = rankproof(
        "tune", str(tmp_path / "train.txt"), "-m", "nDCG", "--trials", "1", "--folds", "2", "--out", out
    )
    assert ran.err.count("labels are below 0") == 1
    assert "2 labels are below 0" in ran.err
    assert "leave these items out of the training data" in ran.err
    assert "trec_eval" not in ran.err
