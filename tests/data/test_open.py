"""Files as bytes: every packing, every way a file can be unreadable, and writes that are all or nothing."""

from __future__ import annotations

import bz2
import gzip
import lzma
import mmap
import os
import stat
import struct
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zstandard

from rankproof.errors import ArgumentError, DataError
from rankproof.files import create_bytes, forget, open_bytes, plain_name
from rights import as_nobody

TEXT = b"2 qid:1 1:0.5\n" * 5000
PACK = {
    ".gz": gzip.compress,
    ".bz2": bz2.compress,
    ".xz": lzma.compress,
    ".zst": lambda text: zstandard.ZstdCompressor().compress(text),
}
suffixes = pytest.mark.parametrize("suffix", list(PACK))


def test_a_plain_file_is_mapped(tmp_path: Path) -> None:
    path = tmp_path / "plain.txt"
    path.write_bytes(TEXT)
    content = open_bytes(path)
    assert isinstance(content, mmap.mmap)
    assert np.frombuffer(content, dtype=np.uint8).tobytes() == TEXT
    assert bytes(open_bytes(str(path))) == TEXT


def test_an_empty_file_is_empty(tmp_path: Path) -> None:
    path = tmp_path / "empty.txt"
    path.touch()
    assert bytes(open_bytes(path)) == b""


