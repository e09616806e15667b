"""README, pages and examples use public names only: what `rankproof.__all__` names, and the modules of it."""

from __future__ import annotations

import doctest
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

import rankproof

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    page
    for page in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    # Whoever changes the library needs the names of its rooms.
    if "contributing" not in page.parts
)
IMPORT = re.compile(r"^[ >.]*from (rankproof[\w.]*) import ([\w, ]+)", re.MULTILINE)
DOTTED = re.compile(r"(?<![\w/.-])(rankproof|rp)\.(?!__all__)([A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)")


def unreachable(path: str) -> str | None:
    """The first part of ``name.of.a.name`` that is not public, or None."""
    holder: object = rankproof
    for name in path.split("."):
        if isinstance(holder, ModuleType):
            if name not in holder.__all__:
                return name
        elif name.startswith("_") or not hasattr(holder, name):
            # What a function returns, or an attribute that fit gives, cannot be looked up here.
            return name if name.startswith("_") else None
        holder = getattr(holder, name)
    return None


def private_names(text: str) -> list[str]:
    """The names of the package in a text that are not public."""
    # API pages say where an object is defined.
    text = re.sub(r"^::: .*$", "", text, flags=re.MULTILINE)
    paths = [path for _, path in DOTTED.findall(IMPORT.sub("", text))]
    for module, names in IMPORT.findall(text):
        folder = module.removeprefix("rankproof").removeprefix(".")
        paths += [
            ".".join(filter(None, (folder, name.split(" as ")[0].strip()))) for name in names.split(",")
        ]
    return [path for path in paths if unreachable(path) is not None]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_a_page_names_public_things_only(page: Path) -> None:
    assert private_names(page.read_text(encoding="utf-8")) == []


def public_things() -> Iterator[tuple[str, object]]:
    """Every public object, and every member of a public module."""
    for name in rankproof.__all__:
        thing = getattr(rankproof, name)
        yield name, thing
        if isinstance(thing, ModuleType):
            yield from ((f"{name}.{member}", getattr(thing, member)) for member in thing.__all__)


def test_the_examples_of_public_things_import_public_names_only() -> None:
    """Within a docstring the module itself is at hand, so that only imports and full names are looked at."""
    wrong = {}
    parser = doctest.DocTestParser()
    seen = 0
    for name, thing in public_things():
        examples = parser.get_examples(inspect.getdoc(thing) or "")
        seen += len(examples)
        private = [path for example in examples for path in private_names(example.source)]
        if private:
            wrong[name] = private
    assert seen > 100
    assert wrong == {}


@pytest.mark.parametrize(
    "text",
    [
        ">>> from rankproof.data.letor.read import read_letor",
        ">>> from rankproof.metrics import Metric, nothing_of_this_name",
        "the class `rankproof.metrics.base.Metric`",
        ">>> rp.worlds.World",
        ">>> import rankproof.theory.rules",
    ],
)
def test_a_private_name_is_seen(text: str) -> None:
    assert private_names(text) != []


def test_public_names_pass() -> None:
    text = (
        ">>> from rankproof.metrics import Claim\n>>> rp.Law.from_json(1)\n>>> rankproof.errors.DataError\n"
    )
    assert private_names(text) == []
