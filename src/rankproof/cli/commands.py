"""Command lines as text: the one that is running, the ones that train again, the one after a warning."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from rankproof.runs.fit_command import fit_command, option_name

if TYPE_CHECKING:
    from rankproof.losses.choose import LossChoice
    from rankproof.runs.trials import Trial

__all__ = ["command_with", "fit_command", "loss_lines", "loss_warning", "option_name", "running_command"]


def command_with(
    trial: Trial, paths: Sequence[str], settings: Mapping[str, Any], *, out: str = "run/"
) -> str:
    """The command that trains with the settings of a trial on all of the data."""
    words = ["rankproof", "fit", *paths, "--metric", settings["metric"], "--model", settings["model"]]
    if trial.loss != "auto":
        words += ["--loss", trial.loss]
    if settings["noise"] is not None:
        words += ["--noise", settings["noise"]]
    words += ["--n-estimators", str(trial.trees), "--learning-rate", f"{trial.learning_rate:g}"]
    words += ["--num-leaves", str(trial.num_leaves)]
    if trial.l2 is not None:
        words += ["--l2", f"{trial.l2:g}"]
    for name in ("min_data_in_leaf", "categorical", "features"):
        if settings[name] is not None:
            words += [option_name(name), str(settings[name])]
    for text in settings["parameter"]:
        words += ["--parameter", text]
    for name in ("lower_is_better", "nearest", "group"):
        words += [option_name(name)] if settings.get(name) else []
    for name in ("grades", "ties"):
        words += [option_name(name), str(settings[name])] if settings.get(name) else []
    for name, value in settings.get("columns", {}).items():
        for one in value if isinstance(value, list) else [value]:
            words += [option_name(name), str(one)]
    words += [word for file in settings.get("query_file", ()) for word in ("--query-file", file)]
    return shlex.join([*words, "--seed", str(settings["seed"]), "--out", out])


def running_command(*, without: tuple[str, ...] = ()) -> str:
    """The command that is running, with the options that were given; those ``without`` are left out.

    >>> import click
    >>> @click.command()
    ... @click.argument("runs", nargs=-1)
    ... @click.option("-m", "--metric", "metrics", multiple=True)
    ... @click.option("--json", "output", flag_value="json")
    ... @click.option("--csv", "output", flag_value="csv")
    ... @click.option("--all", is_flag=True)
    ... @click.option("--seed", type=int, default=0)
    ... def compare(runs, metrics, output, all, seed):
    ...     print(running_command())
    >>> compare.main(["a b.trec", "c.trec", "-m", "AP", "-m", "RR", "--json", "--all"], standalone_mode=False)
    rankproof compare 'a b.trec' c.trec --metric AP --metric RR --json --all
    """
    context = click.get_current_context()
    words = ["rankproof", str(context.info_name if context.parent is not None else context.command.name)]
    options: list[str] = []
    for parameter in context.command.params:
        name = str(parameter.name)
        value = context.params.get(name)
        if (
            name in without
            or context.get_parameter_source(name) is not click.core.ParameterSource.COMMANDLINE
        ):
            continue
        listed = list(value) if isinstance(value, tuple) else [value]
        if isinstance(parameter, click.Option):
            options += _option_words(parameter, listed)
        else:
            words += map(str, listed)
    return shlex.join([*words, *options])


def _option_words(option: click.Option, values: list[object]) -> list[str]:
    shown = max(option.opts, key=len)
    if option.is_bool_flag:
        return [shown] if values == [True] else []
    if option.is_flag:
        # Several flags may share a name, each with a value of its own; the one that was not given is another.
        return [shown] if values == [option.flag_value] else []
    return [word for value in values for word in (shown, str(value))]


def loss_lines(choice: LossChoice, noise: str | None) -> list[tuple[str, str]]:
    """What a run begins with: the metric, its loss in a sentence, and the command that explains it.

    >>> from rankproof.losses.choose import choose_loss
    >>> loss_lines(choose_loss("ERR@20", noise="independent"), "independent")[-1]
    ('why', 'rankproof certify softmax:satisfaction --metric ERR@20 --noise independent')
    """
    return [
        ("metric", f"{choice.metric}, {choice.metric.direction} is better"),
        ("loss", choice.summary()),
        ("why", _question(choice, noise)),
    ]


def loss_warning(choice: LossChoice, noise: str | None) -> str | None:
    """The warning of a choice; for a loss of which nothing is proven, also the way to find out."""
    if choice.warning is None or choice.claim is not None:
        return choice.warning
    return f"{choice.warning} To see whether it does: {_question(choice, noise)}"


def _question(choice: LossChoice, noise: str | None) -> str:
    """The command that asks whether the loss is consistent with the metric, and prints why."""
    from rankproof.targets.label_worth import LabelWorth

    metric = ["--metric", str(choice.metric)]
    words = ["rankproof", "certify", choice.requested or str(choice.loss), *metric]
    if isinstance(choice.target, LabelWorth):
        words = ["rankproof", "certify", str(choice.loss), *metric]
        words += ["--grades", str(len(choice.target.worths))]
        words += ["--lower-is-better"] if choice.metric.direction == "lower" else []
    if noise is None and choice.claim is not None and choice.claim.value is not True:
        noise = str(choice.claim.value)
    return shlex.join([*words, *(["--noise", noise] if noise else [])])
