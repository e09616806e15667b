"""Which rows of LETOR text belong to which query: ids, side files, several files."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from data.slow_letor import GOOD, WAYS
from rankproof.data.letor import rows as letor_text
from rankproof.data.letor.read import read_letor
from rankproof.errors import ArgumentError, DataError, FileFormatError


@pytest.fixture(params=WAYS, ids=str)
def threads(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """A number of threads, with ranges of some size: neither may change a result or an error."""
    monkeypatch.setattr(letor_text, "_RANGE_BYTES", request.param[1])
    return request.param[0]


@pytest.fixture
def rows(tmp_path: Path) -> Callable[..., Path]:
    """Writes rows to a file and gives its path."""

    def write(content: bytes, name: str = "rows.txt") -> Path:
        (tmp_path / name).write_bytes(content)
        return tmp_path / name

    return write


@pytest.mark.parametrize(
    ("names", "ids"),
    [
        ("1 2 3", [1, 2, 3]),
        ("-7 0", [-7, 0]),
        ("9223372036854775807 -9223372036854775808", [2**63 - 1, -(2**63)]),
        ("9223372036854775808 1", ["9223372036854775808", "1"]),
        ("01 1", ["01", "1"]),
        ("+1 1", ["+1", "1"]),
        ("-0 1", ["-0", "1"]),
        ("q1 2", ["q1", "2"]),
        ("é a:b", ["é", "a:b"]),
        ("1.5 2", ["1.5", "2"]),
    ],
)
def test_query_ids(rows: Callable[..., Path], threads: int, names: Any, ids: Any) -> None:
    content = "".join(f"1 qid:{name} 1:1\n0 qid:{name} 1:1\n" for name in names.split()).encode()
    data = read_letor(rows(content), threads=threads)
    assert data.query_ids.tolist() == ids
    assert data.sizes.tolist() == [2] * len(ids)


def test_group_brings_rows_together(rows: Callable[..., Path], threads: int) -> None:
    content = (
        b"1 qid:b 1:1 #docid = A\n2 qid:a 1:2 #docid = B\n3 qid:b 1:3 #docid = C\n4 qid:a 1:4 #docid = D\n"
    )
    data = read_letor(rows(content), group=True, threads=threads)
    assert data.query_ids.tolist() == ["b", "a"]
    assert data.offsets.tolist() == [0, 2, 4]
    assert data.labels.tolist() == [1, 3, 2, 4]
    assert data.X[:, 0].tolist() == [1, 3, 2, 4]
    assert data.doc_ids.tolist() == list("ACBD")
    sparse = read_letor(rows(content), group=True, sparse=True, threads=threads)
    assert sparse.X.toarray()[:, 0].tolist() == [1, 3, 2, 4]


def test_group_keeps_the_order_of_the_rows_of_a_query(rows: Callable[..., Path], threads: int) -> None:
    content = "".join(f"{k} qid:{k * 7 % 5} 1:{k}\n" for k in range(300)).encode()
    data = read_letor(rows(content), group=True, threads=threads)
    # 7 k mod 5 = 2 k mod 5 runs through 0, 2, 4, 1, 3.
    assert data.query_ids.tolist() == [0, 2, 4, 1, 3]
    assert data.labels.tolist() == [k for first in range(5) for k in range(first, 300, 5)]


def test_several_files_are_one(rows: Callable[..., Path], threads: int) -> None:
    first, second = rows(GOOD, "a.txt"), rows(b"3 qid:30 4:1\n1 qid:30 4:2 5:3\n", "b.txt")
    data = read_letor([first, second], threads=threads, sparse=False)
    assert data.query_ids.tolist() == [10, 20, 30]
    assert data.sizes.tolist() == [2, 2, 2]
    assert data.X.shape == (6, 5)
    np.testing.assert_array_equal(data.X[:4, :3], read_letor(first).X)
    assert data.X[4:].tolist() == [[0, 0, 0, 1, 0], [0, 0, 0, 2, 3]]
    assert data.doc_ids.tolist() == ["GX008-86-4444840", "GX2", "GX3", "", "", ""]


def test_a_query_may_not_go_on_in_the_next_file(rows: Callable[..., Path], threads: int) -> None:
    first, second = rows(b"1 qid:1 1:1\n1 qid:2 1:1\n", "a.txt"), rows(b"# next\n1 qid:2 1:1\n", "b.txt")
    with pytest.raises(FileFormatError) as caught:
        read_letor((first, second), threads=threads)
    assert str(caught.value).startswith(
        f"{second}:2: query 2 comes back after another one; its first row is {first}:2. "
    )
    assert read_letor([first, second], group=True, threads=threads).sizes.tolist() == [1, 2]


UNNAMED = b"1 1:1\n0 1:2\n2 1:3\n"


@pytest.mark.parametrize("packed", [False, True])
def test_the_query_sizes_of_lightgbm(rows: Callable[..., Path], threads: int, packed: bool) -> None:
    path = rows(gzip.compress(UNNAMED), "rank.train.gz") if packed else rows(UNNAMED, "rank.train")
    rows(b"2\r\n1\n\n", "rank.train.query")
    data = read_letor(path, threads=threads)
    assert data.query_ids.tolist() == [0, 1]
    assert data.offsets.tolist() == [0, 2, 3]
    assert data.labels.tolist() == [1, 0, 2]


def test_a_named_file_of_query_sizes(rows: Callable[..., Path], threads: int) -> None:
    path, sizes = rows(UNNAMED), rows(b"1\n2\n", "sizes")
    assert read_letor(path, query_file=sizes, threads=threads).offsets.tolist() == [0, 1, 3]
    twice = read_letor([path, path], query_file=[sizes, str(sizes)], threads=threads)
    assert twice.offsets.tolist() == [0, 1, 3, 4, 6]
    assert twice.query_ids.tolist() == [0, 1, 2, 3]
    with pytest.raises(DataError, match="missing' does not exist"):
        read_letor(path, query_file=path.with_name("missing"))
    with pytest.raises(ArgumentError, match=r"one file per path \(2\), got 1"):
        read_letor([path, path], query_file=sizes)


def test_rows_with_ids_do_not_look_at_the_side_file(rows: Callable[..., Path]) -> None:
    path = rows(GOOD)
    rows(b"nonsense", "rows.txt.query")
    assert read_letor(path).sizes.tolist() == [2, 2]
    with pytest.raises(FileFormatError, match=r":2: the row has a qid, though query_file=.* is given\."):
        read_letor(path, query_file=path.with_name("rows.txt.query"))


@pytest.mark.parametrize(
    ("sizes", "words"),
    [
        (b"2\n2\n", r"rows\.txt\.query: the query sizes sum to 4, but '.*rows\.txt' has 3 rows\."),
        (b"", r"rows\.txt\.query: the query sizes sum to 0, but"),
        (b"2\nx\n", r"rows\.txt\.query:2: query size 'x' is not a whole number >= 1\."),
        (b"3\n0\n", r"rows\.txt\.query:2: query size '0' is not a whole number >= 1\."),
        (b"\n-3\n", r"rows\.txt\.query:2: query size '-3' is not a whole number >= 1\."),
        (b"1.5\n", r"rows\.txt\.query:1: query size '1\.5' is not a whole number >= 1\."),
        (b"9" * 30, r"rows\.txt\.query:1: query size '9+' is not a whole number >= 1\."),
    ],
)
def test_query_sizes_that_do_not_fit(rows: Callable[..., Path], threads: int, sizes: Any, words: str) -> None:
    path = rows(UNNAMED)
    rows(sizes, "rows.txt.query")
    with pytest.raises(FileFormatError, match=words):
        read_letor(path, threads=threads)


def test_rows_without_any_query(rows: Callable[..., Path], threads: int) -> None:
    path = rows(b"\n" + UNNAMED)
    with pytest.raises(FileFormatError) as caught:
        read_letor(path, threads=threads)
    assert str(caught.value).startswith(
        f"{path}:2: the row has no qid, and there is no file '{path}.query'. Give every"
    )
    rows(b"3\n", "rows.txt.query")
    assert read_letor(path, threads=threads).queries == 1
    with pytest.raises(FileFormatError, match=r":2: the row has no qid\. Give every row"):
        read_letor(path, query_file=None, threads=threads)
    mixed = rows(UNNAMED + b"1 qid:1 1:1\n")
    with pytest.raises(FileFormatError, match=r":4: the row has a qid, unlike the rows before it\."):
        read_letor(mixed, threads=threads)
    with pytest.raises(
        FileFormatError, match=r"named\.txt:2: the row has a qid, unlike the files read before it\."
    ):
        read_letor([rows(UNNAMED), rows(GOOD, "named.txt")], threads=threads)
