"""The readers: the same judgments from every layout and form, and errors that name file and line."""

from __future__ import annotations

import gzip
import lzma
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from rankproof import read_judgments
from rankproof.errors import ArgumentError, DataError, FileFormatError
from rankproof.judgments.container import Judgments
from rankproof.judgments.pairs import PairJudgments

LONG = "qid,docno,worker,label\nq1,d1,ann,2\nq1,d1,bob,0\n\nq2,d1,ann,1\nq1,d2,ann,\n"
ROWS = {
    "qid": ["q1", "q1", "q2", "q1"],
    "docno": ["d1", "d1", "d1", "d2"],
    "worker": ["ann", "bob", "ann", "ann"],
}
LABELS = [2.0, 0.0, 1.0, None]


def same(one: Judgments, other: Judgments) -> bool:
    fields = ("offsets", "grades", "item", "judge", "place", "judge_ids", "query_ids", "doc_ids")
    return all(getattr(one, name).tolist() == getattr(other, name).tolist() for name in fields)


@pytest.fixture
def expected() -> Judgments:
    labels = [np.nan if label is None else label for label in LABELS]
    return Judgments.from_columns(ROWS["qid"], ROWS["docno"], ROWS["worker"], labels)


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, newline="")
    return path


def test_csv_tsv_packed_quoted_and_with_windows_ends_read_alike(tmp_path: Path, expected: Judgments) -> None:
    quoted = LONG.replace("q1", '"q1"').replace("ann", '"ann"')
    files = [
        write(tmp_path, "a.csv", LONG),
        write(tmp_path, "b.csv", LONG.replace("\n", "\r\n")),
        write(tmp_path, "c.csv", "\ufeff" + LONG),
        write(tmp_path, "d.csv", quoted),
        write(tmp_path, "e.tsv", LONG.replace(",", "\t")),
        write(tmp_path, "f.csv", LONG.rstrip("\n")),
    ]
    (tmp_path / "g.csv.gz").write_bytes(gzip.compress(LONG.encode()))
    (tmp_path / "h.csv.xz").write_bytes(lzma.compress(LONG.encode()))
    for path in [*files, tmp_path / "g.csv.gz", tmp_path / "h.csv.xz"]:
        assert same(read_judgments(path), expected), path.name  # type: ignore[arg-type]


def test_frames_and_parquet_read_alike(tmp_path: Path, expected: Judgments) -> None:
    frame = pd.DataFrame({**ROWS, "label": LABELS})
    frame.to_parquet(tmp_path / "a.parquet")
    for source in (
        *(frame, pl.DataFrame({**ROWS, "label": LABELS}), pa.table({**ROWS, "label": LABELS})),
        tmp_path / "a.parquet",
    ):
        assert same(read_judgments(source), expected)  # type: ignore[arg-type]


def test_qrels_of_several_assessors_have_the_judge_in_their_iteration(tmp_path: Path) -> None:
    path = write(tmp_path, "qrels.txt", "q1 ann d1 2\nq1\tbob  d1 0\n\nq2 ann d1 1\n")
    j = read_judgments(path)
    assert isinstance(j, Judgments)
    assert j.judge_ids.tolist() == ["ann", "bob"]
    assert j.counts.tolist() == [[1, 0, 1], [0, 1, 0]]


def test_wide_has_a_column_per_judge(tmp_path: Path, expected: Judgments) -> None:
    path = write(tmp_path, "wide.csv", "qid,doc,ann,bob\nq1,d1,2,0\nq2,d1,1,\nq1,d2,,NA\n")
    j = read_judgments(path, judges=["ann", "bob"])
    assert isinstance(j, Judgments)
    assert j.query_ids.tolist() == expected.query_ids.tolist()
    assert j.doc_ids.tolist() == ["d1", "d2", "d1"]
    assert j.counts.tolist() == expected.counts.tolist()


def test_soft_labels_are_columns_of_probabilities(tmp_path: Path) -> None:
    path = write(tmp_path, "soft.csv", "query,item,p2,p0\na,x,0.25,0.75\nb,y,1,0\na,z,0.5,0.5\n")
    j = read_judgments(path, probabilities={0: "p0", 2: "p2"})
    assert isinstance(j, Judgments)
    assert j.grades.tolist() == [0, 2]
    assert j.doc_ids.tolist() == ["x", "z", "y"]
    assert j.marginals().tolist() == [[0.75, 0.25], [0.5, 0.5], [0, 1]]
    assert j.reading == "independent"


