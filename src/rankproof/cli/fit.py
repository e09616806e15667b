"""``rankproof fit``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rankproof.cli.options import metric_and_noise, model_options, threads_option
from rankproof.runs.defaults import LEVEL, LOSS, MODELS, SEED

if TYPE_CHECKING:
    from rankproof.runs.training_run import TrainingRun

__all__ = ["fit"]


@click.command()
@click.argument("train", nargs=-1, required=True)
@click.option(
    "--valid",
    multiple=True,
    metavar="FILE",
    help="Data to choose the penalty, the number of trees or of epochs on; several times.",
)
@click.option("--test", multiple=True, metavar="FILE", help="Data to report on; several times.")
@metric_and_noise
@click.option(
    "--loss",
    default=LOSS,
    metavar="LOSS",
    show_default=True,
    help="auto takes one that is consistent with the metric; else a name or NAME:TARGET (rankproof losses).",
)
@click.option("--model", type=click.Choice(MODELS), default=MODELS[0], show_default=True)
@model_options
@click.option("--features", type=int, help="Number of features. [default: as TRAIN has]")
@click.option("--seed", type=int, default=SEED, show_default=True, help="Seed of all that is drawn.")
@click.option(
    "--level", type=float, default=LEVEL, show_default=True, help="Level of the bootstrap interval."
)
@threads_option("Threads; with linear and lightgbm the numbers do not depend on it.")
@click.option("--out", required=True, metavar="DIR", help="Folder for the model and its results.")
@click.option("--force", is_flag=True, help="Replace the run that is in DIR.")
@click.option("-v", "--verbose", count=True, help="Progress also off a terminal; twice for every step.")
@click.option("-q", "--quiet", is_flag=True, help="No progress.")
@click.option("--json", "as_json", is_flag=True, help="Print results.json.")
def fit(
    train: tuple[str, ...], model: str, out: str, force: bool, quiet: bool, as_json: bool, **options: Any
) -> None:
    """Train a ranker on TRAIN (LETOR text, several files as one) for METRIC, and save it in DIR.

    Prints which loss is trained and why, what was chosen on held-out queries (penalty, number of trees or
    epochs), and the metric of the model with interval and baseline. DIR gets the model, results.json
    (settings, seed, versions, SHA-256 of the data, results) and report.html, which shows them.

    \b
    rankproof fit train.txt --valid vali.txt --test test.txt --metric nDCG@10 --out run/
    rankproof fit train.txt --metric AP --noise independent --l2 0.1,0.01 --out run/
    rankproof fit S1.txt S2.txt S3.txt --valid S4.txt --test S5.txt -m nDCG@10 --loss squared --out run/
    rankproof fit train.txt --valid vali.txt -m nDCG@10 --model lightgbm --learning-rate 0.1 --out run/
    rankproof fit train.txt --valid vali.txt -m nDCG@10 --model xgboost --parameter subsample=0.8 --out run/

    Options of one model are refused with another; in brackets is what they are unless given.
    """
    from rankproof.cli.commands import loss_warning
    from rankproof.cli.failures import when_interrupted
    from rankproof.cli.options import own_options
    from rankproof.cli.terminal import print_start, warn
    from rankproof.runs.plan import plan_training
    from rankproof.runs.run_folder import as_json as json_text
    from rankproof.runs.run_folder import check_run_folder

    # All that can be refused is refused before a large file is read.
    check_run_folder(out, replace=force, way="--force")
    own = own_options(model, options)
    listed = {"train": train, "valid": options["valid"], "test": options["test"]}
    paths = {part: names for part, names in listed.items() if names}
    if options["early_stopping_rounds"] is not None and "valid" not in paths:
        raise click.UsageError("--early-stopping-rounds needs --valid: queries to stop by.")
    plan = plan_training(
        options["metric"],
        model=model,
        **{name: options[name] for name in ("loss", "noise", "features", "seed", "level")},
        held_out="valid" in paths,
        verbose=0 if quiet else options["verbose"] or int(sys.stderr is not None and sys.stderr.isatty()),
        own=own,
    )
    # What is kept of the run says how to find out, too.
    plan = plan.with_warning(loss_warning(plan.choice, options["noise"]))
    data = _read(paths, options["features"], missing=plan.takes_missing)
    empty = plan.check(data, {part: ", ".join(names) for part, names in paths.items()})
    if not as_json:
        print_start(plan.choice.lines(), data)
    warn([plan.choice.warning])

    run = plan.carry_out(data, empty, paths)
    warn(run.warnings)
    facts = run.save(out, replace=force)
    when_interrupted(f"the run in {out} is complete, rankproof report {out} writes its report.")
    problem = _write_report(run, facts, out)
    if problem is not None:
        # The run is safe; its page can be written again by rankproof report.
        warn([f"no report was written: {problem}"])
    if as_json:
        click.echo(json_text(facts))
        return
    _print_results(run)
    saved = "the model, results.json and report.html" if problem is None else "the model and results.json"
    click.echo(f"\nsaved in {out}: {saved}")


def _read(paths: dict[str, tuple[str, ...]], features: int | None, *, missing: bool) -> dict[str, Any]:
    """The parts of the data, all as wide as the first, which is to be trained on."""
    from rankproof.cli.inputs import read_items

    data: dict[str, Any] = {}
    for part, names in paths.items():
        data[part] = read_items(names, features=features, missing=missing)
        features = data[part].features
    return data


def _write_report(run: TrainingRun, facts: dict[str, Any], out: str) -> str | None:
    """Write the page from the values at hand; what is wrong when that is not possible."""
    from rankproof.cli.commands import fit_command
    from rankproof.errors import RankproofError
    from rankproof.report.html import write_report
    from rankproof.report.pages.run import REPORT, run_report

    place = Path(out) / REPORT
    # One of an earlier run would be taken for that of this one.
    place.unlink(missing_ok=True)
    try:
        write_report(run_report(run.record(out, facts), fit_command(facts, out)), place)
    except RankproofError as problem:
        return str(problem)
    return None


def _print_results(run: TrainingRun) -> None:
    from rankproof.cli.terminal import show_table

    for table in run.tables():
        click.echo()
        show_table(table)
    if run.selection.unchosen is not None:
        click.echo(f"\n{run.selection.unchosen}: there was no --valid to choose it by.")
