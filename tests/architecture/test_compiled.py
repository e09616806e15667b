"""The kernel cache follows the content of every file a kernel is made of."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import numba
import pytest

from rankproof.kernels import cache, compiled

CALLER = """
from rankproof.kernels.callee import two
from rankproof.kernels.compiled import kernel


@kernel
def doubled(x):
    return two() * x
"""
CALLEE = """
from rankproof.kernels.compiled import kernel


@kernel
def two():
    return {}
"""


def run(folder: Path) -> str:
    code = "from rankproof.kernels.caller import doubled; print(doubled(10))"
    words = [sys.executable, "-c", code]
    return subprocess.run(words, cwd=folder, capture_output=True, text=True, check=True).stdout.strip()


@pytest.mark.exhaustive
def test_a_change_in_an_imported_kernel_file_is_never_missed(tmp_path: Path) -> None:
    kernels = tmp_path / "rankproof" / "kernels"
    kernels.mkdir(parents=True)
    (tmp_path / "rankproof" / "__init__.py").touch()
    (kernels / "__init__.py").touch()
    for module in (compiled, cache):
        shutil.copy(module.__file__, kernels)
    (kernels / "caller.py").write_text(CALLER)
    (kernels / "callee.py").write_text(CALLEE.format(2))
    assert run(tmp_path) == "20"
    first = {path.name for path in (kernels / "__pycache__").glob("caller-*")}
    assert run(tmp_path) == "20"
    assert {path.name for path in (kernels / "__pycache__").glob("caller-*")} == first
    (kernels / "callee.py").write_text(CALLEE.format(3))
    assert run(tmp_path) == "30"


def test_numbas_own_cache_folder_is_as_before() -> None:
    before = numba.config.CACHE_DIR
    from rankproof.kernels.metrics import order

    assert before == numba.config.CACHE_DIR
    assert order.gather.targetoptions["nogil"]
