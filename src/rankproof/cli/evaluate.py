"""``rankproof evaluate``."""

from __future__ import annotations

from typing import Literal

import click

from rankproof.cli.column_options import judging_options
from rankproof.cli.options import (
    DEFAULT_METRICS,
    PREFS_METRICS,
    data_options,
    metric_option,
    output_options,
    prefs_option,
)
from rankproof.evaluation.defaults import LEVEL, SEED

__all__ = ["evaluate"]


@click.command()
@click.argument("run", required=False)
@metric_option
@data_options
@judging_options
@prefs_option
@click.option(
    "--scores",
    metavar="FILE",
    help="Scores for the items of --data: one per line, or a table with the column score.",
)
@click.option("--per-query", is_flag=True, help="Print one row per query as well.")
@click.option(
    "--bounds", is_flag=True, help="Also print the worst and best value over all ways to break ties."
)
@click.option(
    "--level", type=float, default=LEVEL, show_default=True, help="Level of the confidence interval."
)
@click.option("--seed", type=int, default=SEED, show_default=True, help="Seed for the bootstrap.")
@click.option("--example", is_flag=True, help="Evaluate the example run that comes with rankproof.")
@output_options
def evaluate(
    run: str | None,
    metrics: tuple[str, ...],
    lower_is_better: bool,
    ties: str | None,
    qrels: str | None,
    prefs: str | None,
    data: str | None,
    scores: str | None,
    convention: str,
    missing: Literal["zero", "skip"] | None,
    depth: int | None,
    group: bool,
    query_files: tuple[str, ...],
    per_query: bool,
    bounds: bool,
    level: float,
    seed: int,
    example: bool,
    output: str | None,
    **columns: str | None,
) -> None:
    """Compute metrics of RUN, with ties handled exactly, confidence intervals, baselines and counts.

    \b
    rankproof evaluate --example
    rankproof evaluate run.trec --qrels qrels.txt -m nDCG@10 -m AP -m 'ERR(max_grade=2)@20'
    rankproof evaluate run.trec --qrels qrels.txt -m nDCG@10 --as trec_eval --per-query
    rankproof evaluate run.trec --prefs prefs.txt -m PD
    rankproof evaluate --data test.txt --scores scores.txt -m nDCG@10 --bounds --json
    rankproof evaluate --data test.parquet --query session --label clicks --scores scores.parquet -m AP
    rankproof evaluate --data test.txt --scores scores.txt -m my_metric.py:revenue_at_3 -m nDCG@10
    zcat run.gz | rankproof evaluate - --qrels qrels.txt --depth 100
    """
    from rankproof.cli.compile_ahead import compile_ahead
    from rankproof.cli.inputs import load, named_metrics, watched
    from rankproof.cli.terminal import show_table
    from rankproof.data.samples import example_files
    from rankproof.evaluation.evaluate import evaluate as run_evaluate
    from rankproof.evaluation.evaluate import metric_list, refuse_uncounted

    if example:
        if run or qrels or prefs or data or scores:
            raise click.UsageError("--example comes with its own run and judgments: leave out the files.")
        files = example_files()
        run, qrels = files["ranker.trec"], files["qrels.txt"]
    if run and scores:
        raise click.UsageError("Give either a run or --scores, not both.")
    path = run or scores
    named = metrics or (PREFS_METRICS if prefs else DEFAULT_METRICS)
    # Refused before a large file is read.
    chosen = metric_list(named_metrics(named, lower_is_better=lower_is_better, ties=ties))
    ready = compile_ahead([str(one) for one in chosen if not one.by_users], convention)
    systems, judged = load(
        (path,) if path else (),
        qrels,
        data,
        prefs=prefs,
        group=group,
        query_files=query_files,
        columns=columns,
    )
    (system,) = systems.values()
    ready()
    with watched(chosen):
        results = run_evaluate(
            system,
            judged,
            chosen,
            convention=convention,
            bounds=bounds,
            missing=missing,
            depth=depth,
            level=level,
            seed=seed,
        )
    refuse_uncounted(results.counted, str(qrels or prefs or data))
    if output == "json":
        click.echo(results.to_json(per_query=per_query))
    elif output == "csv":
        click.echo(results.to_csv(per_query=per_query), nl=False)
    elif output == "latex":
        click.echo(results.to_latex(per_query=per_query))
    else:
        if per_query:
            show_table(results.per_query_table())
            click.echo()
        show_table(results.table())
