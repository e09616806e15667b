"""The two readings of several judgments, stated and never mixed."""

from __future__ import annotations

from typing import Literal, TypeAlias

from rankproof.errors import ArgumentError

__all__ = ["READINGS", "Reading", "check_reading"]

Reading: TypeAlias = Literal["joint", "independent"]
READINGS = {
    "joint": "the grades of one judge over the items of a query are one draw of the labels",
    "independent": "the grade of every item is a draw of its own",
}


def check_reading(reading: object, *, soft: bool) -> None:
    """Raise `ArgumentError` for what is no reading, or none of soft labels."""
    if reading is not None and reading not in READINGS:
        raise ArgumentError(f"Argument reading must be 'joint' or 'independent', got {reading!r}.")
    if soft and reading == "joint":
        raise ArgumentError(
            "Soft labels give the probabilities of each item alone, so they cannot be read as joint. "
            "Leave reading out, or give the grades of single judges."
        )
