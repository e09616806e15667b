"""Scripts are linted and typed like the rest, and every benchmark of the product is run by scripts/bench."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from fnmatch import fnmatch
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TOOLS = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]
BENCHMARKS = sorted((ROOT / "benchmarks").glob("*.py"))


def test_every_script_in_python_is_linted_and_typed() -> None:
    """Those without an ending have to be named."""
    for path in (ROOT / "scripts").iterdir():
        if path.is_file() and path.suffix == "" and "python" in path.read_text().splitlines()[0]:
            place = path.relative_to(ROOT).as_posix()
            for patterns in (TOOLS["ruff"]["extend-include"], TOOLS["mypy"]["files"]):
                assert any(fnmatch(place, pattern) for pattern in patterns), place


def test_scripts_can_be_run() -> None:
    scripts = [path for path in (ROOT / "scripts").iterdir() if path.is_file() and path.suffix == ""]
    assert len(scripts) > 8
    assert [path.name for path in scripts if not path.stat().st_mode & 0o111] == []


@pytest.mark.parametrize("script", BENCHMARKS, ids=lambda script: script.stem)
def test_every_benchmark_has_the_options_of_all(script: Path) -> None:
    """``scripts/bench`` hands its arguments to each; a bar that is missed is an exit status."""
    text = script.read_text()
    assert "options(__doc__)" in text
    assert "args.quick" in text
    assert re.search(r"show(_losses)?\(.*, as_json=args\.json\)", text)
    assert f"python benchmarks/{script.name} " in text, "the docstring says how to run it"


def test_every_package_that_a_benchmark_imports_is_in_the_extra() -> None:
    """Or a dependency of rankproof, or of the standard library, or beside the scripts."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    listed = [*project["dependencies"], *project["optional-dependencies"]["bench"]]
    packages = {re.split(r"[<>=\[]", name)[0].replace("-", "_") for name in listed}
    # What the tests share with a study is in tests/theory.
    packages |= {"pytrec_eval", "sklearn", "rankproof", "shared", "benchmark_path", "theory"}
    packages |= {path.stem for path in (ROOT / "research").glob("*.py")} | set(sys.stdlib_module_names)
    scripts = [*(ROOT / "benchmarks").rglob("*.py"), *(ROOT / "research").glob("*.py")]
    imported = {
        module.split(".")[0]
        for path in scripts
        for module in re.findall(r"^\s*(?:from|import) ([\w.]+)", path.read_text(), re.MULTILINE)
    }
    assert imported <= packages


def test_the_benchmarks_are_found() -> None:
    """Product benchmarks by scripts/bench, the comparison of two checkouts by its name."""
    names = {path.stem for path in BENCHMARKS}
    expected = {
        "boosting",
        "certify",
        "endurance",
        "engines_on_the_stand",
        "export",
        "forms",
        "letor",
        "linear",
        "losses",
        "metrics",
        "quality",
        "serving",
        "startup",
    }
    assert names == {*expected, "against"}
    listed = subprocess.run(["sh", "-n", ROOT / "scripts" / "bench"], check=False)
    assert listed.returncode == 0
