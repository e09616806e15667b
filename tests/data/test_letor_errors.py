"""What the LETOR reader refuses, where, and with which words."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from data.slow_letor import GOOD, WAYS, check_same
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


BAD = [
    # content, line, words of the message
    (b"x qid:1 1:1\n", 1, "label 'x' is not a number. A row reads: LABEL qid:QUERY"),
    (b"qid:1 1:1\n", 1, "label 'qid:1' is not a number"),
    (b"1_0 qid:1 1:1\n", 1, "label '1_0' is not a number"),
    (b"1 qid:1 1:1\ninf qid:1 1:1\n", 2, "label 'inf' is not finite. A label is a finite number, or nan"),
    (b"1 qid:1 1:1\n-1e999 qid:1 1:1\n", 2, "label '-1e999' is not finite"),
    (b"1 qid:1 1:1\n179769313486231580793729" + b"0" * 285 + b" qid:1 1:1\n", 2, "is not finite"),
    (b"1 qid:1 1:1 2:abc\n", 1, "feature value 'abc' of feature 2 is not a number."),
    (b"1 qid:1 17:\n", 1, "feature value '' of feature 17 is not a number."),
    (b"1 qid:1 1:2:3\n", 1, "feature value '2:3' of feature 1 is not a number."),
    (b"1 qid:1 1:0x10\n", 1, "feature value '0x10' of feature 1 is not a number."),
    (b"1 qid:1 1:1_0\n", 1, "feature value '1_0' of feature 1 is not a number."),
    (b"1 qid:1 1:1 abc\n", 1, "'abc' is not of the form INDEX:VALUE."),
    (b"1 qid:1 1 2\n", 1, "'1' is not of the form INDEX:VALUE."),
    (b"1 qid:1 a:1\n", 1, "feature index 'a' in 'a:1' is not a whole number."),
    (b"1 qid:1 -1:1\n", 1, "feature index '-1' in '-1:1' is not a whole number."),
    (b"1 qid:1 :1\n", 1, "feature index '' in ':1' is not a whole number."),
    (b"1 qid:1 1:1 : 2:1\n", 1, "feature index '' in ':' is not a whole number."),
    (b"1 qid:1 1.0:1\n", 1, "feature index '1.0' in '1.0:1' is not a whole number."),
    (b"1 qid:1 0:1\n", 1, "feature index 0: indices start at 1. Add 1 to every index"),
    (b"1 qid:1 2:1 1:1\n", 1, "feature index 1 comes after 2: the indices of a row must increase."),
    (b"1 qid:1 9:1 1:1\n", 1, "feature index 1 comes after 9: the indices of a row must increase."),
    (b"1 qid:1 1:1 2:1 2:1\n", 1, "feature index 2 is given twice."),
    (b"1 qid:1 2147483647:1\n", 1, "feature index '2147483647' is too large: the largest is 2147483646."),
    (b"1 qid:1 99999999999999999999999:1\n", 1, "feature index '99999999999999999999999' is too large"),
    (b"1 qid:1 18446744073709551617:1\n", 1, "feature index '18446744073709551617' is too large"),
    (b"1 qid: 1:1\n", 1, "the query id after 'qid:' is empty."),
    (b"1 qid:#1 1:1\n", 1, "the query id after 'qid:' is empty."),
    (b"1 1:1 qid:1\n", 1, "'qid:1' must come right after the label."),
    (b"1 qid:1 1:1 qid:2\n", 1, "'qid:2' must come right after the label."),
    (b"1 qid:1 1:1\n1 1:1\n", 2, "the row has no qid, unlike the rows before it."),
    (b"1 qid:1 1:1\n# 1\n\n1 qid:2 1:1\n0 qid:1 1:1\n", 5, "query 1 comes back after another one"),
    (b"1 qid:a 1:1\n1 qid:b 1:1\n0 qid:a 1:1\n1 qid:c x\n", 3, "query 'a' comes back after another one"),
    (b"1 qid:a 1:1\n1 qid:b 1:1\n0 qid:a 1:1\n1 1:1\n", 3, "query 'a' comes back after another one"),
    (b"1 qid:a 1:1\n1 qid:b 1:1\n0 qid:c x\n1 qid:a 1:1\n", 3, "'x' is not of the form"),
    (b"1 qid:1 1:1\n0 qid:1 1:2\r3:4\n", 2, "there is a carriage return inside the line: '1:2\\r3:4'."),
    (b"1 qid:1 1:1\r\r\n", 1, "there is a carriage return inside the line"),
    (b"\0\0\0\0\0\n", 1, "The line holds NUL bytes: the file is damaged, binary, or UTF-16"),
    ("1 qid:1 1:1\n".encode("utf-16"), 1, "The line holds NUL bytes"),
    (b"1 qid:1 1:1\n\x89PNG\r\n\x1a\n", 2, "label '\\x89PNG' is not a number."),
    (b"1 qid:a\0b 1:1\n", 1, "query id 'a\\x00b' holds a NUL byte."),
    (b"1 qid:1 1:1 #docid = a\0b\n", 1, "document id 'a\\x00b' holds a NUL byte."),
    (b"1 qid:1 1:1 # a\0b\n", 1, "document id 'a\\x00b' holds a NUL byte."),
    (b"1 qid:" + b"q" * 5000 + b" 1:1\n", 1, "' ... (5000 bytes) is longer than 4096 bytes."),
    (b"1 qid:1 1:1 #docid = " + b"d" * 5000 + b"\n", 1, "' ... (5000 bytes) is longer than 4096 bytes."),
    (b"1 qid:1 1:1\n2 qid:1 1:", 2, "feature 1 is not a number. The file does not end with a newline"),
    (b"1 qid:1 1:1\n2 qid", 2, "'qid' is not of the form INDEX:VALUE"),
    (
        b"1 qid:1 1:1 2:1\n2",
        2,
        "the row has no qid, unlike the rows before it. The file does not end with a newline",
    ),
    (
        b"1 qid:1 1:1 2:1\n1 qid:1 1:5 2:5\n2 qid:1 1:3",
        3,
        "the row ends at feature 1, though every row before",
    ),
    (b"1 qid:1 1:1 2:1\n2 qid:1", 2, "If it is complete, append a newline to the file."),
]


@pytest.mark.parametrize(
    ("content", "line", "words"), BAD, ids=[f"{k}-{words[:30]}" for k, (_, _, words) in enumerate(BAD)]
)
def test_what_is_refused(
    rows: Callable[..., Path], threads: int, content: bytes, line: int, words: str
) -> None:
    path = rows(content)
    with pytest.raises(FileFormatError) as caught:
        read_letor(path, threads=threads)
    assert str(caught.value).startswith(f"{path}:{line}: ")
    assert words in str(caught.value)
    assert (caught.value.path, caught.value.line) == (str(path), line)


@pytest.mark.parametrize("content", [content for content, _, _ in BAD if content.endswith(b"\n")])
def test_only_unterminated_lines_are_called_truncated(rows: Callable[..., Path], content: bytes) -> None:
    with pytest.raises(FileFormatError) as caught:
        read_letor(rows(content))
    assert "truncated" not in str(caught.value)


def test_the_first_error_of_many(rows: Callable[..., Path], threads: int) -> None:
    good = b"1 qid:1 1:0.5 2:0.25\n"
    path = rows(good * 100 + b"1 qid:1 1:bad\n" + good * 50 + b"worse qid:1\n" * 200)
    with pytest.raises(FileFormatError, match=r":101: feature value 'bad'"):
        read_letor(path, threads=threads)


@pytest.mark.parametrize(
    "content",
    [
        b"1 qid:1 1:1 2:1\n2 qid:1 1:3\n1 qid:1 1:4",
        b"1 qid:1 1:1 2:1\n2 qid:1 1:3 2:4",
        b"1 qid:1 1:1 2:1\n2 qid:1 1:3\n",
        b"1 qid:1 1:1",
    ],
)
def test_a_missing_newline_alone_is_no_error(rows: Callable[..., Path], threads: int, content: bytes) -> None:
    check_same(read_letor(rows(content), threads=threads), content)


@pytest.mark.parametrize("content", [b"", b"\n", b"# only a comment", b"\r\n\t\n"])
def test_a_file_without_rows(rows: Callable[..., Path], threads: int, content: bytes) -> None:
    path = rows(content)
    words = "is empty" if not content else "holds no rows"
    with pytest.raises(FileFormatError) as caught:
        read_letor(path, threads=threads)
    assert str(caught.value) == f"{path}: the file {words}."


def test_errors_come_in_the_order_of_the_files(rows: Callable[..., Path], threads: int) -> None:
    good, bad = rows(b"1 qid:1 1:1\n", "good.txt"), rows(b"1 qid:2 1:1\n1 qid:2 x\n", "bad.txt")
    empty, cut = rows(b"#\n", "empty.txt"), rows(b"1 qid:3 1:1 2:2\n1 qid:3 1:1", "cut.txt")
    worst = rows(b"x\n", "worst.txt")
    for paths, words in [
        ([good, empty, worst], f"{empty}: the file holds no rows"),
        ([good, worst, empty], f"{worst}:1: label 'x'"),
        ([good, bad, empty], f"{bad}:2: 'x'"),
        ([good, empty, bad], f"{empty}: the file holds no rows"),
        ([empty, empty, bad], f"{empty}: the file holds no rows"),
        ([good, cut, bad], f"{cut}:2: the row ends at feature 1"),
        ([good, good, cut], f"{good}:1: query 1 comes back"),
        ([cut, good, good], f"{cut}:2: the row ends at feature 1"),
        ([good, cut, empty], f"{cut}:2: the row ends at feature 1"),
        ([bad, good], f"{bad}:2: 'x'"),
    ]:
        with pytest.raises(FileFormatError) as caught:
            read_letor(paths, threads=threads)
        assert str(caught.value).startswith(words)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"path": []}, r"Argument path must be a path or a list of paths, got \[\]\."),
        ({"path": 3}, "Argument path must be a path or a list of paths, got 3"),
        ({"path": [3]}, r"A path must be a str or a pathlib\.Path, got 3"),
        ({"sparse": "yes"}, "Argument sparse must be True, False or 'auto', got 'yes'"),
        ({"features": 0}, "Argument features must be an int >= 1, got 0"),
        ({"threads": 0}, "Argument threads must be an int >= 1 or None, got 0"),
        ({"query_file": 7}, "Argument query_file must be a path or a list of paths, got 7"),
    ],
)
def test_arguments(rows: Callable[..., Path], more: Any, words: str) -> None:
    path = more.pop("path", rows(GOOD))
    with pytest.raises(ArgumentError, match=words):
        read_letor(path, **more)


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="does not exist"):
        read_letor(tmp_path / "no.txt")
