"""How many threads there are is said at the surface, and read from the context below it."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from functools import cache
from types import ModuleType

import rankproof
from architecture.layout import FILES, module_name, parsed

# Where the number is set and checked; and the metric that `rankproof.catboost.eval_metric` returns.
BESIDE = {
    ("rankproof.threads", "using"),
    ("rankproof.threads", "_checked"),
    ("rankproof.adapters.catboost.metric", "CatBoostMetric.__init__"),
    ("rankproof.adapters.catboost.metric", "_named"),
}


def public() -> Iterator[tuple[str, str]]:
    """(module, qualified name) of every public function, and of every public method of a public class."""
    for name in rankproof.__all__:
        thing = getattr(rankproof, name)
        inside = [getattr(thing, one) for one in getattr(thing, "__all__", ())]
        for one in [thing, *inside] if isinstance(thing, ModuleType) else [thing]:
            if inspect.isfunction(one):
                yield one.__module__, one.__qualname__
            elif inspect.isclass(one):
                for kind in one.__mro__:
                    methods = (m for m in vars(kind) if m == "__init__" or not m.startswith("_"))
                    yield from ((kind.__module__, f"{kind.__qualname__}.{method}") for method in methods)


@cache
def with_threads() -> frozenset[tuple[str, str]]:
    """(module, qualified name) of every function that has an argument ``threads``."""
    return frozenset((module_name(path), name) for path in FILES for name in _inside(parsed(path), ""))


def _inside(node: ast.AST, around: str) -> Iterator[str]:
    for child in ast.iter_child_nodes(node):
        name = around
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            name = f"{around}.{child.name}" if around else child.name
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            arguments = child.args
            if "threads" in [a.arg for a in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]:
                yield name
        yield from _inside(child, name)


def test_only_what_is_public_has_an_argument_threads() -> None:
    inner = set(with_threads()) - set(public()) - BESIDE
    assert not inner, f"open the context with rankproof.threads.using instead: {sorted(inner)}"


def test_what_stands_beside_is_there() -> None:
    assert set(with_threads()) >= BESIDE
