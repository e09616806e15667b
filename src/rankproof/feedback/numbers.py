"""Numbers that stay exact: ints and Fractions are kept, strings such as ``"8/13"`` or ``"0.3"`` are read
as the rational number they write; a float is not an exact number.

>>> as_number("grade", "1/2"), as_number("grade", 3), as_number("grade", 2.0), as_number("grade", 0.1)
(Fraction(1, 2), 3, 2, 0.1)
>>> as_fraction("probability", "0.3")
Fraction(3, 10)
>>> as_fraction("probability", 0.3)
Traceback (most recent call last):
    ...
rankproof.errors.ArgumentError: Argument probability must be exact (an int, a Fraction or a string such as
'8/13'), got the float 0.3. Write '3/10' if that is meant.
"""

from __future__ import annotations

import math
import numbers
from decimal import Decimal
from fractions import Fraction
from typing import TypeAlias

from rankproof.errors import ArgumentError

__all__ = [
    "ExactLike",
    "Number",
    "NumberLike",
    "as_fraction",
    "as_number",
    "fraction_text",
    "is_exact",
    "show_number",
]

Number: TypeAlias = int | Fraction | float
"""What is stored: exact when an int or a Fraction."""
ExactLike: TypeAlias = int | Fraction | Decimal | str
"""What is taken for an exact number."""
NumberLike: TypeAlias = ExactLike | float
"""What is taken for a number."""


def as_number(name: str, value: object) -> Number:
    """``value`` as an int, a Fraction that is not whole, or a finite float that is not whole.

    A whole float becomes the int it equals: label arrays are float64 and hold whole grades.
    """
    if isinstance(value, numbers.Rational | Decimal | str) and not isinstance(value, bool):
        fraction = as_fraction(name, value)
        return fraction.numerator if fraction.denominator == 1 else fraction
    if not isinstance(value, numbers.Real) or isinstance(value, bool):
        raise ArgumentError(f"Argument {name} must be a number, got {value!r}.")
    real = float(value)
    if not math.isfinite(real):
        raise ArgumentError(f"Argument {name} must be finite, got {real}.")
    return int(real) if real.is_integer() else real


def as_fraction(name: str, value: object) -> Fraction:
    """``value`` as a Fraction; floats are refused, since 0.1 is not one tenth."""
    if isinstance(value, bool):
        raise ArgumentError(f"Argument {name} must be a number, got {value!r}.")
    if isinstance(value, numbers.Rational):
        return Fraction(int(value.numerator), int(value.denominator))
    if isinstance(value, Decimal | str):
        try:
            return Fraction(value)
        except (ValueError, OverflowError, ZeroDivisionError):
            raise ArgumentError(
                f"Argument {name} must be a rational number such as '8/13' or '0.3', got {value!r}."
            ) from None
    if isinstance(value, numbers.Real) and math.isfinite(value):
        near = Fraction(float(value)).limit_denominator(1000)
        raise ArgumentError(
            f"Argument {name} must be exact (an int, a Fraction or a string such as '8/13'), "
            f"got the float {float(value)!r}. Write {str(near)!r} if that is meant."
        )
    raise ArgumentError(
        f"Argument {name} must be exact (an int, a Fraction or a string such as '8/13'), got {value!r}."
    )


def is_exact(value: Number) -> bool:
    """Whether a stored number is exact."""
    return not isinstance(value, float)


def show_number(value: Number) -> str:
    """The shortest Python text from which `as_number` makes ``value`` again.

    >>> show_number(2), show_number(Fraction(1, 2)), show_number(0.1)
    ('2', "'1/2'", '0.1')
    """
    return repr(str(value)) if isinstance(value, Fraction) else repr(value)


def fraction_text(number: Number, *, digits: int = 6, longest: int = 10_000, decimal: bool = False) -> str:
    """A number for people: a fraction with a denominator up to ``longest`` as it is, else its decimal form.

    With ``decimal`` a fraction is followed by its decimal form, and left out where that says the same.

    >>> third = Fraction(1, 3)
    >>> fraction_text(third), fraction_text(third, longest=2), fraction_text(third, digits=4, decimal=True)
    ('1/3', '0.333333', '1/3 = 0.3333')
    >>> fraction_text(2), fraction_text(0.1), fraction_text(Fraction(1, 4), decimal=True)
    ('2', '0.1', '0.25')
    """
    exact = Fraction(number)
    rounded = f"{float(number):.{digits}g}"
    if exact.denominator == 1:
        return str(exact)
    if exact.denominator > longest or isinstance(number, float):
        return rounded
    if not decimal:
        return str(exact)
    return rounded if Fraction(rounded) == exact else f"{exact} = {rounded}"
