"""``rankproof fit``."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import click

__all__ = ["fit"]


@click.command()
@click.argument("train", nargs=-1, required=True)
@click.option("--valid", multiple=True, metavar="FILE", help="Data to choose the penalty on; several times.")
@click.option("--test", multiple=True, metavar="FILE", help="Data to report on; several times.")
@click.option("-m", "--metric", required=True, metavar="METRIC", help="What is reported, such as nDCG@10.")
@click.option(
    "--loss",
    default="auto",
    metavar="LOSS",
    show_default=True,
    help="auto takes one that provably optimises the metric; else a name or NAME:TARGET (rankproof losses).",
)
@click.option(
    "--noise",
    metavar="CONDITION",
    help="What is known of the noise in the labels, such as independent: some metrics have a consistent loss "
    "only then.",
)
@click.option("--model", type=click.Choice(["linear"]), default="linear", show_default=True)
@click.option(
    "--l2",
    default="path",
    metavar="a,b,c|path",
    show_default=True,
    help="Penalties to choose from, or one; path is 1, 0.1, ..., 1e-06. Without --valid the queries of TRAIN "
    "are cross-validated.",
)
@click.option(
    "--scale",
    default="standard",
    metavar="KIND",
    show_default=True,
    help="Scaling of the features, part of the model: none, standard or query-minmax.",
)
@click.option("--solver", default="lbfgs", metavar="lbfgs|sgd", show_default=True)
@click.option("--max-iter", type=int, default=500, show_default=True, help="Most iterations for a penalty.")
@click.option("--tol", type=float, default=1e-4, show_default=True, help="Relative gradient to stop at.")
@click.option("--features", type=int, help="Number of features. [default: as TRAIN has]")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of folds, batches and bootstrap.")
@click.option("--level", type=float, default=0.95, show_default=True, help="Level of the bootstrap interval.")
@click.option("--threads", type=int, default=None, help="Threads; the numbers do not depend on it.")
@click.option("--out", required=True, metavar="DIR", help="Folder for the model and its results.")
@click.option("--force", is_flag=True, help="Replace the run that is in DIR.")
@click.option("-v", "--verbose", count=True, help="Progress also off a terminal; twice for every iteration.")
@click.option("-q", "--quiet", is_flag=True, help="No progress.")
@click.option("--json", "as_json", is_flag=True, help="Print results.json.")
def fit(train: tuple[str, ...], out: str, force: bool, as_json: bool, **options: Any) -> None:
    """Train a ranker on TRAIN (LETOR text, several files as one) for METRIC, and save it in DIR.

    Prints which loss is trained and why, the metric of every penalty, and the metric of the model with
    interval and baseline. DIR gets the model and results.json: settings, seed, versions, SHA-256 of the data,
    results.

    \b
    rankproof fit train.txt --valid vali.txt --test test.txt --metric nDCG@10 --out run/
    rankproof fit train.txt --metric AP --noise independent --l2 0.1,0.01 --out run/
    rankproof fit S1.txt S2.txt S3.txt --valid S4.txt --test S5.txt -m nDCG@10 --loss squared --out run/
    """
    from rankproof.report.choice import loss_for
    from rankproof.report.run_folder import check_run_folder, data_facts, new_run, versions, write_results
    from rankproof.report.training import linear_ranker, penalties_of
    from rankproof.report.training import train as train_on

    # All that can be refused is refused before a large file is read.
    check_run_folder(out, replace=force)
    penalties = penalties_of(options["l2"])
    choice = loss_for(options["metric"], options["loss"], options["noise"])
    quiet, verbose = options.pop("quiet"), options.pop("verbose") or int(sys.stderr.isatty())
    paths = {"train": train, "valid": options.pop("valid"), "test": options.pop("test")}
    paths = {part: names for part, names in paths.items() if names}
    settings = {**options, "metric": str(choice.metric)}
    ranker = linear_ranker(choice, penalties, settings, verbose=0 if quiet else verbose)
    data = _read(paths, options["features"], options["threads"])
    if not as_json:
        _print_start(choice.lines(), data)
    _warn([choice.warning])

    trained = train_on(ranker, data, choice.metric, level=options["level"], seed=options["seed"])
    _warn(trained.warnings)
    facts = {
        # The numbers do not depend on the threads.
        "settings": {name: value for name, value in settings.items() if name != "threads"},
        "versions": versions(),
        "data": {part: data_facts(names, data[part]) for part, names in paths.items()},
        "choice": choice.to_dict(),
        **trained.to_dict(),
    }
    with new_run(out, replace=force) as draft:
        trained.ranker.save(draft)
        write_results(draft, facts)
    if as_json:
        from pathlib import Path

        click.echo((Path(out) / "results.json").read_text(encoding="utf-8"), nl=False)
        return
    from rankproof.cli.show import show_table

    for table in trained.tables():
        click.echo()
        show_table(table)
    click.echo(f"\nsaved in {out}: the model, and results.json")


def _read(paths: dict[str, tuple[str, ...]], features: int | None, threads: int | None) -> dict[str, Any]:
    """The parts of the data, all as wide as the first, which is to be trained on."""
    from rankproof.cli.options import read_items

    found: dict[str, Any] = {}
    for part, names in paths.items():
        found[part] = read_items(names, features=features, threads=threads)
        features = found[part].features
    return found


def _print_start(lines: list[tuple[str, str]], data: dict[str, Any]) -> None:
    from rankproof.report.sources import sources_in

    sources = sources_in(" ".join(sentence for _, sentence in lines))
    lines = [*lines, *(("", f"{name}: {paper}") for name, paper in sources.items())]
    for part, one in data.items():
        lines.append((part, f"{one.queries} queries, {one.items} items, {one.features} features"))
    width = max(len(word) for word, _ in lines)
    for word, sentence in lines:
        click.echo(f"{word.ljust(width)}  {sentence}")


def _warn(texts: Sequence[str | None]) -> None:
    for text in texts:
        if text:
            click.echo(f"rankproof: warning: {text}", err=True)
