"""How extreme a sum of differences is among all ways to choose their signs: counted, enclosed, or sampled."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from rankproof.arrays import Float64s, Int64s
from rankproof.evaluation.differences import Differences
from rankproof.threads import chunks_by_items, run

__all__ = ["SignFlips", "TailBounds", "TailEstimate", "lattice_p", "sign_flips"]

# Up to here all sign patterns are counted: two lists of 2**20 half sums, some tens of milliseconds.
_MOST_ENUMERATED = 40
# Differences are tried as whole multiples of the smallest one divided by 1, 2, ..., this.
_MOST_PARTS = 64
# Cells of the exact distribution on a lattice that are worth building: about 0.1 s.
_MOST_CELLS = 4e8
# Steps of the lattice that differences are rounded to for an enclosure: 16 MB.
_FINE_STEPS = 1_000_000
# Cells worth building for a decision that hangs on it: about 0.3 s.
_MOST_FINE_CELLS = 1.2e9
# The distribution drops probabilities below 1e-280; what all of them can add up to stays below this.
_LEAST_P = 1e-260
# Differences handled by one set of byte tables (16 MB).
_TABLED = 2**16
# Keys of later samples: far from the seeds that people give, so that no two calls draw the same patterns.
_NEXT_KEY = 0xD1B54A32D192ED03


@dataclass(frozen=True)
class TailEstimate:
    """A p-value, its standard error, and how it was found."""

    p: float
    error: float
    detail: str


@dataclass(frozen=True)
class TailBounds:
    """Two numbers between which a p-value lies."""

    low: float
    high: float


def sign_flips(d: Differences, seed: int) -> SignFlips | None:
    """The sign patterns of the (weighted) differences; None when their sum is 0 up to rounding."""
    slack = math.fsum(d.term_rounding)
    signed = math.fsum(d.terms)
    if abs(signed) <= slack:
        return None
    sizes = np.sort(np.abs(d.terms[d.terms != 0.0]))
    return SignFlips(sizes, abs(signed), abs(signed) - slack, 1 if signed > 0 else -1, seed)


@dataclass(eq=False)
class SignFlips:
    """All sign patterns of the sizes of some differences, and how many have a sum as extreme as ``total``.

    Attributes
    ----------
    sizes : the sizes of the differences that are not 0, ascending
    total : float
        The size of the observed sum.
    bound : float
        The same less the rounding in it: a sum that reaches it is as extreme.
    direction : int
        1 when the observed sum is above 0, -1 when it is below.
    seed : int
    samples, extreme : int
        How many patterns were drawn so far, and how many of them were as extreme.
    """

    sizes: Float64s
    total: float
    bound: float
    direction: int
    seed: int
    samples: int = field(default=0, init=False)
    extreme: int = field(default=0, init=False)

    def exact(self) -> TailEstimate | None:
        """The share of all patterns, where that can be counted."""
        m = self.sizes.size
        if m <= _MOST_ENUMERATED:
            how = f"all 2^{m} sign patterns of the {m} non-zero differences"
            return TailEstimate(_enumerated_p(self.sizes, self.bound), 0.0, how)
        steps = _lattice_steps(self.sizes)
        if steps is None:
            return None
        unit = self.sizes[-1] / steps[-1]
        how = f"exact distribution of {m} non-zero differences, all multiples of {unit:.6g}"
        return TailEstimate(lattice_p(steps, round(self.total / unit)), 0.0, how)

    def draw(self, samples: int) -> TailEstimate:
        """The estimate from ``samples`` patterns more than were drawn before.

        The observed pattern is counted, so that p is never 0.
        """
        key = self.seed if not self.samples else self.seed + _NEXT_KEY * self.samples
        self.extreme += _extreme_patterns(self.sizes, self.bound, key % 2**64, samples)
        self.samples += samples
        p = (self.extreme + 1) / (self.samples + 1)
        how = f"{self.samples} random sign patterns of {self.sizes.size} non-zero differences, "
        return TailEstimate(p, math.sqrt(p * (1.0 - p) / self.samples), how + f"seed {self.seed}")

    def chance(self, risk: float) -> TailBounds:
        """Where p lies by the patterns drawn so far, but for a chance of ``risk`` (Clopper-Pearson)."""
        from scipy.special import betaincinv

        k, n = self.extreme, self.samples
        low = 0.0 if k == 0 else float(betaincinv(k, n - k + 1, risk / 2.0))
        high = 1.0 if k == n else float(betaincinv(k + 1, n - k, 1.0 - risk / 2.0))
        return TailBounds(low, high)

    def enclosure(self) -> TailBounds | None:
        r"""Numbers between which p lies for certain; None where they would cost too much.

        The sizes are rounded to multiples of a unit. No pattern's sum moves by more than the sum *e* of what
        the rounding moved, so p lies between the exact tails of the rounded sum at ``bound + e`` and
        ``bound - e``.
        """
        if _FINE_STEPS * self.sizes.size > _MOST_FINE_CELLS:
            return None
        unit = float(self.sizes.sum()) / _FINE_STEPS
        steps = np.rint(self.sizes / unit).astype(np.int64)
        moved = math.fsum(np.abs(self.sizes - steps * unit)) * (1.0 + 1e-9)
        steps = steps[steps > 0]
        low, high = (
            lattice_p(steps, max(0, math.ceil((self.bound + side * moved) / unit * (1.0 + side * 1e-12))))
            for side in (1, -1)
        )
        return TailBounds(low, high)


def _enumerated_p(sizes: Float64s, bound: float) -> float:
    from rankproof.kernels.statistics.resample import count_at_least, signed_sums

    # Contiguous copies: a strided view would compile the kernel a second time.
    left, right = signed_sums(sizes[0::2].copy()), signed_sums(sizes[1::2].copy())
    # Sums are symmetric about 0 and the bound is positive, so both tails are the upper one twice.
    return float(math.ldexp(2 * count_at_least(left, right, bound), -sizes.size))


def _lattice_steps(sizes: Float64s) -> Int64s | None:
    """The sizes as whole multiples of one unit, or None when there is no unit worth the work."""
    for parts in range(1, _MOST_PARTS + 1):
        multiples = sizes * (parts / sizes[0])
        if multiples.sum() * sizes.size > _MOST_CELLS:
            return None
        steps = np.rint(multiples)
        if np.abs(multiples - steps).max() <= 1e-9:
            whole: Int64s = steps.astype(np.int64)
            return whole
    return None


def lattice_p(steps: Int64s, bound: int) -> float:
    """The share of sign patterns of whole steps whose sum is at least ``bound`` in size."""
    from rankproof.kernels.statistics.resample import lattice_tail

    return 1.0 if bound == 0 else min(1.0, max(2.0 * lattice_tail(steps, bound), _LEAST_P))


def _extreme_patterns(sizes: Float64s, bound: float, seed: int, samples: int) -> int:
    """How many of so many random sign patterns have a sum of at least ``bound`` in size."""
    from rankproof.kernels.statistics.resample import byte_tables, sign_flip_sums

    sums = np.zeros(samples)
    key = np.uint64(seed % 2**64)
    work = np.arange(samples + 1, dtype=np.int64) * (sizes.size // 16 + 1)
    ranges = chunks_by_items(work)
    for start in range(0, sizes.size, _TABLED):
        tables = byte_tables(sizes[start : start + _TABLED])
        skip = start // 64

        def add_flips(first: int, last: int, tables: Float64s = tables, skip: int = skip) -> None:
            sign_flip_sums(tables, skip, key, first, last, sums)

        run(add_flips, ranges)
    return int((np.abs(sums) >= bound).sum())
