"""Decimal text to float64 and float32 back to text, both bit for bit against Python and numpy."""

from __future__ import annotations

import random
import struct
from decimal import Context, Decimal, localcontext
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from drawn import examples
from every_case import every_case
from rankproof.kernels.text.decimal import EXACT, MALFORMED, UNSURE, parse_decimal, scale, settle
from rankproof.kernels.text.shortest import LONGEST, put_number

FORMS = ["{!r}", "{:.16g}", "{:.17e}", "{:.3f}", "{:.6f}", "{:.25e}", "{:+.10E}", "{:.0f}", "{:.40f}"]
all_floats = st.integers(0, 2**64 - 1).map(lambda bits: struct.unpack("<d", struct.pack("<Q", bits))[0])


def bits(number: float) -> bytes:
    return struct.pack("<d", number)


def parsed(text: str) -> tuple[float, int]:
    # Bytes around the text must not matter.
    data = np.frombuffer(f"9{text}9".encode(), dtype=np.uint8)
    stop = data.size - 1
    value, code = parse_decimal(data, 1, stop)
    return (settle(data, 1, stop) if code == UNSURE else value), code


def check(text: str) -> int:
    value, code = parsed(text)
    assert code != MALFORMED, text
    assert bits(value) == bits(float(text)), text
    return code


@given(all_floats.filter(lambda x: x == x), st.sampled_from(FORMS))
@examples(1500)
def test_printed_floats_come_back(number: float, form: str) -> None:
    check(form.format(number))


@given(st.floats(width=32, allow_nan=False), st.sampled_from(FORMS))
@examples(500)
def test_printed_float32_come_back(number: float, form: str) -> None:
    check(form.format(number))


@given(st.integers(0, 10**25), st.integers(-370, 330))
@examples(1500)
@example(2**53 + 1, 0)
@example(2**64 - 1, 0)
@example(10**19 - 1, 19)
@example(49, -325)
def test_whole_numbers_with_exponents(digits: int, exponent: int) -> None:
    check(f"{digits}e{exponent}")
    check(f"-{digits}E{exponent:+d}")


@given(
    st.integers(1, 2**53 - 1),
    st.one_of(st.integers(-1074, 970), st.integers(-90, 30)),
    st.sampled_from(["", "00", "0" * 30 + "1"]),
)
@examples(800)
def test_half_way_between_two_floats(mantissa: int, power: int, more: Any) -> None:
    # (2 m + 1) 2^(p - 1) lies exactly between m 2^p and (m + 1) 2^p.
    with localcontext(Context(prec=1200)):
        middle = Decimal(2 * mantissa + 1) * Decimal(2) ** (power - 1)
        text = f"{middle:f}"
    text = text + more if "." in text else f"{text}.{more}"
    check(text)


@pytest.mark.parametrize("step", [0, 1, 2, 7])
def test_the_smallest_floats(step: int) -> None:
    # The tie below the smallest subnormal, and digits just around it.
    with localcontext(Context(prec=1200)):
        middle = Decimal(2 * step + 1) * Decimal(2) ** -1075
        for text in (f"{middle:e}", f"{middle:.17e}", f"{middle:.18e}", f"{middle:.19e}", f"{middle:f}1"):
            check(text)


SPECIAL = """
0 -0 00 .5 5. -.5 +5. 1e5 1E+5 1e-5 007.25 1e400 -1e400 1e-400 1e999999999999999999999 0e99999999999999999999
1e-99999999999999999999 1.7976931348623157e308 1.7976931348623158e308 1.7976931348623159e308
179769313486231580793e289 2.2250738585072011e-308 2.2250738585072014e-308 4.9e-324 2.4703282292062327e-324
2.4703282292062328e-324 9007199254740993 9007199254740993.00000000000000000000001 1e23 8.5e22
nan NaN -nan +NAN inf -INF Infinity +infinity 18446744073709551615 18446744073709551616
"""
WRONG = """
. - + +. e5 .e5 1e 1e+ 1e- 1..2 1.2.3 0x10 1_0 1e5.5 1-2 --1 na nann infi infinit infinity0 1f 1,5 nan(1)
١ / : 1:
"""


@every_case("text", SPECIAL.split())
def test_special_texts(text: str) -> None:
    check(text)


