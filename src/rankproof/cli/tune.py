"""``rankproof tune``."""

from __future__ import annotations

import os
import shlex
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import click

from rankproof.cli.column_options import column_options, feature_options
from rankproof.cli.options import a_folder, metric_and_noise, reading_options, threads_option, tree_options
from rankproof.runs.defaults import BOOSTED, FOLDS, LOSS, SAMPLERS, SEED, TRIALS

if TYPE_CHECKING:
    from rankproof.metrics.base import Metric
    from rankproof.runs.trials import Trial

__all__ = ["tune"]


@click.command()
@click.argument("data", nargs=-1, required=True)
@metric_and_noise
@click.option("--model", type=click.Choice(BOOSTED), default=BOOSTED[0], show_default=True)
@click.option(
    "--loss",
    "losses",
    multiple=True,
    default=(LOSS,),
    metavar="LOSS",
    show_default=True,
    help="A loss to try (see rankproof losses); can be repeated.",
)
@click.option("--trials", type=int, default=TRIALS, show_default=True, help="Number of settings to try.")
@click.option(
    "--folds",
    type=int,
    default=FOLDS,
    show_default=True,
    help="Number of cross-validation folds; a query is never split.",
)
@tree_options
@column_options
@feature_options
@reading_options
@click.option(
    "--seed", type=int, default=SEED, show_default=True, help="Seed for settings, folds and engine."
)
@click.option(
    "--sampler",
    type=click.Choice(SAMPLERS),
    default=SAMPLERS[0],
    show_default=True,
    help="What chooses the settings to try; tpe is Optuna's (pip install optuna).",
)
@click.option(
    "--prune",
    is_flag=True,
    help="Stop a trial when its mean over the folds so far is worse than the median (pip install optuna).",
)
@threads_option("Number of threads; with lightgbm the results do not depend on it.")
@click.option(
    "--out",
    required=True,
    metavar="DIR",
    callback=a_folder,
    help="Folder of the search; an existing search is continued.",
)
@click.option("-v", "--verbose", is_flag=True, help="Show progress even if the output is not a terminal.")
@click.option("-q", "--quiet", is_flag=True, help="Show no progress.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON: all trials, the best one, the command.")
def tune(
    data: tuple[str, ...], out: str, trials: int, verbose: bool, quiet: bool, as_json: bool, **options: Any
) -> None:
    """Find the settings of boosted trees with the best METRIC on DATA (LETOR text or tables).

    These are the learning rate, the numbers of leaves and trees, the penalty, and more of the engine's
    parameters unless you give them. Settings are drawn at random (the first are the defaults) and compared by
    cross-validation over queries. Every finished trial is saved in DIR: run the same command to continue
    after an interruption, or with more --trials to search further. At the end it prints the command that
    trains with the best settings.

    \b
    rankproof tune train.txt --metric nDCG@10 --model lightgbm --out search/
    rankproof tune train.txt -m nDCG@10 --loss auto --loss softmax --trials 50 --out search/
    """
    from rankproof.cli.column_options import request_of, settings_of_columns
    from rankproof.cli.commands import command_with, loss_lines, loss_warning
    from rankproof.cli.failures import when_interrupted
    from rankproof.cli.inputs import named_metrics, named_numbers, once_standard, read_items
    from rankproof.cli.options import own_options
    from rankproof.cli.terminal import print_start, progress_bar, show_table, warn
    from rankproof.errors import ArgumentError
    from rankproof.runs.models import written
    from rankproof.runs.search_folder import check_search_folder
    from rankproof.runs.tune import plan_tuning
    from rankproof.shown import visible

    # All that can be refused is refused before a large file is read.
    check_search_folder(out)
    if trials < 1:
        raise ArgumentError(f"--trials must be at least 1, got {trials}.")
    own_asked = {name: options.pop(name) for name in ("lower_is_better", "ties", "own_grades", "nearest")}
    (metric,) = named_metrics([options["metric"]], **own_asked)
    request, features = request_of(options)
    options["categorical"], request = named_numbers(data, request, options["categorical"])
    plan = plan_tuning(
        metric,
        trials=trials,
        features=features,
        **{name: options[name] for name in ("model", "losses", "noise", "folds", "seed", "sampler", "prune")},
        own=own_options(options["model"], options),
    )
    sides = options["query_files"]
    once_standard((*data, *sides))
    items = read_items(
        data,
        features=features,
        missing=True,
        group=options["group"],
        query_files=sides,
        request=request,
        judged=True,
    ).data
    search = plan.begin(items, out)
    when_interrupted(f"the finished trials are in {visible(out)}; run the same command to continue.")
    if not as_json:
        choices = plan.choices.values()
        lines = dict.fromkeys(line for one in choices for line in loss_lines(one, options["noise"]))
        print_start(list(lines), {"data": items})
    warn(list(dict.fromkeys(loss_warning(one, options["noise"]) for one in plan.choices.values())))
    done = trials - len(plan.untried(search))
    if done:
        click.echo(f"rankproof: {done} of {trials} trials are already in {visible(out)}.", err=True)
    with nullcontext(None) if quiet else progress_bar() as shown:

        def print_trial(trial: Trial) -> None:
            if verbose and shown is None:
                _print_trial(trial, plan.metric)

        run = plan.carry_out(items, search, shown, print_trial)
    reading = {"group": options["group"], "query_file": sides, "columns": settings_of_columns(options)}
    if request.features is not None:
        reading["columns"]["features"] = list(request.features)
    best = run.best_settings
    searched = {
        "min_data_in_leaf": best["min_data_in_leaf"],
        "parameter": written("parameter", best["parameters"]),
    }
    command = _printable(command_with(run.best, data, {**plan.settings, **searched, **reading}))
    if as_json:
        import json

        click.echo(json.dumps({**run.to_dict(), "command": command}, ensure_ascii=False, indent=2))
        return
    click.echo()
    show_table(run.table())
    click.echo(f"\n{command}")


def _print_trial(trial: Trial, metric: Metric) -> None:
    penalty = "default l2" if trial.l2 is None else f"l2 {trial.l2:g}"
    others = {"min_data_in_leaf": trial.min_data_in_leaf, **trial.parameters}
    more = "".join(f", {name} {value:g}" for name, value in others.items() if value is not None)
    result = (
        f"pruned after {len(trial.values)} folds"
        if trial.pruned
        else f"{metric} {trial.value:.4f} with {trial.trees} trees"
    )
    click.echo(
        f"trial {trial.number}: {result} (learning rate {trial.learning_rate:g}, {trial.num_leaves} leaves, "
        f"{penalty}{more}, loss {trial.loss})",
        err=True,
    )


def _printable(command: str) -> str:
    r"""A command whose words a terminal only shows; what does not print is between $'...', as shells read it.

    >>> print(_printable("fit 'tr\x1b[31m.txt' 'a b'"))
    fit $'tr\x1b[31m.txt' 'a b'
    """
    if command.isprintable():
        return command
    return " ".join(_word(word) for word in shlex.split(command))


def _word(word: str) -> str:
    return shlex.quote(word) if word.isprintable() else f"$'{''.join(map(_character, word))}'"


def _character(character: str) -> str:
    if character in "\\'":
        return f"\\{character}"
    if character.isprintable():
        return character
    # A file's name is bytes: what is not ASCII is written by its bytes, whatever the shell's language.
    return "".join(f"\\x{byte:02x}" for byte in os.fsencode(character))
