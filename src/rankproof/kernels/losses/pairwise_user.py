"""Pairwise losses of a margin given as plain Python functions: compiled, then visited pair by pair.

These loops state the two definitions literally, in O(n^2). They are not cached on disk: the functions are the
caller's, and a process compiles them once.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import numba
import numpy as np
from numpy.typing import NDArray

import rankproof.kernels.compiling  # noqa: F401 (numba learns there what a kernel is)
from rankproof.errors import ArgumentError
from rankproof.kernels.losses.order_preserving import HUGE, bounded
from rankproof.kernels.losses.preorder import DIFFERENCE, GAIN

__all__ = ["Loops", "compiled_margin"]

Function = Callable[[float], float]


class Loops(NamedTuple):
    """The two losses with a margin compiled in."""

    order_preserving: Callable[..., None]
    preorder: Callable[..., None]


def _compiled(name: str, role: str, function: Function) -> Any:
    """The function compiled for one float; refuses what numba cannot compile, or gives no float."""
    if not callable(function):
        raise ArgumentError(
            f"Argument {role} of margin {name!r} must be a function of one number, got {function!r}."
        )
    plain = getattr(function, "py_func", function)
    try:
        inspect.signature(plain).bind(0.0)
    except (TypeError, ValueError):
        raise ArgumentError(
            f"Argument {role} of margin {name!r} must be a function of one number, got {plain!r}."
        ) from None
    try:
        compiled = numba.njit(nogil=True)(plain)
        compiled.compile((numba.float64,))
        returned = compiled.overloads[(numba.float64,)].signature.return_type
    except (numba.core.errors.NumbaError, TypeError, AttributeError, ValueError) as error:
        reason = " ".join(str(error).split())[:300]
        raise ArgumentError(
            f"Argument {role} of margin {name!r} cannot be compiled by numba: {reason} "
            "Write it with arithmetic, if, and functions of math or numpy on one float."
        ) from None
    if not isinstance(returned, numba.types.Float | numba.types.Integer | numba.types.Boolean):
        raise ArgumentError(
            f"Argument {role} of margin {name!r} must return a number for every number, got type {returned}."
        )
    return compiled


@lru_cache(maxsize=32)
def compiled_margin(name: str, value: Function, derivative: Function, second: Function) -> Loops:
    """The loops with these functions, which numba must be able to compile; made once."""
    phi = _compiled(name, "value", value)
    slope = _compiled(name, "derivative", derivative)
    bend = _compiled(name, "second", second)

    def order_preserving(
        scores: NDArray[np.float64],
        targets: NDArray[np.float64],
        offsets: NDArray[np.int64],
        item_weights: NDArray[np.float64],
        normalize: bool,
        low: int,
        high: int,
        values: NDArray[np.float64],
        gradient: NDArray[np.float64],
        hessian: NDArray[np.float64],
    ) -> None:
        second = hessian.size > 0
        for q in range(low, high):
            start, end = offsets[q], offsets[q + 1]
            n = float(end - start)
            scale = 1.0 / max(n * (n - 1.0), 1.0) if normalize else 1.0
            total = 0.0
            for i in range(start, end):
                a = scale * targets[i]
                if item_weights.size > 0:
                    a *= item_weights[i]
                if a == 0.0:
                    continue
                x = min(max(scores[i], -HUGE), HUGE)
                for j in range(start, end):
                    if i == j:
                        continue
                    t = x - min(max(scores[j], -HUGE), HUGE)
                    d = a * slope(t)
                    total += a * phi(t)
                    gradient[i] += d
                    gradient[j] -= d
                    if second:
                        h = a * bend(t)
                        hessian[i] += h
                        hessian[j] += h
            values[q] = bounded(total)
            for i in range(start, end):
                gradient[i] = bounded(gradient[i])
                if second:
                    hessian[i] = bounded(hessian[i])

    def preorder(
        scores: NDArray[np.float64],
        labels: NDArray[np.float64],
        offsets: NDArray[np.int64],
        weight: int,
        per_pair: bool,
        low: int,
        high: int,
        values: NDArray[np.float64],
        gradient: NDArray[np.float64],
        hessian: NDArray[np.float64],
    ) -> None:
        second = hessian.size > 0
        for q in range(low, high):
            start, end = offsets[q], offsets[q + 1]
            total, pairs = 0.0, 0.0
            for i in range(start, end):
                x = min(max(scores[i], -HUGE), HUGE)
                for j in range(start, end):
                    if labels[i] <= labels[j]:
                        continue
                    w = 1.0
                    if weight == DIFFERENCE:
                        w = labels[i] - labels[j]
                    elif weight == GAIN:
                        w = np.exp2(labels[i]) - np.exp2(labels[j])
                    t = x - min(max(scores[j], -HUGE), HUGE)
                    d = w * slope(t)
                    pairs += 1.0
                    total += w * phi(t)
                    gradient[i] += d
                    gradient[j] -= d
                    if second:
                        h = w * bend(t)
                        hessian[i] += h
                        hessian[j] += h
            scale = 1.0 / max(pairs, 1.0) if per_pair else 1.0
            values[q] = bounded(scale * total)
            for i in range(start, end):
                gradient[i] = bounded(scale * gradient[i])
                if second:
                    hessian[i] = bounded(scale * hessian[i])

    compile_ = numba.njit(nogil=True)
    return Loops(compile_(order_preserving), compile_(preorder))
