"""What is written as LETOR text, that it comes back, and what cannot be written."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from drawn import examples
from rankproof.data.letor.read import read_letor, write_letor
from rankproof.data.ranking import RankingData
from rankproof.errors import ArgumentError, DataError


def assert_same(one: RankingData, other: RankingData) -> None:
    assert one.labels.tobytes() == other.labels.tobytes()
    assert one.offsets.tolist() == other.offsets.tolist()
    assert one.query_ids.tolist() == other.query_ids.tolist()
    assert (one.doc_ids is None) == (other.doc_ids is None)
    assert one.doc_ids is None or one.doc_ids.tolist() == other.doc_ids.tolist()
    assert one.features == other.features
    if one.X is not None:
        dense = [X if isinstance(X, np.ndarray) else X.toarray() for X in (one.X, other.X)]
        assert dense[0].tobytes() == dense[1].tobytes()


@st.composite
def datasets(draw: st.DrawFn) -> RankingData:
    from scipy.sparse import csr_array

    sizes = draw(st.lists(st.integers(1, 4), min_size=1, max_size=5))
    items, width = sum(sizes), draw(st.integers(0, 6))
    # Text knows one NaN of each sign; numpy's is the positive one.
    values = st.floats(width=32).map(lambda x: np.nan if np.isnan(x) else x)
    pool = draw(st.lists(values, min_size=1, max_size=8))
    choice = draw(st.lists(st.integers(0, len(pool) - 1), min_size=items * width, max_size=items * width))
    X = np.array(pool, dtype=np.float32)[np.array(choice, dtype=int)].reshape(items, width) if width else None
    if X is not None and draw(st.booleans()):
        X = csr_array(np.where(pool[0] == X, np.float32(0), X))
    text = st.text(st.characters(codec="utf-8", exclude_characters=" \t\r\n#\0"), min_size=1, max_size=6)
    ids = draw(st.lists(text, min_size=len(sizes), max_size=len(sizes), unique=True))
    docs = draw(st.one_of(st.none(), st.lists(text, min_size=items, max_size=items)))
    grades = draw(st.lists(st.floats(allow_infinity=False), min_size=items, max_size=items))
    labels = np.where(np.isnan(grades), np.nan, grades)
    number = draw(st.booleans())
    return RankingData(
        labels=labels,
        offsets=np.cumsum([0, *sizes]),
        X=X,
        query_ids=[f"q{name}" for name in ids] if not number else np.arange(len(sizes)) * 7 - 10,
        doc_ids=docs,
    )


@given(data=datasets(), suffix=st.sampled_from(["", ".gz", ".bz2", ".xz", ".zst"]))
@examples(150)
def test_what_is_written_comes_back(tmp_path_factory: pytest.TempPathFactory, data: Any, suffix: str) -> None:
    path = tmp_path_factory.getbasetemp() / f"written.txt{suffix}"
    write_letor(data, path)
    assert_same(read_letor(path), data)


@pytest.mark.parametrize("name", ["mq2008/S2.txt.xz", "lightgbm-example/rank.test.xz"])
def test_real_sets_come_back(shared_data: Path, tmp_path: Path, name: str) -> None:
    data = read_letor(shared_data / name)
    write_letor(data, tmp_path / "again.txt.gz")
    assert_same(read_letor(tmp_path / "again.txt.gz"), data)


def test_blocks_of_the_writer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from rankproof.data.letor import write as letor_write

    rng = np.random.default_rng(3)
    data = RankingData(
        labels=rng.integers(0, 3, 50), offsets=[0, 20, 50], X=rng.normal(size=(50, 7)).astype(np.float32)
    )
    write_letor(data, tmp_path / "whole.txt")
    for cells, most in ((1, 100), (15, 100), (1000, 3)):
        monkeypatch.setattr(letor_write, "_CELLS_AT_A_TIME", cells)
        monkeypatch.setattr(letor_write, "_ROWS_AT_A_TIME", most)
        write_letor(data, tmp_path / "parts.txt")
        assert (tmp_path / "parts.txt").read_bytes() == (tmp_path / "whole.txt").read_bytes()
    assert_same(read_letor(tmp_path / "parts.txt"), data)


def test_how_rows_are_written(tmp_path: Path) -> None:
    from scipy.sparse import csr_array

    X = np.array([[0.1, 0, -0.0], [1e-7, np.nan, 16777216]], dtype=np.float32)
    data = RankingData(labels=[2, np.nan], offsets=[0, 1, 2], X=X, query_ids=["a", "b"], doc_ids=["", "d#1"])
    write_letor(data, tmp_path / "rows.txt")
    assert (
        tmp_path / "rows.txt"
    ).read_text() == "2 qid:a 1:0.1 2:0 3:-0\nnan qid:b 1:1e-7 2:nan 3:16777216 #docid = d#1\n"
    # Unsorted, with a sum of two entries, and an empty last column.
    sparse = csr_array((np.array([1, 2, 3], dtype=np.float32), [3, 0, 0], [0, 0, 3]), shape=(2, 5))
    write_letor(replace(data, X=sparse, doc_ids=None, labels=[-0.0, 0.5]), tmp_path / "rows.txt")
    assert (tmp_path / "rows.txt").read_text() == "-0.0 qid:a 5:0\n0.5 qid:b 1:5 4:1\n"
    assert read_letor(tmp_path / "rows.txt").features == 5


DATA = RankingData(labels=[1, 0], offsets=[0, 1, 2], X=np.eye(2), query_ids=["a", "b"], doc_ids=["x", "y"])


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (
            replace(DATA, query_ids=["a", "b c"]),
            "The query id 'b c' cannot be written as LETOR text: it holds ' '",
        ),
        (
            replace(DATA, query_ids=["a", "b#"]),
            "The query id 'b#' cannot be written as LETOR text: it holds '#'",
        ),
        (replace(DATA, query_ids=["a", ""]), "The query id '' cannot be written as LETOR text: it is empty"),
        (replace(DATA, query_ids=["a", "\ud800"]), "The query id '.*' cannot be written as UTF-8"),
        (replace(DATA, query_ids=["a", "b" * 5000]), r"The query id 'b+'\.\.\. is longer than 4096 bytes"),
        (
            replace(DATA, doc_ids=["x", "y\tz"]),
            r"The document id 'y\\tz' cannot be written .*: it holds '\\t'",
        ),
        (replace(DATA, item_weights=[1, 1]), "LETOR text has no place for weights"),
        (replace(DATA, query_weights=[1, 1]), "LETOR text has no place for weights"),
        (replace(DATA, offsets=[0, 2, 2]), "Query 'b' has no items: LETOR text cannot name it"),
        (RankingData(labels=[], offsets=[0]), "write_letor got no items"),
    ],
)
def test_what_cannot_be_written(tmp_path: Path, data: Any, words: str) -> None:
    with pytest.raises(DataError, match=words):
        write_letor(data, tmp_path / "out.txt")
    assert not list(tmp_path.iterdir())
    with pytest.raises(ArgumentError, match="must be a RankingData, got list"):
        write_letor([1], tmp_path / "out.txt")
