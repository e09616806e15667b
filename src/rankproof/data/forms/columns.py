"""Which column is the query, the label, a feature, ...: what was named, and what is taken when it was not.

>>> types = {"qid": "numbers", "grade": "numbers", "bm25": "numbers", "score_old": "numbers", "title": "text"}
>>> taken = ColumnRequest(label="grade", drop=("score_old",)).taken("train.csv", types)
>>> print(taken)
query 'qid', label 'grade', 1 feature: 'bm25'; not used: 'score_old' (dropped), 'title' (text)
>>> ColumnRequest(query="gid").taken("train.csv", types)
Traceback (most recent call last):
    ...
rankproof.errors.ArgumentError: Argument query names the column 'gid', which train.csv does not have. Did you
mean 'qid'? Columns: 'qid', 'grade', 'bm25', 'score_old', 'title'.
"""

from __future__ import annotations

import difflib
import fnmatch
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rankproof.errors import ArgumentError, DataError
from rankproof.plain import html_text, json_text
from rankproof.shown import listed, quoted

__all__ = ["ROLES", "ColumnRequest", "TakenColumns", "matched", "missing_column"]

# Role -> (its word, names that are taken when none is given; the first are those that we write).
ROLES: dict[str, tuple[str, tuple[str, ...]]] = {
    "query": ("query", ("query", "qid", "query_id")),
    "label": ("label", ("label", "grade", "relevance")),
    "doc": ("document", ("doc", "doc_id", "docid", "docno")),
    "query_weight": ("query weight", ("query_weight",)),
    "item_weight": ("item weight", ("item_weight",)),
}
_NAMES_SHOWN = 12
# Where pandas keeps the index of a frame.
_INDEX = re.compile(r"__index_level_\d+__")
_NUMBER, _TEXT = "numbers", "text"


@dataclass(frozen=True)
class TakenColumns:
    """What every column is taken for; ``left`` says of the others why they are not used."""

    query: str
    label: str | None = None
    doc: str | None = None
    query_weight: str | None = None
    item_weight: str | None = None
    features: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    left: Mapping[str, str] = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        """All columns that are read, each once."""
        roles = [getattr(self, role) for role in ROLES]
        return list(dict.fromkeys([name for name in roles if name is not None] + list(self.features)))

    def to_dict(self) -> dict[str, Any]:
        """Plain data: the roles that are taken, the features in order, and what is left and why."""
        roles = {role: getattr(self, role) for role in ROLES if getattr(self, role) is not None}
        return {
            **roles,
            "features": list(self.features),
            **({"categories": list(self.categories)} if self.categories else {}),
            "not_used": dict(self.left),
        }

    def to_json(self) -> str:
        """`to_dict` as JSON text."""
        return json_text(self.to_dict())

    def _repr_html_(self) -> str:
        return html_text(str(self))

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> TakenColumns:
        """What `to_dict` wrote."""
        roles = {role: data[role] for role in ROLES if role in data}
        return cls(
            **roles,
            features=tuple(data["features"]),
            categories=tuple(data.get("categories", ())),
            left=dict(data.get("not_used", {})),
        )

    def __str__(self) -> str:
        roles = {word: getattr(self, role) for role, (word, _) in ROLES.items()}
        parts = [f"{word} {quoted(name)}" for word, name in roles.items() if name is not None]
        count = len(self.features)
        if count:
            plural = "" if count == 1 else "s"
            parts.append(f"{count} feature{plural}: {listed(self.features, _NAMES_SHOWN)}")
        else:
            parts.append("no features")
        if self.categories:
            parts.append(f"of these categories: {listed(self.categories, _NAMES_SHOWN)}")
        text = ", ".join(parts)
        if self.left:
            left = [f"{quoted(name)} ({why})" for name, why in self.left.items()]
            more = [] if len(left) <= _NAMES_SHOWN else ["..."]
            text += f"; not used: {', '.join(left[:_NAMES_SHOWN] + more)}"
        return text


