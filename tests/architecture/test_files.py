"""Files stay small, have a docstring and a real name; only the kernels know numba."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from architecture.layout import FILES, SOURCE, TESTS, imported, layer_of, module_name, parsed

MOST_LINES = 400
EMPTY_NAMES = {"utils", "util", "helpers", "helper", "common", "misc"}
TEST_FILES = sorted(TESTS.rglob("*.py"))


@pytest.mark.parametrize("path", FILES + TEST_FILES, ids=lambda path: "/".join(path.parts[-3:]))
def test_no_file_is_long(path: Path) -> None:
    lines = len(path.read_text(encoding="utf-8").splitlines())
    assert lines <= MOST_LINES, f"{path.name} has {lines} lines; split it by concept"


def test_every_module_is_named_after_a_concept() -> None:
    parts = {path: {*path.relative_to(SOURCE).parent.parts, path.stem} for path in FILES}
    assert not [str(path) for path, names in parts.items() if names & EMPTY_NAMES]


@pytest.mark.parametrize("path", FILES, ids=module_name)
def test_every_module_says_what_it_is(path: Path) -> None:
    tree = parsed(path)
    if tree.body:
        assert ast.get_docstring(tree), f"{module_name(path)} needs a docstring that says what its concept is"


@pytest.mark.parametrize("path", FILES, ids=module_name)
def test_only_kernels_import_numba(path: Path) -> None:
    lines = [line for name, line in imported(parsed(path)) if name.split(".")[0] in ("numba", "llvmlite")]
    assert not lines or layer_of(module_name(path)) == "kernels"


@pytest.mark.parametrize("path", FILES, ids=module_name)
def test_user_errors_are_never_asserts(path: Path) -> None:
    assert not [node.lineno for node in ast.walk(parsed(path)) if isinstance(node, ast.Assert)]


@pytest.mark.parametrize("path", FILES, ids=module_name)
def test_nothing_is_left_undone(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert not [word for word in ("TODO", "FIXME", "XXX", "NotImplementedError") if word in text]


def test_no_two_test_files_have_the_same_name() -> None:
    """pytest imports them by their name alone."""
    names = [path.name for path in TEST_FILES if path.name.startswith("test_")]
    assert sorted(names) == sorted(set(names))
