"""What a user reads when something goes wrong: one line that says what, and how to go on.

A command says with `when_interrupted` what Ctrl-C leaves behind and how to go on; unless it does, it has left
nothing.
"""

from __future__ import annotations

import errno
from collections.abc import Mapping

import click

from rankproof.cli.interrupts import NOTHING_LEFT
from rankproof.cli.option_names import in_options
from rankproof.errors import RankproofError
from rankproof.shown import visible

__all__ = ["InterruptedCommandError", "UnexpectedEndError", "hint_of", "one_line", "when_interrupted"]

_HINT = "rankproof.interrupted"
# No room (disk, quota, size of a file) or a broken device: without a name it is the output that is meant.
_CANNOT_WRITE = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO}


class InterruptedCommandError(Exception):
    """A command was interrupted (Ctrl-C); the text says what is left and how to go on."""


class UnexpectedEndError(Exception):
    """An `EOFError` of a command, under a name that click does not take for Ctrl-C."""


def when_interrupted(hint: str) -> None:
    """From here on, what is to be said when the running command is interrupted."""
    click.get_current_context().meta[_HINT] = hint


def hint_of(context: click.Context) -> str:
    """What the interrupted command has to say."""
    return str(context.meta.get(_HINT, NOTHING_LEFT))


def one_line(problem: Exception, options: Mapping[str, str] | None = None) -> str:
    """An error as one line; what it calls an argument is called by its name among the ``options``.

    >>> one_line(RankproofError("one\\n  two"))
    'one two'
    >>> one_line(OSError(errno.ENOSPC, "No space left on device"))
    'Cannot write the output: No space left on device.'
    >>> one_line(PermissionError(errno.EACCES, "Permission denied", "a.txt"))
    "'a.txt': Permission denied."
    >>> one_line(KeyError("x"))
    "Unexpected KeyError: 'x'. This is a bug in rankproof; rankproof --debug shows the traceback."
    """
    if isinstance(problem, click.ClickException):
        text = problem.format_message()
        if isinstance(problem, click.UsageError) and problem.ctx is not None:
            stop = "" if text.endswith((".", "?", ")")) else "."
            text = f"{text}{stop} See {problem.ctx.command_path} --help."
    elif isinstance(problem, MemoryError):
        text = "Not enough memory. Use less data."
    elif isinstance(problem, OSError) and not isinstance(problem, RankproofError):
        text = _of_the_system(problem)
    elif isinstance(problem, RankproofError):
        text = in_options(str(problem), options or {})
    else:
        text = (
            f"Unexpected {_kind(problem)}: {problem}. This is a bug in rankproof; "
            "rankproof --debug shows the traceback."
        )
    # Names of files and ids may hold anything; a terminal is to show them, not to obey them.
    return visible(" ".join(text.split()))


def _kind(problem: Exception) -> str:
    return "EOFError" if isinstance(problem, UnexpectedEndError) else type(problem).__name__


def _of_the_system(problem: OSError) -> str:
    why = problem.strerror or str(problem)
    if problem.filename is not None:
        return f"{problem.filename!r}: {why}."
    return f"Cannot write the output: {why}." if problem.errno in _CANNOT_WRITE else f"{why}."
