"""``rankproof fit``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from rankproof.cli.options import metric_and_noise, tree_options

__all__ = ["fit"]

_MODELS = ["linear", "lightgbm", "xgboost", "catboost", "neural"]


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
    default="auto",
    metavar="LOSS",
    show_default=True,
    help="auto takes one that provably optimises the metric; else a name or NAME:TARGET (rankproof losses).",
)
@click.option("--model", type=click.Choice(_MODELS), default="linear", show_default=True)
@click.option(
    "--l2",
    metavar="a,b,c|path",
    help="linear: penalties to choose from, or one; path, the default, is 1, 0.1, ..., 1e-06; without "
    "--valid the queries of TRAIN are cross-validated. Trees: one penalty. [as the engine has it]",
)
@click.option(
    "--scale",
    metavar="KIND",
    help="Scaling of the features, part of the model. linear: none, standard or query-minmax [standard]; "
    "neural: standard, query or both [both].",
)
@click.option("--solver", metavar="lbfgs|sgd", help="linear. [lbfgs]")
@click.option(
    "--max-iter", type=int, help="linear: most iterations for a penalty [500]; neural: most epochs [100]."
)
@click.option("--tol", type=float, help="linear: relative gradient to stop at. [1e-4]")
@click.option("--learning-rate", type=float, help="Trees [0.05]; neural: length of steps [0.001].")
@click.option("--num-leaves", type=int, help="Trees: most leaves of each. [16]")
@tree_options
@click.option("--hidden", metavar="a,b", help="neural: sizes of the layers. [64,32]")
@click.option("--weight-decay", type=float, help="neural. [0.01]")
@click.option("--dropout", type=float, help="neural: share left out of a layer. [0.2]")
@click.option("--batch-items", type=int, help="neural: about how many items a batch has. [1024]")
@click.option("--patience", type=int, help="neural: stop after so many epochs without a better value. [10]")
@click.option("--features", type=int, help="Number of features. [default: as TRAIN has]")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of all that is drawn.")
@click.option("--level", type=float, default=0.95, show_default=True, help="Level of the bootstrap interval.")
@click.option(
    "--threads",
    type=int,
    default=None,
    help="Threads; with linear and lightgbm the numbers do not depend on it.",
)
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
    from rankproof.cli.options import refuse_empty
    from rankproof.cli.trouble import when_interrupted
    from rankproof.errors import RankproofError
    from rankproof.report.choice import loss_for
    from rankproof.report.pages.run import REPORT, write_run_report
    from rankproof.report.rankers import BOOSTED, MODELS, THREAD_FREE, own_settings, packages_of, ranker_for
    from rankproof.report.run_folder import check_run_folder, data_facts, new_run, versions, write_results
    from rankproof.report.training import train as train_on

    # All that can be refused is refused before a large file is read.
    check_run_folder(out, replace=force)
    of_some_model = {name for settings in MODELS.values() for name in settings}
    own = own_settings(model, {name: value for name, value in options.items() if name in of_some_model})
    choice = loss_for(
        options["metric"], options["loss"], options["noise"], engine=model if model in BOOSTED else None
    )
    paths = {"train": train, "valid": options["valid"], "test": options["test"]}
    paths = {part: names for part, names in paths.items() if names}
    if options["early_stopping_rounds"] is not None and "valid" not in paths:
        raise click.UsageError("--early-stopping-rounds needs --valid: queries to stop by.")
    shared = {name: options[name] for name in ("loss", "noise", "features", "seed", "level")}
    settings = {"metric": str(choice.metric), "model": model, **shared, **own}
    if model not in THREAD_FREE:
        settings["threads"] = options["threads"]
    ranker = ranker_for(
        model,
        choice,
        {**settings, "threads": options["threads"]},
        held_out="valid" in paths,
        verbose=0 if quiet else options["verbose"] or int(sys.stderr is not None and sys.stderr.isatty()),
    )
    data = _read(paths, options["features"], options["threads"], missing=model in BOOSTED)
    for part, one in data.items():
        refuse_empty(choice.metric, one, ", ".join(paths[part]))
    if not as_json:
        print_start(choice.lines(), data)
    warn([choice.warning])

    trained = train_on(ranker, data, choice.metric, level=options["level"], seed=options["seed"])
    warn(trained.warnings)
    facts = {
        "settings": settings,
        "versions": versions(*packages_of(model)),
        "data": {part: data_facts(names, data[part]) for part, names in paths.items()},
        "choice": choice.to_dict(),
        **trained.to_dict(),
    }
    with new_run(out, replace=force) as draft:
        trained.ranker.save(draft)
        write_results(draft, facts)
    when_interrupted(f"the run in {out} is complete, rankproof report {out} writes its report.")
    saved = "the model, results.json and report.html"
    # One of an earlier run would be taken for that of this one.
    (Path(out) / REPORT).unlink(missing_ok=True)
    try:
        write_run_report(out, data=data)
    except RankproofError as problem:
        # The run is safe; its page can be written again by rankproof report.
        warn([f"no report was written: {problem}"])
        saved = "the model and results.json"
    if as_json:
        click.echo((Path(out) / "results.json").read_text(encoding="utf-8"), nl=False)
        return
    from rankproof.cli.show import show_table

    for table in trained.tables():
        click.echo()
        show_table(table)
    if trained.selection.note is not None:
        click.echo(f"\n{trained.selection.note}")
    click.echo(f"\nsaved in {out}: {saved}")


def _read(
    paths: dict[str, tuple[str, ...]], features: int | None, threads: int | None, *, missing: bool
) -> dict[str, Any]:
    """The parts of the data, all as wide as the first, which is to be trained on."""
    from rankproof.cli.options import read_items

    found: dict[str, Any] = {}
    for part, names in paths.items():
        found[part] = read_items(names, features=features, threads=threads, missing=missing)
        features = found[part].features
    return found


def print_start(lines: list[tuple[str, str]], data: dict[str, Any]) -> None:
    """What is trained and why, and the data."""
    from rankproof.cli.show import show_facts
    from rankproof.report.sources import sources_in

    sources = sources_in(" ".join(sentence for _, sentence in lines))
    lines = [*lines, *(("", f"{name}: {paper}") for name, paper in sources.items())]
    for part, one in data.items():
        lines.append((part, f"{one.queries} queries, {one.items} items, {one.features} features"))
    show_facts(lines)


def warn(texts: Sequence[str | None]) -> None:
    """Warnings, on standard error."""
    for text in texts:
        if text:
            click.echo(f"rankproof: warning: {text}", err=True)