@dataclass(frozen=True)
class ColumnRequest:
    """The columns that were named; ``features`` and ``drop`` are names or patterns such as ``f*``.

    ``unread`` are roles that are not read: their columns are no features either.
    """

    query: str | None = None
    label: str | None = None
    doc: str | None = None
    query_weight: str | None = None
    item_weight: str | None = None
    features: tuple[str, ...] | None = None
    drop: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    unread: tuple[str, ...] = ()

    @classmethod
    def of_taken(cls, taken: TakenColumns) -> ColumnRequest:
        """The request that takes the same columns from other data."""
        roles = {role: getattr(taken, role) for role in ROLES}
        return cls(**roles, features=taken.features, categories=taken.categories)

    @property
    def is_empty(self) -> bool:
        """Whether no column was named."""
        return self == ColumnRequest()

    def taken(
        self,
        file: str,
        kinds: Mapping[str, str],
        keys: Sequence[str] = (),
        *,
        needs_label: bool = False,
        needs_features: bool = False,
    ) -> TakenColumns:
        """What is taken of columns that hold numbers, text or other values; ``keys`` are those of folders."""
        roles = {role: self._role(file, role, kinds) for role in ROLES}
        query = roles.pop("query")
        if query is None:
            raise DataError(
                f"{file}: no column is called {' or '.join(ROLES['query'][1])}. Say which one holds the "
                f"query ids with query=. {_columns(kinds)}"
            )
        if needs_label and roles["label"] is None:
            raise DataError(
                f"{file}: no column is called {' or '.join(ROLES['label'][1])}. Say which one holds the "
                f"labels with label=. {_columns(kinds)}"
            )
        used = {query, *roles.values()} - {None}
        spared = [str(roles[role]) for role in self.unread if roles[role] is not None]
        roles |= dict.fromkeys(self.unread)
        doubled = [name for name in used if [query, *roles.values()].count(name) > 1]
        if doubled:
            raise ArgumentError(f"Column {doubled[0]!r} of {file} is named for two things. Name each once.")
        dropped = matched(file, "drop", self.drop, list(kinds))
        clash = [name for name in dropped if name in used]
        if clash:
            raise ArgumentError(
                f"Argument drop matches the column {clash[0]!r} of {file}, which is taken for something else."
            )
        left = {**dict.fromkeys(dropped, "dropped"), **dict.fromkeys(spared, "not needed here")}
        if self.features is None:
            features = [
                name
                for name, kind in kinds.items()
                if kind == _NUMBER
                and name not in used
                and name not in left
                and name not in keys
                and not _INDEX.fullmatch(name)
            ]
        else:
            for name in self.features:
                if name in used:
                    raise ArgumentError(
                        f"Argument features names the column {name!r} of {file}, which is taken for "
                        "something else. Leave it out."
                    )
            named = matched(file, "features", self.features, list(kinds))
            features = [name for name in named if name not in used and name not in left]
        if needs_features and not features:
            raise DataError(f"{file}: no column is left for features. {_columns(kinds)}")
        for name, kind in kinds.items():
            # Where no features are wanted, what is not used is no news.
            if self.features != () and name not in {*used, *left, *features}:
                reason = "key of the folder" if name in keys else "not among the features"
                reason = "index of pandas" if _INDEX.fullmatch(name) else reason
                plain = self.features is not None or kind == _NUMBER or name in keys
                left[name] = reason if plain else kind
        for name in self.categories:
            if name not in features:
                raise ArgumentError(
                    f"Argument categorical names {name!r}, which is not a feature of {file}. "
                    f"Features: {listed(features, _NAMES_SHOWN)}."
                )
        return TakenColumns(
            query=query, **roles, features=tuple(features), categories=self.categories, left=left
        )

    def _role(self, file: str, role: str, kinds: Mapping[str, str]) -> str | None:
        name = getattr(self, role)
        if name is not None:
            if name not in kinds:
                raise missing_column(file, role, name, kinds)
            return str(name)
        present = [one for one in ROLES[role][1] if one in kinds]
        if len(present) > 1:
            raise DataError(
                f"{file}: the columns {' and '.join(map(repr, present))} could both be the "
                f"{ROLES[role][0]}. Say which with {role}=."
            )
        return present[0] if present else None


def matched(file: str, argument: str, patterns: Sequence[str], names: list[str]) -> list[str]:
    """The columns that names or patterns stand for, in the order of the patterns, then of the file."""
    chosen: dict[str, None] = {}
    for pattern in patterns:
        matches = [pattern] if pattern in names else fnmatch.filter(names, pattern)
        if not matches:
            raise missing_column(file, argument, pattern, names)
        chosen.update(dict.fromkeys(matches))
    return list(chosen)


def missing_column(
    file: str, argument: str, name: str, names: Sequence[str] | Mapping[str, str]
) -> ArgumentError:
    """The error for a name, or a pattern, that no column has."""
    near = difflib.get_close_matches(name, list(names), n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    if any(mark in name for mark in "*?["):
        rule = f"no column of {file} matches {name!r}"
        return ArgumentError(f"Argument {argument}: {rule}.{hint} {_columns(names)}")
    return ArgumentError(
        f"Argument {argument} names the column {name!r}, which {file} does not have.{hint} {_columns(names)}"
    )


def _columns(names: Sequence[str] | Mapping[str, str]) -> str:
    return f"Columns: {listed(list(names), 30)}."
