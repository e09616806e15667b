"""``rankproof compare``: what it prints for two runs, for many, against one, and for a paper."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

Run = Callable[..., Any]
QUERIES, SIZE = 40, 8


@pytest.fixture
def many(tmp_path: Path) -> tuple[list[Path], Path]:
    """Seventeen runs that retrieve different documents, and their judgments; the first query has no grade."""
    rng = np.random.default_rng(5)
    grades = rng.integers(0, 2, (QUERIES, SIZE))
    grades[0] = 0
    qrels = tmp_path / "qrels.txt"
    qrels.write_text(
        "".join(f"q{q} 0 d{d} {grades[q, d]}\n" for q in range(QUERIES) for d in range(SIZE)),
        encoding="utf-8",
    )
    runs = []
    for k in range(17):
        scores = grades + (0.5 + k / 4) * rng.normal(size=grades.shape)
        lines = [
            f"q{q} Q0 d{d} 1 {scores[q, d]:.6f} s{k}\n"
            for q in range(QUERIES)
            for d in range(SIZE)
            if (d + k) % SIZE
        ]
        runs.append(tmp_path / f"s{k}.trec")
        runs[-1].write_text("".join(lines), encoding="utf-8")
    return runs, qrels


def test_many_runs_are_few_lines_sorted_with_one_constant_scorer(
    rankproof: Run, many: tuple[list[Path], Path]
) -> None:
    runs, qrels = many
    words = ("compare", *runs, "--qrels", qrels, "-m", "map", "-m", "P_5", "--test", "t")
    ran = rankproof(*words)
    assert (ran.status, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert len(lines) <= 2 + 17 + 1 + 7
    assert sum("constant scorer" in line for line in lines) == 1
    values = [float(line.split()[1]) for line in lines[2:19]]
    assert values == sorted(values, reverse=True)
    assert lines[-1].startswith("136 pairs of each metric: --pairs lists them")
    assert "39 of 40 queries count; convention: rankproof" in lines
    listed = rankproof(*words, "--pairs").out
    assert listed.count("s0 - s1 ") == 2


def test_a_baseline(rankproof: Run, many: tuple[list[Path], Path]) -> None:
    runs, qrels = many
    words = ("compare", *runs[:4], "--qrels", qrels, "-m", "AP", "--as", "trec_eval")
    ran = rankproof(*words, "--baseline", "s1", "--csv")
    rows = list(csv.DictReader(io.StringIO(ran.out)))
    assert [(row["a"], row["b"]) for row in rows] == [("s0", "s1"), ("s2", "s1"), ("s3", "s1")]
    assert {(row["convention"], row["queries"]) for row in rows} == {("trec_eval", "40")}
    told = rankproof(*words, "--baseline", "s1").out
    assert "against s1" in told
    assert "40 of 40 queries count; convention: trec_eval" in told
    assert rankproof(*words, "--baseline", runs[1]).out == told
    refused = rankproof(*words, "--baseline", "bm25")
    assert refused.status == 3
    assert "Option --baseline must be one of the runs, s0, s1, s2, s3; got 'bm25'." in refused.err


def test_latex_and_per_query(rankproof: Run, many: tuple[list[Path], Path]) -> None:
    runs, qrels = many
    words = ("compare", *runs[:3], "--qrels", qrels, "-m", "ndcg_cut_5", "--as", "trec_eval")
    text = rankproof(*words, "--latex").out
    assert r"\caption{Mean of nDCG@5, best in bold." in text
    assert r"convention: trec\_eval" in text
    rows = list(csv.DictReader(io.StringIO(rankproof(*words, "--per-query", "--csv").out)))
    assert len(rows) == 3 * QUERIES
    plain = json.loads(rankproof(*words, "--per-query", "--json").out)
    values = plain["systems"]["s1"]["metrics"][0]["per_query"]
    assert [float(row["nDCG@5"]) for row in rows if row["system"] == "s1"] == values
    shown = rankproof(*words, "--per-query").out
    assert shown.splitlines()[0].split() == ["query", "system", "nDCG@5"]
