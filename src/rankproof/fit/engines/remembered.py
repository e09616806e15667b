"""What was computed for a data set, kept as long as the data set lives and its contents stay the same."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

__all__ = ["Remembered"]

T = TypeVar("T")
Contents = tuple[NDArray[Any] | None, ...]


class Remembered(Generic[T]):
    """A value per data set. A copy or a pickle starts empty: engines copy their parameters.

    >>> class Data: ...
    >>> data, kept = Data(), Remembered()
    >>> kept.get(data, (np.array([1.0]),), lambda: "made"), kept.get(data, (np.array([1.0]),), lambda: "new")
    ('made', 'made')
    >>> kept.get(data, (np.array([2.0]),), lambda: "the contents changed")
    'the contents changed'
    """

    def __init__(self) -> None:
        self._kept: dict[int, tuple[weakref.ref[Any], Contents, T]] = {}

    def get(self, owner: Any, contents: Contents, make: Callable[[], T]) -> T:
        """The value made for ``owner``, made anew when the contents are not what they were."""
        key, kept = id(owner), self._kept
        found = kept.get(key)
        if found is not None and found[0]() is owner and _same(found[1], contents):
            return found[2]
        value = make()
        copies = tuple(None if part is None else np.array(part) for part in contents)
        kept[key] = (weakref.ref(owner, lambda _: kept.pop(key, None)), copies, value)
        return value

    def __reduce__(self) -> tuple[type[Remembered[T]], tuple[()]]:
        return type(self), ()


def _same(kept: Contents, given: Contents) -> bool:
    return all(_equal(a, b) for a, b in zip(kept, given, strict=True))


def _equal(a: NDArray[Any] | None, b: NDArray[Any] | None) -> bool:
    if a is None or b is None:
        return a is b
    if a.dtype != b.dtype or a.shape != b.shape:
        return False
    # Bits, not numbers: this is asked in every iteration, and a NaN is to equal itself.
    bits = f"u{a.dtype.itemsize}"
    return np.array_equal(np.ascontiguousarray(a).view(bits), np.ascontiguousarray(b).view(bits))
