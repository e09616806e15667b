"""A small network as plain arrays: linear layers with max(0, .) between them; it scores without torch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankproof.arrays import Float64s
from rankproof.threads import one_blas_thread, run

__all__ = ["Float32s", "Network", "random_network"]

Float32s = NDArray[np.float32]

# Rows that are scored at a time, by one thread; the same for any number of threads.
_ROWS_AT_A_TIME = 8192


@dataclass(frozen=True, eq=False)
class Network:
    """Weights (outputs, inputs) and biases of every layer; the last has one output, the score."""

    weights: tuple[Float32s, ...]
    biases: tuple[Float32s, ...]

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], layers: int) -> Network:
        """The network whose `arrays` these are."""
        return cls(
            tuple(arrays[f"weights{k}"] for k in range(layers)),
            tuple(arrays[f"biases{k}"] for k in range(layers)),
        )

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The arrays of all layers, each with a name: weights0, biases0, weights1, ..."""
        layers = enumerate(zip(self.weights, self.biases, strict=True))
        return {
            name: array
            for k, (weights, biases) in layers
            for name, array in ((f"weights{k}", weights), (f"biases{k}", biases))
        }

    def fits(self, width: int) -> bool:
        """Whether the first layer takes ``width`` numbers, every other what the one before gives, and the
        last gives one score.
        """
        for weights, biases in zip(self.weights, self.biases, strict=True):
            if weights.ndim != 2 or weights.shape[1] != width or biases.shape != weights.shape[:1]:
                return False
            width = weights.shape[0]
        return bool(self.weights) and width == 1

    def scores(self, features: Float32s) -> Float64s:
        """The score of every row; its bits do not depend on the threads.

        >>> one = Network((np.ones((1, 2), np.float32),), (np.zeros(1, np.float32),))
        >>> one.scores(np.array([[1.0, 2.0]], np.float32))
        array([3.])
        """

        rows = features.shape[0]
        out = np.empty(rows)
        edges = [*range(0, rows, _ROWS_AT_A_TIME), rows]

        def forward(a: int, b: int) -> None:
            h = features[a:b]
            last = len(self.weights) - 1
            for k, (w, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
                h = h @ w.T + bias
                if k < last:
                    np.maximum(h, 0.0, out=h)
            out[a:b] = h[:, 0]

        with one_blas_thread(of_scipy=False):
            run(forward, list(pairwise(edges)))
        return out


def random_network(sizes: Sequence[int], random: np.random.Generator) -> Network:
    """A network of random weights: uniform with variance 2 / inputs (He et al., ICCV 2015), biases 0.

    The last layer starts at 0: all items are equal before the first step.
    """
    weights = []
    for inputs, outputs in pairwise(sizes):
        reach = np.sqrt(6.0 / inputs)
        weights.append(random.uniform(-reach, reach, (outputs, inputs)).astype(np.float32))
    weights[-1] = np.zeros_like(weights[-1])
    return Network(tuple(weights), tuple(np.zeros(size, np.float32) for size in sizes[1:]))
