"""What was computed for a data set, kept as long as the data set lives and its contents stay the same."""

from __future__ import annotations

import operator
import weakref
from collections.abc import Callable
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

__all__ = ["DatasetCache"]

T = TypeVar("T")
Contents = tuple[NDArray[Any] | None, ...]


class DatasetCache(Generic[T]):
    """A value per data set. A copy or a pickle starts empty: engines copy their parameters.

    >>> class Data: ...
    >>> data, cache = Data(), DatasetCache()
    >>> labels = np.array([1.0])
    >>> cache.get(data, (labels,), lambda: "first"), cache.get(data, (labels,), lambda: "second")
    ('first', 'first')
    >>> cache.get(data, (np.array([2.0]),), lambda: "the contents changed")
    'the contents changed'
    """

    def __init__(self) -> None:
        self._entries: dict[int, tuple[weakref.ref[Any], Contents | None, Contents, T]] = {}

    def get(self, owner: Any, contents: Contents, make: Callable[[], T], *, replaced: bool = False) -> T:
        """The value made for ``owner``, made anew when the contents are not what they were.

        ``replaced`` says that the owner never changes an array, but takes another: then the same array need
        not be read again.
        """
        key, entries = id(owner), self._entries
        entry = entries.get(key)
        if entry is not None and entry[0]() is owner:
            _, arrays, copies, value = entry
            untouched = replaced and arrays is not None and all(map(operator.is_, arrays, contents))
            if untouched or _same(copies, contents):
                return value
        value = make()
        copies = tuple(None if part is None else np.array(part) for part in contents)
        # Not always: an owner may be one of its contents, and would be kept alive.
        arrays = contents if replaced else None
        entries[key] = (weakref.ref(owner, lambda _: entries.pop(key, None)), arrays, copies, value)
        return value

    def __reduce__(self) -> tuple[type[DatasetCache[T]], tuple[()]]:
        return type(self), ()


def _same(before: Contents, now: Contents) -> bool:
    return all(_equal(a, b) for a, b in zip(before, now, strict=True))


def _equal(a: NDArray[Any] | None, b: NDArray[Any] | None) -> bool:
    if a is None or b is None:
        return a is b
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    # Bits, not numbers: this is asked in every iteration, and a NaN is to equal itself.
    bits = f"u{a.dtype.itemsize}"
    return np.array_equal(np.ascontiguousarray(a).view(bits), np.ascontiguousarray(b).view(bits))
