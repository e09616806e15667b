"""``rankproof standardize``."""

from __future__ import annotations

import click

from rankproof.cli.options import threads_option

__all__ = ["standardize"]


@click.command()
@click.argument("data", nargs=-1, required=True)
@click.option(
    "-m", "--metric", required=True, metavar="METRIC", help="The metric to optimise, such as nDCG@10."
)
@click.option(
    "--noise",
    metavar="CONDITION",
    help="A condition on the noise in the labels, for metrics that have a target only under one: "
    "independent, 'one relevant', ...",
)
@click.option("--column", is_flag=True, help="Write the targets alone, one a line, for the items in order.")
@click.option("-o", "--out", required=True, metavar="FILE", help="Where to write; packed as its suffix says.")
@threads_option()
def standardize(data: tuple[str, ...], metric: str, noise: str | None, column: bool, out: str) -> None:
    """Write DATA (LETOR text, several files as one) with the target of METRIC in place of the label.

    Plain least squares on that target, in any engine, optimises METRIC: sorting by the mean of the target is
    optimal. A metric without such a target is refused, with the theorem that says so.

    \b
    rankproof standardize train.txt --metric nDCG@10 -o targets.txt
    rankproof standardize train.txt.gz --metric DCG@5 --column -o column.txt
    rankproof standardize train.txt --metric ERR --noise independent -o targets.txt
    """
    from dataclasses import replace

    from rankproof.data.letor.read import read_letor, write_letor
    from rankproof.data.scores import write_scores
    from rankproof.metrics.parse import metric as parse_metric
    from rankproof.papers import sources_in
    from rankproof.targets.base import CONDITIONS, as_condition
    from rankproof.targets.choose import target_for

    # Refused before a large file is read.
    parsed = parse_metric(metric)
    target = target_for(parsed, noise=noise)
    judged = read_letor(list(data))
    values = target.values(judged.labels, judged.offsets)
    if column:
        write_scores(values, out)
    else:
        write_letor(replace(judged, labels=values), out)
    condition = None if noise is None else as_condition(noise)
    claim = next(c for c in target.claims_for(parsed) if c.value is True or c.value == condition)
    condition_text = "" if claim.value is True else f" if {CONDITIONS[str(claim.value)]}"
    click.echo(f"{target} of {judged.items} items in {judged.queries} queries: {out}")
    click.echo(f"sorting by its mean optimises {parsed}{condition_text} ({claim.reference})")
    for short, paper in sources_in(claim.reference).items():
        click.echo(f"{short}: {paper}")
