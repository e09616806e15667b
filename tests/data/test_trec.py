"""Runs and qrels: what is read is what a slow parser reads, and errors name the first bad line."""

from __future__ import annotations

import bz2
import gzip
import lzma
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.slow_trec import slow_parse
from data.trec_checks import MASKS, READ, check, ids, lists_of, tiny_parts
from drawn import examples
from rankproof.data.trec.read import Qrels, Run, read_qrels, read_run
from rankproof.errors import ArgumentError, DataError, FileFormatError


def test_a_run_as_people_write_it(tmp_path: Path) -> None:
    content = b"q1 Q0 d1 1 2.5 bm25\r\n\n  q1\tQ0 \t d2 2 -1e-3 bm25  \n"
    content += b"q2 0 d1 x inf other\n \t\r\n\fq1\v Q0 d3 9 7 bm25"
    (tmp_path / "run").write_bytes(content)
    run = read_run(tmp_path / "run")
    assert run.to_dict() == {"q1": {"d1": 2.5, "d2": -0.001, "d3": 7.0}, "q2": {"d1": float("inf")}}
    assert run.query_ids.tolist() == ["q1", "q2"]
    assert run.offsets.tolist() == [0, 3, 4]
    assert run.tag == "bm25"
    assert repr(run) == "Run(2 queries, 4 items, tag 'bm25')"
    assert len(run) == run.queries == 2
    assert run.items == 4
    with pytest.raises(ValueError, match="read-only"):
        run.scores[0] = 0
    check(tmp_path / "run", content, "run", threads=2)


def test_qrels_as_people_write_them(tmp_path: Path) -> None:
    content = b"\xef\xbb\xbf301 0 d1 1\n301 0 d2 -2\n302 Q d1 0.5\n301 0 d3 1e1\n"
    (tmp_path / "qrels").write_bytes(content)
    qrels = read_qrels(tmp_path / "qrels")
    assert qrels.to_dict() == {"301": {"d1": 1.0, "d2": -2.0, "d3": 10.0}, "302": {"d1": 0.5}}
    assert repr(qrels) == "Qrels(2 queries, 4 items)"
    assert len(qrels) == qrels.queries == 2


