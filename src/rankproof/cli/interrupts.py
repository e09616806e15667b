"""Ctrl-C: the first one ends the command, those of an impatient user do not disturb its cleaning up.

Imports nothing that takes time, so that it is in place before anything else is loaded.
"""

from __future__ import annotations

import signal
import sys
import threading
import time
from types import FrameType
from typing import NoReturn

__all__ = ["INTERRUPTED", "NOTHING_LEFT", "leave_interrupted", "patiently"]

# What a shell makes of a program that Ctrl-C ended: 128 and the number of the signal.
INTERRUPTED = 130
NOTHING_LEFT = "nothing was left half-written, run the same command again."
# So long a second Ctrl-C waits for what the first one began; after that it counts again.
PATIENCE_SECONDS = 5.0


class _Patient:
    """A handler that raises once, and again only when the first had its time."""

    def __init__(self) -> None:
        self._last = -PATIENCE_SECONDS

    def __call__(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002
        now = time.monotonic()
        if now - self._last >= PATIENCE_SECONDS:
            self._last = now
            raise KeyboardInterrupt


def patiently() -> None:
    """From here on Ctrl-C is handled as this module says, where the program has one at all."""
    alone = threading.current_thread() is threading.main_thread()
    # A program that was started to ignore Ctrl-C (nohup, a shell's background) goes on ignoring it.
    if alone and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _Patient())


def leave_interrupted(hint: str, *, for_good: bool = True) -> NoReturn:
    """The last word; ``for_good`` when the program ends with the command."""
    # Another Ctrl-C would only meet Python on its way out, with a traceback.
    if for_good and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    # A program that was started without standard error (2>&-) has none.
    if sys.stderr is not None:
        sys.stderr.write(f"rankproof: interrupted; {hint}\n")
    sys.exit(INTERRUPTED)
