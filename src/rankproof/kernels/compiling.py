"""Compile a kernel with numba, for the types of one call, and store the code.

Importing this module wakes numba up, and teaches it what a kernel is when one calls another.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import numba
import numpy as np
from numba.core import types
from numba.core.registry import cpu_target
from numba.core.typing.typeof import typeof_impl

from rankproof.kernels.compiled import Inlined, Kernel
from rankproof.kernels.stored import Code, store, uses_default_settings

__all__ = ["compile_kernel"]


def compile_kernel(kernel: Kernel, kinds: tuple[Any, ...], args: tuple[Any, ...]) -> Callable[..., Any]:
    """The kernel compiled for arguments like these."""
    if numba.config.DISABLE_JIT:
        return kernel.function
    dispatcher = _as_entry(kernel)
    signature = tuple(map(dispatcher.typeof_pyval, args))
    with _without_collector():
        entry: Callable[..., Any] = dispatcher.compile(signature)
    result = dispatcher.overloads[signature]
    if uses_default_settings() and _can_be_stored(result):
        store(kernel, kinds, _code(result))
    return entry


def _can_be_stored(result: Any) -> bool:
    # What numba puts addresses into is of use in this process only.
    constants = result.environment.consts
    return not result.library.has_dynamic_globals and all(isinstance(c, np.dtype) for c in constants)


@contextmanager
def _without_collector() -> Iterator[None]:
    """Compiling makes millions of objects that live on; looking for garbage in them takes a tenth of it."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _code(result: Any) -> Code:
    module = result.library._final_module
    names = (*module.functions, *module.global_variables)
    needs = [value.name for value in names if value.is_declaration and not value.name.startswith("llvm.")]
    return Code(
        result.fndesc.llvm_cpython_wrapper_name,
        result.fndesc.env_name,
        tuple(constant.str for constant in result.environment.consts),
        tuple(needs),
        result.library._get_compiled_object(),
    )


@cache
def _as_entry(kernel: Kernel) -> Any:
    """The kernel as Python calls it."""
    return numba.njit(nogil=True, no_cfunc_wrapper=True)(kernel.function)


@cache
def _as_callee(kernel: Kernel) -> Any:
    """The kernel as other kernels call it: without the code for Python, which takes as long to compile."""
    return numba.njit(nogil=True, no_cfunc_wrapper=True, no_cpython_wrapper=True)(kernel.function)


@typeof_impl.register(Kernel)  # type: ignore[untyped-decorator]  # numba has no types
def _type_of_kernel(kernel: Kernel, _: Any) -> Any:
    return types.Dispatcher(_as_callee(kernel))


@cache
def _intrinsic(inlined: Inlined) -> Any:
    intrinsic = inlined.make()
    # numba looks for what is new when it begins to compile, and here it is in the middle of that.
    cpu_target.typing_context.refresh()
    cpu_target.target_context.refresh()
    return intrinsic


@typeof_impl.register(Inlined)  # type: ignore[untyped-decorator]  # numba has no types
def _type_of_inlined(inlined: Inlined, _: Any) -> Any:
    return cpu_target.typing_context.resolve_value_type(_intrinsic(inlined))
