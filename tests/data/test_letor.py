"""What the LETOR reader reads: numbers, lines, comments, matrices, packed files, real sets."""

from __future__ import annotations

import bz2
import gzip
import lzma
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zstandard

from data.slow_letor import GOOD, WAYS, check_same
from every_case import exhaustive
from rankproof.data.letor import rows as letor_text
from rankproof.data.letor.read import read_letor
from rankproof.errors import DataError, FileFormatError


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


def test_a_small_file(rows: Callable[..., Path], threads: int) -> None:
    data = read_letor(rows(GOOD), threads=threads)
    assert data.query_ids.tolist() == [10, 20]
    assert data.query_ids.dtype == np.int64
    assert data.offsets.tolist() == [0, 2, 4]
    np.testing.assert_array_equal(data.labels, [2, 0, 1, np.nan])
    assert data.doc_ids.tolist() == ["GX008-86-4444840", "GX2", "GX3", ""]
    expected = np.array(
        [[0.25, 1e-3, 7], [-1.5, np.nan, 12], [0, 0.5, 5], [100, np.inf, 0.1]], dtype=np.float32
    )
    np.testing.assert_array_equal(data.X, expected)
    assert data.X.dtype == np.float32
    check_same(data, GOOD)


@pytest.mark.parametrize("ending", [b"\r\n", b"\n\n", b" \n", b"\t\r\n"])
def test_line_endings(rows: Callable[..., Path], threads: int, ending: bytes) -> None:
    content = GOOD.replace(b"\n", ending)
    check_same(read_letor(rows(content), threads=threads), content)
    check_same(read_letor(rows(content.rstrip()), threads=threads), content.rstrip())


def test_a_byte_order_mark_is_skipped(rows: Callable[..., Path], threads: int) -> None:
    check_same(read_letor(rows(b"\xef\xbb\xbf" + GOOD[16:]), threads=threads), GOOD[16:])


def test_sparse_rows(rows: Callable[..., Path], threads: int) -> None:
    content = b"1 qid:1 3:1 900:2\n0 qid:1\n2 qid:2 1000:0.5 #docid = x\n"
    data = read_letor(rows(content), threads=threads)
    assert data.X.shape == (3, 1000)
    assert data.X.data.dtype == np.float32
    assert data.X.indices.tolist() == [2, 899, 999]
    assert data.X.indptr.tolist() == [0, 2, 2, 3]
    dense = read_letor(rows(content), sparse=False, threads=threads)
    assert dense.X.flags.c_contiguous
    np.testing.assert_array_equal(dense.X, data.X.toarray())
    np.testing.assert_array_equal(read_letor(rows(GOOD), sparse=True).X.toarray(), read_letor(rows(GOOD)).X)


def test_the_smaller_form_is_chosen(rows: Callable[..., Path]) -> None:
    # 2 rows of 4 columns: 32 bytes dense; sparse takes 8 a value and 4 a row.
    assert isinstance(read_letor(rows(b"1 qid:1 1:1 4:1\n1 qid:1 1:1\n")).X, np.ndarray)
    assert not isinstance(read_letor(rows(b"1 qid:1 1:1\n1 qid:1 4:1\n")).X, np.ndarray)


def test_an_absurd_width_does_not_fill_the_memory(rows: Callable[..., Path]) -> None:
    path = rows(b"1 qid:1 1:1 2147483646:2\n0 qid:1 1:1\n")
    data = read_letor(path)
    assert data.X.shape == (2, 2147483646)
    assert data.X.data.tolist() == [1, 2, 1]
    many = rows(b"1 qid:1 1:1\n" * 99 + b"1 qid:1 2147483646:2\n")
    with pytest.raises(
        DataError, match=r"100 rows and 2147483646 features would take 859 GB.*Pass sparse=True"
    ):
        read_letor(many, sparse=False)


def test_the_number_of_features(rows: Callable[..., Path], threads: int) -> None:
    path = rows(GOOD)
    wide = read_letor(path, features=5, sparse=False, threads=threads)
    assert wide.X.shape == (4, 5)
    np.testing.assert_array_equal(wide.X[:, :3], read_letor(path).X)
    assert not wide.X[:, 3:].any()
    with pytest.raises(
        FileFormatError, match=r":2: feature index 3 is greater than features=2\. Allow more, or drop it"
    ):
        read_letor(path, features=2, threads=threads)


def test_rows_without_features(rows: Callable[..., Path], threads: int) -> None:
    content = b"1 qid:1\n0 qid:1 # a\n2 qid:2\n"
    data = read_letor(rows(content), threads=threads)
    assert data.X is None
    assert data.labels.tolist() == [1, 0, 2]
    assert read_letor(rows(content), features=3).X.shape == (3, 3)


@pytest.mark.parametrize(
    ("comment", "doc"),
    [
        (b"#docid = GX008-86-4444840 inc = 1 prob = 0.08", "GX008-86-4444840"),
        (b"#docid=a", "a"),
        (b"# DocID : a b", "a"),
        (b"#\tdocid\t=\ta#b\tc", "a#b"),
        (b"# 1A", "1A"),
        (b"#1A \r", "1A"),
        (b"#docids", "docids"),
        (b"#docid", "docid"),
        (b"#docid =", ""),
        (b"# two words", ""),
        (b"#", ""),
        (b"", ""),
        ("#docid = é".encode(), "é"),
        (b"#docid = caf\xe9", "caf\\xe9"),
        (b"#docid = \xff\xfe", "\\xff\\xfe"),
    ],
)
def test_document_ids(rows: Callable[..., Path], threads: int, comment: bytes, doc: Any) -> None:
    data = read_letor(rows(b"1 qid:1 1:1 #docid = ab\n0 qid:1 1:1 " + comment + b"\n"), threads=threads)
    assert data.doc_ids.tolist() == ["ab", doc]


