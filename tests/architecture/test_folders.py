"""No two folders import one another, at any depth, however the import is written."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

from architecture.layout import SOURCE
from folder_graph import folder_cycles, folder_edges, places, string_imports


def test_no_cycle_between_folders() -> None:
    edges = folder_edges(SOURCE)
    assert edges
    assert not [line for cycle in folder_cycles(edges) for line in places(edges, cycle)]


def write(source: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = source / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return source


def test_a_folder_and_its_subfolder_are_two(tmp_path: Path) -> None:
    files = {
        "__init__.py": "from rankproof.fit.linear import model\n",
        "errors.py": "",
        "fit/ranker.py": "def load():\n    from rankproof.fit.linear.model import Model\n",
        "fit/linear/model.py": "import rankproof.errors\n",
    }
    source = write(tmp_path / "rankproof", files)
    assert sorted(folder_edges(source)) == [("fit", "fit/linear"), ("fit/linear", "errors")]
    assert not folder_cycles(folder_edges(source))
    files["fit/linear/model.py"] = "if TYPE_CHECKING:\n    from rankproof.fit import ranker\n"
    edges = folder_edges(write(source, files))
    assert folder_cycles(edges) == [["fit", "fit/linear"]]
    assert places(edges, ["fit", "fit/linear"]) == [
        "fit -> fit/linear: fit/ranker.py:2",
        "fit/linear -> fit: fit/linear/model.py:2",
    ]


def test_longer_cycles_are_found() -> None:
    edges: dict[tuple[str, str], list[Any]] = {
        ("a", "b"): [],
        ("b", "c"): [],
        ("c", "a"): [],
        ("c", "d"): [],
        ("e", "a"): [],
    }
    assert folder_cycles(edges) == [["a", "b", "c"]]


def test_names_in_strings_are_imports() -> None:
    modules = {"rankproof", "rankproof.fit.saved.linear", "rankproof.cli"}

    def named(code: str) -> list[str]:
        return [name for name, _ in string_imports(ast.parse(code), modules)]

    assert named("import_module('rankproof.fit.saved.linear')") == ["rankproof.fit.saved.linear"]
    assert named("TABLE = {'linear': 'rankproof.fit.saved.linear'}") == ["rankproof.fit.saved.linear"]
    assert named("import_module(f'rankproof.fit.saved.{kind}')") == ["rankproof.fit.saved."]
    assert named("importlib.import_module('rankproof.fit.' + kind)") == ["rankproof.fit."]
    assert named("run([sys.executable, '-m', 'rankproof', 'fit'])") == ["rankproof.cli"]
    assert not named("f'rankproof.fit.{kind} is a message, not an import'")
    assert not named("{'tool': 'rankproof', 'schema': 'rankproof.results/1'}")


def test_a_name_that_is_put_together_reaches_all_below(tmp_path: Path) -> None:
    files = {
        "runs/load.py": "import_module(f'rankproof.fit.{kind}')\n",
        "fit/ranker.py": "",
        "fit/linear/model.py": "",
    }
    edges = folder_edges(write(tmp_path / "rankproof", files))
    assert sorted(edges) == [("runs", "fit"), ("runs", "fit/linear")]