@pytest.mark.parametrize(
    ("kind", "content", "line", "words"),
    [
        ("run", b"q Q0 d 1 2.0 t\n\nq Q0 e 1 2.0\n", 3, "has 5 columns, but a run has 6 or more: qid"),
        ("run", b"q 0 d 1\n", 1, "It looks like a qrels file."),
        ("qrels", b"q Q0 d 1 2.0 t\n", 1, "It looks like a run file."),
        ("qrels", b"q 0 d 1 extra\n", 1, "5 columns"),
        ("run", b"q Q0 d 1 abc t\n", 1, "score of document 'd' of query 'q' must be a number"),
        ("run", b"q Q0 d 1 nan t\n", 1, "must be a number (or inf), got 'nan'."),
        ("run", b"q Q0 d 1 1_0 t\n", 1, "got '1_0'"),
        ("run", b"q Q0 d 1 0x1p3 t\n", 1, "got '0x1p3'"),
        ("run", b"q Q0 d 1 - t\n", 1, "got '-'"),
        ("run", b"q Q0 d 1 . t\n", 1, "got '.'"),
        ("run", b"q Q0 d 1 1.2.3 t\n", 1, "got '1.2.3'"),
        ("run", b"q Q0 d 1 1-2 t\n", 1, "got '1-2'"),
        ("qrels", b"q 0 d inf\n", 1, "grade of document 'd' of query 'q' must be a finite number"),
        ("qrels", b"q 0 d 1e999\n", 1, "finite"),
        ("qrels", b"q 0 d one\n", 1, "got 'one'"),
        ("qrels", b"q 0 d 1\np 0 d 1\nq 0 d 2\n", 3, "'d' of query 'q' is on line 1 and again"),
        ("qrels", b"", None, "no lines"),
        ("run", b" \n\r\n\t", None, "a run has lines of 'qid Q0 docno rank score tag'"),
        ("run", b"\x7fELF\x02\x01\x00\x00", 1, "0x02"),
        ("run", "q Q0 d 1 2 t\n".encode("utf-16"), 1, "0x00"),
        ("qrels", b"q 0 d 1\nq 0 \xff\xfe 1\n", 2, "not UTF-8"),
        ("qrels", b"q 0 " + b"x" * 4097 + b" 1\n", 1, "document id has 4097 bytes; 4096 is the maximum"),
        ("qrels", b"y" * 5000 + b" 0 d 1\n", 1, "query id has 5000 bytes"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(
    tmp_path: Path, kind: str, content: bytes, line: int | None, words: str
) -> None:
    path = tmp_path / "file.txt"
    path.write_bytes(content)
    with pytest.raises(FileFormatError) as caught:
        READ[kind](path)
    start = f"{path}: " if line is None else f"{path}:{line}: "
    assert str(caught.value).startswith(start)
    assert words in str(caught.value)
    check(path, content, kind, threads=1)


def test_the_longest_ids_are_kept(tmp_path: Path) -> None:
    check(tmp_path / "file", b"y" * 4096 + b" 0 " + b"x" * 4096 + b" 1\nq 0 d 1\n", "qrels", threads=1)


@pytest.mark.parametrize("threads", [1, 2, 4])
def test_the_first_error_in_file_order_wins(tmp_path: Path, threads: int) -> None:
    good = [b"q%d 0 d%d 1\n" % (k % 7, k) for k in range(400)]
    path = tmp_path / "qrels"
    with tiny_parts():
        for at, spoilt in (
            (30, b"q2 0 d9 1\n"),
            (31, b"q1 0 d3\n"),
            (200, b"q 0 d x\n"),
            (390, b"q5 0 d5 1\n"),
        ):
            # From the last to the first, each new error stands before the ones already there.
            content = b"".join([*good[:at], spoilt, *good[at:]])
            check(path, content, "qrels", threads)
        everything = list(good)
        for at, spoilt in (
            (390, b"q5 0 d5 1\n"),
            (200, b"q 0 d x\n"),
            (31, b"q1 0 d3\n"),
            (30, b"q2 0 d9 1\n"),
        ):
            everything[at] = spoilt
            path.write_bytes(b"".join(everything))
            with pytest.raises(FileFormatError) as caught:
                read_qrels(path, threads=threads)
            assert caught.value.line == at + 1
            check(path, b"".join(everything), "qrels", threads)


def test_the_first_of_many_duplicates_is_named(tmp_path: Path) -> None:
    # Query a comes first, yet b's duplicate stands earlier in the file.
    content = b"a 0 x 1\nb 0 y 1\na 0 z 1\nb 0 y 1\na 0 x 1\na 0 z 1\n"
    for threads in (1, 2):
        with tiny_parts():
            check(tmp_path / "file", content, "qrels", threads)
    with pytest.raises(FileFormatError, match=r":4: document 'y' of query 'b' is on line 2"):
        read_qrels(tmp_path / "file")


def test_numbers_that_need_all_their_digits(tmp_path: Path) -> None:
    texts = [
        "9007199254740993", "9007199254740993.00000000000000000000000000000001", "1e23", "-0", "-0.0", "+.5",
        "123456789012345", "-12345678901234", "0.000000000000001", "123456789.12345678", "4.9e-324", "5.",
        "2.4703282292062327e-324", "1.7976931348623157e308", "00000000000000000001.5",
        "0.1000000000000000055511151231257827021181583404541015625",
        "-99999999999.999", "1e-400", "7.0000000000000000000000000000000001",
    ]  # fmt: skip
    content = "".join(f"q 0 d{k} {text}\n" for k, text in enumerate(texts)).encode()
    (tmp_path / "q").write_bytes(content)
    assert list(map(repr, read_qrels(tmp_path / "q").grades.tolist())) == [
        repr(float(text)) for text in texts
    ]


def test_a_grade_that_rounds_to_infinity_in_the_last_digit(tmp_path: Path) -> None:
    # Half-way between the largest float and 2^1024: exact arithmetic alone tells. Later errors do not count.
    half = str(2**1024 - 2**970)
    content = f"q 0 a 1\np 0 b {half[:-1]}0\nr 0 c {half}.5\nr 0 a 1\nq 0 a\n".encode()
    for threads in (1, 2):
        with tiny_parts():
            check(tmp_path / "q", content, "qrels", threads)


blanks = st.sampled_from([" ", "\t", "  ", " \t "])
numbers = st.sampled_from(["1", "0", "-2", "2.5", "1e3", "inf", "-.5", "12345678901234567890.5"]) | st.floats(
    allow_nan=False
).map(repr)


@st.composite
def files(draw: st.DrawFn, kind: str) -> bytes:
    """Mostly good files, with blank lines, interleaved queries, and now and then something bad."""
    lines = []
    names = draw(st.lists(ids, min_size=1, max_size=3))
    for _ in range(draw(st.integers(0, 12))):
        columns = [draw(st.sampled_from(names)), "Q0", draw(ids), "1", draw(numbers), "tag"]
        if kind == "qrels":
            columns = [*columns[:3], columns[4]]
        if draw(st.integers(0, 30)) == 0:
            columns = draw(
                st.sampled_from([columns[:-1], [*columns, "x"], [*columns[:-2], "x", "x"], ["\x01"]])
            )
        between = draw(blanks)
        lines.append(
            draw(st.sampled_from(["", "", " "]))
            + between.join(columns)
            + draw(st.sampled_from(["", "\r", " "]))
        )
        lines.extend(draw(st.sampled_from([[], [], [""], [" \r"]])))
    return "\n".join(lines).encode() + draw(st.sampled_from([b"", b"\n", b"\n\n"]))


@pytest.mark.parametrize("kind", ["run", "qrels"])
def test_reads_what_a_slow_parser_reads(tmp_path_factory: pytest.TempPathFactory, kind: str) -> None:
    path = tmp_path_factory.mktemp("slow") / "file"

    @examples(150)
    @given(files(kind), st.sampled_from([1, 2, 4]), st.sampled_from(MASKS))
    def law(content: bytes, threads: int, mask: int) -> None:
        with tiny_parts(mask):
            check(path, content, kind, threads)

    law()


@pytest.mark.parametrize("mask", MASKS)
def test_colliding_hashes_never_give_a_wrong_answer(tmp_path: Path, mask: int) -> None:
    rows = [f"q{k % 11} 0 d{k * k % 101}x{k} {k % 3}\n" for k in range(500)]
    with tiny_parts(mask):
        check(tmp_path / "a", "".join(rows).encode(), "qrels", threads=2)
        check(tmp_path / "a", "".join([*rows, rows[137]]).encode(), "qrels", threads=2)


def test_any_number_of_threads_gives_the_same_bits(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    queries, scores = rng.integers(0, 40, 5000).tolist(), rng.normal(size=5000).tolist()
    rows = [f"q{queries[k]} Q0 d{k} 0 {scores[k]!r} t\n" for k in range(5000)]
    path = tmp_path / "run"
    path.write_text("".join(rows))
    first = read_run(path, threads=1)
    with tiny_parts():
        for threads in (2, 4):
            other = read_run(path, threads=threads)
            for name in ("query_ids", "doc_ids", "offsets", "scores"):
                assert getattr(first, name).tobytes() == getattr(other, name).tobytes(), name


@pytest.mark.parametrize("suffix", ["", ".gz", ".bz2", ".xz", ".zst"])
def test_packed_files(tmp_path: Path, suffix: str) -> None:
    content = b"q Q0 d 1 2.0 t\nq Q0 e 2 1.0 t\n"
    import zstandard as zstd

    pack = {
        "": bytes,
        ".gz": gzip.compress,
        ".bz2": bz2.compress,
        ".xz": lzma.compress,
        ".zst": zstd.compress,
    }[suffix]
    path = tmp_path / f"run{suffix}"
    path.write_bytes(pack(content))
    assert read_run(path).to_dict() == {"q": {"d": 2.0, "e": 1.0}}
    if suffix:
        path.write_bytes(pack(content)[:-5])
        with pytest.raises(DataError):
            read_run(path)


def test_files_that_cannot_be_opened(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="does not exist"):
        read_run(tmp_path / "absent")
    with pytest.raises(DataError, match="folder"):
        read_qrels(tmp_path)


def test_a_run_outlives_its_file(tmp_path: Path) -> None:
    path = tmp_path / "run"
    path.write_bytes(b"".join(b"q Q0 document%d 1 %d t\n" % (k, k) for k in range(9000)))
    run = read_run(path)
    # In place: a memory map of the old content would now end in a bus error.
    with path.open("r+b") as file:
        file.truncate(0)
    assert run.to_dict() == {"q": {f"document{k}": float(k) for k in range(9000)}}


def test_the_files_of_trec_eval(shared_data: Path) -> None:
    for name, kind, items in (("qrels.test", "qrels", 3681), ("results.test", "run", 1500)):
        path = shared_data / "trec_eval" / name
        found: Any = READ[kind](path)
        assert repr(lists_of(found)) == repr(slow_parse(path.read_bytes(), kind))
        assert found.items == items == len(path.read_bytes().splitlines())
        assert found.query_ids.tolist() == ["301", "302", "303"]
    assert read_run(shared_data / "trec_eval" / "results.test").tag == "STANDARD"


def test_dictionaries_in_and_out() -> None:
    scores = {"q 1": {"é漢🙂": 1.5, "d": float("-inf")}, "empty": {}, "2": {"d": np.float32(0.5)}}
    run = Run.from_dict(scores, tag="mine")
    assert run.to_dict() == {"q 1": {"é漢🙂": 1.5, "d": float("-inf")}, "empty": {}, "2": {"d": 0.5}}
    assert (run.tag, run.offsets.tolist()) == ("mine", [0, 2, 2, 3])
    grades = {"b": {"x": -1.0, "y": 2.0}, "a": {"x": 0.0}}
    assert Qrels.from_dict(grades).to_dict() == grades
    assert list(Qrels.from_dict(grades).to_dict()) == ["b", "a"]


@pytest.mark.parametrize(
    ("make", "bad", "error", "words"),
    [
        (Run.from_dict, {}, DataError, "no query"),
        (Run.from_dict, [("q", {})], ArgumentError, "must map query ids to documents, got list"),
        (Run.from_dict, {"q": ["d"]}, ArgumentError, "for query 'q', got list"),
        (Run.from_dict, {"q": {"d": "1"}}, ArgumentError, "no number for query 'q'"),
        (Run.from_dict, {"q": {"d": float("nan")}}, DataError, "document 'd' of query 'q' must not be NaN"),
        (Run.from_dict, {1: {"d": 1.0}}, DataError, "query id must be a str with characters .*, got 1"),
        (Run.from_dict, {"q": {"": 1.0}}, DataError, "document id must be a str .*, got ''"),
        (Run.from_dict, {"q": {"a\0b": 1.0}}, DataError, "null"),
        (Run.from_dict, {"q": {"\ud800": 1.0}}, DataError, "surrogate"),
        (Qrels.from_dict, {"q": {"d": 1}, "p": {}}, DataError, "Query 'p' of the qrels has no"),
        (Qrels.from_dict, {"p": {"a": 1}, "q": {"d": -np.inf}}, DataError, "'d' of query 'q' must be finite"),
    ],
)  # fmt: skip
def test_bad_dictionaries(make: object, bad: object, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        make(bad)  # type: ignore[operator]


def test_pickles_hold_what_was_read(tmp_path: Path) -> None:
    (tmp_path / "r").write_bytes(
        b"".join(b"q%d Q0 some-document-%d 1 1 t\n\n" % (k % 3, k) for k in range(50))
    )
    with tiny_parts():
        run = read_run(tmp_path / "r", threads=2)
    copy = pickle.loads(pickle.dumps(run))  # noqa: S301
    assert lists_of(copy) == lists_of(run)
    assert copy.tag == "t"
    qrels = pickle.loads(pickle.dumps(Qrels.from_dict({"q": {"d": 1}})))  # noqa: S301
    assert qrels.to_dict() == {"q": {"d": 1.0}}
