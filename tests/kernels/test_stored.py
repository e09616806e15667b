"""Stored machine code: run without numba, never when it is damaged, with the bits of what was compiled."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from itertools import combinations
from pathlib import Path

import numba
import numpy as np
import pytest

from every_case import exhaustive
from rankproof.kernels.compiled import kind_of
from rankproof.kernels.metrics.order import gather

# Items 2, 0, 1 of one query; then whether numba was woken up.
GATHER = """
import sys
import numpy as np
from rankproof.kernels.metrics.order import gather

out = np.zeros(3)
gather(np.array([.1, .2, .3]), np.array([0, 3]), np.array([2, 0, 1], np.int32), out, 0, 1)
print(out.tolist(), "numba" in sys.modules)
"""
COMPILED, STORED = "[0.3, 0.1, 0.2] True\n", "[0.3, 0.1, 0.2] False\n"


def run(code: str, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "NUMBA_CACHE_DIR": str(folder), **environment},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache with `gather` in it."""
    folder = tmp_path_factory.mktemp("kernels")
    assert run(GATHER, folder).stdout == COMPILED
    return folder


@pytest.fixture
def stored(filled: Path, tmp_path: Path) -> Path:
    """The file of `gather` in a copy of the cache, which is two folders above it."""
    (path,) = filled.rglob("gather-*.kernel")
    place = tmp_path / path.parent.name / path.name
    place.parent.mkdir()
    place.write_bytes(path.read_bytes())
    return place


def test_what_was_compiled_runs_without_numba(filled: Path) -> None:
    ran = run(GATHER, filled)
    assert (ran.stdout, ran.stderr) == (STORED, "")


@pytest.mark.parametrize("keep", [0, 5, 40, 3000, -1])
def test_a_cut_file_is_compiled_anew_and_replaced(stored: Path, keep: int) -> None:
    whole = stored.read_bytes()
    stored.write_bytes(whole[:keep])
    assert run(GATHER, stored.parents[1]).stdout == COMPILED
    assert len(stored.read_bytes()) > len(whole) / 2
    assert run(GATHER, stored.parents[1]).stdout == STORED


@pytest.mark.parametrize("place", [3, 25, 60, 2500, -7])
def test_a_changed_byte_is_noticed(stored: Path, place: int) -> None:
    content = bytearray(stored.read_bytes())
    content[place] ^= 4
    stored.write_bytes(content)
    assert run(GATHER, stored.parents[1]).stdout == COMPILED


def test_a_function_that_does_not_exist_is_not_called(stored: Path) -> None:
    """LLVM would end the process. A file with a right digest can name it when another numba wrote it."""
    code = f"""
from pathlib import Path
from rankproof.kernels import stored
path = Path({str(stored)!r})
code = stored._decoded(path.read_bytes())
strange = code._replace(needs=(*code.needs, "numba_function_of_tomorrow"))
stored.store(__import__("rankproof.kernels.metrics.order").kernels.metrics.order.gather, (), strange)
stored._path = lambda kernel, kinds: path
stored.store(None, (), strange)
"""
    assert run(code, stored.parents[1]).stderr == ""
    assert run(GATHER, stored.parents[1]).stdout == COMPILED


def test_with_settings_of_numba_nothing_is_stored_or_loaded(filled: Path, tmp_path: Path) -> None:
    assert run(GATHER, filled, NUMBA_OPT="1").stdout == COMPILED
    run(GATHER, tmp_path, NUMBA_OPT="1")
    assert not list(tmp_path.rglob("*.kernel"))
    assert run(GATHER, tmp_path, NUMBA_DISABLE_JIT="1").stdout == COMPILED


def test_no_memory_is_an_error_not_a_crash(tmp_path: Path) -> None:
    code = """
import sys
import numpy as np
from rankproof.kernels.metrics.order import _merge_run

try:
    _merge_run(np.zeros(1), 0, np.zeros(1, np.int32), 0, {})
except MemoryError as error:
    print("MemoryError", len(sys.argv))
"""
    assert run(code.format(0), tmp_path).stdout == ""
    assert run(code.format(1 << 60), tmp_path).stdout == "MemoryError 1\n"


def test_stored_kernels_and_numba_live_in_one_process(filled: Path) -> None:
    code = GATHER + (
        "import numba\n"
        "@numba.njit\n"
        "def root(x):\n"
        "    y = np.empty(1)\n"
        "    y[0] = x\n"
        "    return np.sqrt(y)\n"
        "print(root(9.0))\n"
        "gather(np.ones((3, 1))[:, 0], np.array([0, 3]), np.array([2, 0, 1], np.int32), out, 0, 1)\n"
        "print(out)\n"
    )
    ran = run(code, filled)
    assert (ran.stdout, ran.stderr) == (STORED + "[3.]\n[1. 1. 1.]\n", "")


