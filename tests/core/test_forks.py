"""Processes that are started from one that has used the library work too, and none waits for ever."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from every_case import exhaustive

# Seconds after which processes that wait for one another will not go on by themselves.
FOR_EVER = 300
SCRIPT = Path(__file__).parent / "forked_work.py"
WORKS = ("evaluate", "compare", "linear", "lightgbm", "xgboost", "catboost")
METHODS = (
    *("os.fork", "fork", "forkserver", "spawn", "futures"),
    *("joblib-loky", "joblib-multiprocessing", "joblib-threading"),
)
QUICK = {
    ("os.fork", "lightgbm"),
    ("fork", "xgboost"),
    ("fork", "compare"),
    ("beside-a-thread", "evaluate"),
    ("beside-a-compiler", "evaluate"),
    ("beside-llvm", "evaluate"),
}
ALL = [(method, work) for method in METHODS for work in WORKS] + [
    ("beside-a-thread", "evaluate"),
    ("beside-a-compiler", "evaluate"),
    ("beside-llvm", "evaluate"),
]


@pytest.mark.parametrize(
    ("started_by", "work"), [*sorted(QUICK), *exhaustive(*(one for one in ALL if one not in QUICK))]
)
def test_started_processes_agree_with_the_first(started_by: str, work: str, tmp_path: Path) -> None:
    command = [sys.executable, "-W", "ignore", str(SCRIPT), started_by, work]
    said, errors = tmp_path / "said", tmp_path / "errors"
    # Into files: a pool that outlives its process would keep a pipe open. A session of its own, so that what
    # was started ends with it.
    with said.open("w") as out, errors.open("w") as err:
        process = subprocess.Popen(command, stdout=out, stderr=err, start_new_session=True)
    try:
        status = process.wait(timeout=FOR_EVER)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    assert (status, said.read_text()) == (0, "agree\n"), errors.read_text()[-3000:]


@pytest.mark.torch
@pytest.mark.parametrize("started_by", ["os.fork", *exhaustive("fork", "spawn", "joblib-loky")])
def test_a_network_is_trained_in_a_started_process(started_by: str, tmp_path: Path) -> None:
    test_started_processes_agree_with_the_first(started_by, "neural", tmp_path)