def test_no_document_ids(rows: Callable[..., Path]) -> None:
    assert read_letor(rows(b"1 qid:1 1:1 # no id\n0 qid:1 1:1 #\n")).doc_ids is None


@pytest.mark.parametrize(
    "pack", [gzip.compress, bz2.compress, lzma.compress, zstandard.ZstdCompressor().compress]
)
def test_packed_files(rows: Callable[..., Path], threads: int, pack: Any) -> None:
    check_same(read_letor(rows(pack(GOOD)), threads=threads), GOOD)


def test_half_way_between_two_values(rows: Callable[..., Path], threads: int) -> None:
    # Odd multiples of 2^-1 .. 2^-6 with 25 bits lie half-way between two float32: one bit too many in the
    # float64 on the way would turn them to the wrong side.
    rng = np.random.default_rng(9)
    texts = [
        f"{(2 * int(rng.integers(2**23, 2**24)) + 1) / 2**k:.{k}f}" for k in range(1, 7) for _ in range(60)
    ]
    content = "".join(f"1 qid:1 1:{text} 2:-{text}\n" for text in texts).encode()
    expected = np.array([[float(text), -float(text)] for text in texts]).astype(np.float32)
    assert read_letor(rows(content), threads=threads).X.tobytes() == expected.tobytes()


def test_many_numbers_that_only_python_can_settle(rows: Callable[..., Path], threads: int) -> None:
    # Half-way between two floats, with digits beyond the nineteenth: more of them than a first try notes.
    hard = "9007199254740993." + "0" * 30 + "1"
    content = "".join(f"{hard} qid:{k % 3 + 3 * (k // 99)} 1:{hard} 2:-{hard}\n" for k in range(297)).encode()
    content = b"\n".join(sorted(content.splitlines(), key=lambda line: int(line.split()[1][4:]))) + b"\n"  # type: ignore[attr-defined]
    data = read_letor(rows(content), threads=threads)
    assert (data.labels == float(hard)).all()
    assert (np.array([float(hard), -float(hard)], dtype=np.float32) == data.X).all()
    check_same(data, content)


@pytest.mark.parametrize("name", ["mq2008/S1.txt.xz", "ohsumed/S3.txt.xz", "mq2007-partial/S2.txt.xz"])
@pytest.mark.parametrize(("threads", "size"), [(2, 1 << 16), *exhaustive((1, 1 << 21), (4, 999))])
def test_real_sets_against_scikit_learn(
    shared_data: Path, monkeypatch: pytest.MonkeyPatch, name: str, threads: int, size: int
) -> None:
    from sklearn.datasets import load_svmlight_file

    monkeypatch.setattr(letor_text, "_RANGE_BYTES", size)
    with lzma.open(shared_data / name) as file:
        X, labels, qid = load_svmlight_file(file, query_id=True)
    data = read_letor(shared_data / name, threads=threads)
    assert np.array_equal(data.X, X.toarray().astype(np.float32))
    assert np.array_equal(data.labels, labels)
    assert np.array_equal(data.qids, qid)
    assert data.doc_ids.size == labels.size
    assert (np.char.str_len(data.doc_ids) > 0).all()


@pytest.mark.parametrize("name", ["rank.test", *exhaustive("rank.train")])
def test_the_example_of_lightgbm_against_scikit_learn(shared_data: Path, threads: int, name: str) -> None:
    from sklearn.datasets import load_svmlight_file

    folder = shared_data / "lightgbm-example"
    with lzma.open(folder / f"{name}.xz") as file:
        X, labels = load_svmlight_file(file, n_features=300, zero_based=False)
    data = read_letor(folder / f"{name}.xz", features=300, threads=threads)
    assert (X.astype(np.float32) != data.X).nnz == 0
    assert np.array_equal(data.labels, labels)
    assert data.sizes.tolist() == [int(line) for line in (folder / f"{name}.query").read_text().split()]


def test_what_scikit_learn_dumps(tmp_path: Path) -> None:
    from sklearn.datasets import dump_svmlight_file

    rng = np.random.default_rng(5)
    X = rng.normal(size=(200, 12)) * 10.0 ** rng.integers(-8, 8, size=(200, 12))
    path = tmp_path / "dump.txt"
    dump_svmlight_file(X, rng.integers(0, 5, 200), str(path), zero_based=False, query_id=np.arange(200) // 20)
    data = read_letor(path)
    printed = np.vectorize(lambda x: float(f"{x:.16g}"))(X)
    assert np.array_equal(data.X, printed.astype(np.float32))


@pytest.mark.parametrize("sparse", [False, True])
def test_null_is_a_missing_value(tmp_path: Path, sparse: bool) -> None:
    path = tmp_path / "null.txt"
    path.write_text("2 qid:1 1:0.5 2:NULL 3:7\n0 qid:1 1:null 2:1 3:Null #docid = NULL\n")
    data = read_letor(path, sparse=sparse)
    X = data.X.toarray() if sparse else data.X  # type: ignore[union-attr]
    np.testing.assert_array_equal(X, np.float32([[0.5, np.nan, 7], [np.nan, 1, np.nan]]))
    assert data.doc_ids.tolist() == ["", "NULL"]  # type: ignore[union-attr]


@pytest.mark.parametrize("row", ["NULL qid:1 1:1", "1 qid:1 1:NULLS", "1 qid:1 1:NUL", "1 qid:1 NULL:1"])
def test_null_stands_for_a_value_alone(tmp_path: Path, row: str) -> None:
    path = tmp_path / "null.txt"
    path.write_text(row + "\n")
    with pytest.raises(FileFormatError, match="is not a"):
        read_letor(path)
