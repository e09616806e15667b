"""The docstrings of the public surface: the API reference is made from them, so they must be complete."""

from __future__ import annotations

import inspect
import re
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
    "Comparison",
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
