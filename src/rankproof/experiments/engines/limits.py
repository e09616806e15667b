"""What a demonstration may ask for: of a user who makes one, and of a file that is replayed."""

from __future__ import annotations

from typing import Any

from rankproof.arrays import as_whole_number
from rankproof.errors import ArgumentError

__all__ = ["as_rates", "as_seeds", "as_trees", "check_work"]

# With a lower rate some hundred trees hardly move any score, so that they show nothing.
LEAST_RATE = 1e-4
MOST_TREES = 100_000
# Trees of all runs together: some minutes of training.
MOST_WORK = 200_000


def as_rates(rates: Any) -> list[float]:
    """Learning rates as floats.

    >>> as_rates([0.1, 1])
    [0.1, 1.0]
    """
    listed = list(rates)
    for rate in listed:
        if isinstance(rate, bool) or not isinstance(rate, (int, float)) or not LEAST_RATE <= rate <= 1:
            raise ArgumentError(f"Argument rates must hold numbers from {LEAST_RATE:g} to 1, got {rate!r}.")
    if not listed:
        raise ArgumentError("Argument rates must hold at least one learning rate, got none.")
    return [float(rate) for rate in listed]


def as_seeds(seeds: Any) -> list[int]:
    """Seeds that every engine takes."""
    listed = [as_whole_number("seeds", seed, 0) for seed in seeds]
    if not listed or max(listed) >= 2**31:
        raise ArgumentError(f"Argument seeds must hold whole numbers from 0 to 2147483647, got {listed}.")
    return listed


def as_trees(trees: Any) -> int:
    """A number of trees."""
    count = as_whole_number("trees", trees, 1)
    if count > MOST_TREES:
        raise ArgumentError(f"Argument trees must be at most {MOST_TREES}, got {count}.")
    return count


def check_work(runs: int, trees: int) -> None:
    """Refuse what would train for hours."""
    if runs * trees > MOST_WORK:
        raise ArgumentError(
            f"{runs} runs of {trees} trees are more than the {MOST_WORK} trees that are trained at most. Use "
            "fewer rates, seeds or trees."
        )