def test_long_runs_of_digits() -> None:
    for text in (
        "0." + "0" * 400 + "1e400",
        "1" + "0" * 400 + "e-400",
        "0" * 500 + "1.5",
        "1" * 5000 + "e-4990",
        "0." + "9" * 3000,
        "1." + "0" * 2000 + "1",
    ):
        check(text)


@every_case("text", ["", "1 ", " 1", "1\0", *WRONG.split()])
def test_what_is_no_number(text: str) -> None:
    assert parsed(text)[1] == MALFORMED


@given(st.text(alphabet="0123456789+-.eEnaifNy_", max_size=12))
@examples(1500)
def test_accepts_what_python_accepts(text: str) -> None:
    try:
        expected = None if "_" in text else float(text)
    except ValueError:
        expected = None
    value, code = parsed(text)
    assert (code == MALFORMED) == (expected is None)
    if expected is not None:
        assert bits(value) == bits(expected)


def test_up_to_nineteen_digits_are_settled_without_python() -> None:
    # The fast way is fast only if it hardly ever gives up.
    chance = random.Random(7)
    for _ in range(3000):
        text = f"{chance.randrange(10**19)}e{chance.randrange(-340, 310)}"
        assert check(text) == EXACT


def test_the_product_is_exact_at_its_edges() -> None:
    for mantissa in (1, 2**32 - 1, 2**32, 2**53 + 1, 2**63, 2**64 - 1):
        for exponent in (-342, -300, -28, -27, -23, -5, 23, 24, 55, 56, 280, 308):
            value, sure = scale(np.uint64(mantissa), exponent)
            assert not sure or bits(value) == bits(float(f"{mantissa}e{exponent}"))


def test_carries_from_the_lower_half_of_the_power() -> None:
    # Only when the bits below the result are all ones does that half count; one text in a thousand.
    chance = random.Random(11)
    found = 0
    while found < 300:
        mantissa, exponent = chance.randrange(1 << 63, 10**19), chance.randrange(-330, 300)
        power = 5 ** abs(exponent)
        top = (
            (power << 64 >> power.bit_length()) if exponent >= 0 else (1 << 63 + power.bit_length()) // power
        )
        if (mantissa * top >> 64) & 0x1FF == 0x1FF:
            found += 1
            check(f"{mantissa}e{exponent}")


def printed(number: np.float32) -> str:
    out = np.zeros(LONGEST, dtype=np.uint8)
    return out[: put_number(out, 0, number)].tobytes().decode()


@given(st.integers(0, 2**32 - 1))
@examples(2000)
@example(0x80000000)
@example(1)
@example(0x007FFFFF)
@example(0x7F7FFFFF)
def test_printed_values_read_back_and_are_shortest(pattern: int) -> None:
    number = np.array([pattern], dtype=np.uint32).view(np.float32)[0]
    text = printed(number)
    if np.isnan(number):
        assert text == ("-nan" if pattern >> 31 else "nan")
        return
    with np.errstate(over="ignore"):
        assert np.float32(float(text)).tobytes() == number.tobytes()
        rival = np.format_float_scientific(number, unique=True, trim="-")
        # numpy's text is the shortest for a reader that rounds once; ours rounds twice (see the reader).
        if np.float32(float(rival)) == number:
            assert significant(text) <= significant(rival)


def significant(text: str) -> int:
    digits = text.lower().partition("e")[0].lstrip("-").replace(".", "").lstrip("0")
    return len(digits.rstrip("0"))


def test_powers_of_two_are_shortest() -> None:
    # Their lower neighbour is nearer than the upper one, so the nearest short decimal may be the wrong one.
    for power in range(-149, 128):
        number = np.float32(2.0**power)
        text = printed(number)
        assert np.float32(float(text)) == number
        assert significant(text) <= significant(np.format_float_scientific(number, unique=True, trim="-"))


PRINTED = """
0 -0 1 -2.5 0.1 0.001 1e-7 123456 16777216 1e9 1e20 -1.5e-20 100 0.015625 3.4028235e38 1e-45 inf -inf 0.00012
12345.678 999999.94 1.0000001 -0.33333334
"""


@pytest.mark.parametrize("text", PRINTED.split())
def test_how_values_are_printed(text: str) -> None:
    assert printed(np.float32(float(text))) == text
