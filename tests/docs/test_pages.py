"""Pages that are written by a script are up to date; version and changelog agree; the README is short."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import click
import pytest

import rankproof
from architecture.layout import LAYERS
from every_case import exhaustive
from rankproof.papers import SOURCES

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    "script",
    [
        "make-reference",
        *exhaustive("make-api", "make-converge", "make-matrix", "make-pictures", "make-demo-picture"),
    ],
)
def test_the_pages_are_what_their_script_writes(script: str) -> None:
    """The matrix takes a minute: of it only the head and one cell of every metric are made again."""
    ran = subprocess.run(
        [sys.executable, ROOT / "scripts" / script, "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr


def test_every_erratum_is_listed_with_a_test_that_exists() -> None:
    """Tests that call themselves an erratum stand in the list, and those of the list exist."""
    page = (ROOT / "docs" / "explanation" / "papers.md").read_text()
    listed = set(re.findall(r"`(test_\w+)`", page))
    tests: set[str] = set()
    errata: set[str] = set()
    for path in (ROOT / "tests" / "theory").glob("test_*.py"):
        found = [node for node in ast.parse(path.read_text()).body if isinstance(node, ast.FunctionDef)]
        tests |= {node.name for node in found}
        if re.match(r"test_(b11|c12|l12|r11)", path.name):
            errata |= {
                node.name
                for node in found
                if "_erratum_" in node.name or "Erratum" in (ast.get_docstring(node) or "")
            }
    assert len(errata) > 20
    assert errata <= listed <= tests


def test_the_example_is_what_its_script_writes(tmp_path: Path) -> None:
    folder = tmp_path / "scripts"
    folder.mkdir()
    (tmp_path / "src" / "rankproof").mkdir(parents=True)
    script = folder / "make-example"
    script.write_text((ROOT / "scripts" / "make-example").read_text())
    subprocess.run([sys.executable, script], check=True)
    for path in (tmp_path / "src" / "rankproof" / "example").iterdir():
        assert path.read_bytes() == (ROOT / "src" / "rankproof" / "example" / path.name).read_bytes()


def test_one_version_everywhere() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    newest = re.search(r"^## \[(\d+\.\d+\.\d+)\]", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert newest is not None
    assert project["version"] == rankproof.__version__ == newest[1]
    assert f"\nversion: {newest[1]}\n" in (ROOT / "CITATION.cff").read_text()


def test_the_map_of_folders_is_the_one_of_the_house() -> None:
    """The folders of the package, in the order in which they may import each other."""
    text = (ROOT / "CONTRIBUTING.md").read_text()
    listed = re.findall(r"^\| `(\w+)` \| ", text, re.MULTILINE)
    folders = {path.parent.name for path in (ROOT / "src" / "rankproof").glob("*/__init__.py")}
    assert listed == [layer for layer in LAYERS if layer in folders]
    assert set(listed) == folders


def test_the_papers_of_the_citation_are_those_that_the_pages_list() -> None:
    """By short name, and with every author that the list of sources names."""
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    papers = text.split("  - type: conference-paper")[1:]
    assert [re.findall(r"notes: (\w+)", paper) for paper in papers] == [["B11"], ["C12"], ["L12"], ["R11"]]
    for paper in papers:
        names, venue, year = re.fullmatch(
            r"(.+), (\w+) (\d{4})", SOURCES[re.findall(r"notes: (\w+)", paper)[0]]
        ).groups()
        assert re.findall(r"family-names: (\w+)", paper) == re.split(", | & ", names)
        assert f"({venue})" in paper
        assert f"year: {year}" in paper


def test_every_command_and_estimator_is_in_the_changelog() -> None:
    from rankproof.cli.main import command_line

    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    commands = command_line.list_commands(click.Context(command_line))
    assert len(commands) >= 14
    assert [name for name in commands if not re.search(rf"`(rankproof )?{name}\b", text)] == []
    rankers = [name for name in rankproof.__all__ if "Ranker" in name]
    assert len(rankers) >= 4
    assert [name for name in rankers if f"`rp.{name}`" not in text] == []


def test_the_readme_is_one_screen_with_the_two_commands_and_three_examples() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 90
    for command in ("pip install . && rankproof demo", "pip install -e '.[test]' && pytest"):
        assert f"$ {command}\n" in text
    assert [f"**{k}. " in text for k in (1, 2, 3, 4)] == [True, True, True, False]
    assert "docs/explanation/pictures/demo.svg" in text
    for script in re.findall(r"`python (benchmarks/\w+\.py)`", text):
        assert (ROOT / script).exists()
    for target in re.findall(r"\]\(([\w/.-]+)", text):
        assert (ROOT / target).exists(), target


def test_every_page_is_in_the_navigation() -> None:
    listed = set(re.findall(r"[\w/-]+\.md", (ROOT / "mkdocs.yml").read_text()))
    pages = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")}
    assert pages == listed
