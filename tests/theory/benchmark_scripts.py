"""Modules of ``benchmarks/`` and ``research/``, which are no packages, for tests of what they claim."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

__all__ = ["script"]


def script(place: str) -> ModuleType:
    """The module in the file at this place of the repository."""
    path = Path(__file__).parents[2] / place
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
