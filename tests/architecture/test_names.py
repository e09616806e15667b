"""A class name occurs once; what others need of a loss it declares, so nobody asks which one it is."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

from architecture.layout import FILES, SOURCE, layer_of, module_name, nodes, offenders, parsed
from rankproof.losses.base import LOSSES

# Names that say nothing of what a variable holds.
VAGUE = {"found", "known", "asked", "made", "given", "told"}
# The one place of the theory that says which formula, proof or rule belongs to which loss.
TABLES_IN_THEORY = 1


def concrete_losses() -> set[str]:
    """The names of the classes of losses, registered or not."""
    files = [path for path in FILES if layer_of(module_name(path)) == "losses"]
    classes = [node for path in files for node in nodes(parsed(path)) if isinstance(node, ast.ClassDef)]
    names, before = {"Loss"}, 0
    while len(names) > before:  # classes derived from classes of losses
        before = len(names)
        names |= {node.name for node in classes for base in node.bases if ast.unparse(base) in names}
    return names - {"Loss"}


def questions(path: Path, losses: set[str]) -> list[str]:
    """The places of a file that ask whether something is one of these losses."""

    def names_of(node: ast.expr) -> set[str]:
        parts = {inner.id for inner in ast.walk(node) if isinstance(inner, ast.Name)}
        return parts | {inner.attr for inner in ast.walk(node) if isinstance(inner, ast.Attribute)}

    found = []
    for node in nodes(parsed(path)):
        asked: list[ast.expr] = []
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("isinstance", "issubclass"):
            asked = node.args[1:]
        elif isinstance(node, ast.Compare) and ast.unparse(node.left).startswith("type("):
            asked = node.comparators
        elif isinstance(node, ast.MatchClass):
            asked = [node.cls]
        if any(names_of(expression) & losses for expression in asked):
            found.append(f"line {node.lineno}: {ast.unparse(node)}")  # type: ignore[attr-defined]
    return found


def test_the_losses_are_found() -> None:
    assert {type(LOSSES[name]()).__name__ for name in LOSSES} <= concrete_losses()


def test_nobody_asks_which_loss_it_is() -> None:
    losses = concrete_losses()
    outside = [path for path in FILES if layer_of(module_name(path)) != "losses"]
    theory = [path for path in outside if layer_of(module_name(path)) == "theory"]
    assert not offenders(lambda path: questions(path, losses), set(outside) - set(theory))
    asking = [path for path in theory if questions(path, losses)]
    places = offenders(lambda path: questions(path, losses), asking)
    assert len(asking) <= TABLES_IN_THEORY, "\n".join(places)


def test_the_question_is_recognised(tmp_path: Path) -> None:
    path = tmp_path / "asks.py"
    path.write_text(
        "isinstance(loss, (Squared, Softmax))\n"
        "type(loss) is losses.Squared\n"
        "match loss:\n    case Softmax():\n        pass\n"
        "isinstance(loss, Loss)\n"
    )
    assert [line.split(":")[0] for line in questions(path, {"Squared", "Softmax"})] == [
        "line 1",
        "line 2",
        "line 4",
    ]


def test_no_class_name_occurs_twice() -> None:
    homes: dict[str, list[str]] = defaultdict(list)
    for path in FILES:
        for node in nodes(parsed(path)):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].append(str(path.relative_to(SOURCE)))
    assert homes
    assert not {name: files for name, files in homes.items() if len(files) > 1}


def vague_names(path: Path) -> list[str]:
    """The lines of a file on which a variable or a parameter has a name that says nothing."""
    fields = {
        id(line.target)
        for node in nodes(parsed(path))
        if isinstance(node, ast.ClassDef)
        for line in node.body
        if isinstance(line, ast.AnnAssign)
    }
    places = []
    for node in nodes(parsed(path)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and id(node) not in fields:
            name = node.id
        elif isinstance(node, ast.arg):
            name = node.arg
        else:
            continue
        if name.lstrip("_") in VAGUE:
            places.append(f"line {node.lineno}: {name}")
    return places


def test_variables_are_named_for_what_they_hold() -> None:
    assert not offenders(vague_names, FILES)


def test_vague_names_are_recognised(tmp_path: Path) -> None:
    path = tmp_path / "vague.py"
    path.write_text("found = 1\ndef f(asked):\n    for known in asked:\n        print(known)\n")
    assert vague_names(path) == ["line 1: found", "line 2: asked", "line 3: known"]
