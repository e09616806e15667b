"""``rankproof report``."""

from __future__ import annotations

import click

__all__ = ["report"]


@click.command()
@click.argument("run")
@click.option("-o", "--out", metavar="FILE", help="Where to write it. [default: report.html in RUN]")
def report(run: str, out: str | None) -> None:
    """Write the report of RUN (the folder that rankproof fit made) as one HTML file that needs no network.

    The model is scored again on the data that the run names, when these files are still there and unchanged;
    what needs them is left out otherwise.

    \b
    rankproof report run/
    rankproof report run/ -o nDCG.html
    """
    from rankproof.report.html import check_report_path
    from rankproof.report.pages.run import REPORT, write_run_report
    from rankproof.report.run_folder import read_run

    read_run(run)
    check_report_path(out if out is not None else f"{run}/{REPORT}")
    click.echo(f"report  {write_run_report(run, out)}")
