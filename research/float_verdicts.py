"""Do floats ever change a verdict? Random metrics in fractions and in floats of many types, scales, offsets.

    python research/float_verdicts.py --metrics 12000 --seed 0
    python research/float_verdicts.py --metrics 100000 --cache verdicts.jsonl --processes 2

Each metric is asked about as fractions and in eleven ways as floats, times a factor (cents for euros) before
it is rounded to a type. What is exact decides; floats may add rounding, but no verdict of their own. Prints
the outcomes by type, and every float verdict that differs from the exact one other than by being undecided:
there must be none. With ``--cache`` every finished chunk of metrics is a line of a file, and is not asked
about again; take a new file when the code has changed.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from rankproof.errors import ArgumentError, PrecisionError
from rankproof.feedback.spaces import Space, graded_space
from rankproof.theory.existence.decide import target_exists

__all__ = ["wrong_outcomes"]

# By the labels from the top down.
Values = dict[tuple[int, ...], Fraction]
ExactMetric = Callable[[tuple[int, ...], Any], Fraction]
SCALES = (
    *(Fraction(text) for text in ("1", "1/1000", "1/100", "1/10", "73/100", "73/10", "100", "1000000")),
    Fraction(3141592653589, 10**12),
)
# Before rounding to a type: numbers of float16 above 32 have few halves, above 1024 none.
FACTORS = (1, 20, 100, 1000)
OFFSETS = (Fraction(0), Fraction(1), Fraction(1000), Fraction(10**8), Fraction(-271828182845, 10**9))
SMALL = (1, 1, Fraction(1, 10), Fraction(1, 1000), Fraction(1, 10**6))


def drawn_metric(rng: random.Random, items: int = 3, grades: int = 2) -> ExactMetric:
    """A random metric that treats all items alike: with a target, nearly with one, or without."""
    kind = rng.choice(("positional", "positional", "normalised", "mixed", "mixed", "changed", "free"))
    weights = sorted((_number(rng) for _ in range(items)), reverse=True)
    gains = [Fraction(0), *sorted(_number(rng) for _ in range(grades - 1))]
    norms = {y: _number(rng) for y in product(range(grades), repeat=items) if list(y) == sorted(y)}
    free = {y: _number(rng) for y in product(range(grades), repeat=items)}
    share = rng.choice(SMALL) * _number(rng)
    at = rng.choice(list(free))

    def value_of(labels: tuple[int, ...]) -> Fraction:
        if kind == "free":
            return free[labels]
        value = sum((w * gains[y] for w, y in zip(weights, labels, strict=True)), Fraction(0))
        if kind == "normalised":
            return value / norms[tuple(sorted(labels))]
        if kind == "mixed":
            return value + share * _reciprocal_rank(labels)
        return value + share * (kind == "changed" and labels == at)

    return by_labels({labels: value_of(labels) for labels in free})


def by_labels(values: Mapping[tuple[int, ...], Any]) -> Callable[[tuple[int, ...], Any], Any]:
    """The metric with these values, by the labels from the top down."""

    def metric(ranking: tuple[int, ...], feedback: Any) -> Any:
        return values[tuple([feedback[item] for item in ranking])]

    return metric


def _reciprocal_rank(labels: tuple[int, ...]) -> Fraction:
    return next((Fraction(1, k) for k, y in enumerate(labels, 1) if y), Fraction(0))


def _number(rng: random.Random) -> Fraction:
    """Simple or not: both are read differently."""
    return Fraction(rng.randint(1, 12), rng.randint(1, 12)) + rng.choice((0, 0, Fraction(rng.random())))


def bfloat16(value: Any) -> float:
    """Rounded to the nearest number of 8 bits; numpy has no such type."""
    bits = int(np.float32(value).view(np.uint32))
    return float(np.uint32((bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000).view(np.float32))


def _rounded(kind: Any) -> Callable[[Fraction, Fraction, Fraction], Any]:
    return lambda value, scale, offset: float(kind(float(offset + scale * value)))


def _typed(kind: Any) -> Callable[[Fraction, Fraction, Fraction], Any]:
    # Computed in the type, and handed out in it.
    return lambda value, scale, offset: kind(offset) + kind(scale) * kind(value)


def _later(kind: Any) -> Callable[[Fraction, Fraction, Fraction], Any]:
    # Computed in the type, then scaled and shifted in float64.
    return lambda value, scale, offset: float(offset) + float(scale) * float(kind(float(value)))


MAKES: dict[str, Callable[[Fraction, Fraction, Fraction], Any]] = {
    "Fraction": lambda value, scale, offset: offset + scale * value,
    "float64": _rounded(np.float64),
    "float32": _rounded(np.float32),
    "float16": _rounded(np.float16),
    "bfloat16": _rounded(bfloat16),
    "float64 arithmetic": _typed(np.float64),
    "float32 arithmetic": _typed(np.float32),
    "float16 arithmetic": _typed(np.float16),
    "float32 scaled later": _later(np.float32),
    "float16 scaled later": _later(np.float16),
    "bfloat16 scaled later": _later(bfloat16),
    "float16 only scaled": lambda value, scale, _: _later(np.float16)(value, scale, Fraction(0)),
    "bfloat16 only scaled": lambda value, scale, _: _later(bfloat16)(value, scale, Fraction(0)),
}
KINDS: dict[str, Callable[[float], Any]] = {
    "float32": np.float32,
    "float16": np.float16,
    "bfloat16": bfloat16,
}


def _swallowed(
    name: str, exact: Values, scale: Fraction, offset: Fraction, numbers: Mapping[tuple[int, ...], Any]
) -> Values:
    """The metric that is left when the rounding of the type is taken for what was meant."""
    if "scaled" in name:
        kind = KINDS[name.split()[0]]
        return {y: offset + scale * Fraction(float(kind(float(value)))) for y, value in exact.items()}
    return {y: Fraction(float(number)) for y, number in numbers.items()}


def existence_outcome(metric: Any, space: Space) -> str:
    """What is decided on one space; refusing is as good as not deciding."""
    with np.errstate(all="ignore"):
        try:
            return target_exists(metric, space).outcome
        except (PrecisionError, ArgumentError):
            return "undecided"


def wrong_outcomes(
    seed: int,
    many: int,
    space: Space,
    counts: Counter[tuple[str, str, str]] | None = None,
    decide: Callable[[Any, Space], str] = existence_outcome,
) -> Iterator[tuple[int, str, int, Fraction, Fraction, str, str]]:
    """(seed of the metric, type, factor, scale, offset, outcome, exact outcome) where they contradict."""
    for number in range(seed, seed + many):
        rng = random.Random(number)
        exact = drawn_metric(rng, space.items, len(space.labels))
        ranks = tuple(range(space.items))
        values = {labels: exact(ranks, labels) for labels in product(space.labels, repeat=space.items)}
        truth = decide(exact, space)
        for name, make in MAKES.items():
            factor, scale, offset = rng.choice(FACTORS), rng.choice(SCALES), rng.choice(OFFSETS)
            larger = {labels: factor * value for labels, value in values.items()}
            with np.errstate(all="ignore"):
                numbers = {labels: make(value, scale, offset) for labels, value in larger.items()}
            outcome = decide(by_labels(numbers), space)
            if counts is not None:
                counts[name, truth, outcome] += 1
            # Floats may have swallowed all differences: that every ranking has the same value is no verdict.
            if outcome in (truth, "undecided", "trivial"):
                continue
            # Or so much that the numbers are exactly those of a metric with a target.
            if (
                outcome != "target"
                or decide(by_labels(_swallowed(name, larger, scale, offset, numbers)), space) != outcome
            ):
                yield number, name, factor, scale, offset, outcome, truth


def chunk(job: dict[str, Any]) -> dict[str, Any]:
    """The answers on one chunk of metrics: how often which, and what is wrong."""
    counts: Counter[tuple[str, str, str]] = Counter()
    space = graded_space(3, job["grades"])
    wrong = [list(map(str, case)) for case in wrong_outcomes(job["seed"], job["metrics"], space, counts)]
    print(
        job["seed"], f"{sum(counts.values())} questions", *("WRONG " + " ".join(w) for w in wrong), flush=True
    )
    return {"counts": [[*case, many] for case, many in sorted(counts.items())], "wrong": wrong}


def chunks(seed: int, metrics: int, grades: int, size: int) -> list[dict[str, Any]]:
    """The jobs of `chunk` that make up the metrics of these seeds."""
    stop = seed + metrics
    return [
        {"seed": start, "metrics": min(size, stop - start), "grades": grades}
        for start in range(seed, stop, size)
    ]


def show(results: Iterable[dict[str, Any]]) -> None:
    """The outcomes by type, the share that is undecided where the exact answer is not, and what is wrong."""
    counts: Counter[tuple[str, str, str]] = Counter()
    wrong = []
    for result in results:
        counts.update({tuple(case): many for *case, many in result["counts"]})
        wrong += result["wrong"]
    for (name, truth, outcome), many in sorted(counts.items()):
        print(f"{name:<22} exact {truth:<9} as floats {outcome:<10} {many}")
    for name in MAKES:
        decided = {case: many for case, many in counts.items() if case[0] == name and case[1] != "undecided"}
        undecided = sum(many for (_, _, outcome), many in decided.items() if outcome == "undecided")
        print(f"{name:<22} undecided {undecided / max(sum(decided.values()), 1):.1%}")
    for case in wrong:
        print("WRONG", *case)
    print(f"{sum(counts.values())} questions, {len(wrong)} wrong")


def main() -> None:
    """Asks, and prints."""
    # Beside this file, and not needed where tests load it.
    import benchmark_path  # noqa: F401
    from shared.resumed import run

    parser = argparse.ArgumentParser(description="Do floats ever change a verdict?")
    parser.add_argument("--metrics", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--grades", type=int, default=2)
    parser.add_argument("--chunk", type=int, default=2000, help="metrics that make a line of the cache")
    parser.add_argument("--cache", type=Path, help="file of finished chunks, one JSON object a line")
    parser.add_argument("--processes", type=int, default=1)
    options = parser.parse_args()
    jobs = chunks(options.seed, options.metrics, options.grades, options.chunk)
    show(run(jobs, chunk, options.cache, processes=options.processes).values())


if __name__ == "__main__":
    main()
