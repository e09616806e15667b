r"""Ids and names as a person reads them: data files may hold anything, and a terminal must not obey it.

>>> print(visible("d1\x1b[31m"), quoted("d1\x1b[31m"))
d1\x1b[31m 'd1\x1b[31m'
"""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["listed", "quoted", "visible"]

_LONGEST_SHOWN = 60


def visible(text: str, keep: str = "") -> str:
    r"""The text with every character that does not print escaped, so that a terminal shows it and no more.

    Those to ``keep``, such as ends of lines, are left.

    >>> print(visible("tab\t, bell\x07, right to left \u202e"))
    tab\t, bell\x07, right to left \u202e
    """
    if text.isprintable():
        return text
    return "".join(
        c if c.isprintable() or c in keep else c.encode("unicode_escape").decode("ascii") for c in text
    )


def quoted(name: object) -> str:
    """An id as a message quotes it: numbers as they are, text between quotes, shortened and escaped.

    >>> import numpy as np
    >>> quoted(np.int64(301)), quoted(np.str_("q1")), len(quoted("x" * 5000))
    ('301', "'q1'", 62)
    """
    # Scalars of numpy print as what they are, not as what they hold.
    plain = name.item() if hasattr(name, "item") else name
    if isinstance(plain, str) and len(plain) > _LONGEST_SHOWN:
        plain = plain[: _LONGEST_SHOWN - 3] + "..."
    return repr(plain)


def listed(names: Iterable[object], most: int = 3) -> str:
    """The first ids of many, as a message lists them.

    >>> listed(["q1", "q2", "q3", "q4"])
    "'q1', 'q2', 'q3', ..."
    """
    first: list[object] = []
    for name in names:
        if len(first) == most:
            return ", ".join(map(quoted, first)) + ", ..."
        first.append(name)
    return ", ".join(map(quoted, first))
