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


# Ctrl-C: a real process, a real signal.
