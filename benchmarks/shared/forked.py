"""Every way to start processes from one that has used the library, by every kind of work."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

from shared.table import Losses

__all__ = ["fork_matrix"]

SCRIPT = Path(__file__).parents[2] / "tests" / "core" / "forked_work.py"
METHODS = (
    *("os.fork", "fork", "forkserver", "spawn", "futures"),
    *("joblib-loky", "joblib-multiprocessing", "joblib-threading"),
)
# Seconds after which processes that wait for one another will not go on by themselves.
FOR_EVER = 300
WORKS = ("evaluate", "compare", "linear", "lightgbm", "xgboost", "catboost")
# The ways by which a network is trained, where torch is installed.
OF_NETWORKS = ("os.fork", "fork", "spawn", "joblib-loky")


def fork_matrix(*, everything: bool) -> Iterator[Losses]:
    """A row per way; a quick run takes the ways that copy a process."""
    for method in METHODS if everything else METHODS[:2]:
        networks = method in OF_NETWORKS and find_spec("torch") is not None
        yield _row(method, (*WORKS, "neural") if networks else WORKS)
    for method in ("beside-a-thread", "beside-a-compiler", "beside-llvm"):
        yield _row(method, ("evaluate",))


def _row(method: str, works: tuple[str, ...]) -> Losses:
    lost = 0
    for work in works:
        problem = _problem([sys.executable, "-W", "ignore", str(SCRIPT), method, work])
        if problem is not None:
            lost += 1
            print(f"  {method}, {work}: {problem}", file=sys.stderr)
    return Losses(f"processes started by {method}: hang or differ", lost, len(works))


def _problem(words: list[str]) -> str | None:
    """What went wrong; one that waits for ever is ended, with all that it started."""
    with tempfile.TemporaryFile("w+") as said:
        # Into a file: a pool that outlives its process would keep a pipe open.
        process = subprocess.Popen(words, stdout=said, stderr=subprocess.STDOUT, start_new_session=True)
        try:
            status = process.wait(timeout=FOR_EVER)
        except subprocess.TimeoutExpired:
            return f"hangs, ended after {FOR_EVER} seconds"
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        said.seek(0)
        return None if status == 0 else said.read()[-500:]
