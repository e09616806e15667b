"""A default is written once: commands, runs and rankers have the same."""

from __future__ import annotations

import inspect
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import click
import pytest

import rankproof as rp
from rankproof.cli.fit import fit
from rankproof.cli.tune import tune
from rankproof.runs.defaults import BOOSTED, MODELS
from rankproof.runs.models import model_defaults

RANKERS = {
    "linear": (rp.LinearRanker, rp.LinearRankerCV),
    **dict.fromkeys(BOOSTED, (rp.BoostedRanker,)),
    "neural": (rp.NeuralRanker,),
}
# Settings that are not a parameter of the ranker by the same name and value.
OTHER = {
    "linear": {"l2"},
    **{engine: {"categorical", "parameter"} for engine in BOOSTED},
    "neural": {"hidden"},
}


@pytest.mark.parametrize("model", MODELS)
def test_the_defaults_of_a_model_are_those_of_its_rankers(model: str) -> None:
    for ranker in RANKERS[model]:
        parameters = inspect.signature(ranker).parameters
        for name, value in model_defaults(model).items():
            if name not in OTHER[model]:
                assert parameters[name].default == value, (ranker, name)
    hidden = inspect.signature(rp.NeuralRanker).parameters["hidden"].default
    assert model_defaults("neural")["hidden"] == ",".join(map(str, hidden))


def defaults(function: Callable[..., Any]) -> dict[str, Any]:
    parameters = inspect.signature(function).parameters.values()
    return {one.name: one.default for one in parameters if one.default is not inspect.Parameter.empty}


@pytest.mark.parametrize(
    ("command", "function", "names"),
    [
        (fit, rp.train, ("model", "loss", "seed", "level")),
        (tune, rp.tune, ("model", "losses", "trials", "folds", "seed")),
    ],
)
def test_a_command_has_the_defaults_of_its_function(
    command: click.Command, function: Callable[..., Any], names: tuple[str, ...]
) -> None:
    options = {str(option.name): option.get_default(click.Context(command)) for option in command.params}
    assert {name: options[name] for name in names} == {name: defaults(function)[name] for name in names}


@pytest.mark.parametrize("model", MODELS)
def test_every_setting_of_a_model_is_an_option(model: str) -> None:
    assert set(model_defaults(model)) <= {option.name for option in fit.params}


def test_the_help_shows_the_defaults_of_the_rankers() -> None:
    by_name = {option.name: option.help for option in fit.params if isinstance(option, click.Option)}
    linear, neural = model_defaults("linear"), model_defaults("neural")
    assert f"[{linear['max_iter']}]; neural: maximum epochs [{neural['max_iter']}]" in str(
        by_name["max_iter"]
    )
    assert f"[{model_defaults('lightgbm')['num_leaves']}]" in str(by_name["num_leaves"])
    assert f"[{neural['hidden']}]" in str(by_name["hidden"])


@pytest.mark.parametrize("command", ["fit", "tune"])
def test_help_loads_no_arrays(command: str) -> None:
    code = (
        "import sys\nfrom rankproof.cli.main import main\n"
        f"try:\n    main([{command!r}, '--help'])\nexcept SystemExit:\n    pass\n"
        "print('@' + ' '.join(sorted({m.split('.')[0] for m in sys.modules})))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"numpy", "sklearn", "numba"} & set(ran.stdout.rsplit("@", 1)[1].split())
