"""Every public object has a page, its docstring says what its parameters are, and paths in the docs exist."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path
from types import ModuleType

import pytest

import rankproof
from rankproof.metrics import METRICS
from rankproof.metrics.conventions.named import CONVENTIONS
from rankproof.metrics.parameters import MEANINGS, written

ROOT = Path(__file__).parents[2]
API = ROOT / "docs" / "reference" / "api"
NAMES = sorted(set(rankproof.__all__) - {"__version__"})
MODULES = [name for name in NAMES if isinstance(getattr(rankproof, name), ModuleType)]


def test_every_public_object_has_one_page_and_no_other_has_any() -> None:
    pages = sorted(page.stem for page in API.rglob("*.md") if page.name != "index.md")
    assert pages == NAMES
    listed = (API / "index.md").read_text()
    navigation = (ROOT / "mkdocs.yml").read_text()
    for page in API.rglob("*.md"):
        place = page.relative_to(API).as_posix()
        assert f"reference/api/{place}\n" in navigation
        assert page.name == "index.md" or f"({place})" in listed


@pytest.mark.parametrize("name", MODULES)
def test_the_page_of_a_module_lists_all_its_members(name: str) -> None:
    page = (API / "modules" / f"{name}.md").read_text()
    assert re.findall(r"^        - (\w+)$", page, re.MULTILINE) == getattr(rankproof, name).__all__


def test_what_is_public_is_said_where_one_starts() -> None:
    for page in ("index.md", "reference/api/index.md"):
        assert "Public is what `rankproof.__all__` names and the" in (ROOT / "docs" / page).read_text()


def test_every_parameter_of_a_metric_has_a_meaning() -> None:
    named = {field.name for cls in METRICS.values() for field in fields(cls)}
    assert named == set(MEANINGS)
    for cls in METRICS.values():
        for name, allowed in cls.choices.items():
            assert set(map(written, allowed)) <= set(MEANINGS[name][1])


PLACE = re.compile(r"`((?:src/rankproof|tests|docs|scripts|benchmarks|research)/[\w./-]+)`")


def test_every_convention_is_named_where_one_is_chosen() -> None:
    """The help of ``--as``, and the parameter of the function."""
    help_of_as = (ROOT / "src" / "rankproof" / "cli" / "options.py").read_text()
    for name in CONVENTIONS:
        assert re.search(rf"\b{name}\b", help_of_as), name
        assert f'"{name}"' in (rankproof.evaluate.__doc__ or ""), name


def test_every_path_that_a_docstring_or_comment_names_exists() -> None:
    sources = [path for folder in ("src", "tests", "scripts") for path in (ROOT / folder).rglob("*.py")]
    named = {
        (path.name, place) for path in sources for place in PLACE.findall(path.read_text(encoding="utf-8"))
    }
    assert len(named) > 5
    assert [f"{name}: {place}" for name, place in sorted(named) if not (ROOT / place).exists()] == []


def test_every_path_that_a_page_names_exists() -> None:
    pages = [
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
        ROOT / "SECURITY.md",
        ROOT / "CHANGELOG.md",
        *(ROOT / "docs").rglob("*.md"),
    ]
    named = {(page, place) for page in pages for place in PLACE.findall(page.read_text(encoding="utf-8"))}
    assert len(named) > 40
    assert [f"{page.name}: {place}" for page, place in sorted(named) if not (ROOT / place).exists()] == []
