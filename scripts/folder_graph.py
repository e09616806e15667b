"""The folders of the package as a graph: which folder imports which, at every depth.

A folder is the directory a file lies in; a folder and its subfolder are two. A file beside the package file
is a folder of its own. Imports anywhere count: in functions, for type checkers, and by a string.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path

PACKAGE = "rankproof"
# The package file and the one behind `python -m` stand above all folders.
ABOVE_ALL = ("__init__", "__main__")
IMPORTERS = ("import_module", "__import__", "find_spec", "run_module")


def module_name(path: Path, source: Path) -> str:
    """``rankproof.metrics.base`` of its file."""
    parts = path.relative_to(source.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def folder_of(path: Path, source: Path) -> str:
    """``metrics/ranked`` of a file in it; ``errors`` of ``errors.py`` beside the package file."""
    folder = path.parent.relative_to(source).as_posix()
    return path.stem if folder == "." else folder


@cache
def nodes(tree: ast.AST) -> tuple[ast.AST, ...]:
    """All nodes of a syntax tree: many rules look at them, and a walk takes long."""
    return tuple(ast.walk(tree))


def statement_imports(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Every module an import statement names, with its line; ``from a import b`` names a and a.b."""
    for node in nodes(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            start = "." * node.level + (node.module or "")
            yield start, node.lineno
            yield from ((f"{start}.{alias.name}", node.lineno) for alias in node.names)


def string_imports(tree: ast.AST, modules: set[str]) -> Iterator[tuple[str, int]]:
    """Modules of the package that a string names, with its line; a name that is put together ends in a dot.

    A text that is the name of a module counts wherever it stands, since tables of names are imported later;
    the start of a name counts where something is imported by it.
    """
    for node in nodes(tree):
        if isinstance(node, ast.Constant) and node.value in modules and node.value != PACKAGE:
            yield str(node.value), node.lineno
        elif isinstance(node, ast.Call) and _called(node) in IMPORTERS and node.args:
            name = _constant_start(node.args[0])
            if name.startswith(f"{PACKAGE}.") and name not in modules:
                yield f"{name.rpartition('.')[0]}.", node.lineno
        elif isinstance(node, ast.List | ast.Tuple):
            words = [getattr(element, "value", None) for element in node.elts]
            if ("-m", PACKAGE) in pairwise(words):
                yield f"{PACKAGE}.cli", node.lineno


def _called(node: ast.Call) -> str:
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def _constant_start(node: ast.expr) -> str:
    """The text an expression starts with: all of a constant, what an f-string or a sum begins with."""
    if isinstance(node, ast.JoinedStr) and node.values:
        return _constant_start(node.values[0])
    if isinstance(node, ast.BinOp):
        return _constant_start(node.left)
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def folder_edges(source: Path) -> dict[tuple[str, str], list[str]]:
    """The pairs (importer, imported) of folders, each with the places (``fit/x.py:3``) that make it one."""
    files = {module_name(path, source): path for path in sorted(source.rglob("*.py"))}
    folders = {name: folder_of(path, source) for name, path in files.items()}
    edges: dict[tuple[str, str], list[str]] = {}
    for module, path in files.items():
        here = folders[module]
        if here in ABOVE_ALL:
            continue
        tree = ast.parse(path.read_text(encoding="utf-8"), filename=str(path))
        for name, line in (*statement_imports(tree), *string_imports(tree, set(files))):
            for there in _imported_folders(name, folders):
                if there not in (here, *ABOVE_ALL):
                    edges.setdefault((here, there), []).append(f"{path.relative_to(source)}:{line}")
    return edges


def _imported_folders(name: str, folders: dict[str, str]) -> set[str]:
    if name.endswith("."):  # whatever lies in there
        return {folder for module, folder in folders.items() if f"{module}.".startswith(name)}
    return {folders[name]} if name in folders else set()


def folder_cycles(edges: dict[tuple[str, str], list[str]]) -> list[list[str]]:
    """The sets of folders that reach one another (Tarjan's strongly connected components)."""
    graph: dict[str, set[str]] = {}
    for here, there in edges:
        graph.setdefault(here, set()).add(there)
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    cycles: list[list[str]] = []

    def visit(node: str) -> None:
        index[node] = low[node] = len(index)
        stack.append(node)
        for successor in sorted(graph.get(node, ())):
            if successor not in index:
                visit(successor)
                low[node] = min(low[node], low[successor])
            elif successor in stack:
                low[node] = min(low[node], index[successor])
        if low[node] == index[node]:
            start = stack.index(node)
            if len(stack) - start > 1:
                cycles.append(sorted(stack[start:]))
            del stack[start:]

    for node in sorted(graph):
        if node not in index:
            visit(node)
    return cycles


def places(edges: dict[tuple[str, str], list[str]], cycle: list[str]) -> list[str]:
    """The imports between the folders of a cycle, one line for each pair."""
    return [
        f"{here} -> {there}: {', '.join(lines)}"
        for (here, there), lines in sorted(edges.items())
        if here in cycle and there in cycle
    ]
