"""Ids of queries and documents: arrays of text that cost about what the text costs.

An array of numpy's fixed-width text gives every id the room of the longest, four bytes a character. That is
quick and every library reads it, so it is used while it wastes little; otherwise ids are kept at their own
lengths (numpy's ``StringDType``). Both compare, sort and list alike.

>>> text_ids(["d1", "d22"]).dtype.kind, text_ids(["d1"] * 1000 + ["x" * 4000]).dtype.kind
('U', 'T')
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "TextIds",
    "as_ids",
    "as_text",
    "at_own_length",
    "places_of",
    "spread",
    "text_ids",
    "wastes_room",
]

TextIds = NDArray[Any]

# Arrays below this many bytes are never worth another form.
SMALL = 1 << 20
# Fixed width may take so many times the bytes of ids at their own lengths.
MOST_WASTE = 4


def wastes_room(ids: int, characters: int, longest: int) -> bool:
    """Whether so many ids of so many characters in all would waste memory at the width of the longest."""
    fixed, own = 4 * ids * longest, 16 * ids + characters
    return fixed > SMALL and fixed > MOST_WASTE * own


def at_own_length(ids: int) -> TextIds:
    """Room for ids that each take their own length; empty texts at first."""
    return np.empty(ids, dtype=np.dtypes.StringDType())


def text_ids(texts: Sequence[str]) -> TextIds:
    """Texts as an array, of fixed width unless that wastes memory."""
    sizes = list(map(len, texts))
    if wastes_room(len(sizes), sum(sizes), max(sizes, default=0)):
        return np.array(texts, dtype=np.dtypes.StringDType())
    return np.array(texts, dtype=np.str_)


def as_ids(values: Any) -> NDArray[Any]:
    """Ids that a user gave, as an array: whole numbers and text as they are, anything else as text."""
    if not isinstance(values, (list, tuple)):
        array: NDArray[Any] = np.asarray(values)
        if array.dtype.kind != "O" or array.ndim != 1:
            return array
        values = array.tolist()
    if all(isinstance(value, str) for value in values) and values:
        return text_ids(values)
    plain = np.asarray(values)
    return text_ids(list(map(str, values))) if plain.dtype.kind == "O" and plain.ndim == 1 else plain


def as_text(ids: NDArray[Any]) -> TextIds:
    """Ids as text, whatever they are."""
    return ids if ids.dtype.kind in "UT" else ids.astype(np.str_)


def places_of(ids: NDArray[Any], name: object) -> NDArray[np.int64]:
    """Where an id is; a whole number is also found by its digits.

    >>> places_of(np.array([301, 302]), "302").tolist(), places_of(np.array(["301", "302"]), 302).tolist()
    ([1], [1])
    """
    return np.flatnonzero(as_text(ids) == str(name))


def spread(ids: NDArray[Any], places: NDArray[np.int64]) -> NDArray[Any]:
    """The ids at these places, one after the other, of fixed width unless that wastes memory."""
    if ids.dtype.kind == "U" and 4 * places.size * (longest := ids.dtype.itemsize // 4) > SMALL:
        sizes = np.strings.str_len(ids)
        if wastes_room(places.size, int(sizes[places].sum()), longest):
            ids = ids.astype(np.dtypes.StringDType())
    return ids[places]
