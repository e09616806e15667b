"""The docstrings of the public surface: the API reference is made from them, so they must be complete."""

from __future__ import annotations

import inspect
import re
from itertools import pairwise
from types import ModuleType
from typing import Any

import pytest

import rankproof
from rankproof.losses import LOSSES
from rankproof.metrics import METRICS
from rankproof.targets import TARGETS

# A parameter may be described under another name on the same line: "level, seed : of the bootstrap".
HEADING = re.compile(r"^ *([\w*, ]+?)(?: *:.*)?$")


def section(doc: str, title: str) -> list[str]:
    """The lines below a numpydoc heading, up to the next one."""
    lines = doc.splitlines()
    for k, line in enumerate(lines[:-1]):
        if line.strip() == title and set(lines[k + 1].strip()) == {"-"}:
            rest = lines[k + 2 :]
            ends = [j for j in range(len(rest) - 1) if rest[j].strip() and set(rest[j + 1].strip()) == {"-"}]
            return rest[: ends[0]] if ends else rest
    return []


def described(doc: str) -> set[str]:
    """The names in the Parameters section: those on its unindented lines, before the colon."""
    names: set[str] = set()
    for line in section(doc, "Parameters"):
        heading = HEADING.match(line)
        if line.strip() and not line.startswith(" ") and heading:
            names |= {name.strip().lstrip("*") for name in heading.group(1).split(",")}
    return names


def parameters(thing: Any) -> list[str]:
    """The parameters a caller gives; what a decorator or an error adds has no signature."""
    try:
        signature = inspect.signature(thing)
    except (TypeError, ValueError):
        return []
    return [name for name in signature.parameters if name not in ("self", "cls")]


def public_methods(cls: type) -> list[tuple[str, Any]]:
    """The methods and properties that a class itself defines for its users."""
    kinds = (staticmethod, classmethod, property)
    return [
        (name, member)
        for name, member in vars(cls).items()
        if not name.startswith("_") and (inspect.isfunction(member) or isinstance(member, kinds))
    ]


# Objects that people get, and do not make: their attributes are described, their constructor is not.
RESULTS = {
    "synthetic KnownData",
    "synthetic Best",
    "synthetic PlasmodeWorld",
    "Comparison",
    "Demonstration",
    "Results",
    "Run",
    "TrainingRun",
    "TuningRun",
    "Qrels",
    "Verdict",
    "Consistent",
    "Inconsistent",
    "Undecided",
}
SURFACE = {
    name: getattr(rankproof, name)
    for name in sorted(rankproof.__all__)
    if name != "__version__" and not isinstance(getattr(rankproof, name), ModuleType)
}
DEFINITIONS = {f"metric {name}": METRICS[name] for name in METRICS} | {
    f"target {name}": TARGETS[name] for name in TARGETS
}
DEFINITIONS |= {f"loss {name}": LOSSES[name] for name in LOSSES}
WORLDS = {f"synthetic {name}": getattr(rankproof.synthetic, name) for name in rankproof.synthetic.__all__}
ALL = {
    name: thing
    for name, thing in (SURFACE | DEFINITIONS | WORLDS).items()
    if inspect.isclass(thing) or inspect.isfunction(thing)
}


@pytest.mark.parametrize("name", ALL)
def test_a_public_object_has_a_summary_line(name: str) -> None:
    doc = inspect.getdoc(ALL[name]) or ""
    first = doc.split("\n\n")[0]
    assert first, f"{name} needs a docstring"
    assert first.rstrip().endswith((".", "?", "!")), f"the summary of {name} is no sentence: {first!r}"


MADE_BY_CALLERS = [name for name in ALL if name not in RESULTS]


@pytest.mark.parametrize("name", MADE_BY_CALLERS)
def test_every_parameter_is_described(name: str) -> None:
    doc = inspect.getdoc(ALL[name]) or ""
    missing = [parameter for parameter in parameters(ALL[name]) if parameter not in described(doc)]
    assert not missing, f"the Parameters section of {name} lacks {missing}; it has {sorted(described(doc))}"


@pytest.mark.parametrize("name", MADE_BY_CALLERS)
def test_a_public_object_has_an_example(name: str) -> None:
    doc = inspect.getdoc(ALL[name]) or ""
    example = "\n".join(section(doc, "Examples"))
    assert ">>>" in example, f"{name} needs a section Examples with a doctest"


@pytest.mark.parametrize("name", [name for name in ALL if inspect.isclass(ALL[name])])
def test_every_public_method_says_what_it_does(name: str) -> None:
    cls = ALL[name]
    silent = [method for method, _ in public_methods(cls) if not inspect.getdoc(getattr(cls, method))]
    assert not silent, f"{name} has methods without a docstring: {silent}"


def undescribed(doc: str) -> list[str]:
    """The entries of the sections Parameters and Attributes that have no indented line below them."""
    bare: list[str] = []
    for title in ("Parameters", "Attributes"):
        for line, below in pairwise([*section(doc, title), ""]):
            if line.strip() and not line.startswith(" ") and not below.startswith("    "):
                bare.append(line)
    return bare


def callables(name: str, thing: Any) -> dict[str, Any]:
    """An object and, of a class, its public methods with those that it inherits within the library."""
    found = {name: thing}
    if inspect.isclass(thing):
        members = {member: getattr(thing, member) for member in dir(thing) if not member.startswith("_")}
        found |= {f"{name}.{member}": method for member, method in members.items() if callable(method)}
    return {
        path: one
        for path, one in found.items()
        if (getattr(one, "__module__", None) or "").startswith("rankproof")
    }


def documented() -> dict[str, Any]:
    """What is public: the names of the library and of its public modules, with the methods of classes."""
    public: dict[str, Any] = {}
    for name in rankproof.__all__:
        thing = getattr(rankproof, name)
        if isinstance(thing, ModuleType):
            for member in thing.__all__:
                public |= callables(f"{name}.{member}", getattr(thing, member))
        else:
            public |= callables(name, thing)
    return public


@pytest.mark.parametrize(
    ("doc", "bare"),
    [
        ("Parameters\n----------\na : int\n    What it is.\nb : int\n\nReturns\n-------\nint", ["b : int"]),
        ("Parameters\n----------\na : int\nb : int\n    What it is.", ["a : int"]),
        ("Parameters\n----------\na : int\n    What it is.\n\nAttributes\n----------\nb, c", ["b, c"]),
        ("Nothing is listed.", []),
    ],
)
def test_an_entry_without_a_line_below_it_is_found(doc: str, bare: list[str]) -> None:
    assert undescribed(doc) == bare


def test_every_listed_parameter_and_attribute_is_described() -> None:
    bare = [
        f"{name} | {entry}"
        for name, thing in documented().items()
        for entry in undescribed(inspect.getdoc(thing) or "")
    ]
    assert not bare, "these entries need a description below name and type:\n" + "\n".join(bare)
