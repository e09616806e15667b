"""Processes that are started from one that has used the library work too, and none waits for ever."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
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
def test_started_processes_agree_with_the_first(started_by: str, work: str) -> None:
    command = [sys.executable, "-W", "ignore", str(SCRIPT), started_by, work]
    # A session of its own, so that what it started ends with it.
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    ) as process:
        try:
            said, errors = process.communicate(timeout=FOR_EVER)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise
    assert (process.returncode, said) == (0, "agree\n"), errors[-3000:]


@pytest.mark.torch
@pytest.mark.parametrize("started_by", ["os.fork", *exhaustive("fork", "spawn", "joblib-loky")])
def test_a_network_is_trained_in_a_started_process(started_by: str) -> None:
    test_started_processes_agree_with_the_first(started_by, "neural")
