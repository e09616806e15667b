"""``rankproof standardize``."""

from __future__ import annotations

import click

from rankproof.cli.options import own_target_options, reading_options, threads_option

__all__ = ["standardize"]


@click.command()
@click.argument("data", nargs=-1, required=True)
@click.option(
    "-m",
    "--metric",
    required=True,
    metavar="METRIC",
    help="The metric to optimise, such as nDCG@10, or your own as my_metric.py:name (whose file is run).",
)
@click.option(
    "--noise",
    metavar="CONDITION",
    help="What you know about the noise in the labels (independent, 'one relevant', ...): some metrics have "
    "a target only under such a condition.",
)
@own_target_options
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
    lower_is_better: bool,
    ties: str | None,
    own_grades: int | None,
    nearest: bool,
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
    rankproof standardize train.txt --metric my_metric.py:revenue_at_3 -o targets.txt
    xzcat train.txt.xz | rankproof standardize - --metric nDCG@10 -o - > targets.txt
    """
    from dataclasses import replace

    from rankproof.cli.inputs import named_metrics, once_standard, read_rows
    from rankproof.cli.terminal import beside
    from rankproof.data.letor.read import write_letor
    from rankproof.data.scores import in_rows, write_scores
    from rankproof.metrics.parse import metric as parse_metric
    from rankproof.papers import sources_in
    from rankproof.targets.base import CONDITIONS, TRIED_ONLY, as_condition
    from rankproof.targets.choose import target_for, why_none

    # Refused before a large file is read.
    about_metric = {
        "lower_is_better": lower_is_better,
        "ties": ties,
        "own_grades": own_grades,
        "nearest": nearest,
    }
    (named,) = named_metrics([metric], **about_metric)
    parsed = parse_metric(named)
    target = target_for(parsed, noise=noise)
    once_standard((*data, *query_files))
    judged, order = read_rows(data, group=group, query_files=query_files)
    values = target.values(judged.labels, judged.offsets)
    if column:
        write_scores(in_rows(values, order), out)
    else:
        write_letor(replace(judged, labels=values), out)
    condition = None if noise is None else as_condition(noise)
    claims = target.claims_for(parsed)
    claim = next((c for c in claims if c.value is True or c.value == condition), None)
    say = beside(out)
    say(f"{target} of {judged.items} items in {judged.queries} queries: {out}")
    if claim is None:
        # Only the nearest of a metric without a target is one that is not claimed to be its target.
        say(f"not a target of {parsed}, as you asked. {why_none(parsed)}")
        return
    condition_text = "" if claim.value is True else f" if {CONDITIONS[str(claim.value)]}"
    limits = f"; {claim.limits}" if claim.limits else ""
    tried = "in all that was tried, " if claim.note == TRIED_ONLY else ""
    say(f"{tried}sorting by its mean optimises {parsed}{condition_text} ({claim.reference}{limits})")
    for short, paper in sources_in(claim.reference).items():
        say(f"{short}: {paper}")
