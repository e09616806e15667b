"""Whatever the bytes are, the LETOR reader agrees with the slow one: the same data or an error there."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from data.slow_letor import Refused, check_same, slow_read
from drawn import examples
from rankproof.data.letor import rows as letor_text
from rankproof.data.letor.read import read_letor
from rankproof.errors import FileFormatError

odd_numbers = (
    "0 1 0.5 .5 5. 1e-3 +2 -0 nan -nan inf 1e-400 1e39 1111111111111111111111111 9999999999999999999"
)
numbers = st.one_of(
    st.integers(-5, 300).map(str),
    st.floats(width=32, allow_nan=False).map(str),
    st.floats(-10, 10).map(lambda x: f"{x:.6f}"),
    st.floats(-1e3, 1e3).map(lambda x: f"{x:.16g}"),
    st.sampled_from([*odd_numbers.split(), "0.30000000000000004440892098500626", "12345678901234567890.5"]),
)
labels = st.one_of(st.integers(0, 4).map(str), st.sampled_from(["nan", "-1", "0.5", "2.0", "1e0"]))
odd_comments = [
    "",
    "#docid=a",
    " # x1",
    " #",
    " # two words",
    "#DocId : b",
    " #docid = é",
    " # a:b#c",
    " #docid =",
]
comments = st.one_of(
    st.sampled_from(odd_comments),
    st.integers(0, 99).map(lambda k: f" #docid = GX{k:03}-{k} inc = 1 prob = 0.08"),
)
names = st.one_of(st.integers(1, 5).map(str), st.sampled_from(["q1", "007", "-3", "é", "a:b", "9" * 19]))


@st.composite
def good_rows(draw: st.DrawFn, dense: bool) -> bytes:
    """Rows that break no rule by themselves."""
    lines = []
    for name in draw(st.lists(names, min_size=1, max_size=5, unique=True)):
        for _ in range(draw(st.integers(1, 3))):
            width = 4
            chosen = range(1, width + 1) if dense else sorted(draw(st.sets(st.integers(1, 30), max_size=4)))
            words = [draw(labels), f"qid:{name}", *(f"{index}:{draw(numbers)}" for index in chosen)]
            lines.append(draw(st.sampled_from([" ", " ", "\t", "  "])).join(words) + draw(comments))
            if draw(st.integers(0, 9)) == 0:
                lines.append(draw(st.sampled_from(["", "  ", "# a remark: 1:2", "\r", " \t"])))
    ending = draw(st.sampled_from(["\n", "\n", "\r\n"]))
    return (ending.join(lines) + draw(st.sampled_from(["", ending]))).encode()


WORDS = (
    b"# : 0 9 . - e _ qid: qid nan inf 1: :1 2:3 99999999999:1 3000000000:1 \0 \xff \xef\xbb\xbf \x0c".split(
        b" "
    )
)
PIECES = [b" ", b"\n", b"\r", b"\t", b"\n\n", *WORDS, *(b" " + word for word in WORDS)]


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """Good rows, some bytes of which were replaced, inserted, dropped, doubled or cut off."""
    text = bytearray(draw(good_rows(draw(st.booleans()))))
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, max(0, len(text))))
        stop = min(len(text), at + draw(st.integers(0, 6)))
        action = draw(st.integers(0, 4))
        if action == 0:
            text[at:stop] = draw(st.sampled_from(PIECES))
        elif action == 1:
            text[at:at] = draw(st.sampled_from(PIECES))
        elif action == 2:
            del text[at:stop]
        elif action == 3:
            text[at:at] = text[max(0, at - 40) : at]
        else:
            del text[at:]
    return bytes(text)


fragments = st.sampled_from([*PIECES, *b" 1,2,1:1, 2:2, qid:1 , qid:2 ,docid = x,1e5, 3:nan".split(b",")])
anything = st.one_of(st.binary(max_size=40), st.lists(fragments, max_size=30).map(b"".join)).filter(
    # What starts as an archive does is unpacked first: see test_open.py.
    lambda content: (
        content[:2] not in (b"\x1f\x8b", b"\xfd7", b"\x28\xb5", b"BZ") and content[1:3] != b"\x2a\x4d"
    )
)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("letor") / "rows.txt"


def agree(path: Path, content: bytes, range_bytes: int, threads: int, group: bool = False) -> None:
    path.write_bytes(content)
    refused = refusal(content, group)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(letor_text, "_RANGE_BYTES", range_bytes)
        if refused is None:
            check_same(read_letor(path, group=group, threads=threads), content, group)
        else:
            with pytest.raises(FileFormatError) as caught:
                read_letor(path, group=group, threads=threads)
            assert caught.value.line == refused.line, f"{refused} but {caught.value}"
            assert caught.value.path == str(path)


def refusal(content: bytes, group: bool) -> Refused | None:
    try:
        slow_read(content, group)
    except Refused as refused:
        return refused
    return None


ranges = st.sampled_from([1, 2, 30, 100, 1 << 21])
threads = st.sampled_from([1, 2, 4])
fuzz = examples(150, settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]))


@given(content=good_rows(dense=True), range_bytes=ranges, threads=threads, group=st.booleans())
@fuzz
def test_dense_rows(path: Path, content: bytes, range_bytes: int, threads: int, group: bool) -> None:
    agree(path, content, range_bytes, threads, group)


@given(content=good_rows(dense=False), range_bytes=ranges, threads=threads, group=st.booleans())
@fuzz
def test_sparse_rows(path: Path, content: bytes, range_bytes: int, threads: int, group: bool) -> None:
    agree(path, content, range_bytes, threads, group)


@given(content=damaged(), range_bytes=ranges, threads=threads, group=st.booleans())
@examples(400, fuzz)
def test_damaged_rows(path: Path, content: bytes, range_bytes: int, threads: int, group: bool) -> None:
    agree(path, content, range_bytes, threads, group)


@given(content=anything, range_bytes=ranges, threads=threads)
@examples(400, fuzz)
@example(content=b"", range_bytes=1, threads=1)
@example(content=b"\xef\xbb\xbf", range_bytes=1, threads=1)
@example(content=b"\xef\xbb\xbf1 qid:1 1:1", range_bytes=1, threads=1)
@example(content=b"\n\n\r\n#\n", range_bytes=1, threads=1)
@example(content=b"1 qid:1 1:1\r", range_bytes=1, threads=1)
@example(content=b"1 qid:1 1:1 #docid = a\rb\n", range_bytes=1, threads=1)
@example(content=b"1 qid:1 1:1 # a\rb\n", range_bytes=1, threads=1)
@example(content=b"1 qid:1 2:1\n0 qid:1 2:3\n0 qid:1 1:1", range_bytes=1, threads=1)
@example(content=b"\0" * 5000, range_bytes=64, threads=2)
def test_any_bytes(path: Path, content: bytes, range_bytes: int, threads: int) -> None:
    agree(path, content, range_bytes, threads)


def test_every_cut_of_a_file(path: Path) -> None:
    content = (
        b"2 qid:10 1:0.25 2:1e-3 3:7 #docid = GX1 inc = 1\r\n\n# remark\n"
        b"0 qid:10 1:-1.5 2:nan 3:12 #docid = GX2\n"
        b"1 qid:q2 1:0 2:0.1 3:1 #docid = GX3\n"
    )
    for stop in range(len(content) + 1):
        agree(path, content[:stop], 1 << 21, 1)
        agree(path, content[:stop], 1, 2)
