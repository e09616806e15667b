"""How exactly the floats of a user's metric are known: read from the numbers themselves.

A function may compute in float32 or float16 and hand out Python floats, so the type of a number says little.
What its digits say is this:

- Numbers that are small multiples of one power of two (`EXACT_BITS` bits wide at most, fewer where few
  numbers might look so by chance) are exact in all types.
- Floats with all their bits that agree with a fraction of a small denominator to the last digits, and not by
  chance, are that fraction. Float16 that was scaled by 1/100 later agrees with such fractions as well, so
  they must be small multiples of one number too, or make a table that rounding does not make
  (`_explained`).
- Other floats are known to a few units in the last place of the type that made them. It has as many bits as
  the numbers of a feedback show: those of float32 have 24 at most, those of float16 11. A common factor is
  taken out before, and a scale or a constant that was applied later in float64 does not hide float16 either,
  since the differences of its numbers have ratios of small numerators and denominators.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import chain
from typing import Any

__all__ = ["NarrowFloat", "Reading", "Rows", "as_fractions", "narrow_bits"]

LARGEST_DENOMINATOR = 10_000
# How often a float that is no such fraction may agree with one.
CHANCE = Fraction(1, 10**4)
# The widest numbers that are taken to be exact, where there are enough of them; float16 has 11 bits,
# bfloat16 8.
EXACT_BITS = 7
# Numbers of float64 that are no simple fractions show at least so many of their 53 bits.
ALL_BITS, MANY_BITS = 53, 47
# What is assumed of numbers of a narrow type that was scaled or shifted later.
HIDDEN_BITS = 8
# Numbers of so few bits are exact however few they are.
FEW_BITS = 5
# Differences of float16 are in ratios with denominators up to the second, those of simple metrics up to the
# first; up to the third, where the numbers themselves are of very different sizes.
SIMPLE_RATIO, NARROW_RATIO, WIDE_RATIO = 60, 2**17, 2**22
# Twos in a denominator beyond those of a decimal number: eighths are common, 1/64 is not.
MOST_HALVES = 6
# Half of the rounding that a few dozen operations leave, in units in the last place.
UNITS = 4
NARROW_TYPES = {"float32": 24, "float16": 11, "bfloat16": 8}
Rows = tuple[tuple[Fraction, ...], ...]
Reading = tuple[Rows, Fraction]


class NarrowFloat(float):
    """A float that came from a type of fewer bits than a Python float."""

    bits: int

    def __new__(cls, value: float, bits: int) -> NarrowFloat:
        number = super().__new__(cls, value)
        number.bits = bits
        return number


def narrow_bits(value: Any) -> int | None:
    """The bits of a number of numpy, torch or jax whose type is narrower than float64, else None.

    >>> import numpy as np
    >>> narrow_bits(np.float32(0.1)), narrow_bits(np.float16(0.1)), narrow_bits(0.1)
    (24, 11, None)
    """
    name = str(getattr(value, "dtype", "")).rpartition(".")[2]
    return 4 if name.startswith("float8") else NARROW_TYPES.get(name)


def as_fractions(raw: Sequence[Sequence[Any]]) -> Reading:
    """Rows of floats and fractions (one per ranking, one number per feedback) as fractions, and their slack.

    >>> as_fractions([[1 / 3, 0.5]]) == (((Fraction(1, 3), Fraction(1, 2)),), 0)
    True
    >>> import numpy as np
    >>> narrow = [[float(np.float32(1 / 3))], [float(np.float32(1 / 5))]]
    >>> as_fractions(narrow)[1] == UNITS * Fraction(1, 2**25)
    True
    """
    every = [value for value in chain(*raw) if isinstance(value, float)]
    if not every:
        return tuple(map(tuple, raw)), Fraction(0)
    factor, wide = _common_factor(every), _wide_fractions(raw)
    halved = wide or _many_halves(every)
    narrow = halved or _hides_narrow(raw) or _hides_wide_numbers(raw)
    exact = 0 if wide else _exact_bits(raw, factor)
    columns, slack = [], Fraction(0)
    for column in zip(*raw, strict=True):
        fractions, own = _column(column, factor, exact, halved, narrow)
        columns.append(fractions)
        slack = max(slack, own)
    return tuple(zip(*columns, strict=True)), slack


def _column(
    column: Sequence[Any], factor: int, exact: int, halved: bool, narrow: bool
) -> tuple[list[Fraction], Fraction]:
    """The numbers of one feedback, and how far they may be from the true ones.

    Numbers of up to ``exact`` bits are exact. ``halved`` says that the fractions they agree with may be made
    of float16, and ``narrow`` that other numbers may be.
    """
    floats = [value for value in column if isinstance(value, float)]
    plain = [Fraction(value) for value in column]
    typed = min((value.bits for value in floats if isinstance(value, NarrowFloat)), default=ALL_BITS)
    if not any(floats) or _width(floats, factor) <= min(exact, typed - 4):
        return plain, Fraction(0)
    bits = min(typed, max(_significant(value, factor) for value in floats))
    if bits >= MANY_BITS:
        if halved:
            return plain, _slack(floats, HIDDEN_BITS)
        bits = ALL_BITS
        near = [_simple(value) if isinstance(value, float) else value for value in column]
        if None not in near:
            return [Fraction(value) for value in near if value is not None], Fraction(0)
        plain = [a if b is None else b for a, b in zip(plain, near, strict=True)]
    # A constant that was added later makes numbers of float16 look like those of a wider type.
    return plain, _slack(floats, min(bits, HIDDEN_BITS) if narrow else bits)


def _exact_bits(raw: Sequence[Sequence[Any]], factor: int) -> int:
    """How wide small multiples of a power of two may be to be exact.

    Numbers of bfloat16 have 8 bits, but a few of them may happen to end in 0. Where some number has more, or
    the table is not one that rounding makes, they do not.
    """
    floats = {value for value in chain(*raw) if isinstance(value, float)}
    bits = _bits_beyond_chance(len(floats))
    if bits < max(_significant(value, factor) for value in floats) <= HIDDEN_BITS:
        columns = dict.fromkeys(zip(*raw, strict=True))
        return EXACT_BITS if _explained([tuple(map(Fraction, column)) for column in columns]) else bits
    return EXACT_BITS


def _bits_beyond_chance(distinct: int) -> int:
    """The most bits, up to `EXACT_BITS`, that so many numbers of a narrow type do not all show by chance.

    >>> _bits_beyond_chance(4), _bits_beyond_chance(8), _bits_beyond_chance(16)
    (5, 6, 7)
    """
    for bits in range(EXACT_BITS, FEW_BITS, -1):
        if Fraction(1, 2) ** ((HIDDEN_BITS - bits) * (distinct - 1)) <= CHANCE:
            return bits
    return FEW_BITS


def _slack(floats: Sequence[float], bits: int) -> Fraction:
    """A few units in the last of so many bits of the largest number."""
    return UNITS * Fraction(2) ** (math.frexp(max(map(abs, floats)))[1] - bits)


def _common_factor(floats: Iterable[float]) -> int:
    """The odd number that all numbers are multiples of (times powers of two), when they show few bits."""
    odd = [_odd(value) for value in floats if value]
    if not odd or max(number.bit_length() for number in odd) >= MANY_BITS:
        return 1
    return math.gcd(*odd)


def _odd(value: float) -> int:
    """The float without its sign and its powers of two."""
    number = abs(value.as_integer_ratio()[0])
    return number >> ((number & -number).bit_length() - 1)


def _significant(value: float, factor: int) -> int:
    return (_odd(value) // factor).bit_length() if value else 0


def _width(floats: Sequence[float], factor: int) -> int:
    """The bits from the highest of the largest number to the last of any."""
    ratios = [value.as_integer_ratio() for value in floats if value]
    unit = max(denominator for _, denominator in ratios)
    whole = [abs(numerator) * (unit // denominator) // factor for numerator, denominator in ratios]
    shared = math.gcd(*whole)
    return max(whole).bit_length() - ((shared & -shared).bit_length() - 1)


@lru_cache(maxsize=4096)
def _simple(value: float) -> Fraction | None:
    """The fraction with a small denominator that a float stands for."""
    near = Fraction(value).limit_denominator(LARGEST_DENOMINATOR)
    exactly = abs(near - Fraction(value)) <= 2 * Fraction(math.ulp(value))
    # Fractions with such denominators may lie so close that every float of this size agrees with one.
    by_chance = near.denominator**2 * Fraction(math.ulp(float(near))) > CHANCE
    return near if exactly and not by_chance else None


@lru_cache(maxsize=4096)
def _nearly(value: float) -> Fraction:
    """The fraction that a float with more rounding stands for, else the float; it must fit the others yet."""
    near = Fraction(value).limit_denominator(LARGEST_DENOMINATOR)
    return near if abs(near - Fraction(value)) <= 16 * Fraction(math.ulp(value)) else Fraction(value)


def _many_halves(floats: Iterable[float]) -> bool:
    """Whether the fractions that floats stand for are halved more often than fractions of a metric are.

    Floats are whole numbers halved many times; a scale such as 73/10 does not hide that.
    """
    common = math.lcm(*(1 if (near := _simple(value)) is None else near.denominator for value in floats))
    twos, fives = (common & -common).bit_length() - 1, 0
    while common % 5 == 0:
        common, fives = common // 5, fives + 1
    return twos - fives >= MOST_HALVES


def _wide_fractions(raw: Sequence[Sequence[Any]]) -> bool:
    """Whether fractions that floats stand for may be numbers of float16 times a simple scale.

    1234, 987 and 789.5 are numbers of float16. Times 1/100 they are decimal numbers, and as exact to the eye
    as 12.34; what gives them away is that they are wide multiples of the largest number they all are
    multiples of.
    """
    columns: list[tuple[Fraction, ...]] = []
    simple: list[Fraction] = []
    for column in dict.fromkeys(zip(*raw, strict=True)):
        near = [_simple(value) if isinstance(value, float) else value for value in column]
        columns.append(
            tuple(_nearly(a) if b is None else Fraction(b) for a, b in zip(column, near, strict=True))
        )
        if None not in near:
            simple += columns[-1]
    # Of the whole table: the few numbers of one feedback may be small multiples of one number by chance.
    return _bits(simple) > EXACT_BITS and not _explained(columns)


def _bits(numbers: Iterable[Fraction]) -> int:
    """The bits of the largest number, in units of the largest fraction that all are multiples of.

    >>> _bits([Fraction(1, 3), Fraction(1, 2)]), _bits([Fraction("12.34"), Fraction("7.895")])
    (2, 12)
    """
    some = [abs(number) for number in numbers if number]
    if not some:
        return 0
    common = math.lcm(*(number.denominator for number in some))
    whole = [number.numerator * (common // number.denominator) for number in some]
    return (max(whole) // math.gcd(*whole)).bit_length()


def _explained(columns: Sequence[tuple[Fraction, ...]]) -> bool:
    """Whether wide fractions are those of an exact metric: one of two tables that rounding does not make."""
    items = 1
    while math.factorial(items) < len(columns[0]):
        items += 1
    if math.factorial(items) != len(columns[0]):
        return False
    return _few_independent(columns, items) or _of_ranks(columns, items)


def _few_independent(columns: Sequence[tuple[Fraction, ...]], most: int) -> bool:
    """Whether all columns are combinations of few, with small coefficients: sums of a weight times a gain.

    Each number was rounded by itself, so numbers of float16 add up to each other only where the rounding did
    no harm. The weights may be as wide as they like, and so may a constant of a feedback.
    """
    # Each vector with the place of its first number that is not 0, and how it is made of the columns. The
    # first is a constant.
    basis: list[tuple[int, list[Fraction], list[Fraction]]] = []
    for column in [(Fraction(1),) * len(columns[0]), *columns]:
        rest, combination = list(column), [Fraction(0)] * (most + 1)
        for place, vector, parts in basis:
            if times := rest[place] / vector[place]:
                rest = [a - times * b for a, b in zip(rest, vector, strict=True)]
                combination = [a + times * b for a, b in zip(combination, parts, strict=True)]
        if not any(rest):
            if _bits([*combination[1:], Fraction(1)]) > EXACT_BITS:
                return False
            continue
        if len(basis) == most:
            return False
        own = [-part for part in combination]
        own[len(basis)] += 1
        basis.append((next(k for k, number in enumerate(rest) if number), rest, own))
    return True


def _of_ranks(columns: Sequence[tuple[Fraction, ...]], items: int) -> bool:
    """Whether all values are means of multiples of 1/rank, and 1 is the best on each feedback: AP, RR.

    These are wide from five items on. Float16 that is divided by the best value later has 1 as its best too,
    but then that value is a denominator, and hardly such a one on each feedback.
    """
    ranks = math.lcm(*range(1, items + 1))
    for column in columns:
        if len(set(column)) > 1:
            common = math.lcm(*(number.denominator for number in column))
            if max(column) != 1 or not any(ranks * many % common == 0 for many in range(1, items + 1)):
                return False
    return True


def _hides_narrow(raw: Sequence[Sequence[Any]]) -> bool:
    """Whether all differences are in ratios that numbers of float16 have, and that no simple metric has."""
    largest, chance = 0, Fraction(1)
    for values in {tuple(sorted({float(v) for v in column})) for column in zip(*raw, strict=True)}:
        if len(values) < 3:
            continue
        first, span = Fraction(values[0]), Fraction(values[-1]) - Fraction(values[0])
        room = 4 * Fraction(math.ulp(max(abs(values[0]), abs(values[-1])))) / span
        for value in values[1:-1]:
            ratio = (Fraction(value) - first) / span
            near = ratio.limit_denominator(NARROW_RATIO)
            if abs(ratio - near) > room:
                return False
            largest = max(largest, near.denominator)
            # How often a number that is no such ratio lies as near to one.
            chance *= min(Fraction(1), NARROW_RATIO**2 * room)
    return largest > SIMPLE_RATIO and chance <= CHANCE


def _hides_wide_numbers(raw: Sequence[Sequence[Any]]) -> bool:
    """Whether all values of a table are one constant plus wide multiples of one number, as float16 leaves.

    The ratios of one feedback may be simple by chance (135, 144 and 150 differ by 9 and 6); beside the values
    of the other feedback they are not.
    """
    columns = list(dict.fromkeys(zip(*raw, strict=True)))
    # What all rankings of a feedback share may be a small number of many more digits after the point.
    telling = [column for column in columns if len(set(column)) > 1]
    return any(
        _wide_multiples(some, ratio) for some in (columns, telling) for ratio in (NARROW_RATIO, WIDE_RATIO)
    )


def _wide_multiples(columns: Sequence[tuple[Any, ...]], largest: int) -> bool:
    """`_hides_wide_numbers` for these columns and ratios with denominators up to the largest."""
    values = sorted({float(value) for value in chain(*columns)})
    if len(values) < 3:
        return False
    first, span = Fraction(values[0]), Fraction(values[-1]) - Fraction(values[0])
    room = 4 * Fraction(math.ulp(max(abs(values[0]), abs(values[-1])))) / span
    ratios = {values[0]: Fraction(0), values[-1]: Fraction(1)}
    for value in values[1:-1]:
        ratio = (Fraction(value) - first) / span
        near = ratio.limit_denominator(largest)
        if abs(ratio - near) > room:
            return False
        ratios[value] = near
    if (
        _bits(ratios.values()) <= EXACT_BITS
        or min(Fraction(1), largest**2 * room) ** (len(values) - 2) > CHANCE
    ):
        return False
    return not _explained([tuple(ratios[float(value)] for value in column) for column in columns])
