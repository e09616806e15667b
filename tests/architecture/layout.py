"""What the architecture tests read: the source files and what each imports."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import rankproof

SOURCE = Path(rankproof.__file__).parent
TESTS = Path(__file__).parents[1]

# A folder imports only folders before it.
LAYERS = (
    *(
        "errors",
        "arrays",
        "claims",
        "registry",
        "kernels",
        "data",
        "feedback",
        "metrics",
        "standardize",
        "losses",
    ),
    *("theory", "fit", "evaluation", "export", "report", "cli"),
)
FILES = sorted(SOURCE.rglob("*.py"))


def module_name(path: Path) -> str:
    """``rankproof.metrics.base`` of its file."""
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def layer_of(module: str) -> str:
    """``metrics`` of ``rankproof.metrics.base``; empty for the package itself."""
    return module.split(".")[1] if "." in module else ""


def imported(tree: ast.AST) -> Iterator[tuple[str, int]]:
    """Every module an import statement names, with its line; ``from a import b`` names a and a.b."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            start = "." * node.level + (node.module or "")
            yield start, node.lineno
            yield from ((f"{start}.{alias.name}", node.lineno) for alias in node.names)


def at_import_time(tree: ast.Module) -> ast.Module:
    """The module without function bodies and without what only type checkers see."""

    class Strip(ast.NodeTransformer):
        def visit(self, node: ast.AST) -> ast.AST | None:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                return None
            if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
                return ast.Module(body=node.orelse, type_ignores=[])
            return self.generic_visit(node)

    return Strip().visit(tree)


def parsed(path: Path) -> ast.Module:
    """The syntax tree of a file."""
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))
