"""Functions of users: how they are loaded, and what is said when they break a rule."""

from __future__ import annotations

import itertools
import sys
from pathlib import Path
from textwrap import dedent

import numpy as np
import pytest

from rankproof.errors import ArgumentError, FileFormatError, UnknownNameError
from rankproof.feedback import Graded, Law
from rankproof.feedback.spaces import graded_space
from rankproof.theory.custom.loss import as_user_loss
from rankproof.user_code import is_place, load_function
from theory import by_hand

SPACE = graded_space(3, 2)


def written(folder: Path, text: str, name: str = "my_metric.py") -> str:
    path = folder / name
    path.write_text(dedent(text))
    return str(path)


# Files ------------------------------------------------------------------------------------------------


def test_a_function_is_loaded_from_a_file(tmp_path: Path) -> None:
    path = written(tmp_path, "def top(ranking, feedback):\n    return feedback[ranking[0]]\n")
    assert load_function(f"{path}:top")((1, 0), Graded((0, 3))) == 3
    # Neither byte code nor a module under the file's own name is left behind.
    assert [file.name for file in tmp_path.iterdir()] == ["my_metric.py"]
    assert "my_metric" not in sys.modules


def test_a_file_may_import_its_neighbours_and_use_dataclasses(tmp_path: Path) -> None:
    written(tmp_path, "WORTH = 7\n", "neighbour_of_my_metric.py")
    text = """
    from dataclasses import dataclass
    from neighbour_of_my_metric import WORTH

    @dataclass
    class Price:
        euros: int = WORTH

    def price(ranking, feedback):
        return Price().euros
    """
    before = list(sys.path)
    assert load_function(f"{written(tmp_path, text)}:price")((0,), None) == 7
    assert sys.path == before


def test_a_changed_file_is_read_again(tmp_path: Path) -> None:
    place = f"{written(tmp_path, 'def f(r, y): return 1')}:f"
    assert load_function(place)(None, None) == 1
    written(tmp_path, "def f(r, y): return 2")
    assert load_function(place)(None, None) == 2


def test_a_missing_file_names_a_near_one(tmp_path: Path) -> None:
    written(tmp_path, "def top(ranking, feedback): return 0")
    with pytest.raises(ArgumentError, match=r"no file .*my_metrik\.py.*Did you mean .*my_metric\.py"):
        load_function(f"{tmp_path / 'my_metrik.py'}:top")
    with pytest.raises(ArgumentError, match=r"There is no file 'nowhere/at/all\.py'"):
        load_function("nowhere/at/all.py:top")


def test_a_missing_name_names_a_near_one(tmp_path: Path) -> None:
    path = written(tmp_path, "def revenue(ranking, feedback): return 0\ndef clicks(r, y): return 0\n")
    with pytest.raises(
        UnknownNameError, match=r"has no 'revenu'\. Did you mean 'revenue'\? .*revenue, clicks"
    ):
        load_function(f"{path}:revenu")


def test_what_is_not_a_function_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, "revenue = 3\n")
    with pytest.raises(ArgumentError, match=r"must be a function, got int 3.*none"):
        load_function(f"{path}:revenue")


