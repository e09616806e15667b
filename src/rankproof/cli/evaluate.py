"""``rankproof evaluate``."""

from __future__ import annotations

from typing import Literal

import click

from rankproof.cli.options import (
    DEFAULT_METRICS,
    data_options,
    metric_option,
    output_options,
)
from rankproof.evaluation.defaults import LEVEL, SEED

__all__ = ["evaluate"]


@click.command()
@click.argument("run", required=False)
@metric_option
@data_options
@click.option("--scores", metavar="FILE", help="Scores, one per line, for the items of --data.")
@click.option("--per-query", is_flag=True, help="One row per query.")
@click.option("--bounds", is_flag=True, help="Also the worst and best value over all ways to break ties.")
@click.option(
    "--level", type=float, default=LEVEL, show_default=True, help="Level of the bootstrap interval."
)
@click.option("--seed", type=int, default=SEED, show_default=True, help="Seed of the bootstrap.")
@click.option("--example", is_flag=True, help="Evaluate the small run that is shipped with rankproof.")
@output_options
def evaluate(
    run: str | None,
    metrics: tuple[str, ...],
    qrels: str | None,
    data: str | None,
    scores: str | None,
    convention: str,
    missing: Literal["zero", "skip"] | None,
    per_query: bool,
    bounds: bool,
    level: float,
    seed: int,
    example: bool,
    output: str | None,
) -> None:
    """Metrics of RUN, exact under ties, with interval, baselines and counts.

    \b
    rankproof evaluate --example
    rankproof evaluate run.trec --qrels qrels.txt -m nDCG@10 -m AP -m 'ERR(max_grade=2)@20'
    rankproof evaluate run.trec --qrels qrels.txt -m nDCG@10 --as trec_eval --per-query
    rankproof evaluate --data test.txt --scores scores.txt -m nDCG@10 --bounds --json
    """
    from rankproof.cli.compile_ahead import compile_ahead
    from rankproof.cli.inputs import load
    from rankproof.cli.terminal import show_table
    from rankproof.data.samples import example_files
    from rankproof.evaluation.evaluate import evaluate as run_evaluate
    from rankproof.evaluation.evaluate import metric_list, refuse_uncounted

    if example:
        if run or qrels or data or scores:
            raise click.UsageError("--example brings its own run and judgments; leave out the files.")
        files = example_files()
        run, qrels = files["ranker.trec"], files["qrels.txt"]
    if run and scores:
        raise click.UsageError("Give a run or --scores, not both.")
    path = run or scores
    chosen = metrics or DEFAULT_METRICS
    # Refused before a large file is read.
    metric_list(chosen)
    ready = compile_ahead(chosen, convention)
    systems, judged = load((path,) if path else (), qrels, data)
    (system,) = systems.values()
    ready()
    results = run_evaluate(
        system,
        judged,
        chosen,
        convention=convention,
        bounds=bounds,
        missing=missing,
        level=level,
        seed=seed,
    )
    refuse_uncounted(results.counted, str(qrels or data))
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
