"""Score files: one number per line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankproof.data.scores import read_scores, write_scores
from rankproof.errors import FileFormatError


@given(st.lists(st.floats(allow_nan=False), min_size=1, max_size=50))
def test_scores_round_trip_bit_for_bit(tmp_path_factory: pytest.TempPathFactory, scores: list[float]) -> None:
    path = tmp_path_factory.mktemp("scores") / "scores.txt.gz"
    write_scores(scores, path)
    assert read_scores(path).tobytes() == np.array(scores).tobytes()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty"),
        ("1\nx\n", "scores.txt:2: 'x' is not a score"),
        ("1\n\n3\n", "scores.txt:2: the line is empty"),
        ("1\n2 3\n", "scores.txt:2: '2 3' is not a score"),
        ("nan\n", "scores.txt:1: 'nan' is not a score"),
        ("1\n\xff\n", "scores.txt:2:"),
    ],
)
def test_a_line_that_is_no_score_is_named(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "scores.txt"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(FileFormatError, match=message):
        read_scores(path)
