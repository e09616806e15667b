"""One registry per kind of thing: it makes the look-ups, the error texts, the docs pages and the tests.

>>> colours = Registry("colour")
>>> colours.add("red", 1)
1
>>> colours.add("green", 2, aliases=("verdant",))
2
>>> colours["Verdant"]
2
>>> colours["gren"]
Traceback (most recent call last):
    ...
rankproof.errors.UnknownNameError: Unknown colour 'gren'. Did you mean 'green'? Known: green, red.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from typing import TypeVar

from rankproof.errors import ArgumentError, UnknownNameError

__all__ = ["Registry"]

T = TypeVar("T")


class Registry(Mapping[str, T]):
    """Names to objects; look-ups ignore case, iteration gives canonical names in alphabetical order."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self._objects: dict[str, T] = {}
        self._canonical: dict[str, str] = {}

    def add(self, name: str, thing: T, *, aliases: tuple[str, ...] = ()) -> T:
        """Register ``thing`` under ``name`` and its ``aliases``; a name is given once."""
        for key in (name, *aliases):
            if key.casefold() in self._canonical:
                raise ArgumentError(
                    f"The {self.kind} name {key!r} is taken by {self._canonical[key.casefold()]!r}."
                )
        for key in (name, *aliases):
            self._canonical[key.casefold()] = name
        self._objects[name] = thing
        return thing

    def remove(self, name: str) -> T:
        """Take out what ``name`` stands for, with all its names, and return it: for a class of a notebook.

        >>> colours = Registry("colour")
        >>> colours.add("red", 1, aliases=("rouge",)), colours.remove("Rouge"), "red" in colours
        (1, 1, False)
        """
        thing = self[name]
        canonical = self._canonical[name.casefold()]
        del self._objects[canonical]
        self._canonical = {key: owner for key, owner in self._canonical.items() if owner != canonical}
        return thing

    def __getitem__(self, name: str) -> T:
        try:
            return self._objects[self._canonical[name.casefold()]]
        except (KeyError, AttributeError):
            raise UnknownNameError(self._unknown(name)) from None

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name.casefold() in self._canonical

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._objects, key=str.casefold))

    def __len__(self) -> int:
        return len(self._objects)

    def aliases(self, name: str) -> tuple[str, ...]:
        """The other names of ``name``, in lower case."""
        return tuple(k for k, v in self._canonical.items() if v == name and k != name.casefold())

    def has_class_of(self, thing: object) -> bool:
        """Whether the very class of a thing is registered: not one derived from it, or of the same name."""
        return type(thing) in self._objects.values()

    def _unknown(self, name: object) -> str:
        near = difflib.get_close_matches(str(name).casefold(), self._canonical, n=1, cutoff=0.6)
        hint = f" Did you mean {self._canonical[near[0]]!r}?" if near else ""
        return f"Unknown {self.kind} {name!r}.{hint} Known: {', '.join(self)}."
