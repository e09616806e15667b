"""``rankproof compare``."""

from __future__ import annotations

from typing import Literal

import click

from rankproof.cli.options import (
    DEFAULT_METRICS,
    data_options,
    example_files,
    load,
    metric_option,
    output_options,
)

__all__ = ["compare"]


@click.command()
@click.argument("runs", nargs=-1)
@metric_option
@data_options
@click.option(
    "--test",
    default="randomisation",
    metavar="TEST",
    show_default=True,
    help="The paired test that decides: randomisation, t or wilcoxon. All three are shown.",
)
@click.option(
    "--level", type=float, default=0.05, show_default=True, help="Accepted chance of any false winner."
)
@click.option(
    "--correction",
    default="metric",
    metavar="metric|all",
    show_default=True,
    help="Holm over the pairs of each metric, or over the pairs of all metrics together.",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of bootstrap and sampled tests.")
@click.option("--example", is_flag=True, help="Compare the two small runs that are shipped with rankproof.")
@output_options
def compare(
    runs: tuple[str, ...],
    metrics: tuple[str, ...],
    qrels: str | None,
    data: str | None,
    convention: str,
    missing: Literal["zero", "skip"] | None,
    threads: int | None,
    test: str,
    level: float,
    correction: str,
    seed: int,
    example: bool,
    output: str | None,
) -> None:
    """Compare RUNS (TREC runs with --qrels, score files with --data) on the same queries.

    A winner is named only when the test shows one, after Holm's correction over all pairs.

    \b
    rankproof compare --example
    rankproof compare a.trec b.trec c.trec --qrels qrels.txt -m nDCG@10 -m AP
    rankproof compare a.txt b.txt --data test.txt -m nDCG@10 --test t --json
    """
    from rankproof.cli.show import show_table
    from rankproof.cli.warm import warm_up
    from rankproof.evaluation.compare import compare as run_compare

    if example:
        if runs or qrels or data:
            raise click.UsageError("--example brings its own runs and judgments; leave out the files.")
        files = example_files()
        runs, qrels = (files["bm25.trec"], files["ranker.trec"]), files["qrels.txt"]
    if len(runs) == 1:
        raise click.UsageError("A comparison needs at least two runs.")
    chosen = metrics or DEFAULT_METRICS
    ready = warm_up(chosen, convention)
    systems, judged = load(runs, qrels, data)
    ready()
    found = run_compare(
        systems,
        judged,
        chosen,
        test=test,  # type: ignore[arg-type]
        level=level,
        correction=correction,
        seed=seed,
        convention=convention,
        missing=missing,
        threads=threads,
    )
    if output == "json":
        click.echo(found.to_json())
    elif output == "csv":
        click.echo(found.to_csv(), nl=False)
    elif output == "latex":
        click.echo(found.to_latex())
    else:
        show_table(found.table())
        for name in found.metrics:
            click.echo()
            show_table(found.pair_table(name), title=name)
