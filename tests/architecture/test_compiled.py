"""The kernel cache follows the content of every file a kernel is made of."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

import rankproof
from drawn import is_exhaustive
from rankproof.kernels import cache
from rankproof.kernels.compiling import _as_entry
from rankproof.kernels.metrics.order import gather

CALLER = """
from rankproof.kernels.callee import two
from rankproof.kernels.compiled import kernel


@kernel
def doubled(x):
    return two() * x
"""
CALLEE = """
from rankproof.kernels.compiled import kernel


@kernel
def two():
    return {}
"""


def ran(folder: Path, **environment: str | None) -> subprocess.CompletedProcess[str]:
    """A process that calls a kernel of the package in ``folder``; None takes a variable away."""
    code = "from rankproof.kernels.caller import doubled; print(doubled(10))"
    mine = {"NUMBA_CACHE_DIR": None, "XDG_CACHE_HOME": str(folder / "cache"), "PYTHONPATH": str(folder)}
    changed = {**os.environ, **mine, **environment}
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
        env={name: value for name, value in changed.items() if value is not None},
    )


def run(folder: Path) -> str:
    return ran(folder).stdout.strip()


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A copy of the package with two more kernels."""
    place = tmp_path / "rankproof"
    shutil.copytree(Path(rankproof.__file__).parent, place, ignore=shutil.ignore_patterns("__pycache__"))
    (place / "kernels" / "caller.py").write_text(CALLER)
    (place / "kernels" / "callee.py").write_text(CALLEE.format(2))
    return tmp_path


def stored_files(package: Path) -> list[Path]:
    """The files of the kernel that is called."""
    return sorted((package / "cache" / "rankproof").glob("caller-*/*.kernel"))


@pytest.mark.exhaustive
def test_a_change_in_an_imported_kernel_file_is_never_missed(package: Path) -> None:
    assert run(package) == "20"
    first = stored_files(package)
    assert len(first) == 1
    assert run(package) == "20"
    assert stored_files(package) == first
    (package / "rankproof" / "kernels" / "callee.py").write_text(CALLEE.format(3))
    assert run(package) == "30"


def flipped(content: bytes) -> bytes:
    """One bit of the middle is another."""
    middle = len(content) // 2
    return content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda _: b"",
    "cut": lambda content: content[: len(content) // 3],
    "zeros": lambda content: bytes(len(content)),
    "bit": flipped,
    "longer": lambda content: content + b"x",
}


def test_a_damaged_cache_is_discarded_and_said_once(package: Path) -> None:
    """A bit of the machine code that is not what it was could do anything."""
    assert run(package) == "20"
    damages = DAMAGES if is_exhaustive() else {name: DAMAGES[name] for name in ("empty", "bit")}
    for damage in damages.values():
        (file,) = stored_files(package)
        whole = file.read_bytes()
        file.write_bytes(damage(whole))
        first, second = ran(package), ran(package)
        assert (first.stdout, second.stdout, second.stderr) == ("20\n", "20\n", "")
        root = str(package / "cache" / "rankproof")
        told = f"RuntimeWarning: Compiled code in {root!r} is damaged; it was removed and will be recompiled."
        assert first.stderr.count("is damaged") == first.stderr.count(told) == 1
        assert stored_files(package) == [file]


def test_compiled_code_is_in_the_users_cache_and_never_in_the_package(package: Path) -> None:
    home = package / "home"
    assert ran(package, XDG_CACHE_HOME=None, HOME=str(home)).stdout == "20\n"
    assert len(list((home / ".cache" / "rankproof").glob("caller-*/*.kernel"))) == 1
    assert ran(package, NUMBA_CACHE_DIR=str(package / "chosen")).stdout == "20\n"
    assert len(list((package / "chosen").glob("caller-*/*.kernel"))) == 1
    assert not list((package / "rankproof").rglob("*.kernel"))


def test_without_a_home_a_private_temporary_folder_serves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As under a number that has no name, in a container."""

    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    for name in ("NUMBA_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", homeless)
    monkeypatch.setattr(tempfile, "gettempdir", lambda: str(tmp_path))
    own = tmp_path / f"rankproof-{os.getuid()}"
    assert list(cache._places()) == [own]
    # One that others could have written to holds code that must not be run.
    own.chmod(0o777)
    assert list(cache._places()) == []
    own.rmdir()
    own.symlink_to(tmp_path)
    assert list(cache._places()) == []


def test_kernels_run_without_the_gil() -> None:
    assert _as_entry(gather).targetoptions["nogil"]
