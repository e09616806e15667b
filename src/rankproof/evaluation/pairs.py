"""All pairs of systems under one metric: difference, interval, effect, three tests, and who wins, if anyone.

>>> per_query = {"old": [0.1, 0.2, 0.3, 0.2, 0.1, 0.4], "new": [0.5, 0.4, 0.6, 0.7, 0.2, 0.9]}
>>> (pair,) = compare_pairs(per_query)
>>> pair.winner, pair.adjusted, (pair.wins, pair.ties, pair.losses)
('new', 0.03125, (0, 0, 6))
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal, get_args

from numpy.typing import ArrayLike

from rankproof.arrays import as_whole_number
from rankproof.errors import ArgumentError, DataError
from rankproof.evaluation.bootstrap import as_level
from rankproof.evaluation.decisions import decide
from rankproof.evaluation.defaults import SAMPLES, SEED, SIGNIFICANCE, TEST
from rankproof.evaluation.differences import Differences, paired_differences
from rankproof.evaluation.effect import effect_of
from rankproof.evaluation.holm import holm, holm_levels
from rankproof.evaluation.pair_result import PairResult
from rankproof.evaluation.paired import Paired, randomisation_with, signed_rank_of, t_of
from rankproof.evaluation.sign_flips import SignFlips, sign_flips
from rankproof.evaluation.t_interval import t_interval

__all__ = ["PairTests", "PairedTest", "compare_pairs", "correct_together", "paired_tests"]

PairedTest = Literal["randomisation", "t", "wilcoxon"]


@dataclass(eq=False)
class PairTests:
    """The tests of one pair before they are corrected, with what is needed to look at them again."""

    a: str
    b: str
    differences: Differences
    tests: dict[str, Paired]
    sampled: SignFlips | None
    greater_is_better: bool


def compare_pairs(
    values: Mapping[str, ArrayLike],
    *,
    test: PairedTest = TEST,
    level: float = SIGNIFICANCE,
    seed: int = SEED,
    samples: int = SAMPLES,
    weights: ArrayLike | None = None,
    greater_is_better: bool = True,
    baseline: str | None = None,
) -> list[PairResult]:
    """Every pair of systems, in the order given, under one metric.

    Parameters
    ----------
    values : system name -> one number per query
        All on the same queries in the same order. A query with NaN in either system of a pair is left out
        of that pair.
    test : "randomisation", "t" or "wilcoxon"
        The test that decides; all three are reported.
    level : float
        The chance of any false winner among all pairs that is accepted.
    seed, samples : int
        Of the randomisation test, when it is not exact.
    weights : one number per query, optional
    greater_is_better : bool
        False for a metric that is to be small.
    baseline : str, optional
        Compare every other system with this one only.
    """
    tested = paired_tests(
        values,
        seed=seed,
        samples=samples,
        weights=weights,
        greater_is_better=greater_is_better,
        baseline=baseline,
    )
    return correct_together([tested], test=test, level=level)[0]


def paired_tests(
    values: Mapping[str, ArrayLike],
    *,
    seed: int,
    samples: int,
    weights: ArrayLike | None,
    greater_is_better: bool,
    baseline: str | None,
) -> list[PairTests]:
    """The tests of all pairs, or of all systems against the baseline; see `compare_pairs`."""
    if len(values) < 2:
        raise ArgumentError(f"A comparison needs at least two systems, got {list(values)}.")
    seed = as_whole_number("seed", seed, 0)
    samples = as_whole_number("samples", samples, 1)
    tested = []
    for a, b in _pairs_of(list(values), baseline):
        try:
            d = paired_differences(values[a], values[b], weights)
        except (ArgumentError, DataError) as error:
            kind = DataError if isinstance(error, DataError) else ArgumentError
            raise kind(f"Systems {a!r} (a) and {b!r} (b) cannot be compared: {error}") from None
        flips = sign_flips(d, seed)
        randomisation = randomisation_with(d, flips, samples=samples)
        tests = {"randomisation": randomisation, "t": t_of(d), "wilcoxon": signed_rank_of(d)}
        tested.append(PairTests(a, b, d, tests, None if randomisation.exact else flips, greater_is_better))
    return tested


def _pairs_of(names: list[str], baseline: str | None) -> list[tuple[str, str]]:
    if baseline is None:
        return list(combinations(names, 2))
    if baseline not in names:
        raise ArgumentError(
            f"Argument baseline must be one of the systems, {', '.join(names)}; got {baseline!r}."
        )
    return [(name, baseline) for name in names if name != baseline]


def correct_together(
    families: Sequence[Sequence[PairTests]], *, test: str, level: float
) -> list[list[PairResult]]:
    """The results of tests that are corrected as one family: all pairs of several metrics, say.

    A sampled p-value on which a decision hangs is looked at again first (`rankproof.evaluation.decisions`).
    """
    if test not in get_args(PairedTest):
        raise ArgumentError(f"Argument test must be one of {', '.join(get_args(PairedTest))}, got {test!r}.")
    level = as_level("level", level)
    every = [pair for family in families for pair in family]
    sampled = [pair.sampled if test == "randomisation" else None for pair in every]
    decisions = decide([pair.tests[test].p for pair in every], sampled, level)
    for pair, estimate in zip(every, decisions.estimates, strict=True):
        if estimate is not None:
            pair.tests[test] = replace(
                pair.tests[test], p=estimate.p, p_error=estimate.error, detail=estimate.detail
            )
    ps = [pair.tests[test].p for pair in every]
    adjusted, steps = holm(ps), holm_levels(ps, level)
    results = iter(
        _result(pair, test, level, float(p), float(step), undecided=undecided)
        for pair, p, step, undecided in zip(every, adjusted, steps, decisions.undecided, strict=True)
    )
    return [[next(results) for _ in family] for family in families]


def _result(
    pair: PairTests, test: str, level: float, adjusted: float, step: float, *, undecided: bool
) -> PairResult:
    d = pair.differences
    return PairResult(
        a=pair.a,
        b=pair.b,
        difference=d.mean,
        interval=t_interval(d, level=1.0 - step),
        effect=effect_of(d),
        tests=pair.tests,
        test=test,
        adjusted=adjusted,
        level=level,
        wins=d.wins,
        ties=d.ties,
        losses=d.losses,
        n=d.n,
        dropped=d.dropped,
        greater_is_better=pair.greater_is_better,
        undecided=undecided,
    )
