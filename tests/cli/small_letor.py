"""Small LETOR files with a signal a linear ranker can find, written from a seed."""

from __future__ import annotations

from pathlib import Path

import numpy as np

FEATURES = 5


def rows(seed: int, queries: int, doc_ids: bool = False) -> list[str]:
    """Lines of LETOR text: grades 0-2 that follow the first two features, with noise."""
    random = np.random.default_rng(seed)
    lines = []
    for query in range(queries):
        for item in range(int(random.integers(4, 9))):
            x = random.normal(size=FEATURES).round(3)
            grade = int(np.clip(round(1 + x[0] - 0.5 * x[1] + random.normal()), 0, 2))
            features = " ".join(f"{k}:{v}" for k, v in enumerate(x.tolist(), start=1))
            note = f" #docid = d{seed}-{query}-{item}" if doc_ids else ""
            lines.append(f"{grade} qid:{seed}{query:03} {features}{note}")
    return lines


def write_parts(folder: Path) -> dict[str, Path]:
    """``train``, ``valid`` and ``test`` in a folder."""
    parts = {"train": (1, 60), "valid": (2, 30), "test": (3, 30)}
    paths = {name: folder / f"{name}.txt" for name in parts}
    for name, (seed, queries) in parts.items():
        paths[name].write_text("\n".join(rows(seed, queries, doc_ids=name == "test")) + "\n")
    return paths


def content(folder: Path) -> dict[str, bytes | None]:
    """All that a folder holds, hidden things too."""
    found = sorted(folder.rglob("*"))
    return {str(path.relative_to(folder)): None if path.is_dir() else path.read_bytes() for path in found}


def write_place(place: Path) -> None:
    """``data`` with small files, good and bad, and an empty ``out``."""
    data = place / "data"
    data.mkdir()
    (place / "out").mkdir()
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
