"""`kernel`: the one way a function is compiled.

Importing a kernel costs nothing: neither numba nor a compiler is loaded. A call looks at the types of its
arguments. Code for them that an earlier process compiled is loaded from the cache on its own
(`rankproof.kernels.stored`), which takes a millisecond; only where there is none is numba woken up to compile
(`rankproof.kernels.compiling`), and the code is stored.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import update_wrapper
from typing import Any

import numpy as np

from rankproof.kernels.fork_locks import LOADING
from rankproof.kernels.notice import announce_compiling

__all__ = ["Inlined", "Kernel", "inlined", "kernel"]

# What numpy's flags say about an array's memory: C or Fortran order, aligned, writeable.
_C_ORDER, _MEMORY = 0x001, 0x503
_SCALARS = {"<f8": "float", "<i8": "int", "|b1": "bool", "<u8": "uint64"}


class Kernel:
    """A function that runs compiled: without the GIL, never in parallel (see `rankproof.threads`)."""

    __name__: str

    def __init__(self, function: Callable[..., Any]) -> None:
        update_wrapper(self, function)
        self.function = function
        self._entries: dict[tuple[Any, ...], Callable[..., Any]] = {}

    def __call__(self, *args: Any, **named: Any) -> Any:
        if named:
            args = inspect.signature(self.function).bind(*args, **named).args
        return self.entry(*args)(*args)

    def entry(self, *args: Any) -> Callable[..., Any]:
        """The compiled function for arguments like these, for loops that call it thousands of times.

        It takes its arguments on trust: with others than the kinds of these it reads memory that it must not.
        """
        return self._entries.get(tuple(map(kind_of, args))) or self._find(args)

    def _find(self, args: tuple[Any, ...]) -> Callable[..., Any]:
        from rankproof.kernels.stored import load

        kinds = tuple(map(kind_of, args))
        with LOADING:
            entry = self._entries.get(kinds) or load(self, kinds)
            if entry is None:
                announce_compiling()
                from rankproof.kernels.compiling import compile_kernel

                entry = compile_kernel(self, kinds, args)
            self._entries[kinds] = entry
        return entry

    def __reduce__(self) -> str:
        return self.__name__


def kernel(function: Callable[..., Any]) -> Any:
    """A function of this folder that runs compiled; it may call other kernels."""
    return Kernel(function)


class Inlined:
    """What kernels call and numba writes into them; ``make`` gives it to numba, which is awake then.

    Where kernels run as Python, it does nothing.
    """

    def __init__(self, make: Callable[[], Any]) -> None:
        update_wrapper(self, make)
        self.make = make

    def __call__(self, *_: Any) -> None:
        """Nothing."""


def inlined(make: Callable[[], Any]) -> Any:
    """A function of this folder that makes an intrinsic of numba; kernels call it by its name."""
    return Inlined(make)


def kind_of(value: Any) -> Any:
    """What a compiled function knows of an argument; two values of one kind run the same code.

    >>> kind_of(np.zeros((2, 3))), kind_of((1, True))
    (('<f8', 2, 1281), ('int', 'bool'))
    """
    if isinstance(value, np.ndarray):
        flags = value.flags.num & _MEMORY
        # An array in both orders, as one of one dimension is, counts as one in C order.
        return value.dtype.str, value.ndim, flags & ~2 if flags & _C_ORDER else flags
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, np.generic):
        return _SCALARS.get(value.dtype.str, value.dtype.str)
    if isinstance(value, int):
        return "int" if -(1 << 63) <= value < 1 << 63 else "uint64"
    if isinstance(value, float):
        return "float"
    if isinstance(value, tuple):
        return tuple(map(kind_of, value))
    raise TypeError(f"A kernel takes arrays, numbers and tuples of these, not {type(value).__name__}.")
