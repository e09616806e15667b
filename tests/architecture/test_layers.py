"""A folder imports only folders before it, also inside functions; the fast path never imports the theory."""

from __future__ import annotations

import sys
from pathlib import Path

from architecture.layout import (
    FILES,
    LAYERS,
    SOURCE,
    at_import_time,
    imported,
    layer_of,
    module_name,
    offenders,
    parsed,
)
from folder_graph import string_imports

MODULES = {module_name(path) for path in FILES}
NEVER_THEORY = ("evaluation", "torch", "fit", "adapters")


def broken_rules(module: str, targets: list[str]) -> list[str]:
    """The imports of a module that break the order."""
    here = layer_of(module)
    if not here or here.startswith("__"):
        return []
    found = []
    for target in targets:
        there = layer_of(target)
        if there not in LAYERS:
            found.append(f"{module} imports {target}, which is in no layer")
        elif LAYERS.index(there) > LAYERS.index(here):
            found.append(f"{module} imports {target}: {here} stands before {there}")
        elif here in NEVER_THEORY and there == "theory":
            found.append(f"{module} imports {target}: {here} takes what it needs from claims")
    return found


def own_imports(path: Path) -> list[str]:
    """Modules of this package that a file imports anywhere, by strings too."""
    named = (*imported(parsed(path)), *string_imports(parsed(path), MODULES))
    return [name for name, _ in named if name.startswith("rankproof.")]


def test_every_file_is_in_a_layer() -> None:
    outside = [
        module_name(path) for path in FILES if layer_of(module_name(path)) not in ("", "__main__", *LAYERS)
    ]
    assert not outside


def test_a_layer_imports_only_earlier_layers() -> None:
    assert not offenders(lambda path: broken_rules(module_name(path), own_imports(path)))


def test_imports_are_absolute() -> None:
    def others(path: Path) -> list[str]:
        # `import rankproof` inside the package would go round the order of the layers.
        whole = set() if path == SOURCE / "__init__.py" else {"rankproof"}
        return [
            f"line {line}: {name}"
            for name, line in imported(parsed(path))
            if name.startswith(".") or name in whole
        ]

    assert not offenders(others)


def test_the_rules_can_be_broken() -> None:
    assert broken_rules("rankproof.metrics.ap", ["rankproof.evaluation.evaluate"])
    assert broken_rules("rankproof.evaluation.evaluate", ["rankproof.theory.base.risk"])
    assert broken_rules("rankproof.files", ["rankproof.helpers"])
    assert not broken_rules("rankproof.evaluation.evaluate", ["rankproof.metrics.ap", "rankproof.errors"])


def test_no_cycle_at_import_time() -> None:
    modules = {module_name(path): path for path in FILES}
    graph: dict[str, set[str]] = {}
    for module, path in modules.items():
        named = {name for name, _ in imported(at_import_time(path))} & set(modules)
        # Importing a.b.c runs a.b first, unless that is under way because the importer lies in it.
        parents = {name.rsplit(".", k)[0] for name in named for k in range(1, name.count("."))}
        graph[module] = (named - {module}) | {n for n in parents if not f"{module}.".startswith(f"{n}.")}
    assert not find_cycle(graph)


def find_cycle(graph: dict[str, set[str]]) -> list[str]:
    """A cycle of the graph, or an empty list."""
    done: set[str] = set()

    def visit(node: str, path: list[str]) -> list[str]:
        if node in path:
            return [*path[path.index(node) :], node]
        if node in done:
            return []
        for successor in sorted(graph.get(node, ())):
            cycle = visit(successor, [*path, node])
            if cycle:
                return cycle
        done.add(node)
        return []

    for start in sorted(graph):
        cycle = visit(start, [])
        if cycle:
            return cycle
    return []


def test_cycles_are_found() -> None:
    assert find_cycle({"a": {"b"}, "b": {"c"}, "c": {"b"}}) == ["b", "c", "b"]
    assert not find_cycle({"a": {"b", "c"}, "b": {"c"}, "c": set()})


def test_the_package_file_imports_only_its_own_names_and_the_standard_library() -> None:
    foreign = [
        name
        for name, _ in imported(at_import_time(SOURCE / "__init__.py"))
        if name.split(".")[0] not in sys.stdlib_module_names and name.split(".")[0] != "rankproof"
    ]
    assert not foreign
