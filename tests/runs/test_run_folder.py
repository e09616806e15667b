"""A run appears whole or not at all, never over what is not a run, and knows what it was made from."""

from __future__ import annotations

import hashlib
import json
from importlib.metadata import version
from pathlib import Path

import pytest

from rankproof.data.letor.read import read_letor
from rankproof.errors import ArgumentError, DataError
from rankproof.runs.run_folder import (
    RESULTS,
    SCHEMA,
    check_model,
    check_run_folder,
    data_facts,
    is_run,
    new_run,
    read_run,
)
from rankproof.runs.run_folder import write_results as write_results_of
from rankproof.runs.versions import versions
from rights import as_nobody

MODEL = "model.json"


def write(path: Path, model: str = "{}", replace: bool = False, **facts: object) -> None:
    with new_run(path, replace=replace) as draft:
        (draft / MODEL).write_text(model)
        write_results_of(draft, facts)


def interrupted(path: Path) -> None:
    with new_run(path, replace=True) as draft:
        (draft / MODEL).write_text("half")
        raise KeyboardInterrupt


def names(folder: Path) -> list[str]:
    return sorted(one.name for one in folder.iterdir())


def test_a_run_is_written_and_read(tmp_path: Path) -> None:
    write(tmp_path / "a" / "b" / "run", "weights", seed=7)
    assert names(tmp_path / "a" / "b" / "run") == [MODEL, RESULTS]
    assert read_run(tmp_path / "a" / "b" / "run") == {
        "schema": SCHEMA,
        "seed": 7,
        "model": {MODEL: hashlib.sha256(b"weights").hexdigest()},
    }
    assert names(tmp_path / "a" / "b") == ["run"]


def test_an_interrupted_run_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        interrupted(tmp_path / "run")
    assert names(tmp_path) == []


def test_an_interrupted_replacement_leaves_the_old_run(tmp_path: Path) -> None:
    write(tmp_path / "run", "old")
    with pytest.raises(KeyboardInterrupt):
        interrupted(tmp_path / "run")
    check_model(tmp_path / "run")
    assert (tmp_path / "run" / MODEL).read_text() == "old"
    assert names(tmp_path) == ["run"]


def test_a_run_is_replaced_only_when_asked_and_strangers_stay(tmp_path: Path) -> None:
    run = tmp_path / "run"
    write(run, "old")
    (run / "notes.txt").write_text("mine")
    with pytest.raises(ArgumentError, match=r"already contains a run.*replace=True"):
        write(run, "new")
    assert (run / MODEL).read_text() == "old"
    write(run, "new", replace=True)
    assert (run / MODEL).read_text() == "new"
    assert (run / "notes.txt").read_text() == "mine"
    assert names(tmp_path) == ["run"]


@pytest.mark.parametrize("content", ["", "{}", "[1]", "not json", '{"schema": "other/1", "model": {}}'])
def test_a_folder_that_is_no_run_is_left_alone(tmp_path: Path, content: str) -> None:
    (tmp_path / RESULTS).write_text(content)
    for replace in (False, True):
        with pytest.raises(ArgumentError, match="holds no run"):
            check_run_folder(tmp_path, replace=replace)
    assert (tmp_path / RESULTS).read_text() == content


def test_an_empty_folder_is_free_and_a_file_is_not(tmp_path: Path) -> None:
    write(tmp_path)
    assert is_run(tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(ArgumentError, match="is a file"):
        check_run_folder(tmp_path / "file")
    with pytest.raises(ArgumentError, match="cannot be made"):
        check_run_folder(tmp_path / "file" / "run")


def test_a_folder_that_may_not_be_written_is_told_before_the_work(public_folder: Path) -> None:
    public_folder.chmod(0o555)
    with as_nobody(), pytest.raises(ArgumentError, match="not writable"):
        check_run_folder(public_folder / "run")


def test_a_model_that_is_not_the_one_of_the_results_is_refused(tmp_path: Path) -> None:
    write(tmp_path / "run", "right")
    model = tmp_path / "run" / MODEL
    check_model(tmp_path / "run")
    model.write_text("wrong")
    with pytest.raises(DataError, match="SHA-256 differs"):
        check_model(tmp_path / "run")
    model.unlink()
    with pytest.raises(DataError, match=r"incomplete: model\.json"):
        check_model(tmp_path / "run")
    (tmp_path / "run" / RESULTS).unlink()
    check_model(tmp_path / "run")


def test_what_is_no_run_is_not_read(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="does not exist"):
        read_run(tmp_path / "none")
    with pytest.raises(DataError, match="holds no run"):
        read_run(tmp_path)
    (tmp_path / RESULTS).write_text(json.dumps({"schema": "rankproof.run/99", "model": {}}))
    with pytest.raises(DataError, match=r"rankproof\.run/99.*Update rankproof"):
        read_run(tmp_path)


def test_numbers_that_json_does_not_know_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="JSON"):
        write(tmp_path / "run", value=float("nan"))
    assert names(tmp_path) == []


def test_the_facts_of_data_are_those_of_the_files(tmp_path: Path) -> None:
    texts = ["1 qid:1 1:0.5 3:2\n0 qid:1 1:0.25 3:1\n", "2 qid:2 3:1\n"]
    paths = [tmp_path / "a.txt", tmp_path / "b.txt"]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text)
    assert data_facts(paths, read_letor(paths)) == {
        "files": [
            {"path": str(path), "sha256": hashlib.sha256(text.encode()).hexdigest()}
            for path, text in zip(paths, texts, strict=True)
        ],
        "queries": 2,
        "items": 3,
        "features": 3,
    }


def test_the_versions_are_those_installed() -> None:
    found = versions()
    assert found["rankproof"] == version("rankproof")
    assert found["numpy"] == version("numpy")
    assert set(found) == {"rankproof", "numpy", "scipy", "numba", "scikit-learn", "python", "machine"}
