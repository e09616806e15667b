"""Damaged files: the result of the slow parser, or our error at its line; never anything else."""

from __future__ import annotations

import gzip
import random
from pathlib import Path

import pytest

from data.trec_checks import READ, check, tiny_parts
from drawn import is_exhaustive
from every_case import every_case, exhaustive
from rankproof.errors import RankproofError

RUN = b"".join(
    b"%s Q0 %s %d %s run\n" % (query, doc, rank, score)
    for query in (b"q1", b"q10", "größe".encode())
    for rank, (doc, score) in enumerate(
        [(b"d", b"3.5"), (b"doc-0000001", b"-2"), (b"doc-00000011", b"1e-7"), ("漢字".encode(), b"inf")]
    )
)
QRELS = b"".join(
    b" ".join(line.split()[:3]) + b" %d\r\n" % (k % 3 - 1) for k, line in enumerate(RUN.splitlines())
)
PIECES = (
    b"\n", b" ", b"\t", b"\r", b"\0", b"\x1f", b"\xff", b"\xc3", b"\xed\xa0\x80", b"nan", b"inf", b"1e999",
    b"-", b".", b"e", b"q1 0 d 1\n", b"q1 Q0 d 1 1 t\n", b"\xf0\x9f\x99\x82", b"\xef\xbb\xbf", b"\n" * 9,
)  # fmt: skip


def damaged(content: bytes, rng: random.Random) -> bytes:
    """A few random cuts, changes, insertions, repetitions and swaps."""
    text = bytearray(content)
    for _ in range(rng.randint(1, 4)):
        a, b = sorted((rng.randint(0, len(text)), rng.randint(0, len(text))))
        match rng.randint(0, 6):
            case 0:
                del text[b:]
            case 1:
                del text[a : min(b, a + 12)]
            case 2:
                text[a:a] = rng.choice(PIECES)
            case 3:
                text[a : a + 1] = bytes([rng.randrange(256)])
            case 4:
                text[b:b] = text[a : min(b, a + 60)]
            case 5:
                lines = bytes(text).splitlines(keepends=True)
                rng.shuffle(lines)
                text = bytearray(b"".join(lines))
            case 6:
                text[a : a + 1] = bytes([text[a] ^ (1 << rng.randrange(8))]) if a < len(text) else b""
    return bytes(text)


@pytest.mark.parametrize("kind", ["run", "qrels"])
@pytest.mark.parametrize("seed", [0, *exhaustive(1, 2, 3)])
def test_damaged_files(tmp_path: Path, kind: str, seed: int) -> None:
    rng = random.Random(f"{kind}{seed}")
    content = RUN if kind == "run" else QRELS
    with tiny_parts(mask=rng.choice((2**64 - 1, 7))):
        for _ in range(250):
            check(tmp_path / "file", damaged(content, rng), kind, threads=rng.choice((1, 2, 4)))


@pytest.mark.parametrize("kind", ["run", "qrels"])
def test_every_truncation(tmp_path: Path, kind: str) -> None:
    content = RUN if kind == "run" else QRELS
    with tiny_parts():
        for size in range(len(content) + 1):
            check(tmp_path / "file", content[:size], kind, threads=2)


@pytest.mark.parametrize("kind", ["run", "qrels"])
def test_random_bytes(tmp_path: Path, kind: str) -> None:
    rng = random.Random(kind)
    for size in range(300):
        check(tmp_path / "file", rng.randbytes(size), kind, threads=1)
        check(tmp_path / "file", bytes(rng.choice(b"q 0d1\n\t\r.-") for _ in range(size)), kind, threads=1)


@every_case("code", range(0x80, 0x100, 1 if is_exhaustive() else 3), thin=True)
def test_utf8_is_what_python_says_it_is(tmp_path: Path, code: int) -> None:
    rng = random.Random(code)
    for second in (0x7E, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0):
        rest = bytes(rng.choice((0x80, 0xBF, 0x41, 0xC3)) for _ in range(rng.randint(0, 2)))
        check(tmp_path / "file", b"q 0 " + bytes([code, second]) + rest + b" 1\n", "qrels", threads=1)
        check(
            tmp_path / "file", b"q 0 d 1\nq 0 " + bytes([code, second]) + b"\x80\x80 1\n", "qrels", threads=1
        )


def test_damaged_archives(tmp_path: Path) -> None:
    rng = random.Random(5)
    path = tmp_path / "file.gz"
    refused = []
    for _ in range(200):
        path.write_bytes(damaged(gzip.compress(RUN, mtime=0), rng))
        try:
            READ["run"](path)
        except RankproofError as error:
            refused.append(str(error))
    assert len(refused) > 150
    assert all(str(path) in message for message in refused)
