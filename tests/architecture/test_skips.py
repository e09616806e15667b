"""A test may skip because it is marked ``torch`` or ``browser``, and for no other reason."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from architecture.layout import TESTS

ROOT = TESTS.parent
# Signals and limits are those of Linux; data sets need not be at hand.
ALLOWED = {
    "cli/test_bad_moments.py",
    "cli/test_interrupts.py",
    "cli/test_lost_signals.py",
    "conftest.py",
    "core/test_thread_context.py",
    "fit/test_boosted_memory.py",
}
SESSION = """
import pytest

@pytest.mark.torch
def test_on_tensors():
    pass

@pytest.mark.browser
def test_in_a_window():
    pass

@pytest.mark.xfail(reason="wrong by design", strict=True)
def test_expected_to_fail():
    assert False

def test_that_runs():
    pass
"""
SKIPS = """
import pytest

def test_on_real_data():
    pytest.skip("real data sets are not at nowhere; set RANKPROOF_DATA")

def test_torch_in_the_name_is_no_marker():
    pytest.skip("because it may")
"""


def ways_to_skip(path: Path) -> list[str]:
    """The lines of a file that can skip a test."""
    text = path.read_text(encoding="utf-8")
    if "skip" not in text.lower():
        return []
    tree = ast.parse(text)
    return [
        f"{path.relative_to(TESTS)}:{node.lineno}"
        for node in ast.walk(tree)
        if (isinstance(node, ast.Attribute) and node.attr in ("skip", "skipif", "importorskip"))
        or (isinstance(node, ast.Name) and node.id in ("importorskip", "SkipTest"))
    ]


def test_no_test_skips_by_itself() -> None:
    files = [path for path in TESTS.rglob("*.py") if str(path.relative_to(TESTS)) not in ALLOWED]
    assert not [line for path in files for line in ways_to_skip(path)]
    assert all(ways_to_skip(TESTS / name) for name in ALLOWED), "an exception is no longer needed"


@pytest.mark.exhaustive
def test_a_strict_session_fails_when_anything_else_skips(tmp_path: Path) -> None:
    """A session of this project's configuration on a machine that has neither torch nor a browser."""
    for name in ("conftest.py", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    folder = tmp_path / "tests" / "torch"
    folder.mkdir(parents=True)
    (tmp_path / "tests" / "pages").mkdir()
    for name in ("drawn.py", "both_ends.py"):
        shutil.copy(TESTS / name, tmp_path / "tests")
    shutil.copy(TESTS / "pages" / "chromium.py", tmp_path / "tests" / "pages")
    (folder / "test_some.py").write_text(SESSION)
    (folder / "test_imports_torch.py").write_text(
        "import pytest\nimport torch\npytestmark = pytest.mark.torch\n\ndef test_it():\n    torch.no.such\n"
    )
    # Whatever the machine has, neither this session nor its workers have torch.
    (tmp_path / "tests" / "sitecustomize.py").write_text("import sys\nsys.modules['torch'] = None\n")

    def session(may_skip: str) -> tuple[int, str]:
        run = subprocess.run(
            [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-n", "2", "tests"],
            cwd=tmp_path,
            env={"PATH": "", "PYTHONPATH": str(tmp_path / "tests"), "RANKPROOF_MAY_SKIP": may_skip},
            capture_output=True,
            text=True,
            check=False,
        )
        return run.returncode, run.stdout + run.stderr

    status, shown = session("torch browser")
    assert (status, re.search(r"1 passed, 3 skipped, 1 xfailed", shown) is not None) == (0, True), shown
    status, shown = session("browser")
    assert status == 1, shown
    assert "test_some.py::test_on_tensors: Skipped: torch is not installed" in shown
    assert "test_in_a_window: " not in shown
    (folder / "test_more.py").write_text(SKIPS)
    status, shown = session("torch browser data")
    assert status == 1, shown
    assert "test_on_real_data: " not in shown
    assert "test_more.py::test_torch_in_the_name_is_no_marker: Skipped: because it may" in shown
