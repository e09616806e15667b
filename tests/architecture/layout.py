"""What the architecture tests read: the source files and what each imports."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

import folder_graph
import rankproof

SOURCE = Path(rankproof.__file__).parent
TESTS = Path(__file__).parents[1]

imported = folder_graph.statement_imports
nodes = folder_graph.nodes

# A folder imports only folders before it.
LAYERS = (
    *("errors", "shown", "ids", "arrays", "claims", "registry", "papers", "files", "forks", "threads"),
    *(
        "deciders",
        "user_code",
        "optional",
        "plain",
        "kernels",
        "data",
        "feedback",
        "metrics",
        "targets",
        "losses",
        "evaluation",
    ),
    *(
        "worlds",
        "judgments",
        "theory",
        "torch",
        "adapters",
        "fit",
        "serving",
        "runs",
        "exports",
        "experiments",
    ),
    *("report", "reports"),
    "cli",
)
FILES = sorted(SOURCE.rglob("*.py"))


def module_name(path: Path) -> str:
    """``rankproof.metrics.base`` of its file."""
    return folder_graph.module_name(path, SOURCE)


def layer_of(module: str) -> str:
    """``metrics`` of ``rankproof.metrics.base``; empty for the package itself."""
    return module.split(".")[1] if "." in module else ""


def offenders(complaints: Callable[[Path], Iterable[object]], files: Iterable[Path] = FILES) -> list[str]:
    """All that a rule has to say against files: ``fit/x.py: complaint``, a line for each."""
    return [f"{'/'.join(path.parts[-3:])}: {complaint}" for path in files for complaint in complaints(path)]


def at_import_time(path: Path) -> ast.Module:
    """The module of a file without function bodies and without what only type checkers see."""

    class Strip(ast.NodeTransformer):
        def visit(self, node: ast.AST) -> ast.AST | None:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                return None
            if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
                return ast.Module(body=node.orelse, type_ignores=[])
            return self.generic_visit(node)

    stripped = Strip().visit(ast.parse(path.read_text(encoding="utf-8"), filename=str(path)))
    assert isinstance(stripped, ast.Module)
    return stripped


@cache
def parsed(path: Path) -> ast.Module:
    """The syntax tree of a file, which is not to be changed."""
    return ast.parse(path.read_text(encoding="utf-8"), filename=str(path))
