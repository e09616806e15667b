"""Every way to start processes from one that has used the library, by every kind of work."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from shared.table import Losses

__all__ = ["fork_matrix"]

SCRIPT = Path(__file__).parents[2] / "tests" / "core" / "forked_work.py"
METHODS = (
    *("os.fork", "fork", "forkserver", "spawn", "futures"),
    *("joblib-loky", "joblib-multiprocessing", "joblib-threading"),
)
WORKS = ("evaluate", "compare", "linear", "lightgbm", "xgboost", "catboost")


def fork_matrix(*, everything: bool) -> Iterator[Losses]:
    """A row per way; a quick run takes the ways that copy a process."""
    for method in METHODS if everything else METHODS[:2]:
        yield _row(method, WORKS)
    for method in ("beside-a-thread", "beside-a-compiler"):
        yield _row(method, ("evaluate",))


def _row(method: str, works: tuple[str, ...]) -> Losses:
    lost = 0
    for work in works:
        words = [sys.executable, "-W", "ignore", str(SCRIPT), method, work]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            lost += 1
            print(f"  {method}, {work}: {done.stdout} {done.stderr[-500:]}", file=sys.stderr)
    return Losses(f"processes started by {method}: hang or differ", lost, len(works))