@suffixes
def test_packed_files(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"text{suffix}"
    path.write_bytes(PACK[suffix](TEXT))
    assert bytes(open_bytes(path)) == TEXT


@suffixes
def test_the_content_decides(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / "no_suffix"
    path.write_bytes(PACK[suffix](TEXT))
    assert bytes(open_bytes(path)) == TEXT


@suffixes
def test_members_in_a_row_are_one_text(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"text{suffix}"
    # More than one piece of the reader, so that members end inside and between pieces.
    noise = np.random.default_rng(1).integers(0, 256, 1_500_000, dtype=np.uint8).tobytes()
    path.write_bytes(PACK[suffix](noise) + PACK[suffix](b"") + PACK[suffix](TEXT))
    assert bytes(open_bytes(path)) == noise + TEXT


@pytest.mark.parametrize("suffix", [".gz", ".xz"])
def test_padding_after_the_archive_is_ignored(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"text{suffix}"
    path.write_bytes(PACK[suffix](TEXT) + b"\0" * 512)
    assert bytes(open_bytes(path)) == TEXT


def test_zstandard_frames_to_be_skipped(tmp_path: Path) -> None:
    path = tmp_path / "text.zst"
    skipped = struct.pack("<II", 0x184D2A50, 5) + b"notes"
    path.write_bytes(skipped + PACK[".zst"](TEXT) + skipped + PACK[".zst"](b"more"))
    assert bytes(open_bytes(path)) == TEXT + b"more"


@suffixes
@pytest.mark.parametrize("keep", [0.3, 0.9, -1])
def test_an_archive_that_ends_early(tmp_path: Path, suffix: str, keep: float) -> None:
    path = tmp_path / f"text{suffix}"
    packed = PACK[suffix](np.random.default_rng(2).integers(0, 256, 100_000, dtype=np.uint8).tobytes())
    path.write_bytes(packed[: keep if keep == -1 else int(keep * len(packed))])
    with pytest.raises(DataError, match=r"text\.\w+' is a .*(ends too early|damaged).*Fetch it again"):
        open_bytes(path)


@suffixes
def test_a_damaged_archive(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"text{suffix}"
    compressor = zstandard.ZstdCompressor(write_checksum=True)
    packed = bytearray(compressor.compress(TEXT) if suffix == ".zst" else PACK[suffix](TEXT))
    for k in range(len(packed) // 2, len(packed) // 2 + 8):
        packed[k] ^= 0xFF
    path.write_bytes(packed)
    with pytest.raises(DataError, match=r"damaged \.\w+ archive|ends too early"):
        open_bytes(path)


@suffixes
def test_garbage_behind_an_archive(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"text{suffix}"
    path.write_bytes(PACK[suffix](TEXT) + b"this is no archive")
    with pytest.raises(DataError, match=r"damaged|ends too early"):
        open_bytes(path)


@suffixes
def test_a_name_that_promises_too_much(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"text{suffix}"
    path.write_bytes(TEXT)
    with pytest.raises(DataError, match=f"does not start as a {suffix} archive .* take the suffix off"):
        open_bytes(path)
    path.write_bytes(b"")
    with pytest.raises(DataError, match=f"is empty, though its name ends in {suffix}"):
        open_bytes(path)


@pytest.mark.parametrize("text", [b"BZh1 Q0 doc 1\n", b"BZh\n", b"PK\n", b"\x1f", b"("])
def test_text_that_looks_a_little_like_an_archive(tmp_path: Path, text: str) -> None:
    path = tmp_path / "text"
    path.write_bytes(text)
    assert bytes(open_bytes(path)) == text


def test_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"train\.txt' does not exist\. Check the name\."):
        open_bytes(tmp_path / "train.txt")
    (tmp_path / "train.txt.gz").touch()
    with pytest.raises(DataError, match=r"does not exist.*there is .*train\.txt\.gz"):
        open_bytes(tmp_path / "train.txt")
    with pytest.raises(DataError, match=r"does not exist.*there is .*train\.txt\.gz"):
        open_bytes(tmp_path / "train.txt.xz")


def test_a_folder(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="is a folder, not a file"):
        open_bytes(tmp_path)
    with pytest.raises(DataError, match="this is a folder"), create_bytes(tmp_path):
        pass


def test_a_file_without_permission(public_folder: Any) -> None:
    path = public_folder / "secret"
    path.write_bytes(TEXT)
    path.chmod(0)
    with as_nobody(), pytest.raises(DataError, match="is not readable"):
        open_bytes(path)


def test_a_permission_error_is_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_args: Any, **_more: Any) -> Any:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    with pytest.raises(DataError, match="is not readable"):
        open_bytes(tmp_path / "secret")
    with (
        pytest.raises(DataError, match="cannot be written: Permission denied"),
        create_bytes(tmp_path / "new"),
    ):
        pass


@pytest.mark.parametrize("path", [3, None, b"bytes", "nul\0"])
def test_what_is_no_path(path: Path) -> None:
    with pytest.raises(ArgumentError, match=r"must be a str or a pathlib\.Path"):
        open_bytes(path)


def test_a_pipe_is_read_and_written(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)

    def write() -> None:
        with create_bytes(pipe) as file:
            file.write(TEXT)

    writer = threading.Thread(target=write)
    writer.start()
    assert bytes(open_bytes(pipe)) == TEXT
    writer.join()
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_forgotten_bytes_can_be_read_again(tmp_path: Path) -> None:
    path = tmp_path / "plain.txt"
    text = bytes(range(256)) * 200
    path.write_bytes(text)
    content = open_bytes(path)
    for start, stop in ((0, 10), (5, 20_000), (0, len(text)), (len(text) - 1, len(text)), (7, 7)):
        forget(content, start, stop)
        assert bytes(content) == text
    forget(b"bytes stay", 0, 5)


@pytest.mark.parametrize("suffix", ["", ".txt", *PACK])
def test_what_is_written_comes_back(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"out{suffix}"
    for text in (TEXT, b""):
        with create_bytes(path) as file:
            file.write(text[:100])
            file.write(text[100:])
        assert bytes(open_bytes(path)) == text
        assert [entry.name for entry in tmp_path.iterdir()] == [path.name]
        assert (path.read_bytes() == text) == (suffix not in PACK)


def test_a_failed_write_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "out.txt.gz"
    path.write_bytes(b"old")

    def fail() -> None:
        with create_bytes(path) as file:
            file.write(TEXT)
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert path.read_bytes() == b"old"
    assert [entry.name for entry in tmp_path.iterdir()] == ["out.txt.gz"]


def test_nothing_appears_before_the_end(tmp_path: Path) -> None:
    path = tmp_path / "out.txt"
    with create_bytes(path) as file:
        file.write(TEXT)
        file.flush()
        assert not path.exists()
    assert path.read_bytes() == TEXT


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "link").symlink_to("real")
    with create_bytes(tmp_path / "link") as file:
        file.write(b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"new"


def test_a_missing_folder_and_a_full_disk(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="its folder does not exist"), create_bytes(tmp_path / "no" / "file"):
        pass
    with pytest.raises(DataError, match="cannot be written: No space left"), create_bytes(tmp_path / "file"):
        raise OSError(28, "No space left on device")
    assert not list(tmp_path.iterdir())


def test_new_files_have_the_usual_permissions(tmp_path: Path) -> None:
    (tmp_path / "usual").touch()
    with create_bytes(tmp_path / "ours") as file:
        file.write(b"x")
    assert (tmp_path / "ours").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_plain_name() -> None:
    assert plain_name("a/rank.train.XZ") == Path("a/rank.train")
    assert plain_name("a/rank.train") == Path("a/rank.train")
