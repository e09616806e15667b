"""Compiled kernels on disk: one file per function and types of arguments, loaded without numba.

numba's own cache needs numba to read it, and importing that takes longer than to evaluate an ordinary run. So
the machine code of a kernel is kept in a file of our own, and LLVM alone links it into the process, with the
few C functions that it calls from numba's extension modules: those are loaded by path, without the package.

A file is only used by what made it: its name has a digest of the kernel, the types, the versions of Python,
numpy, numba and LLVM, and the processor. It starts with a digest of its content. A power failure, a full disk
or a broken copy leave files whose machine code is not what it was: such a file is removed, the kernel is
compiled and stored anew, and that is said once. A file that needs what this process does not have counts
as missing.
"""

from __future__ import annotations

import builtins
import ctypes
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rankproof.files.open import sha256_of_bytes
from rankproof.kernels.cache import cache_folder
from rankproof.kernels.notice import announce_damage

if TYPE_CHECKING:
    from rankproof.kernels.compiled import Kernel

__all__ = ["Code", "load", "store", "uses_default_settings"]

_MAGIC = b"rankproof kernel 3"
# Variables of numba that do not change the code it makes.
_HARMLESS = {"NUMBA_CACHE_DIR", "NUMBA_NUM_THREADS", "NUMBA_THREADING_LAYER"}


class Code(NamedTuple):
    """Machine code of a kernel for one choice of types."""

    entry: str
    """The symbol of the function that Python calls."""
    environment: str
    """The symbol of the pointer to the environment, without which numba's code refuses to run."""
    dtypes: tuple[str, ...]
    """The constants of the environment: the types of the arrays that the function returns."""
    needs: tuple[str, ...]
    """The symbols that must exist in the process."""
    machine_code: bytes


def load(kernel: Kernel, kinds: tuple[Any, ...]) -> Callable[..., Any] | None:
    """The stored function, ready to be called; None if there is none that can be used."""
    path = _path(kernel, kinds)
    if path is None:
        return None
    try:
        stored = path.read_bytes()
    except OSError:
        return None
    code = _decoded(stored)
    if code is None:
        with suppress(OSError):
            path.unlink(missing_ok=True)
        # The cache has a folder for every file of kernels.
        announce_damage(str(path.parents[1]))
        return None
    try:
        return _linked(kernel, code)
    except (ImportError, AttributeError, KeyError, StopIteration):
        # Another numba keeps these functions elsewhere: it compiles by itself.
        return None


def store(kernel: Kernel, kinds: tuple[Any, ...], code: Code) -> None:
    """Keep the code for later processes, where a place can be written to."""
    from rankproof.errors import DataError
    from rankproof.files.write import write_bytes

    path = _path(kernel, kinds)
    if path is None:
        return
    head = (code.entry, code.environment, " ".join(code.dtypes), " ".join(code.needs))
    content = b"".join(line.encode() + b"\n" for line in head) + code.machine_code
    try:
        write_bytes(path, _MAGIC + b"\n" + sha256_of_bytes(content).encode() + content)
    except DataError:
        return


def _decoded(text: bytes) -> Code | None:
    """The code in the bytes of a file; None if they are not as they were written."""
    start = len(_MAGIC) + 1
    digest, content = text[start : start + 64], text[start + 64 :]
    if text[:start] != _MAGIC + b"\n" or sha256_of_bytes(content).encode() != digest:
        return None
    *head, machine_code = content.split(b"\n", 4)
    entry, environment, dtypes, needs = (line.decode() for line in head)
    return Code(entry, environment, tuple(dtypes.split()), tuple(needs.split()), machine_code)


def _path(kernel: Kernel, kinds: tuple[Any, ...]) -> Path | None:
    if not uses_default_settings():
        return None
    folder = cache_folder(kernel.function.__module__.removeprefix("rankproof.kernels."))
    if folder is None:
        return None
    digest = sha256_of_bytes(repr((kinds, _machine())).encode())
    return folder / f"{kernel.__name__}-{digest[:24]}.kernel"


@cache
def uses_default_settings() -> bool:
    """Whether numba compiles as it does by itself; else nothing is stored, nor is anything stored used."""
    changed = {name for name in os.environ if name.startswith("NUMBA_")} - _HARMLESS
    return not changed and not Path(".numba_config.yaml").exists()


@cache
def _machine() -> tuple[str, ...]:
    """All that machine code depends on beside its source: versions and the processor."""
    from llvmlite import binding as llvm

    places = [Path(_home(package), "_version.py") for package in ("numba", "llvmlite")]
    revisions = [place.read_text(encoding="utf-8") for place in places]
    return (
        *(sys.version, np.__version__, *revisions, llvm.get_process_triple()),
        *(llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()),
    )


def _home(package: str) -> str:
    """The folder of a package, which is not imported for that."""
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError(f"No module named {package!r}", name=package)
    return spec.submodule_search_locations[0]


@cache
def _extension(name: str) -> ModuleType:
    """One of numba's modules in C, without the package around it; importing numba later finds it loaded."""
    stem = Path(_home("numba"), *name.split("."))
    path = next(path for end in EXTENSION_SUFFIXES if (path := Path(f"{stem}{end}")).exists())
    spec = spec_from_file_location(f"numba.{name}", path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} cannot be loaded.", name=name)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@cache
def _llvm() -> Any:
    """LLVM with the names that numba's code calls, as numba itself makes them known."""
    from llvmlite import binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    llvm.add_symbol("_Py_NoneStruct", id(None))
    for name in ("_helperlib", "_dynfunc"):
        for function, address in _extension(name).c_helpers.items():
            llvm.add_symbol(f"numba_{function}", address)
    for function, address in _extension("core.runtime._nrt_python").c_helpers.items():
        llvm.add_symbol(function if function.startswith("_") else f"NRT_{function}", address)
    for name, value in vars(builtins).items():
        if isinstance(value, type) and issubclass(value, BaseException):
            llvm.add_symbol(f"PyExc_{name}", id(value))
    return llvm


@cache
def _engine() -> Any:
    """What links object files, with numba's own options; it is never given up: functions of it are in use."""
    llvm = _llvm()
    target = llvm.Target.from_triple(llvm.get_process_triple())
    machine = target.create_target_machine(
        cpu=llvm.get_host_cpu_name(),
        features=llvm.get_host_cpu_features().flatten(),
        reloc="static" if target.name.startswith("x86") else "default",
        codemodel="jitdefault",
        jit=True,
    )
    return llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)


def _linked(kernel: Kernel, code: Code) -> Callable[..., Any] | None:
    llvm = _llvm()
    # LLVM ends the process when a symbol is missing, so it is asked first.
    if not all(llvm.address_of_symbol(name) or hasattr(ctypes.pythonapi, name) for name in code.needs):
        return None
    engine = _engine()
    engine.add_object_file(llvm.ObjectFileRef.from_data(code.machine_code))
    engine.finalize_object()
    environment = _extension("_dynfunc").Environment(kernel.function.__globals__)
    environment.consts.extend(np.dtype(name) for name in code.dtypes)
    pointer = ctypes.c_void_p.from_address(engine.get_global_value_address(code.environment))
    pointer.value = id(environment)
    function: Callable[..., Any] = _extension("_dynfunc").make_function(
        *(sys.modules[kernel.function.__module__], kernel.__name__, kernel.__doc__ or ""),
        *(engine.get_function_address(code.entry), environment, ()),
    )
    return function
