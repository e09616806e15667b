"""Pages that are written by a script are up to date; version, changelog and README agree with the package."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import rankproof

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("script", ["make-reference", "make-matrix", "make-pictures", "make-demo-picture"])
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


def test_the_commands_shown_in_the_readme_print_what_it_shows() -> None:
    shown = re.findall(
        r"```console\n\$ (rankproof [^\n]+)\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL
    )
    with_output = [(command, output) for command, output in shown if output.strip()]
    assert len(with_output) >= 2
    for command, output in with_output:
        words = [sys.executable, "-m", *command.split()]
        ran = subprocess.run(words, capture_output=True, text=True, check=False)
        assert ran.stdout.strip() == output.strip(), command
        # A verdict is also the exit status.
        assert ran.returncode == {"Inconsistent": 1, "Undecided": 2}.get(output.split(":")[0], 0), command


def test_every_page_is_in_the_navigation() -> None:
    listed = set(re.findall(r"[\w/-]+\.md", (ROOT / "mkdocs.yml").read_text()))
    pages = {path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")}
    assert pages == listed
