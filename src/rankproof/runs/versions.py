"""The versions that numbers depend on, beside data and settings."""

from __future__ import annotations

import platform
from functools import cache
from importlib.metadata import version

__all__ = ["package_versions", "versions"]

_PACKAGES = ("rankproof", "numpy", "scipy", "numba", "scikit-learn")

# Looked up once: it searches the whole path.
_version = cache(version)


def package_versions(*names: str) -> dict[str, str]:
    """The versions of these packages.

    >>> list(package_versions("numpy", "scipy"))
    ['numpy', 'scipy']
    """
    return {name: _version(name) for name in names}


def versions(*more: str) -> dict[str, str]:
    """Of our own packages, of ``more`` that a model needs, of the interpreter, and the machine."""
    packages = package_versions(*_PACKAGES, *more)
    return {**packages, "python": platform.python_version(), "machine": platform.machine()}
