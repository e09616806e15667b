"""What many tests share: where the real data sets lie, and how to run the command line."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from cli.small_letor import write_place
from rankproof.cli.main import main


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real data sets (``RANKPROOF_DATA``, or ``shared/data`` beside the checkout)."""
    folder = Path(os.environ.get("RANKPROOF_DATA", Path(__file__).parents[2] / "shared" / "data"))
    if not (folder / "README.md").exists():
        pytest.skip(f"real data sets are not at {folder}; set RANKPROOF_DATA")
    return folder


@pytest.fixture
def public_folder() -> Iterator[Path]:
    """An empty folder that every user can reach; only its owner can write to it."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest.fixture
def array_api(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let scikit-learn check estimators under its array API too, which it skips otherwise."""
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")


class Ran(NamedTuple):
    """What a command left behind: status, standard output, standard error."""

    status: int
    out: str
    err: str


@pytest.fixture
def rankproof(capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """Run the command line in this process."""

    def run(*words: object) -> Ran:
        try:
            main([str(word) for word in words])
            status = 0
        except SystemExit as stop:
            status = int(stop.code or 0)
        captured = capsys.readouterr()
        return Ran(status, captured.out, captured.err)

    return run


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """``data`` with small files, good and bad, and an empty ``out``."""
    write_place(tmp_path)
    return tmp_path
