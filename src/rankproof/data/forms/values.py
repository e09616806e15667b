"""Values of columns as NumPy arrays; a wrong one is named by file, column, row and value."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankproof.arrays import Float64s
from rankproof.data.forms.arrow import NUMBER, TEXT, arrow, kind_of
from rankproof.errors import FileFormatError
from rankproof.shown import quoted

__all__ = ["Place", "features_of", "numbers_of", "texts_of", "whole_or_text"]


class Place:
    """Where the values of a column stand: the file, the column, and the row of the first of them."""

    def __init__(self, file: str, column: str, row: int) -> None:
        self.file, self.column, self.row = file, column, row

    def error(self, at: int, message: str) -> FileFormatError:
        """The error that value ``at`` is worth; rows are counted from 0."""
        text = f"column {self.column!r}, row {self.row + at} (counted from 0): {message}"
        return FileFormatError(self.file, None, text)


def numbers_of(values: Any, place: Place, what: str) -> Float64s:
    """Numbers in double precision; a null is NaN."""
    pa = arrow()
    if kind_of(values.type) != NUMBER:
        raise _not_a_number(values, place, what)
    plain = _without_dictionary(values)
    if not pa.types.is_float64(plain.type):
        plain = plain.cast(pa.int8()) if pa.types.is_boolean(plain.type) else plain
        plain = plain.cast(pa.float64(), safe=False)
    return np.asarray(plain.to_numpy(zero_copy_only=False), dtype=np.float64)


def features_of(values: Any, place: Place) -> NDArray[np.float32]:
    """Features in single precision; one that only double precision holds is an error."""
    pa = arrow()
    if pa.types.is_float32(values.type):
        return np.asarray(values.to_numpy(zero_copy_only=False), dtype=np.float32)
    numbers = numbers_of(values, place, "a feature")
    with np.errstate(over="ignore"):
        narrow = numbers.astype(np.float32)
    over = np.isinf(narrow) & ~np.isinf(numbers)
    if over.any():
        at = int(np.argmax(over))
        raise place.error(at, f"the feature {numbers[at]} is more than float32 can hold. Rescale it.")
    return narrow


def whole_or_text(values: Any, place: Place) -> Any:
    """Query ids as a pyarrow array of whole numbers or of text; a null is an error."""
    pa = arrow()
    plain = _without_dictionary(values)
    if plain.null_count:
        at = int(np.argmax(plain.is_null().to_numpy(zero_copy_only=False)))
        raise place.error(at, "there is no query id (null). Drop or fill such rows.")
    if pa.types.is_integer(plain.type):
        if pa.types.is_uint64(plain.type):
            large = np.asarray(plain.to_numpy(zero_copy_only=False)) > np.uint64(2**63 - 1)
            return plain.cast(pa.string()) if large.any() else plain.cast(pa.int64())
        return plain.cast(pa.int64())
    if pa.types.is_floating(plain.type):
        numbers = numbers_of(plain, place, "a query id")
        bad = ~np.isfinite(numbers)
        if bad.any():
            at = int(np.argmax(bad))
            raise place.error(at, f"{numbers[at]} is not a query id. Drop or fill such rows.")
        if np.array_equal(numbers, np.trunc(numbers)) and np.abs(numbers).max(initial=0) < 2**53:
            return pa.array(numbers.astype(np.int64))
    if kind_of(plain.type) not in (NUMBER, TEXT):
        raise place.error(0, f"query ids must be numbers or text, the column holds {plain.type}.")
    return plain.cast(pa.string())


def texts_of(values: Any, place: Place) -> list[str]:
    """Document ids as text; a null is an empty one."""
    pa = arrow()
    plain = _without_dictionary(values)
    if kind_of(plain.type) not in (NUMBER, TEXT):
        raise place.error(0, f"document ids must be text or numbers, the column holds {plain.type}.")
    texts: list[str] = plain.cast(pa.string()).fill_null("").to_pylist()
    return texts


def _without_dictionary(values: Any) -> Any:
    return values.dictionary_decode() if arrow("pyarrow.types").is_dictionary(values.type) else values


def _not_a_number(values: Any, place: Place, what: str) -> FileFormatError:
    """The first value that is no number, by its row."""
    if kind_of(values.type) == TEXT:
        for at, text in enumerate(_without_dictionary(values).to_pylist()):
            try:
                float("nan" if text is None else text)
            except ValueError:
                return place.error(at, f"{quoted(text)} is not a number, as {what} must be.{_way_out(what)}")
        return place.error(0, f"numbers are written as text, {what} must be numbers. Convert the column.")
    return place.error(0, f"the column holds {values.type}, {what} must be a number.{_way_out(what)}")


def _way_out(what: str) -> str:
    return " Encode the column as numbers, or leave it out." if what == "a feature" else " Correct it."
