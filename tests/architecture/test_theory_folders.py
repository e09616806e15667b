"""The folders of the theory stand in one order, and the checker reaches nothing of what made the evidence."""

from __future__ import annotations

import ast
import re
from functools import cache

import rankproof.theory
from architecture.layout import FILES, imported, module_name, parsed

THEORY, REPLAY = "rankproof.theory", "rankproof.theory.replay"
FINDERS = (f"{THEORY}.rules", f"{THEORY}.search")
MODULES = {module_name(path): path for path in FILES}


def strings_of(tree: ast.AST) -> set[str]:
    """The texts in a file that are the name of a module: ``import_module("...")`` and tables of places."""
    texts = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}
    return {text for text in texts if isinstance(text, str) and text in MODULES}


def reached_from(module: str, tree: ast.Module) -> set[str]:
    """What a module imports, anywhere in the file; importing a.b.c runs a.b and a too.

    The package itself is left out: it only names the places of its public names, which are not followed.
    """
    names = {name for name, _ in imported(tree)} | strings_of(tree)
    reached = {".".join(name.split(".")[:size]) for name in names for size in range(2, name.count(".") + 2)}
    return (reached & set(MODULES)) - {module}


@cache
def whole_graph() -> dict[str, set[str]]:
    """What each module imports."""
    return {module: reached_from(module, parsed(path)) for module, path in MODULES.items()}


def closure(graph: dict[str, set[str]], start: str) -> set[str]:
    """All modules that the modules under ``start`` reach."""
    seen: set[str] = set()
    waiting = [module for module in graph if f"{module}.".startswith(f"{start}.")]
    while waiting:
        module = waiting.pop()
        if module not in seen:
            seen.add(module)
            waiting += graph.get(module, ())
    return seen


def finders_in(modules: set[str]) -> set[str]:
    return {module for module in modules if f"{module}.".startswith(tuple(f"{name}." for name in FINDERS))}


def test_the_checker_reaches_neither_the_rules_nor_the_search() -> None:
    reached = closure(whole_graph(), REPLAY)
    assert {f"{THEORY}.minima.enclosure", f"{THEORY}.existence.checks"} <= reached
    assert not finders_in(reached)


def test_an_import_that_hides_would_be_seen() -> None:
    """Inside a function, by a string, or for type checkers; through another folder too."""
    hidden = {
        f"{REPLAY}.replay": "def f():\n    from rankproof.theory.search.find import find_counterexample\n",
        f"{THEORY}.minima.ball": 'import_module("rankproof.theory.rules")\n',
        f"{THEORY}.base.verdict": "if TYPE_CHECKING:\n    import rankproof.theory.rules.base\n",
    }
    graph = whole_graph()
    for module, code in hidden.items():
        changed = ast.parse(MODULES[module].read_text(encoding="utf-8") + "\n" + code)
        assert finders_in(closure({**graph, module: reached_from(module, changed)}, REPLAY)), module


def folders_in_order() -> list[str]:
    """As the docstring of the package says."""
    text = " ".join((rankproof.theory.__doc__ or "").split())
    listed = re.search(r"those before it: ([a-z_, ]+);", text)
    assert listed is not None
    return listed[1].split(", ")


def test_every_folder_of_the_theory_imports_only_those_before_it() -> None:
    order = folders_in_order()
    folders = {
        module.split(".")[2]
        for module in MODULES
        if module.startswith(f"{THEORY}.") and module.count(".") > 2
    }
    assert set(order) == folders
    for module, reached in whole_graph().items():
        parts = module.split(".")
        if not module.startswith(f"{THEORY}.") or parts[2] not in folders:
            continue
        for name in reached:
            there = name.split(".")[2:3]
            if name.startswith(f"{THEORY}.") and there:
                assert there[0] in order, f"{module} imports {name}, a file beside the folders"
                assert order.index(there[0]) <= order.index(parts[2]), f"{module} imports {name}"