def test_a_file_alone_asks_which_function(tmp_path: Path) -> None:
    path = written(tmp_path, "from math import log\ndef revenue(ranking, feedback): return 0\n")
    with pytest.raises(ArgumentError, match=r"Which function .* Write .*my_metric\.py:revenue"):
        load_function(path)


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("x = 1\ny = 1 / 0\n", 2, "ZeroDivisionError"),
        ("x = 1\n\ndef f(:\n", 3, "SyntaxError"),
        ("import no_such_module_anywhere\n", 1, "ModuleNotFoundError"),
        ("import sys\nsys.exit(3)\n", 2, "SystemExit"),
    ],
)
def test_a_file_that_fails_is_reported_with_its_line(tmp_path: Path, text: str, line: int, what: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(FileFormatError, match=rf"my_metric\.py:{line}: the file fails.*{what}"):
        load_function(f"{path}:f")
    assert not [name for name in sys.modules if name.startswith("_rankproof_user_") and not sys.modules[name]]


@pytest.mark.parametrize("place", ["softmax:nDCG@10", "nDCG", "my_metric:revenue", "", 3])
def test_other_texts_are_not_places(place: object) -> None:
    assert not (isinstance(place, str) and is_place(place))
    with pytest.raises(ArgumentError, match=r"path/to/file\.py:function"):
        load_function(place)  # type: ignore[arg-type]


# Losses -------------------------------------------------------------------------------------------------


PAIRS = by_hand.LOSSES["RankNet"]


def test_a_loss_that_keeps_the_rules_passes() -> None:
    as_user_loss(PAIRS, convex=True).check(SPACE)
    as_user_loss(PAIRS, gradient=by_hand.pairs_slope, convex=True).check(SPACE)
    as_user_loss(by_hand.LOSSES["RankSVM"], convex=True).check(graded_space(3, 3))


def test_value_and_gradient_under_a_law() -> None:
    law = Law({(1, 0): "3/4", (0, 1): "1/4"})
    for gradient in (None, by_hand.pairs_slope):
        value, slope = as_user_loss(PAIRS, gradient=gradient).expected(law, [0.0, 0.0])
        assert value == pytest.approx(np.log(2))
        # Each pair has slope 1/2: -3/4 / 2 + 1/4 / 2.
        np.testing.assert_allclose(slope, [-0.25, 0.25], atol=1e-9)


def test_what_a_file_says_about_its_loss_is_read(tmp_path: Path) -> None:
    text = """
    def mine(scores, feedback):
        return float((scores ** 2).sum())

    def slope(scores, feedback):
        return 2 * scores

    mine.gradient = slope
    mine.convex = True
    """
    loss = as_user_loss(load_function(f"{written(tmp_path, text)}:mine"))
    assert loss.convex
    assert loss.slope([1.0, 2.0], Graded((0, 1))).tolist() == [2.0, 4.0]
    loss.check(SPACE)


def test_the_function_may_not_change_the_scores() -> None:
    def greedy(scores: np.ndarray, feedback: object) -> float:
        scores[:] = 0.0
        return 1.0

    s = np.ones(2)
    as_user_loss(greedy).value(s, Graded((0, 1)))
    assert s.tolist() == [1.0, 1.0]


def test_overflow_is_infinite_not_an_error() -> None:
    import math

    loss = as_user_loss(lambda s, _: math.exp(1000 * s[0]), name="steep")
    assert loss.value([1.0, 0.0], Graded((0, 1))) == np.inf


def counted() -> object:
    calls = itertools.count()
    return lambda *_: float(next(calls))


BROKEN = [
    (lambda *_: 1 / 0, {}, r"Loss broken failed on scores \[.*\], feedback Graded\(\(0, 0, 0\)\): Zero"),
    (lambda *_: float("nan"), {}, r"gave nan on scores \["),
    (lambda *_: "much", {}, r"gave 'much' on scores \["),
    (lambda *_: np.ones(3), {}, r"gave array.* on scores \["),
    (lambda *_: float("inf"), {}, r"gave inf on scores \[.*finite"),
    (counted(), {}, r"not deterministic: on scores \[.*it gave \d+, then \d+"),
    (lambda s, _: float(s[0]), {}, r"does not treat all items alike.*items 0 and 1 renamed"),
    (lambda _, y: float(sum(k * x for k, x in enumerate(y))), {}, "does not treat all items alike"),
    (
        PAIRS,
        {"gradient": lambda *_: [0.0]},
        r"gradient of loss broken gave \[0\.0\].*one number per item \(3\)",
    ),
    (PAIRS, {"gradient": lambda *_: 1 / 0}, r"The gradient of loss broken failed on scores"),
    (PAIRS, {"gradient": lambda s, y: -by_hand.pairs_slope(s, y)}, r"not that of the function: on scores \["),
    (lambda s, _: -float((s**2).sum()), {"convex": True}, r"said to be convex, but on scores \["),
]


@pytest.mark.parametrize(("function", "more", "message"), BROKEN)
def test_a_broken_loss_is_refused_with_what_it_was_called_with(
    function: object, more: dict[str, object], message: str
) -> None:
    loss = as_user_loss(function, name="broken", **more)  # type: ignore[arg-type]
    with pytest.raises(ArgumentError, match=message):
        loss.check(SPACE)


@pytest.mark.parametrize(
    ("function", "more", "message"),
    [
        (3, {}, "loss must be a function"),
        (PAIRS, {"gradient": 3}, "gradient must be a function"),
        (PAIRS, {"convex": "yes"}, "convex must be True, False or None"),
    ],
)
def test_what_is_no_loss_is_refused(function: object, more: dict[str, object], message: str) -> None:
    with pytest.raises(ArgumentError, match=message):
        as_user_loss(function, **more)  # type: ignore[arg-type]
