"""Files stay small, have a docstring and a real name; only the kernels know numba."""

from __future__ import annotations

import ast
from pathlib import Path

from architecture.layout import (
    FILES,
    SOURCE,
    TESTS,
    imported,
    layer_of,
    module_name,
    nodes,
    offenders,
    parsed,
)

MOST_LINES = 400
EMPTY_NAMES = {"utils", "util", "helpers", "helper", "common", "misc"}
TEST_FILES = sorted(TESTS.rglob("*.py"))


def test_no_file_is_long() -> None:
    def too_long(path: Path) -> list[str]:
        lines = len(path.read_text(encoding="utf-8").splitlines())
        return [f"{lines} lines; split it by concept"] if lines > MOST_LINES else []

    assert not offenders(too_long, FILES + TEST_FILES)


def test_every_module_is_named_after_a_concept() -> None:
    parts = {path: {*path.relative_to(SOURCE).parent.parts, path.stem} for path in FILES}
    assert not [str(path) for path, names in parts.items() if names & EMPTY_NAMES]


def test_every_module_says_what_it_is() -> None:
    def silent(path: Path) -> list[str]:
        tree = parsed(path)
        return ["needs a docstring"] if tree.body and not ast.get_docstring(tree) else []

    assert not offenders(silent)


def test_only_kernels_import_numba() -> None:
    def compilers(path: Path) -> list[str]:
        return [name for name, _ in imported(parsed(path)) if name.split(".")[0] in ("numba", "llvmlite")]

    assert not offenders(compilers, [path for path in FILES if layer_of(module_name(path)) != "kernels"])
    assert offenders(compilers), "the kernels import it"


def test_user_errors_are_never_asserts() -> None:
    def asserts(path: Path) -> list[str]:
        return [f"line {node.lineno}" for node in nodes(parsed(path)) if isinstance(node, ast.Assert)]

    assert not offenders(asserts)
    assert offenders(asserts, [Path(__file__)])


def test_nothing_is_left_undone() -> None:
    def words(path: Path) -> list[str]:
        text = path.read_text(encoding="utf-8")
        return [word for word in ("TODO", "FIXME", "XXX", "NotImplementedError") if word in text]

    assert not offenders(words)
    assert offenders(words, [Path(__file__)])


def test_no_two_test_files_have_the_same_name() -> None:
    """pytest imports them by their name alone."""
    names = [path.name for path in TEST_FILES if path.name.startswith("test_")]
    assert sorted(names) == sorted(set(names))
