"""``rankproof standardize``."""

from __future__ import annotations

import click

from rankproof.cli.options import reading_options, threads_option

__all__ = ["standardize"]


@click.command()
@click.argument("data", nargs=-1, required=True)
@click.option(
    "-m", "--metric", required=True, metavar="METRIC", help="The metric to optimise, such as nDCG@10."
)
@click.option(
    "--noise",
    metavar="CONDITION",
    help="What you know about the noise in the labels (independent, 'one relevant', ...): some metrics have "
    "a target only under such a condition.",
)
@click.option("--column", is_flag=True, help="Write only the targets, one per line.")
@click.option(
    "-o",
    "--out",
    required=True,
    metavar="FILE",
    help="The file to write; compressed if it ends in .gz, .bz2, .xz or .zst. - is standard output.",
)
@reading_options
@threads_option()
def standardize(
    data: tuple[str, ...],
    metric: str,
    noise: str | None,
    column: bool,
    out: str,
    group: bool,
    query_files: tuple[str, ...],
) -> None:
    """Write DATA (one or more files of LETOR text) with the labels replaced by the target of METRIC.

    The target is a number per item, computed from the labels of its query, such that sorting by its mean is
    optimal for METRIC. So plain least squares on it, in any engine, optimises METRIC, given unlimited data
    and a model that can represent any scores. A metric that has no target is refused, with the reason.

    \b
    rankproof standardize train.txt --metric nDCG@10 -o targets.txt
    rankproof standardize train.txt.gz --metric DCG@5 --column -o column.txt
    rankproof standardize train.txt --metric ERR --noise independent -o targets.txt
    xzcat train.txt.xz | rankproof standardize - --metric nDCG@10 -o - > targets.txt
    """
    from dataclasses import replace

    from rankproof.cli.inputs import once_standard, read_rows
    from rankproof.cli.terminal import beside
    from rankproof.data.letor.read import write_letor
    from rankproof.data.scores import in_rows, write_scores
    from rankproof.metrics.parse import metric as parse_metric
    from rankproof.papers import sources_in
    from rankproof.targets.base import CONDITIONS, as_condition
    from rankproof.targets.choose import target_for

    # Refused before a large file is read.
    parsed = parse_metric(metric)
    target = target_for(parsed, noise=noise)
    once_standard((*data, *query_files))
    judged, order = read_rows(data, group=group, query_files=query_files)
    values = target.values(judged.labels, judged.offsets)
    if column:
        write_scores(in_rows(values, order), out)
    else:
        write_letor(replace(judged, labels=values), out)
    condition = None if noise is None else as_condition(noise)
    claim = next(c for c in target.claims_for(parsed) if c.value is True or c.value == condition)
    condition_text = "" if claim.value is True else f" if {CONDITIONS[str(claim.value)]}"
    say = beside(out)
    say(f"{target} of {judged.items} items in {judged.queries} queries: {out}")
    say(f"sorting by its mean optimises {parsed}{condition_text} ({claim.reference})")
    for short, paper in sources_in(claim.reference).items():
        say(f"{short}: {paper}")
