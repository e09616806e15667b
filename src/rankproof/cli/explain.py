"""``rankproof explain``."""

from __future__ import annotations

import click

from rankproof.cli.options import data_options, own_metric_options

__all__ = ["explain"]


@click.command()
@click.argument("metric")
@click.argument("run", required=False)
@click.option("--query", metavar="ID", help="The id of the query to explain.")
@own_metric_options
@data_options
@click.option("--scores", metavar="FILE", help="Scores for the items of --data, one per line.")
@click.option("--example", is_flag=True, help="Explain the example run that comes with rankproof.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def explain(
    metric: str,
    run: str | None,
    query: str | None,
    lower_is_better: bool,
    ties: str | None,
    qrels: str | None,
    data: str | None,
    scores: str | None,
    convention: str,
    missing: str | None,  # noqa: ARG001 - shared option; one query is never missing
    depth: int | None,
    group: bool,
    query_files: tuple[str, ...],
    example: bool,
    as_json: bool,
) -> None:
    """Show how METRIC of one query is computed, rank by rank.

    \b
    rankproof explain nDCG@5 --example --query q3
    rankproof explain AP run.trec --qrels qrels.txt --query 301 --as trec_eval
    rankproof explain nDCG@10 --data test.txt --scores scores.txt --query 18219
    """
    from rankproof.cli.inputs import load, named_metrics
    from rankproof.cli.terminal import show_table
    from rankproof.data.samples import example_files
    from rankproof.evaluation.explain import explain as run_explain

    if example:
        files = example_files()
        run, qrels = files["ranker.trec"], files["qrels.txt"]
    if query is None:
        raise click.UsageError("Give the query to explain: --query ID.")
    (named,) = named_metrics([metric], lower_is_better=lower_is_better, ties=ties)
    path = run or scores
    systems, judged = load((path,) if path else (), qrels, data, group=group, query_files=query_files)
    (system,) = systems.values()
    explained = run_explain(named, system, judged, query=query, convention=convention, depth=depth)
    if as_json:
        click.echo(explained.to_json())
    else:
        title = f"{explained.metric} of query {explained.query} ({explained.convention})"
        show_table(explained.table(), title=title)
