"""Small files, good and bad, for the tests of commands."""

from __future__ import annotations

from pathlib import Path

import pytest

from cli.small_letor import rows, write_parts


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """``data`` with small files, good and bad, and an empty ``out``."""
    data = tmp_path / "data"
    data.mkdir()
    (tmp_path / "out").mkdir()
    write_parts(data)
    (data / "empty.txt").write_text("")
    (data / "binary.txt").write_bytes(bytes(range(256)))
    (data / "line.txt").write_text("1 qid:1 1:0.5\n0 qid:1 1:abc\n")
    (data / "useless.txt").write_text("".join(f"0 qid:{q} 1:{i}\n" for q in range(9) for i in range(3)))
    (data / "run.trec").write_text("q1 Q0 a 1 3.0 t\nq1 Q0 b 2 2.0 t\n")
    (data / "other.trec").write_text("q1 Q0 a 1 1.0 t\nq1 Q0 b 2 2.0 t\n")
    (data / "qrels.txt").write_text("q1 0 a 1\nq1 0 b 0\n")
    (data / "useless-qrels.txt").write_text("q1 0 a 0\nq1 0 b 0\n")
    (data / "folds").mkdir()
    for fold in (1, 2):
        folder = data / "folds" / f"Fold{fold}"
        folder.mkdir()
        for number, name in enumerate(("train", "vali", "test")):
            (folder / f"{name}.txt").write_text("\n".join(rows(10 * fold + number, 12)) + "\n")
    return tmp_path
