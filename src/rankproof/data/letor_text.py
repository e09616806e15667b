"""The text of a LETOR file as ranges of whole lines, and the way back from a byte to its line."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from rankproof.data.open import Bytes, StrPath, forget, open_bytes
from rankproof.errors import FileFormatError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Piece", "Text"]

# Large enough to hide the cost of a call, small enough that the ranges in work take little memory.
_RANGE_BYTES = 1 << 21
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Piece:
    """Whole lines ``data[start:stop]`` of a file, the last with a newline; ``data[0]`` is byte ``shift``."""

    text: Text
    data: NDArray[np.uint8]
    start: int
    stop: int
    shift: int = 0

    def forget(self) -> None:
        """Let go of the memory behind these lines."""
        if self.shift == 0:
            forget(self.text.content, self.start, self.stop)


@dataclass(frozen=True, eq=False)
class Text:
    """One file: its name as the user wrote it, its bytes, and its pieces in order."""

    name: str
    number: int
    content: Bytes = field(repr=False)
    pieces: tuple[Piece, ...] = field(init=False, repr=False)
    unterminated: int = field(init=False)

    def __post_init__(self) -> None:
        data = np.frombuffer(self.content, dtype=np.uint8)
        data.flags.writeable = False
        start = len(_BYTE_ORDER_MARK) if self.content[:3] == _BYTE_ORDER_MARK else 0
        stop = self.content.rfind(b"\n") + 1
        pieces = []
        while start < stop:
            end = self.content.find(b"\n", min(start + _RANGE_BYTES, stop) - 1) + 1
            pieces.append(Piece(self, data, start, end))
            start = end
        if start < data.size:
            # The last line lacks its newline: parsed from a copy that has one.
            tail = np.append(data[start:], np.uint8(ord("\n")))
            tail.flags.writeable = False
            pieces.append(Piece(self, tail, 0, tail.size, start))
        object.__setattr__(self, "pieces", tuple(pieces))
        object.__setattr__(self, "unterminated", start)

    @classmethod
    def open(cls, path: StrPath, number: int) -> Text:
        """The text of the file ``path``, file number ``number`` of a reading."""
        return cls(str(path), number, open_bytes(path))

    @property
    def is_terminated(self) -> bool:
        """Whether the last line ends with a newline."""
        return self.unterminated == len(self.content)

    def line(self, place: int) -> bytes:
        """The line that starts at byte ``place``, without its newline."""
        end = self.content.find(b"\n", place)
        return bytes(self.content[place : None if end < 0 else end])

    def error(self, place: int, message: str) -> FileFormatError:
        """The error that the line which starts at byte ``place`` is worth."""
        if place >= self.unterminated:
            message += (
                " The file does not end with a newline, so it may be truncated: fetch or write it again."
            )
        newlines, step = 0, 1 << 24
        for start in range(0, place, step):
            newlines += bytes(self.content[start : min(start + step, place)]).count(b"\n")
        return FileFormatError(self.name, newlines + 1, message)
