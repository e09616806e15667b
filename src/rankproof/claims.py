"""A claim is a fact that a definition states about itself, with the reference that proves it.

Metrics, targets, margins and losses carry claims. Nothing trusts them blindly: each kind of claim has a
law in ``tests/properties`` that tries to break it, and the theory layer composes claims into verdicts.

>>> claim = Claim("positional", value=True, reference="Järvelin & Kekäläinen 2002")
>>> claim
Claim('positional', value=True, reference='Järvelin & Kekäläinen 2002')
>>> Claims(claim)["positional"].value
True
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from rankproof.errors import ArgumentError

__all__ = ["Claim", "Claims"]


@dataclass(frozen=True, repr=False)
class Claim:
    """One declared fact: its name, its value, and the reference that proves it.

    ``limits`` says where it is proven, and where only tried, when that is not everywhere.
    """

    name: str
    value: Any
    reference: str
    note: str = ""
    limits: str = ""

    def __post_init__(self) -> None:
        if not self.reference:
            raise ArgumentError(f"Claim {self.name!r} needs a reference: a paper, theorem or derivation.")

    def __repr__(self) -> str:
        note = f", note={self.note!r}" if self.note else ""
        return f"Claim({self.name!r}, value={self.value!r}, reference={self.reference!r}{note})"


class Claims(Mapping[str, Claim]):
    """The claims of one definition, by name; a name occurs once."""

    __slots__ = ("_by_name",)

    def __init__(self, *claims: Claim) -> None:
        self._by_name: dict[str, Claim] = {}
        for claim in claims:
            if claim.name in self._by_name:
                raise ArgumentError(f"Claim {claim.name!r} is stated twice.")
            self._by_name[claim.name] = claim

    def __getitem__(self, name: str) -> Claim:
        return self._by_name[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_name)

    def __len__(self) -> int:
        return len(self._by_name)

    def value(self, name: str, default: Any = None) -> Any:
        """The value claimed under ``name``, or ``default`` when nothing is claimed."""
        return self._by_name[name].value if name in self._by_name else default

    def __repr__(self) -> str:
        return f"Claims({', '.join(map(repr, self._by_name.values()))})"
