"""Engines are extras: each is imported when it is first needed, and its absence says how to install it."""

from __future__ import annotations

import importlib
from typing import Any

from rankproof.errors import MissingDependencyError

__all__ = ["engine", "reason_of"]


def engine(name: str, *, needed_by: str | None = None) -> Any:
    """The module of an engine, which is also the name of the extra that installs it."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        what = needed_by or f"rankproof.{name}"
        raise MissingDependencyError(
            f"{what} needs the package {name}, which cannot be imported ({error}): pip install {name}"
        ) from None


def reason_of(error: Exception) -> str:
    """What an engine says, in one line and without its stack.

    >>> reason_of(ValueError("[00:10:54] learner.cc:1: too\\n  many.\\nStack trace:\\n ..."))
    '[00:10:54] learner.cc:1: too many'
    """
    text = " ".join(str(error).split("Stack trace")[0].split())
    return text.rstrip(". ") or type(error).__name__
