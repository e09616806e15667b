"""What evaluations and comparisons take unless they are told otherwise: the one place for calls and commands.

Nothing is imported here, so that a command can show the numbers at once.
"""

from __future__ import annotations

from typing import Final

__all__ = [
    "CONVENTION",
    "CORRECTION",
    "LEVEL",
    "MOST_PAIRS",
    "RESAMPLES",
    "SAMPLES",
    "SEED",
    "SIGNIFICANCE",
    "TEST",
]

CONVENTION: Final = "rankproof"
# Of intervals, and how many resamples of the queries a bootstrap draws.
LEVEL: Final = 0.95
RESAMPLES: Final = 10_000
# Of everything that is drawn.
SEED: Final = 0
# The paired test that decides, and how many samples it draws where it is not exact.
TEST: Final = "randomisation"
SAMPLES: Final = 100_000
# Accepted chance of any false winner, over the pairs of one metric.
SIGNIFICANCE: Final = 0.05
CORRECTION: Final = "metric"
# With more pairs of one metric a list of them is not read: the letters of the systems say the same.
MOST_PAIRS: Final = 10
