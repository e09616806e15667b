"""``rankproof standardize``."""

from __future__ import annotations

from typing import Any

import click

from rankproof.cli.column_options import column_options, feature_options
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
    help="The file to write: LETOR text, or a table if it ends in .parquet, .arrow, .feather, .csv, .tsv or "
    ".npz; compressed if it ends in .gz, .bz2, .xz or .zst. - is standard output.",
)
@column_options
@feature_options
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
    **columns: Any,
) -> None:
    """Write DATA (LETOR text or tables) with the labels replaced by the target of METRIC.

    The target is a number per item, computed from the labels of its query, such that sorting by its mean is
    optimal for METRIC. So plain least squares on it, in any engine, optimises METRIC, given unlimited data
    and a model that can represent any scores. A metric that has no target is refused, with the reason.

    \b
    rankproof standardize train.txt --metric nDCG@10 -o targets.txt
    rankproof standardize train.parquet --query session --label clicks --metric nDCG@10 -o targets.parquet
    rankproof standardize train.txt.gz --metric DCG@5 --column -o column.txt
    rankproof standardize train.txt --metric ERR --noise independent -o targets.txt
    rankproof standardize train.txt --metric my_metric.py:revenue_at_3 -o targets.txt
    xzcat train.txt.xz | rankproof standardize - --metric nDCG@10 -o - > targets.txt
    """
    from dataclasses import replace

    from rankproof.cli.column_options import request_of
    from rankproof.cli.inputs import named_metrics, once_standard, read_rows
    from rankproof.cli.terminal import beside
    from rankproof.data.forms.write import form_by_name, write_data
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
    form = form_by_name(out) or "letor"
    once_standard((*data, *query_files))
    request, features = request_of(columns)
    if column:
        request = replace(request, features=request.features or ())
    judged, order, taken = read_rows(
        data, features, group=group, query_files=query_files, request=request, judged=True
    )
    values = target.values(judged.labels, judged.offsets)
    if column:
        write_scores(in_rows(values, order), out)
    elif form == "letor":
        write_letor(replace(judged, labels=values), out)
    else:
        write_data(out, replace(judged, labels=values), form, names=taken)
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
