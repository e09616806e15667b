"""A command and the call that it stands for take the same unless they are told otherwise."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import click
import pytest

import rankproof as rp
from rankproof.cli.main import command_line
from rankproof.experiments.reproduce.b11 import reproduce_b11
from rankproof.experiments.reproduce.r11 import reproduce_r11

CALLS: list[tuple[str, Callable[..., Any]]] = [
    ("evaluate", rp.evaluate),
    ("compare", rp.compare),
    ("explain", rp.explain),
    ("certify", rp.certify),
    ("certify", rp.certify_metric),
    ("certify", rp.certify_matrix),
    ("fit", rp.train),
    ("tune", rp.tune),
    ("reproduce", reproduce_b11),
    ("reproduce", reproduce_r11),
]
# Options that say nothing take what the call takes; None is no default of theirs.
SHARED = {
    "evaluate": {"convention", "level", "seed"},
    "compare": {"test", "level", "correction", "seed"},
    "explain": {"convention"},
    "certify": {"items", "effort"},
    "fit": {"loss", "model", "seed", "level"},
    "tune": {"model", "trials", "folds", "seed"},
    "reproduce": {"scale", "seed", "level"},
}


def defaults_of_command(name: str) -> dict[str, Any]:
    command = command_line.get_command(click.Context(command_line), name)
    assert command is not None
    return {str(option.name): option.default for option in command.params if option.default is not None}


def defaults_of_call(call: Callable[..., Any]) -> dict[str, Any]:
    parameters = inspect.signature(call).parameters.values()
    return {one.name: one.default for one in parameters if one.default is not one.empty}


@pytest.mark.parametrize(("name", "call"), CALLS, ids=[call.__name__ for _, call in CALLS])
def test_the_command_and_the_call_agree(name: str, call: Callable[..., Any]) -> None:
    said, taken = defaults_of_command(name), defaults_of_call(call)
    shared = {option for option in SHARED[name] & set(taken) if option in said}
    assert shared
    assert {option: said[option] for option in shared} == {option: taken[option] for option in shared}


@pytest.mark.parametrize("name", SHARED)
def test_every_option_that_is_compared_is_there(name: str) -> None:
    taken = {option for command, call in CALLS if command == name for option in defaults_of_call(call)}
    assert SHARED[name] <= set(defaults_of_command(name))
    assert SHARED[name] <= taken
