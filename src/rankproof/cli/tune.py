"""``rankproof tune``."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import click

from rankproof.cli.options import metric_and_noise, threads_option, tree_options
from rankproof.runs.defaults import BOOSTED, FOLDS, LOSS, SEED, TRIALS

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
    help="A loss to try (rankproof losses); several times.",
)
@click.option("--trials", type=int, default=TRIALS, show_default=True, help="How many settings to try.")
@click.option("--folds", type=int, default=FOLDS, show_default=True, help="Folds of the queries of DATA.")
@tree_options
@click.option("--features", type=int, help="Number of features. [default: as DATA has]")
@click.option("--seed", type=int, default=SEED, show_default=True, help="Seed of settings, folds and engine.")
@threads_option("Threads; with lightgbm the numbers do not depend on it.")
@click.option("--out", required=True, metavar="DIR", help="Folder of the search; one that is there goes on.")
@click.option("-v", "--verbose", is_flag=True, help="Progress also off a terminal.")
@click.option("-q", "--quiet", is_flag=True, help="No progress.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON: all trials, the best, the command.")
def tune(
    data: tuple[str, ...], out: str, trials: int, verbose: bool, quiet: bool, as_json: bool, **options: Any
) -> None:
    """Search for the learning rate, leaves, penalty and number of trees that METRIC is best with on DATA.

    Settings are drawn from the seed (the first are the defaults) and compared by the metric, exact under
    ties, over folds of the queries. Every finished trial is kept in DIR: the same command goes on where an
    earlier one ended, and with more --trials looks further. Ends with the command that trains with the best.

    \b
    rankproof tune train.txt --metric nDCG@10 --model lightgbm --out search/
    rankproof tune train.txt -m nDCG@10 --loss auto --loss softmax --trials 50 --out search/
    """
    from rankproof.cli.commands import command_with, loss_warning
    from rankproof.cli.failures import when_interrupted
    from rankproof.cli.inputs import read_items
    from rankproof.cli.options import own_options
    from rankproof.cli.terminal import print_start, progress_bar, show_table, warn
    from rankproof.errors import ArgumentError
    from rankproof.runs.search_folder import check_search_folder
    from rankproof.runs.tune import plan_tuning

    # All that can be refused is refused before a large file is read.
    check_search_folder(out)
    if trials < 1:
        raise ArgumentError(f"--trials must be at least 1, got {trials}.")
    plan = plan_tuning(
        options["metric"],
        trials=trials,
        **{name: options[name] for name in ("model", "losses", "noise", "features", "folds", "seed")},
        own=own_options(options["model"], options),
    )
    items = read_items(data, features=options["features"], missing=True)
    search = plan.begin(items, out)
    when_interrupted(f"the finished trials are in {out}, the same command goes on.")
    if not as_json:
        lines = dict.fromkeys(line for choice in plan.choices.values() for line in choice.lines())
        print_start(list(lines), {"data": items})
    warn(list(dict.fromkeys(loss_warning(one, options["noise"]) for one in plan.choices.values())))
    done = trials - len(plan.untried(search))
    if done:
        click.echo(f"rankproof: {done} of {trials} trials are known from {out}.", err=True)
    with nullcontext(None) if quiet else progress_bar() as shown:

        def print_trial(trial: Trial) -> None:
            if verbose and shown is None:
                _print_trial(trial, plan.metric)

        run = plan.carry_out(items, search, shown, print_trial)
    command = command_with(run.best, data, plan.settings)
    if as_json:
        import json

        click.echo(json.dumps({**run.to_dict(), "command": command}, ensure_ascii=False, indent=2))
        return
    click.echo()
    show_table(run.table())
    click.echo(f"\n{command}")


def _print_trial(trial: Trial, metric: Metric) -> None:
    penalty = "the engine's l2" if trial.l2 is None else f"l2 {trial.l2:g}"
    click.echo(
        f"trial {trial.number}: {metric} {trial.value:.4f} with {trial.trees} trees (learning rate "
        f"{trial.learning_rate:g}, {trial.num_leaves} leaves, {penalty}, loss {trial.loss})",
        err=True,
    )
