"""Functions out of a user's file: ``path/to/my_metric.py:revenue`` names the function ``revenue`` in it.

The file is run once per call, under a private module name, with its own folder in reach of its imports; no
byte code is written beside it.
"""

from __future__ import annotations

import difflib
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from rankproof.errors import ArgumentError, FileFormatError, UnknownNameError
from rankproof.files import sha256_of_bytes

__all__ = ["USER_MODULE", "is_place", "load_function"]

FORM = "path/to/file.py:function"
# How the names of modules begin that are made of users' files.
USER_MODULE = "_rankproof_user_"


def is_place(text: str) -> bool:
    """Whether a text names a file with Python code (and perhaps a function in it), not a metric or a loss.

    >>> is_place("my_metric.py:revenue"), is_place("my_metric.py"), is_place("softmax:nDCG@10")
    (True, True, False)
    """
    path, _, name = text.rpartition(":")
    return text.endswith(".py") or (path.endswith(".py") and (name.isidentifier() or not name))


def load_function(place: str) -> Callable[..., Any]:
    """The function that ``place`` names, a text of the form ``path/to/file.py:function``."""
    if not isinstance(place, str) or not is_place(place):
        raise ArgumentError(f"A function in a file is given as {FORM}, got {place!r}.")
    path, _, name = (place, "", "") if place.endswith(".py") else place.rpartition(":")
    file = Path(path)
    if not file.is_file():
        near = sorted(file.parent.glob("*.py")) if file.parent.is_dir() else []
        close = difflib.get_close_matches(file.name, [other.name for other in near], n=1)
        hint = f" Did you mean {str(file.with_name(close[0]))!r}?" if close else ""
        raise ArgumentError(f"There is no file {path!r}, asked for by {place!r}.{hint}")
    module = _run(file)
    functions = _functions(module)
    listed = f"Functions in the file: {', '.join(functions) or 'none'}."
    if not name:
        example = f"{path}:{functions[0]}" if functions else FORM
        raise ArgumentError(f"Which function of {path!r} is meant? Write {example}. {listed}")
    if not hasattr(module, name):
        close = difflib.get_close_matches(name, functions, n=1, cutoff=0.5)
        hint = f" Did you mean {close[0]!r}?" if close else ""
        raise UnknownNameError(f"File {path!r} has no {name!r}.{hint} {listed}")
    function = getattr(module, name)
    if not callable(function):
        raise ArgumentError(
            f"{name!r} of file {path!r} must be a function, got {type(function).__name__} {function!r:.60}. "
            f"{listed}"
        )
    return function  # type: ignore[no-any-return]


def _functions(module: ModuleType) -> list[str]:
    """The public functions that the file itself defines."""
    return [
        name
        for name, thing in vars(module).items()
        if callable(thing)
        and not name.startswith("_")
        and getattr(thing, "__module__", "") == module.__name__
    ]


def _run(file: Path) -> ModuleType:
    try:
        source = file.read_bytes()
    except OSError as error:
        raise ArgumentError(f"File {str(file)!r} cannot be read: {error.strerror}.") from error
    digest = sha256_of_bytes(str(file.resolve()).encode(), source)[:16]
    module = ModuleType(f"{USER_MODULE}{digest}")
    module.__file__ = str(file)
    # Dataclasses and pickle look a module up by its name.
    sys.modules[module.__name__] = module
    try:
        with _in_reach(str(file.resolve().parent)):
            exec(compile(source, str(file), "exec"), module.__dict__)  # noqa: S102 - the user's own file
    except (Exception, SystemExit) as error:
        del sys.modules[module.__name__]
        raise FileFormatError(
            file, _line(file, error), f"the file fails when it is run: {type(error).__name__}: {error}."
        ) from error
    return module


def _line(file: Path, error: BaseException) -> int | None:
    """The line of the file at which it failed."""
    if isinstance(error, SyntaxError) and error.filename == str(file):
        return error.lineno
    frames = traceback.extract_tb(error.__traceback__)
    return next((frame.lineno for frame in reversed(frames) if frame.filename == str(file)), None)


@contextmanager
def _in_reach(folder: str) -> Iterator[None]:
    sys.path.insert(0, folder)
    try:
        yield
    finally:
        if folder in sys.path:
            sys.path.remove(folder)
