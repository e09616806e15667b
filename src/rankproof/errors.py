"""Every error that rankproof raises on purpose.

::

    RankproofError
    ├── ArgumentError (ValueError)          an argument breaks its rule
    │   ├── UnknownNameError                a name that no registry holds, with "did you mean"
    │   ├── ParseError                      a metric string that does not parse
    │   ├── ConventionError                 the named tool has no such metric
    │   └── MetricCallError                 a metric of your own fails on a query, or cannot be averaged there
    ├── PrecisionError (ValueError)         an exact answer would need more digits than the values have
    ├── DataError (ValueError)              the data break a rule
    │   ├── FileFormatError                 a file does, at a known line
    │   ├── EmptyQueryError                 empty="error" met a query without a relevant item
    │   └── UnjudgedError                   unjudged="error" met an item without a judgment
    └── MissingDependencyError (ImportError)  an extra is not installed

    ConsistencyWarning (UserWarning)        no loss is consistent with the metric asked for
    DataWarning (UserWarning)               the data are read as asked, perhaps not as meant
    QueryWarning (UserWarning)              rows without query ids are taken for one query

A message says what was asked, which value, which rule, and what to do.
"""

from __future__ import annotations

from os import PathLike, fspath

__all__ = [
    "ArgumentError",
    "ConsistencyWarning",
    "ConventionError",
    "DataError",
    "DataWarning",
    "EmptyQueryError",
    "FileFormatError",
    "MetricCallError",
    "MissingDependencyError",
    "ParseError",
    "PrecisionError",
    "QueryWarning",
    "RankproofError",
    "UnjudgedError",
    "UnknownNameError",
]


class RankproofError(Exception):
    """Root of the tree: catch this to catch every error raised on purpose."""


class ArgumentError(RankproofError, ValueError):
    """An argument breaks its rule."""


class UnknownNameError(ArgumentError):
    """A name that no registry holds."""


class ParseError(ArgumentError):
    """A metric string that does not parse."""


class ConventionError(ArgumentError):
    """The tool a convention is named after does not have the metric asked for."""


class MetricCallError(ArgumentError):
    """A metric of the user's own fails on a query, or cannot be averaged over its ties.

    Attributes
    ----------
    message : str
        What went wrong.
    query : int or None
        The number of the query, counted from 0; None when it is not about one query.
    name : str or None
        The id of the query, where it is known.
    """

    def __init__(self, message: str, query: int | None = None, name: str | None = None) -> None:
        self.message, self.query, self.name = message, query, name
        where = "" if query is None and name is None else f" (query {query if name is None else name})"
        super().__init__(f"{message}{where}")

    def __reduce__(self) -> tuple[type[MetricCallError], tuple[str, int | None, str | None]]:
        return MetricCallError, (self.message, self.query, self.name)


class PrecisionError(RankproofError, ValueError):
    """An answer depends on digits that the values do not have, so it is refused."""


class DataError(RankproofError, ValueError):
    """The data break a rule."""


class FileFormatError(DataError):
    """A file breaks a rule of its format; the message starts with ``file:line:``.

    >>> str(FileFormatError("train.txt", 1042, "feature value 'abc' of feature 17 is not a number."))
    "train.txt:1042: feature value 'abc' of feature 17 is not a number."
    """

    def __init__(self, path: str | PathLike[str], line: int | None, message: str) -> None:
        self.path = fspath(path)
        self.line = line
        self.message = message
        where = self.path if line is None else f"{self.path}:{line}"
        Exception.__init__(self, f"{where}: {message}")

    def __reduce__(self) -> tuple[type[FileFormatError], tuple[str, int | None, str]]:
        return FileFormatError, (self.path, self.line, self.message)


class EmptyQueryError(DataError):
    """``empty="error"`` met a query for which the metric says nothing."""


class UnjudgedError(DataError):
    """``unjudged="error"`` met an item without a judgment."""


class MissingDependencyError(RankproofError, ImportError):
    """An optional dependency is not installed; the message names the extra."""


class ConsistencyWarning(UserWarning):
    """What is trained need not optimise the metric asked for; the message says why, and what is used."""


class DataWarning(UserWarning):
    """The data are read as asked, perhaps not as meant; the message says what was found, and what to do."""


class QueryWarning(UserWarning):
    """Rows came without query ids, so all of them are taken for the items of one query."""
