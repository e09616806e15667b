"""A search that cannot begin leaves no folder behind that would stand in the way of the next."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from cli.small_letor import rows


def test_more_folds_than_queries_leave_no_search_behind(
    rankproof: Callable[..., Any], tmp_path: Path
) -> None:
    data, out = tmp_path / "train.txt", tmp_path / "search"
    data.write_text("\n".join(rows(1, 6)) + "\n")
    words = ["tune", data, "-m", "nDCG@10", "--trials", 1, "--n-estimators", 2, "--threads", 1, "--out", out]
    ran = rankproof(*words, "--folds", 7)
    assert ran.status == 3
    assert "7 folds need at least 7 queries, got 6" in ran.err
    assert not out.exists()
    assert rankproof(*words, "--folds", 2).status == 0
