"""A signal ends a command whatever Python was about: deleting an object, or cleaning up."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

from cli.test_interrupts import AGAIN, heed_interrupts

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="signals as on Linux")

START = """
import os, signal, time
from rankproof.cli.interrupts import patiently

def slow():
    os.write(1, b"now")
    time.sleep(0.5)

patiently()
"""
DELETED = """
class Slow:
    def __del__(self):
        slow()
Slow()
"""
DROPPED = """
try:
    slow()
except BaseException:
    pass
"""
HALF_MADE = """
class Half:
    def __init__(self):
        slow()
    def __del__(self):
        raise AttributeError("half made")
Half()
"""
END = """
os.write(1, b"on")
time.sleep(30)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("lost", [DELETED, DROPPED, HALF_MADE], ids=["deleted", "dropped", "half made"])
def test_a_signal_whose_exception_is_dropped_is_not_lost(lost: str, number: signal.Signals) -> None:
    """Python ignores what is raised in a __del__, compiled code what it meets: it comes again."""
    with subprocess.Popen(
        [sys.executable, "-c", START + lost + END],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=heed_interrupts,
    ) as one:
        assert one.stdout is not None
        assert one.stderr is not None
        assert one.stdout.read(3) == b"now"
        one.send_signal(number)
        error = one.stderr.read().decode()
    assert one.returncode == 1
    assert error.rstrip().endswith("_Interrupt")
    assert "ignored" not in error


def test_an_error_of_the_cleaning_up_is_told_as_the_interrupt(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """An archive that is closed while it is being written complains, and that is not a bug to report."""
    import rankproof.evaluation.evaluate as module
    from rankproof.cli.main import main

    def interrupted(*_: object, **__: object) -> None:
        try:
            raise KeyboardInterrupt
        finally:
            raise ValueError("Can't close the file while it is being written.")

    monkeypatch.setattr(module, "evaluate", interrupted)
    with pytest.raises(SystemExit) as stop:
        main(["evaluate", "--example"])
    assert stop.value.code == 128 + signal.SIGINT
    assert capsys.readouterr().err == AGAIN
