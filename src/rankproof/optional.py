"""Engines are extras: each is imported when it is first needed, and its absence says how to install it."""

from __future__ import annotations

import importlib
from typing import Any

from rankproof.errors import MissingDependencyError

__all__ = ["engine"]


def engine(name: str, *, needed_by: str | None = None) -> Any:
    """The module of an engine, which is also the name of the extra that installs it."""
    try:
        return importlib.import_module(name)
    except ImportError as error:
        what = needed_by or f"rankproof.{name}"
        raise MissingDependencyError(
            f"{what} needs the package {name}, which cannot be imported ({error}): pip install {name}"
        ) from None
