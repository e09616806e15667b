"""Whether two metrics are one and the same to every law: equal values, but for what no ranking changes."""

from __future__ import annotations

from rankproof.theory.base.values import ValueTable

__all__ = ["same_to_every_law"]


def same_to_every_law(one: ValueTable, other: ValueTable) -> bool:
    """Whether the differences of rankings are the same on every feedback, up to one factor above 0.

    What all rankings of a feedback share does not count, so the same rankings are best under every law. The
    values must be exact.

    >>> from rankproof.feedback.spaces import graded_space
    >>> from rankproof.theory.base.values import value_table
    >>> def percent(ranking, labels):
    ...     return 100 * labels[ranking[0]] + 7
    >>> space = graded_space(2)
    >>> same_to_every_law(value_table(percent, space), value_table("DCG(gain=linear)@1", space))
    True
    """
    if one.space != other.space or one.rankings != other.rankings or one.slack or other.slack:
        return False
    differences = [
        ((a - one.values[0][at]), (b - other.values[0][at]))
        for mine, theirs in zip(one.values, other.values, strict=True)
        for at, (a, b) in enumerate(zip(mine, theirs, strict=True))
    ]
    scale = next((a / b for a, b in differences if a and b), None)
    return scale is not None and scale > 0 and all(a == scale * b for a, b in differences)
