"""A plasmode world as a file of arrays and text: data alone, nothing that runs."""

from __future__ import annotations

import io
import json
import zipfile
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankproof.arrays import Float64s, Int64s
from rankproof.errors import DataError
from rankproof.files import StrPath, as_path, sha256_of_bytes, write_bytes

__all__ = ["WorldParts", "digest_of", "read_parts", "write_parts"]

FORMAT = "rankproof plasmode world 1"


class WorldParts(NamedTuple):
    """What a world is made of: real rows, trees as text, and the numbers of the law."""

    X: NDArray[np.float32]
    offsets: Int64s
    grades: Float64s
    shares: Float64s
    models: list[str]
    numbers: dict[str, Any]


def digest_of(parts: WorldParts) -> str:
    """The same for worlds that draw the same."""
    text = json.dumps([FORMAT, parts.models, parts.numbers], sort_keys=True).encode()
    arrays = (parts.X, parts.offsets, parts.grades, parts.shares)
    return sha256_of_bytes(text, *(np.ascontiguousarray(array).tobytes() for array in arrays))


def write_parts(path: StrPath, parts: WorldParts) -> None:
    """Write the file, or leave what was there."""
    text = json.dumps({"format": FORMAT, "models": parts.models, "numbers": parts.numbers}).encode()
    file = io.BytesIO()
    np.savez_compressed(
        file,
        X=parts.X,
        offsets=parts.offsets,
        grades=parts.grades,
        shares=parts.shares,
        text=np.frombuffer(text, dtype=np.uint8),
    )
    write_bytes(path, file.getvalue())


def read_parts(path: StrPath) -> WorldParts:
    """What `write_parts` wrote."""
    try:
        with np.load(as_path(path), allow_pickle=False) as arrays:
            text = json.loads(arrays["text"].tobytes())
            if text["format"] != FORMAT:
                raise ValueError(f"its format is {text['format']!r:.80}")
            return WorldParts(
                arrays["X"],
                arrays["offsets"],
                arrays["grades"],
                arrays["shares"],
                text["models"],
                text["numbers"],
            )
    except OSError as error:
        raise DataError(f"File {str(path)!r} cannot be read: {error.strerror or error}.") from None
    except (ValueError, KeyError, TypeError, zipfile.BadZipFile) as error:
        raise DataError(
            f"{path}: this is not a plasmode world of this version ({error}). Write it with "
            "PlasmodeWorld.save, or fit the world again."
        ) from None
