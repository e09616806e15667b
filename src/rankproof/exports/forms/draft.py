"""What a writer hands over: files that are not yet written, and how its consumer is to be tried."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from numpy.typing import NDArray

from rankproof.arrays import Float64s
from rankproof.exports.forms.source import Form

__all__ = ["Draft", "Format", "Request"]


@dataclass(frozen=True, eq=False)
class Request:
    """What is to be written: the form, the names in the target, and what was said of it."""

    form: Form
    names: tuple[str, ...]
    name: str
    version: str | None = None
    missing: str = "as-trained"
    tiny: float = 0.0
    definitions: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    category_names: Mapping[int, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Draft:
    """Files by suffix (``""`` is the file that was asked for), and the evaluator of what they say.

    ``precision`` is that of the features in the target, ``sums`` that in which it adds. With ``sequential``
    it adds leaf by leaf in the order of the model, so that its scores are known to the last bit. ``shift`` is
    what the target's scores lack, the same for every item. Rows that the target cannot be asked are left
    out: missing or infinite values, and numbers other than 0 below ``tiny``.
    """

    files: dict[str, bytes]
    evaluate: Callable[[NDArray[Any]], Float64s]
    evaluator: str
    precision: str = "float32"
    sums: str = "float32"
    sequential: bool = False
    shift: float = 0.0
    missing: bool = True
    infinite: bool = True
    tiny: float = 0.0
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Format:
    """A target: what it is, what it can hold, and its writer."""

    name: str
    title: str
    holds: tuple[str, ...]
    suffix: str
    categories: bool
    missing: str
    numbers: str
    checked_by: str
    versions: tuple[str, ...]
    write: Callable[[Request], Draft]
    # What a name of a feature must look like, and what to say of one that does not.
    name_rule: str = r"[^\s\x00-\x1f](.*[^\s\x00-\x1f])?"
    name_advice: str = "be a text without spaces at its ends"
