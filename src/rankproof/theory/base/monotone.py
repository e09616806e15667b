"""Is a metric monotone: does an exchange of neighbours that puts the better grade first never hurt?"""

from __future__ import annotations

from rankproof.errors import PrecisionError
from rankproof.feedback import Graded, Permutation
from rankproof.theory.base.rounding import sign_of, too_coarse
from rankproof.theory.base.values import ValueTable

__all__ = ["is_monotone"]


def is_monotone(table: ValueTable) -> bool:
    """Whether no exchange of neighbours that puts a better grade first loses value on the table."""
    if too_coarse(table) is not None:
        return False
    row = dict(zip(table.rankings, table.values, strict=True))
    for ranking, values in row.items():
        for k in range(table.space.items - 1):
            i, j = ranking[k], ranking[k + 1]
            swapped = row[(*ranking[:k], j, i, *ranking[k + 2 :])]
            for place, y in enumerate(table.space.feedback):
                if not isinstance(y, (Graded, Permutation)):
                    return False
                grades = y.grades() if isinstance(y, Permutation) else y
                try:
                    loses = grades[i] > grades[j] and sign_of(table, values[place] - swapped[place]) < 0
                except PrecisionError:
                    return False
                if loses:
                    return False
    return True
