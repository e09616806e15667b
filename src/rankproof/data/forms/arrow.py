"""pyarrow, which reads and writes data with named columns: loaded when needed, its errors in our words."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from rankproof.errors import FileFormatError, MissingDependencyError, RankproofError
from rankproof.files import StrPath

__all__ = ["arrow", "kind_of", "reading"]

# What a column may hold, as far as reading goes.
_CUT_SHORT = (
    *("magic bytes not found in footer", "footer length", "not an Arrow file", "Unexpected end of stream"),
    *("IPC stream", "Expected to be able to read", "File is too small"),
)
NUMBER, TEXT, OTHER = "numbers", "text", "other values"


def arrow(module: str = "pyarrow") -> Any:
    """pyarrow, or a module of it."""
    try:
        return importlib.import_module(module)
    except ImportError:
        raise MissingDependencyError(
            "Data in CSV, Parquet, Arrow or NumPy files need pyarrow, which is not installed: "
            "pip install 'rankproof[parquet]'"
        ) from None


@contextmanager
def reading(path: StrPath) -> Iterator[None]:
    """In this block what pyarrow cannot read is an error that names the file."""
    pa = arrow()
    try:
        yield
    except (MemoryError, RankproofError):
        raise
    except (pa.ArrowException, OSError, ValueError, LookupError) as error:
        text = " ".join(str(error).split())
        if any(words in text for words in _CUT_SHORT):
            text = "it ends too early: the rest of it is missing"
        raise FileFormatError(
            path, None, f"the file is damaged ({text.rstrip('.')}). Write or fetch it again."
        ) from None


def kind_of(dtype: Any) -> str:
    """Whether a column of this type holds numbers, text, or what can be neither."""
    types = arrow("pyarrow.types")
    if types.is_dictionary(dtype):
        dtype = dtype.value_type
    if (
        types.is_integer(dtype)
        or types.is_floating(dtype)
        or types.is_boolean(dtype)
        or types.is_decimal(dtype)
        or types.is_null(dtype)
    ):
        return NUMBER
    if types.is_string(dtype) or types.is_large_string(dtype) or _is_view(types, dtype):
        return TEXT
    return OTHER


def _is_view(types: Any, dtype: Any) -> bool:
    # Not in the oldest pyarrow that is supported.
    test = getattr(types, "is_string_view", None)
    return test is not None and bool(test(dtype))