def test_pairs_have_winners_and_losers(tmp_path: Path) -> None:
    path = write(
        tmp_path, "pairs.csv", "query,winner,loser,judge\nq,a,b,ann\nq,b,a,bob\nq,a,b,cid\nq,b,c,ann\n"
    )
    pairs = read_judgments(path)
    assert isinstance(pairs, PairJudgments)
    # a over b in 2 of 3, b over c in 1 of 1: n + wins - losses.
    by_hand = [3 + 2 / 3 - 1 / 3, 3 + 1 / 3 + 1 - 2 / 3, 3 - 1]
    order = [pairs.doc_ids.tolist().index(doc) for doc in "abc"]
    assert np.allclose(pairs.expected_target("PD").values[order], by_hand, rtol=1e-15)
    with pytest.raises(ArgumentError, match="needs grades"):
        pairs.expected_target("nDCG")


@pytest.mark.parametrize(
    ("name", "text", "more", "message"),
    [
        ("a.csv", "qid,doc,judge,grade\nq,d,j,1\nq,d,k,good\n", {}, r"a.csv:3: the grade 'good' is not"),
        ("a.csv", "qid,doc,judge,grade\nq,d,j,1\n\nq,d,j,2\n", {}, r"a.csv:4: judge .*twice.*line 2"),
        ("a.csv", "qid,doc,judge,grade\nq,d,j\n", {}, r"a.csv:2: the line has 3 cells, and the header has 4"),
        ("a.csv", 'qid,doc,judge,grade\n"q",d,j\n', {}, r"a.csv:2: the line has 3 cells"),
        ("a.csv", 'qid,doc,judge,grade\n"q,d,j,1\n', {}, r"a.csv:2: the line is not CSV"),
        ("a.csv", "qid,doc,judge,grade\n,d,j,1\n", {}, r"a.csv:2: the query"),
        ("a.csv", "qid,doc,doc,grade\nq,d,j,1\n", {}, r"a.csv:1: the header names the column 'doc' twice"),
        ("a.csv", "", {}, r"a.csv: the file is empty"),
        ("a.csv", "qid,doc,judge,grade\n", {}, r"has no rows"),
        ("a.csv", "a,b,c,d\n1,2,3,4\n", {}, r"under the names query, qid.*columns are a, b"),
        ("a.csv", "qid,doc,judge,grade\n1,2,3,4\n", {"grade": "grad"}, r"column 'grad'.*mean 'grade'"),
        ("q.txt", "q j d 1\nq j 1\n", {}, r"q.txt:2: the line has 3 columns; a"),
        ("q.txt", "", {}, r"q.txt: the file has no lines"),
        ("w.csv", "qid,doc,a\nq,d,1\nq,d,2\n", {"judges": ["a"]}, r"w.csv:3: item 'd' .* has another"),
        ("s.csv", "qid,doc,a,b\nq,d,.1,.8\n", {"probabilities": ["a", "b"]}, r"s.csv:2: the prob.*sum 0.9"),
        ("p.csv", "qid,winner,loser,judge\nq,a,a,j\n", {}, r"p.csv:2: 'a' is winner and loser"),
        ("a.csv", "qid,doc,judge,grade\n1,2,3,4\n", {"layout": "tall"}, r"layout must be one of 'long'"),
        ("a.csv", "qid,doc,judge,grade\n1,2,3,4\n", {"layout": "wide"}, r"needs judges="),
        ("a.csv", "qid,doc,judge,grade\n1,2,3,4\n", {"form": "xls"}, r"form must be one of 'csv'"),
        ("a.csv", "qid,doc,a,b\n1,2,3,4\n", {"judges": ["a"], "probabilities": ["b"]}, r"a table has one"),
    ],
)  # fmt: skip
def test_errors_name_the_place_and_the_rule(
    tmp_path: Path, name: str, text: str, more: dict[str, Any], message: str
) -> None:
    path = write(tmp_path, name, text)
    with pytest.raises((ArgumentError, DataError), match=message):
        read_judgments(path, **more)


def test_text_that_is_not_utf8_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(b"qid,doc,judge,grade\nq,d,j,1\nq,\xff,j,1\n")
    with pytest.raises(FileFormatError, match=r"a.csv:3: the line is not UTF-8"):
        read_judgments(path)


def test_rows_of_frames_are_named(tmp_path: Path) -> None:
    frame = pd.DataFrame({"qid": [1, 1], "doc": ["d", "d"], "judge": [1, 1], "grade": [0, 1]})
    with pytest.raises(
        DataError, match=r"Row 1 of the frame .*grades item 'd' of query 1 twice, first in row 0"
    ):
        read_judgments(frame)
    with pytest.raises(DataError, match="no nulls, got one in row 1"):
        read_judgments(frame.assign(doc=["d", None]))


def test_long_ids_do_not_widen_the_others(tmp_path: Path) -> None:
    rows = "".join(f"q,d{k},j,1\n" for k in range(20_000)) + "q," + "x" * 5000 + ",j,1\n"
    path = write(tmp_path, "a.csv", "qid,doc,judge,grade\n" + rows)
    tracemalloc.start()
    j = read_judgments(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert isinstance(j, Judgments)
    assert j.items == 20_001
    assert peak < 30e6  # at the width of the longest it were 400 MB
