"""``rankproof compare``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import click

from rankproof.cli.options import (
    DEFAULT_METRICS,
    data_options,
    example_files,
    load,
    metric_option,
    output_options,
    refuse_uncounted,
)

if TYPE_CHECKING:
    from rankproof.evaluation.compare import Comparison

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
@click.option("--report", metavar="FILE", help="Also write a report: one HTML file that needs no network.")
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
    report: str | None,
    output: str | None,
) -> None:
    """Compare RUNS (TREC runs with --qrels, score files with --data) on the same queries.

    A winner is named only when the test shows one, after Holm's correction over all pairs.

    \b
    rankproof compare --example
    rankproof compare a.trec b.trec c.trec --qrels qrels.txt -m nDCG@10 -m AP
    rankproof compare a.txt b.txt --data test.txt -m nDCG@10 --test t --json
    rankproof compare a.trec b.trec --qrels qrels.txt --report comparison.html
    """
    from rankproof.cli.show import show_table
    from rankproof.cli.warm import warm_up
    from rankproof.evaluation.compare import compare as run_compare
    from rankproof.evaluation.run import metric_list

    if example:
        if runs or qrels or data:
            raise click.UsageError("--example brings its own runs and judgments; leave out the files.")
        files = example_files()
        runs, qrels = (files["bm25.trec"], files["ranker.trec"]), files["qrels.txt"]
    if len(runs) == 1:
        raise click.UsageError("A comparison needs at least two runs.")
    if report is not None:
        from rankproof.report.html import check_report_path

        check_report_path(report)
    chosen = metrics or DEFAULT_METRICS
    # Refused before a large file is read.
    metric_list(chosen)
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
    refuse_uncounted(next(iter(found.results.values())).counted, str(qrels or data))
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
    if report is not None:
        counted = {"convention": convention, "missing": missing, "threads": threads}
        named = (*runs, *(path for path in (qrels, data) if path))
        _write_report(report, found, systems, judged, named, counted)
        if output is None:
            click.echo(f"\nreport  {report}")


def _write_report(
    path: str,
    found: Comparison,
    systems: dict[str, Any],
    judged: Any,
    files: tuple[str, ...],
    counted: dict[str, Any],
) -> None:
    from rankproof.cli.options import given_command
    from rankproof.report.digest import sha256_of
    from rankproof.report.html import write_report
    from rankproof.report.pages.comparison import comparison_report

    digests = {name: sha256_of(name) for name in files}
    made = comparison_report(
        found, systems, judged, command=given_command(without=("report",)), files=digests, **counted
    )
    write_report(made, path)
