"""Ctrl-C: the first one ends the command, those of an impatient user do not disturb its cleaning up.

A request to end (SIGTERM, as of a batch system) and a closed terminal (SIGHUP) clean up in the same way.

Imports nothing that takes time, so that it is in place before anything else is loaded.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
import weakref
from contextlib import suppress
from types import FrameType
from typing import NoReturn

__all__ = ["INTERRUPTED", "NOTHING_LEFT", "is_interrupt", "leave_interrupted", "patiently"]

# What a shell makes of a program that a signal ended: 128 and the number of the signal.
_SHELL = 128
INTERRUPTED = _SHELL + signal.SIGINT
# What each signal that ends a command did to it. SIGHUP is not on every system.
_WORDS = {
    getattr(signal, name): word
    for name, word in (("SIGINT", "interrupted"), ("SIGTERM", "terminated"), ("SIGHUP", "hung up"))
    if hasattr(signal, name)
}
NOTHING_LEFT = "no partial files were left; run the same command again."
# So long a second Ctrl-C waits for what the first one began; after that it counts again.
PATIENCE_SECONDS = 5.0
# Until a signal is sent again whose exception is gone: when it was not lost, the command has ended by then.
_AGAIN_SECONDS = 0.5


class _Interrupt(KeyboardInterrupt):
    """An interrupt whose end is noticed: a class of Python's own has no weak references."""


class _Patient:
    """A handler that raises once, and again only when the first had its time, or was lost.

    Python drops what is raised in a ``__del__`` or a callback, and compiled code that asks for an attribute
    may drop any error. An exception that nobody holds any more before the command leaves was lost so.
    """

    def __init__(self) -> None:
        self._last = -PATIENCE_SECONDS
        self.number: int = signal.SIGINT
        self.leaving = False

    def __call__(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002
        if not self.has_raised:
            self._last, self.number = time.monotonic(), number
            raise self._noticed()

    @property
    def has_raised(self) -> bool:
        """Whether a signal was raised and has still time."""
        return time.monotonic() - self._last < PATIENCE_SECONDS

    def _noticed(self) -> _Interrupt:
        # Not in the handler: a variable there would keep it, as its traceback keeps the handler's variables.
        interrupt = _Interrupt()
        weakref.finalize(interrupt, self._gone).atexit = False
        return interrupt

    def _gone(self) -> None:
        """The signal once more, in a moment: the exception that it raised is gone."""
        if self.leaving:
            return
        self._last = -PATIENCE_SECONDS
        # From a thread: here it would be lost in the same way.
        repeat = threading.Timer(_AGAIN_SECONDS, os.kill, (os.getpid(), self.number))
        repeat.daemon = True
        repeat.start()


_PATIENT = _Patient()


def _unraisable(event: sys.UnraisableHookArgs) -> None:
    """Nothing is said of an interrupt that is dropped, as it comes again, nor of what it leaves half made."""
    if not _PATIENT.has_raised:
        sys.__unraisablehook__(event)


def patiently() -> None:
    """From here on these signals are handled as this module says, where the program has them at all."""
    if threading.current_thread() is not threading.main_thread():
        return
    sys.unraisablehook = _unraisable
    for number in _WORDS:
        # A program that was started to ignore one (nohup, a shell's background) goes on ignoring it.
        if signal.getsignal(number) in (signal.default_int_handler, signal.SIG_DFL):
            signal.signal(number, _PATIENT)


def is_interrupt(error: BaseException) -> bool:
    """Whether this is an interrupt, or what came of one: an error of the cleaning up that it began.

    >>> try:
    ...     try:
    ...         raise KeyboardInterrupt
    ...     finally:
    ...         raise ValueError("the file is still open")
    ... except ValueError as error:
    ...     is_interrupt(error), is_interrupt(ValueError("a wrong value"))
    (True, False)
    """
    link: BaseException | None = error
    while link is not None and not isinstance(link, KeyboardInterrupt):
        link = link.__cause__ or link.__context__
    return link is not None


def leave_interrupted(hint: str, *, for_good: bool = True) -> NoReturn:
    """The last word; ``for_good`` when the program ends with the command."""
    _PATIENT.leaving = True
    # Another signal would only meet Python on its way out, with a traceback.
    if for_good and threading.current_thread() is threading.main_thread():
        for number in _WORDS:
            signal.signal(number, signal.SIG_IGN)
    # A program that was started without standard error (2>&-) has none; that of a closed terminal is gone.
    if sys.stderr is not None:
        with suppress(OSError):
            sys.stderr.write(f"rankproof: {_WORDS[signal.Signals(_PATIENT.number)]}; {hint}\n")
            sys.stderr.flush()
    sys.exit(_SHELL + _PATIENT.number)