def test_compiling_is_announced_once_and_loading_is_not(filled: Path, tmp_path: Path) -> None:
    tell = "from rankproof.kernels.notice import tell_before_compiling as t; t(lambda: print('compiling'))\n"
    assert run(tell + GATHER, tmp_path).stdout == "compiling\n" + COMPILED
    assert run(tell + GATHER, filled).stdout == STORED


@pytest.mark.exhaustive
def test_a_command_says_on_a_pipe_that_it_compiles(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "rankproof", "evaluate", "--example"]
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    first, second = (
        subprocess.run(words, env=environment, capture_output=True, text=True, check=True) for _ in range(2)
    )
    assert first.stderr == "rankproof: compiling for this machine, a few seconds, the first time only\n"
    assert (second.stderr, second.stdout) == ("", first.stdout)


def evaluate_example(cache: Path) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-m", "rankproof", "evaluate", "--example", "-m", "RR"]
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache)}
    return subprocess.run(words, env=environment, capture_output=True, text=True, check=True)


@pytest.mark.exhaustive
def test_a_command_says_damage_of_all_kernels_in_one_line(tmp_path: Path) -> None:
    first = evaluate_example(tmp_path)
    files = list(tmp_path.rglob("*.kernel"))
    # In several folders of the cache.
    assert len({file.parent for file in files}) > 3
    for file in files:
        file.write_bytes(b"")
    second, third = evaluate_example(tmp_path), evaluate_example(tmp_path)
    assert second.stdout == third.stdout == first.stdout
    damaged = f"Compiled code in {str(tmp_path)!r} is damaged; it was removed and will be recompiled."
    compiling = "compiling for this machine, a few seconds, the first time only"
    assert second.stderr.splitlines() == [f"rankproof: warning: {damaged}", f"rankproof: {compiling}"]
    assert third.stderr == ""


@pytest.mark.parametrize("name", ["'/no/such/python'", *exhaustive("None", "''")])
def test_a_helper_that_cannot_be_started_is_done_without(tmp_path: Path, name: str) -> None:
    words = ["rankproof", "evaluate", "--example", "-m", "RR"]
    code = f"import sys; sys.executable = {name}; sys.argv = {words}\n"
    ran = run(code + "from rankproof.__main__ import main; main()", tmp_path)
    assert (ran.returncode, ran.stderr.count("\n")) == (0, 1)
    assert ran.stdout == evaluate_example(tmp_path).stdout


def values() -> list[object]:
    table = np.arange(12.0).reshape(3, 4)
    fixed = np.arange(3)
    fixed.flags.writeable = False
    unaligned = np.zeros(25, np.uint8)[1:].view(np.float64)
    numbers = [0, -5, 1 << 62, (1 << 64) - 1, True, False, 0.5, np.nan]
    scalars = [
        kind(1) for kind in (np.bool_, np.uint8, np.int32, np.int64, np.uint64, np.float32, np.float64)
    ]
    arrays = [table, table.T, table[:, ::2], table[0], table[:, 0], table[:1], fixed, unaligned]
    arrays += [table.astype(kind) for kind in (np.float32, np.int64, np.uint64, np.bool_, ">f8")]
    return [*numbers, *scalars, *arrays, (1, table), (1, fixed), (1.0, table), (1, (table, 2)), ()]


def test_a_kind_is_what_numba_tells_apart() -> None:
    """Else code for one type would be run on another."""
    for one, two in combinations(values(), 2):
        try:
            types = numba.typeof(one), numba.typeof(two)
        except numba.core.errors.NumbaError:
            continue
        if kind_of(one) == kind_of(two):
            assert types[0] == types[1], (one, two)
        elif not any(getattr(value, "flags", np.ones(1).flags).aligned is False for value in (one, two)):
            # A needless difference would compile the same code twice.
            assert types[0] != types[1], (one, two)


def test_what_no_kernel_takes_is_refused() -> None:
    with pytest.raises(TypeError, match="not list"):
        gather([1.0], None)


def test_arguments_by_name_and_pickling() -> None:
    out = np.zeros(2)
    gather(np.array([5.0, 7.0]), np.array([0, 2]), np.array([1, 0], np.int32), low=0, high=1, out=out)
    assert out.tolist() == [7.0, 5.0]
    assert pickle.loads(pickle.dumps(gather)) is gather  # noqa: S301 (our own)
