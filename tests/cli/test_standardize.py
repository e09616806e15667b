"""``rankproof standardize`` puts the target in place of the label and leaves everything else as it was."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from math import log2
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cli.small_letor import write_parts
from rankproof.data.letor.read import read_letor
from rankproof.data.scores import read_scores
from rankproof.metrics.parse import metric
from rankproof.targets.choose import target_for

Run = Callable[..., Any]


@pytest.fixture
def letor(tmp_path: Path) -> Path:
    path = tmp_path / "train.txt"
    path.write_text(
        "2 qid:7 1:0.1 2:1e-7 #docid = a\n0 qid:7 1:0.3 2:-4.5 #docid = b\n1 qid:7 1:0.2 2:0 #docid = c\n"
        "0 qid:x 1:1 2:2\n0 qid:x 1:3 2:4\n"
    )
    return path


def test_the_label_becomes_gain_over_ideal_dcg(rankproof: Run, letor: Path, tmp_path: Path) -> None:
    ran = rankproof("standardize", letor, "--metric", "nDCG@10", "-o", tmp_path / "out.txt")
    assert (ran.status, ran.err) == (0, "")
    made = read_letor(tmp_path / "out.txt")
    ideal = 3 / log2(2) + 1 / log2(3)
    # The second query has no relevant item: nothing to gain.
    assert made.labels.tolist() == pytest.approx([3 / ideal, 0, 1 / ideal, 0, 0], rel=1e-15)


@pytest.mark.parametrize("name", ["out.txt", "out.txt.gz"])
def test_everything_but_the_label_comes_back(rankproof: Run, letor: Path, tmp_path: Path, name: str) -> None:
    rankproof("standardize", letor, "--metric", "DCG@5", "-o", tmp_path / name)
    made, given = read_letor(tmp_path / name), read_letor(letor)
    assert made.labels.tolist() == [3, 0, 1, 0, 0]
    assert made.query_ids.tolist() == given.query_ids.tolist() == ["7", "x"]
    assert made.offsets.tolist() == given.offsets.tolist()
    assert made.doc_ids is not None
    assert given.doc_ids is not None
    assert made.doc_ids.tolist() == given.doc_ids.tolist()
    assert np.array_equal(np.asarray(made.X), np.asarray(given.X))
    if name.endswith(".gz"):
        assert gzip.decompress((tmp_path / name).read_bytes()).startswith(b"3 qid:7 1:")


def test_a_column_has_the_targets_to_the_bit(rankproof: Run, tmp_path: Path) -> None:
    train = write_parts(tmp_path)["train"]
    rankproof("standardize", train, "--metric", "nDCG@10", "--column", "-o", tmp_path / "column.txt")
    data = read_letor(train)
    expected = target_for(metric("nDCG@10")).values(data.labels, data.offsets)
    assert read_scores(tmp_path / "column.txt").tolist() == expected.tolist()


def test_several_files_are_one(rankproof: Run, tmp_path: Path) -> None:
    parts = write_parts(tmp_path)
    rankproof("standardize", parts["train"], parts["valid"], "-m", "nDCG", "-o", tmp_path / "both.txt")
    both = read_letor([parts["train"], parts["valid"]])
    assert read_letor(tmp_path / "both.txt").query_ids.tolist() == both.query_ids.tolist()


def test_what_standardises_only_under_a_condition_needs_it(
    rankproof: Run, letor: Path, tmp_path: Path
) -> None:
    refused = rankproof("standardize", letor, "--metric", "ERR(max_grade=2)", "-o", tmp_path / "out.txt")
    assert refused.status == 3
    assert "ERR" in refused.err
    assert not (tmp_path / "out.txt").exists()
    made = rankproof(
        *("standardize", letor, "--metric", "ERR(max_grade=2)", "--noise", "independent"),
        *("-o", tmp_path / "out.txt"),
    )
    assert (made.status, made.err) == (0, "")
    assert (
        "optimises ERR(max_grade=2) if the labels of the items are independent given the query (" in made.out
    )
    # (2^y - 1) / 2^2
    assert read_letor(tmp_path / "out.txt").labels.tolist() == [3 / 4, 0, 1 / 4, 0, 0]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--metric", "nDCG@10"], "Missing option '-o'"),
        (["-o", "OUT"], "Missing option '-m'"),
        (["--metric", "nDGC", "-o", "OUT"], "Did you mean 'nDCG'?"),
        (["--metric", "nDCG", "-o", "OUT", "--noise", "lots"], "lots"),
        (["--metric", "nDCG", "-o", "nowhere/out.txt"], "its folder does not exist"),
    ],
)
def test_wrong_use_is_one_clear_line_and_status_3(
    rankproof: Run, letor: Path, tmp_path: Path, words: list[str], message: str
) -> None:
    ran = rankproof("standardize", letor, *(str(tmp_path / "out.txt") if w == "OUT" else w for w in words))
    assert ran.status == 3
    assert message in ran.err
    assert ran.out == ""
    assert sorted(path.name for path in tmp_path.iterdir()) == ["train.txt"]


def test_a_missing_file_and_unjudged_items_are_named(rankproof: Run, letor: Path, tmp_path: Path) -> None:
    out = ("--metric", "nDCG", "-o", tmp_path / "out.txt")
    assert "'none.txt' does not exist" in rankproof("standardize", "none.txt", *out).err
    letor.write_text("nan qid:1 1:1\n1 qid:1 1:2\n")
    assert "without a judgment" in rankproof("standardize", letor, *out).err
    assert not (tmp_path / "out.txt").exists()
