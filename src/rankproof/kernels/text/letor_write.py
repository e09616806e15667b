"""The features of rows as LETOR text, compiled."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from rankproof.kernels.compiled import kernel
from rankproof.kernels.text.letor_words import COLON
from rankproof.kernels.text.shortest import LONGEST, put_number, put_whole

__all__ = ["LONGEST_FEATURE", "put_features"]

# A space, ten digits of the index, a colon, the value.
LONGEST_FEATURE = 12 + LONGEST
_SPACE = 32


@kernel
def put_features(
    values: NDArray[np.float32],
    indices: NDArray[np.signedinteger],
    indptr: NDArray[np.int64],
    out: NDArray[np.uint8],
    ends: NDArray[np.int64],
) -> None:
    """Write `` INDEX:VALUE`` of every value of row after row into ``out``; row r ends at ``ends[r]``.

    Row r owns ``values[indptr[r]:indptr[r + 1]]``; without ``indices`` these are its columns in order.
    """
    at = 0
    for row in range(ends.size):
        for cell in range(indptr[row], indptr[row + 1]):
            column = np.int64(indices[cell]) if indices.size else cell - indptr[row]
            out[at] = _SPACE
            at = put_whole(out, at + 1, column + 1)
            out[at] = COLON
            at = put_number(out, at + 1, values[cell])
        ends[row] = at
