"""What the tests of the torch losses share: a loss in torch beside the same loss of the kernels."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from rankproof import torch as engine
from rankproof.losses import Loss

Floats = NDArray[np.float64]


class Found(NamedTuple):
    """Values per query and gradient per item, as float64."""

    values: Floats
    gradient: Floats


def flat(loss: Loss, scores: Any, targets: Any, offsets: Any, dtype: Any = torch.float64) -> Found:
    """The loss in torch on a flat batch."""
    s = torch.tensor(np.asarray(scores), dtype=dtype, requires_grad=True)
    module = engine.loss(loss, reduction="none")
    values = module(s, torch.tensor(np.asarray(targets), dtype=dtype), torch.tensor(np.asarray(offsets)))
    values.sum().backward()
    return Found(values.detach().double().numpy(), s.grad.double().numpy())


def padded(loss: Loss, scores: Floats, targets: Floats, offsets: Any, rng: np.random.Generator) -> Found:
    """The same on rows, items at random columns, NaN everywhere else; their gradient must be 0."""
    sizes = np.diff(offsets)
    mask = np.zeros((sizes.size, sizes.max(initial=0) + 3), bool)
    for row, n in zip(mask, sizes, strict=True):
        row[rng.permutation(row.size)[:n]] = True
    rows = np.full((2, *mask.shape), np.nan)
    rows[0, mask], rows[1, mask] = scores, targets
    s = torch.tensor(rows[0], requires_grad=True)
    values = engine.loss(loss, reduction="none")(s, torch.tensor(rows[1]), mask=torch.tensor(mask))
    values.sum().backward()
    gradient = s.grad.numpy()
    assert (gradient[~mask] == 0).all()
    return Found(values.detach().numpy(), gradient[mask])


def kernel(loss: Loss, scores: Any, targets: Any, offsets: Any) -> Found:
    """The loss of the kernels."""
    found = loss.evaluate(scores, targets, offsets, threads=1)
    return Found(found.per_query, found.gradient)


def assert_same(one: Found, other: Found, offsets: Any, tolerance: float = 1e-10) -> None:
    """Equal values, and gradients that differ by little beside the largest of their query."""
    np.testing.assert_allclose(one.values, other.values, rtol=tolerance, atol=tolerance)
    for a, b in pairwise(offsets):
        if a < b:
            # Of a gradient that cancels to 0, rounding is left.
            size = max(np.abs(other.gradient[a:b]).max(), 1e-4)
            np.testing.assert_allclose(
                one.gradient[a:b], other.gradient[a:b], rtol=tolerance, atol=tolerance * size
            )
