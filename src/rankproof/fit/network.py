"""A small network as plain arrays: linear layers with max(0, .) between them; it scores without torch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from rankproof.arrays import Float64s
from rankproof.fit.blas import one_blas_thread

__all__ = ["Float32s", "Network", "drawn"]

Float32s = NDArray[np.float32]

# Rows that are scored at a time, by one thread; the same for any number of threads.
_ROWS_AT_A_TIME = 8192


@dataclass(frozen=True, eq=False)
class Network:
    """Weights (outputs, inputs) and biases of every layer; the last has one output, the score."""

    weights: tuple[Float32s, ...]
    biases: tuple[Float32s, ...]

    def scores(self, features: Float32s, *, threads: int | None = None) -> Float64s:
        """The score of every row; its bits do not depend on the threads.

        >>> one = Network((np.ones((1, 2), np.float32),), (np.zeros(1, np.float32),))
        >>> one.scores(np.array([[1.0, 2.0]], np.float32))
        array([3.])
        """
        from rankproof.kernels.pool import run

        rows = features.shape[0]
        out = np.empty(rows)
        edges = [*range(0, rows, _ROWS_AT_A_TIME), rows]

        def part(a: int, b: int) -> None:
            h = features[a:b]
            last = len(self.weights) - 1
            for k, (w, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
                h = h @ w.T + bias
                if k < last:
                    np.maximum(h, 0.0, out=h)
            out[a:b] = h[:, 0]

        with one_blas_thread():
            run(part, list(pairwise(edges)), threads)
        return out


def drawn(sizes: Sequence[int], random: np.random.Generator) -> Network:
    """A network of random weights: uniform with variance 2 / inputs (He et al., ICCV 2015), biases 0.

    The last layer starts at 0: all items are equal before the first step.
    """
    weights = []
    for inputs, outputs in pairwise(sizes):
        reach = np.sqrt(6.0 / inputs)
        weights.append(random.uniform(-reach, reach, (outputs, inputs)).astype(np.float32))
    weights[-1] = np.zeros_like(weights[-1])
    return Network(tuple(weights), tuple(np.zeros(size, np.float32) for size in sizes[1:]))
