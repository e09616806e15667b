"""The question that `certify` asks unless told otherwise: the one place for calls and for the command.

Nothing is imported here, so that the command can show the numbers at once.
"""

from __future__ import annotations

from typing import Final

__all__ = ["EFFORT", "GRADES", "ITEMS", "MATRIX_GRADES"]

# Lists of so many items, with labels of so many grades; the matrix of verdicts takes more grades.
ITEMS: Final = 3
GRADES: Final = 2
MATRIX_GRADES: Final = 3
# How long counterexamples are searched for.
EFFORT: Final = 1.0
