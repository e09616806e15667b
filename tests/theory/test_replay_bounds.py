"""`replay` bounds every number, and the depth and length of files, before it computes with them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from every_case import every_case
from rankproof.errors import DataError, FileFormatError
from rankproof.theory.replay.replay import replay, replay_file
from theory.stored_verdicts import stored

HUGE = [
    "1e-300000000",
    "1e300000000",
    " 1E+99999999",
    "1" * 70 + "e-300000000",
    "9" * 3000,
    10**5000,
    1e308 * 10,
]


@every_case("huge", HUGE, ids=lambda huge: f"{type(huge).__name__} of {len(str(huge)[:9])}")
def test_numbers_are_bounded_before_they_are_read(huge: Any) -> None:
    """Fraction("1e-300000000") takes hours; a file with it is refused at once."""
    for name, path in (
        ("exact", ("evidence", 0, "cost")),
        ("exact", ("evidence", 0, "minimum", "radius")),
        ("exact", ("evidence", 0, "law", "probabilities", 0)),
        ("none", ("evidence", 1, "parts", 0, "weight")),
        ("found", ("evidence", 0, "values", "rows", 0, 0)),
        ("standardised", ("evidence", 1, "target", 0, 0)),
        ("condition", ("scope", "items")),
    ):
        plain = stored(name)
        place: Any = plain
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = huge
        with pytest.raises(DataError, match="too large, too small or too long"):
            replay(plain)


def test_deep_and_long_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "why.json"
    for text in ("[" * 100_000 + "]" * 100_000, '{"format": ' + "7" * 5000 + "}"):
        path.write_text(text)
        with pytest.raises(FileFormatError):
            replay_file(path)
    nested: Any = "x"
    for _ in range(100):
        nested = [nested]
    with pytest.raises(DataError, match="nested too deeply"):
        replay({**stored("exact"), "reason": nested})
