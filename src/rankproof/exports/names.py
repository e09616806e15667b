"""Names of features in the target: as in the model, or as a mapping says; never changed silently."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

from rankproof.errors import ArgumentError, DataError, FileFormatError
from rankproof.exports.forms.draft import Format

__all__ = ["FeatureNames", "read_names", "target_names"]

FeatureNames: TypeAlias = Mapping[str, Any] | Sequence[str] | str | PathLike[str]


def target_names(
    names: tuple[str, ...], features: FeatureNames | None, target: Format
) -> tuple[tuple[str, ...], dict[str, dict[str, Any]]]:
    """The name of every feature in the target, and what more was said of it there.

    >>> from rankproof.exports.formats import formats
    >>> target_names(("f0", "f1"), {"f0": "bm25(title)", "f1": "freshness"}, formats()["vespa"])[0]
    ('bm25(title)', 'freshness')
    """
    if isinstance(features, str | PathLike):
        features = read_names(features)
    new: tuple[Any, ...]
    if features is None:
        new = names
    elif isinstance(features, Mapping):
        lacking = [name for name in names if name not in features]
        if lacking:
            raise ArgumentError(
                f"Argument features of export has no name for {len(lacking)} of the {len(names)} features: "
                f"{_listed(lacking)}. Give one for each feature of the model."
            )
        spare = [name for name in features if name not in names]
        if spare:
            raise ArgumentError(
                f"Argument features of export names {_listed(spare)}, which the model does not have; it has "
                f"{_listed(names)}."
            )
        new = tuple(features[name] for name in names)
    else:
        new = tuple(features)
        if len(new) != len(names):
            raise ArgumentError(
                f"Argument features of export has {len(new)} names for {len(names)} features."
            )
    final, definitions = [], {}
    for old, one in zip(names, new, strict=True):
        more = dict(one) if isinstance(one, Mapping) else {}
        name = more.get("name") if more else one
        if not isinstance(name, str):
            raise ArgumentError(
                f"Argument features of export gives {name!r} for {old!r}, which is not a name."
            )
        if not re.fullmatch(target.name_rule, name):
            raise ArgumentError(
                f"A name of a feature for {target.title} must {target.name_advice}; got {name!r}. Map it: "
                f"features={{{old!r}: ...}}, or in the CLI --features with a file of the mapping."
            )
        final.append(name)
        if more:
            definitions[name] = more
    twice = sorted({name for name in final if final.count(name) > 1})
    if twice:
        raise ArgumentError(
            f"Two features would have the name {twice[0]!r}. Give each feature a name of its own."
        )
    return tuple(final), definitions


def read_names(path: str | PathLike[str]) -> Mapping[str, Any] | list[str]:
    """A mapping from a file: a JSON object or list, or text with a name per line, in order."""
    try:
        text = Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise DataError(f"File {str(path)!r} with the names of features cannot be read: {reason}.") from None
    if text.lstrip()[:1] not in ("{", "["):
        return text.splitlines()
    try:
        content = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FileFormatError(path, getattr(error, "lineno", None), f"not JSON ({error}).") from None
    if isinstance(content, dict | list):
        return content
    raise FileFormatError(path, None, "must be a JSON object or list.")


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(repr(str(name)) for name in names[:5])
    return shown if len(names) <= 5 else f"{shown} and {len(names) - 5} more"
