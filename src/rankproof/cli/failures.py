"""What a user reads when something goes wrong: one line that says what, and how to go on.

A command says with `when_interrupted` what Ctrl-C leaves behind and how to go on; unless it does, it has left
nothing.
"""

from __future__ import annotations

import errno

import click

from rankproof.cli.interrupts import NOTHING_LEFT
from rankproof.errors import RankproofError

__all__ = ["InterruptedCommandError", "hint_of", "one_line", "when_interrupted"]

_HINT = "rankproof.interrupted"
# No room (disk, quota, size of a file) or a broken device: without a name it is the output that is meant.
_CANNOT_WRITE = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO}


class InterruptedCommandError(Exception):
    """A command was interrupted (Ctrl-C); the text says what is left and how to go on."""


def when_interrupted(hint: str) -> None:
    """From here on, what is to be said when the running command is interrupted."""
    click.get_current_context().meta[_HINT] = hint


def hint_of(context: click.Context) -> str:
    """What the interrupted command has to say."""
    return str(context.meta.get(_HINT, NOTHING_LEFT))


def one_line(problem: Exception) -> str:
    """An error as one line.

    >>> one_line(RankproofError("one\\n  two"))
    'one two'
    >>> one_line(OSError(errno.ENOSPC, "No space left on device"))
    'The output cannot be written: No space left on device.'
    >>> one_line(PermissionError(errno.EACCES, "Permission denied", "a.txt"))
    "'a.txt': Permission denied."
    >>> one_line(KeyError("x"))
    "Unexpected KeyError: 'x'. This is a fault of rankproof; rankproof --debug shows where it is."
    """
    if isinstance(problem, click.ClickException):
        text = problem.format_message()
        if isinstance(problem, click.UsageError) and problem.ctx is not None:
            stop = "" if text.endswith((".", "?", ")")) else "."
            text = f"{text}{stop} See {problem.ctx.command_path} --help."
    elif isinstance(problem, MemoryError):
        text = "There is not enough memory for this. Give less data."
    elif isinstance(problem, OSError) and not isinstance(problem, RankproofError):
        text = _of_the_system(problem)
    elif isinstance(problem, RankproofError):
        text = str(problem)
    else:
        text = (
            f"Unexpected {type(problem).__name__}: {problem}. This is a fault of rankproof; "
            "rankproof --debug shows where it is."
        )
    return " ".join(text.split())


def _of_the_system(problem: OSError) -> str:
    why = problem.strerror or str(problem)
    if problem.filename is not None:
        return f"{problem.filename!r}: {why}."
    return f"The output cannot be written: {why}." if problem.errno in _CANNOT_WRITE else f"{why}."
