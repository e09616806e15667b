"""``rankproof tune``."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

import click

from rankproof.cli.options import metric_and_noise, tree_options

__all__ = ["tune"]


@click.command()
@click.argument("data", nargs=-1, required=True)
@metric_and_noise
@click.option(
    "--model", type=click.Choice(["lightgbm", "xgboost", "catboost"]), default="lightgbm", show_default=True
)
@click.option(
    "--loss",
    "losses",
    multiple=True,
    default=("auto",),
    metavar="LOSS",
    show_default=True,
    help="A loss to try (rankproof losses); several times.",
)
@click.option("--trials", type=int, default=20, show_default=True, help="How many settings to try.")
@click.option("--folds", type=int, default=5, show_default=True, help="Folds of the queries of DATA.")
@tree_options
@click.option("--features", type=int, help="Number of features. [default: as DATA has]")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of settings, folds and engine.")
@click.option("--threads", type=int, default=None, help="Threads of the engine.")
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
    from rankproof.cli.fit import print_start, warn
    from rankproof.cli.options import read_items
    from rankproof.cli.show import progress_bar, show_table
    from rankproof.cli.trouble import when_interrupted, writing
    from rankproof.data.split import QueryKFold, query_folds
    from rankproof.errors import ArgumentError
    from rankproof.fit.tuning import best_trial, drawn, tried
    from rankproof.report.choice import loss_for
    from rankproof.report.rankers import MODELS, own_settings, packages_of, ranker_for
    from rankproof.report.run_folder import versions
    from rankproof.report.tuning import Search, check_search_folder, digest, fit_command, trials_table

    # All that can be refused is refused before a large file is read.
    check_search_folder(out)
    model, losses = options["model"], tuple(dict.fromkeys(options["losses"]))
    if trials < 1:
        raise ArgumentError(f"--trials must be at least 1, got {trials}.")
    QueryKFold(options["folds"], options["seed"])
    own = own_settings(model, {name: value for name, value in options.items() if name in MODELS[model]})
    choices = {loss: loss_for(options["metric"], loss, options["noise"], engine=model) for loss in losses}
    metric = next(iter(choices.values())).metric
    shared = {name: options[name] for name in ("noise", "features", "seed", "folds")}
    searched = ("learning_rate", "num_leaves", "l2")
    settings = {
        "metric": str(metric),
        "model": model,
        "losses": list(losses),
        **shared,
        **{name: value for name, value in own.items() if name not in searched},
    }
    rankers = {
        loss: ranker_for(
            model,
            choice,
            # A penalty is among what is drawn, so one that is given to the engine beside it is refused.
            {**settings, **own, "l2": "1", "level": 0.95, "threads": options["threads"]},
            held_out=True,
        )
        for loss, choice in choices.items()
    }
    items = read_items(data, features=options["features"], threads=options["threads"], missing=True)
    # Folds that cannot be made are refused before a folder is.
    query_folds(items, options["folds"], options["seed"], index=True)
    about = {
        "settings": settings,
        "versions": {name: versions(name)[name] for name in ("rankproof", *packages_of(model))},
        "data": digest(items),
    }
    with writing(out):
        search = Search(out, about)
    when_interrupted(f"the finished trials are in {out}, the same command goes on.")
    if not as_json:
        lines = dict.fromkeys(line for choice in choices.values() for line in choice.lines())
        print_start(list(lines), {"data": items})
    warn(list(dict.fromkeys(choice.warning for choice in choices.values())))
    left = [number for number in range(trials) if number not in search.trials]
    if len(left) < trials:
        click.echo(f"rankproof: {trials - len(left)} of {trials} trials are known from {out}.", err=True)
    with nullcontext(None) if quiet else progress_bar() as shown:
        for place, number in enumerate(left):

            def tell(fold: int, of: int, place: int = place, number: int = number) -> None:
                if shown is not None:
                    shown(place * of + fold, len(left) * of, f"trial {number}, fold {fold + 1}")

            values = drawn(number, options["seed"], losses)
            ranker = rankers[values["loss"]]
            trial = tried(
                ranker, items, number, values, folds=options["folds"], seed=options["seed"], tell=tell
            )
            with writing(out):
                search.add(trial)
            if verbose and shown is None:
                _print_trial(trial, metric)
    found = [search.trials[number] for number in range(trials)]
    best = best_trial(found, metric)
    command = fit_command(best, data, settings)
    if as_json:
        import json

        told = {**search.about, "trials": [one.as_dict() for one in found], "best": best.number}
        click.echo(json.dumps({**told, "command": command}, ensure_ascii=False, indent=2))
        return
    click.echo()
    show_table(trials_table(found, metric, options["folds"]))
    click.echo(f"\n{command}")


def _print_trial(trial: Any, metric: Any) -> None:
    penalty = "the engine's l2" if trial.l2 is None else f"l2 {trial.l2:g}"
    click.echo(
        f"trial {trial.number}: {metric} {trial.value:.4f} with {trial.trees} trees (learning rate "
        f"{trial.learning_rate:g}, {trial.num_leaves} leaves, {penalty}, loss {trial.loss})",
        err=True,
    )
