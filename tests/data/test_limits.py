"""Input without an end stops at a stated limit, and what is no file is refused in our words."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
import random
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import zstandard

import rankproof as rp
import rankproof.files.open as opening
from rankproof.data.scores import read_scores
from rankproof.errors import ArgumentError, DataError
from rankproof.files import largest_input, open_bytes
from rankproof.files.open import LONGEST_LINE

READERS: dict[str, Callable[..., Any]] = {
    "read_letor": rp.read_letor,
    "read_run": rp.read_run,
    "read_qrels": rp.read_qrels,
    "read_scores": read_scores,
}
readers = pytest.mark.parametrize("reader", list(READERS))
PACK: dict[str, Callable[[bytes], bytes]] = {
    ".gz": lambda text: gzip.compress(text, 6),
    ".bz2": lambda text: bz2.compress(text, 1),
    ".xz": lambda text: lzma.compress(text, preset=0),
    ".zst": lambda text: zstandard.ZstdCompressor().compress(text),
}


def most_memory(work: Callable[[], Any]) -> int:
    """The most bytes that were held while the work ran."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@readers
def test_a_device_without_an_end_is_refused(reader: str) -> None:
    with pytest.raises(
        DataError, match=r"'/dev/zero' has a line of more than 67,108,864 bytes: this is not text"
    ):
        READERS[reader]("/dev/zero")


@readers
def test_a_large_file_without_lines_is_refused_where_it_lies(reader: str, tmp_path: Path) -> None:
    """Zeros that take no room on the disk; to look at all of them would take half a minute and gigabytes."""
    path = tmp_path / "zeros"
    with path.open("wb") as file:
        file.truncate(3 << 30)

    def read() -> None:
        with pytest.raises(DataError, match=r"a line of more than 67,108,864 bytes: this is not text"):
            READERS[reader](path)

    assert most_memory(read) < 1 << 20


def test_a_long_line_is_found_wherever_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By looking at a few lines, as by looking at all of them."""
    most = 30
    monkeypatch.setattr(opening, "LONGEST_LINE", most)
    draw = random.Random(5)
    path, refused = tmp_path / "text", 0
    for _ in range(500):
        sizes = [draw.randint(0, most) for _ in range(draw.randint(1, 12))]
        if draw.random() < 0.5:
            sizes[draw.randrange(len(sizes))] = most + draw.randint(0, 2)
        text = b"\n".join(b"x" * size for size in sizes) + b"\n" * draw.randint(0, 1)
        path.write_bytes(text or b"x")
        if max(sizes) > most:
            refused += 1
            with pytest.raises(DataError, match="a line of more than 30 bytes: this is not text"):
                open_bytes(path)
        else:
            assert bytes(open_bytes(path)) == (text or b"x")
    assert 100 < refused < 300


def test_a_large_file_with_nul_bytes_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "utf-16"
    path.write_bytes("1 qid:1 1:1\n".encode("utf-16-le") * 100)
    assert len(open_bytes(path)) == 2400
    monkeypatch.setattr(opening, "LONGEST_LINE", 1000)
    with pytest.raises(DataError, match=r"a NUL byte after 1 bytes: it is damaged, binary, or UTF-16"):
        open_bytes(path)


@pytest.mark.parametrize("suffix", list(PACK))
def test_a_bomb_is_refused_before_it_fills_the_memory(
    tmp_path: Path, suffix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opening, "LONGEST_LINE", LONGEST_LINE // 4)
    path = tmp_path / f"bomb{suffix}"
    path.write_bytes(PACK[suffix](bytes(2 * LONGEST_LINE)))

    def read() -> None:
        with pytest.raises(DataError, match="when unpacked: this is not text"):
            rp.read_letor(path)

    # A line of the most bytes, while it is copied to grow, and the piece that comes next.
    assert most_memory(read) < 1.5 * LONGEST_LINE


@pytest.mark.parametrize("suffix", list(PACK))
def test_a_bomb_of_lines_is_refused_at_the_stated_limit(
    tmp_path: Path, suffix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / f"bomb{suffix}"
    path.write_bytes(PACK[suffix](b"1 qid:1 1:1\n" * 300_000))
    monkeypatch.setenv("RANKPROOF_LARGEST_INPUT", "1000000")
    with pytest.raises(DataError, match=r"more than 1,000,000 bytes when unpacked.*RANKPROOF_LARGEST_INPUT"):
        rp.read_letor(path)
    monkeypatch.setenv("RANKPROOF_LARGEST_INPUT", "4000000")
    assert rp.read_letor(path).items == 300_000


def test_a_pipe_without_an_end_is_refused_at_the_stated_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RANKPROOF_LARGEST_INPUT", "3000000")
    with pytest.raises(DataError, match=r"'/dev/urandom' holds more than 3,000,000 bytes"):
        rp.read_run("/dev/urandom")
    plain = tmp_path / "plain"
    plain.write_text("q Q0 d 1 2 tag\n" * 1 + "".join(f"q Q0 d{k} 1 2 tag\n" for k in range(200_000)))
    assert plain.stat().st_size > 3_000_000
    assert rp.read_run(plain).items == 200_001  # a plain file is read where it is


def test_the_limit_is_half_of_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RANKPROOF_LARGEST_INPUT", raising=False)
    assert largest_input() == os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2
    monkeypatch.setenv("RANKPROOF_LARGEST_INPUT", "1e6")
    with pytest.raises(ArgumentError, match="must be a whole number of bytes >= 1, got '1e6'"):
        open_bytes("/dev/null")


@readers
@pytest.mark.parametrize("folder", [".", "/", "..", "", "./"])
def test_a_folder_is_refused(
    reader: str, folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(DataError, match="is a folder, not a file"):
        READERS[reader](folder)


def test_a_folder_is_refused_as_a_side_file(tmp_path: Path) -> None:
    path = tmp_path / "data.txt"
    path.write_text("1 1:2\n")
    with pytest.raises(DataError, match="is a folder, not a file"):
        rp.read_letor(path, query_file=".")


@pytest.mark.parametrize("name", [".", "/", ".."])
def test_nothing_is_written_to_a_folder(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    data = rp.RankingData(labels=[1], offsets=[0, 1])
    with pytest.raises(DataError, match="this is a folder"):
        rp.write_letor(data, name)
    with pytest.raises(DataError, match="this is a folder"):
        rp.write_qrels(name, ["q"], ["d"], [1], [0, 1])
