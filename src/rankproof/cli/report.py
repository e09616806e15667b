"""``rankproof report``."""

from __future__ import annotations

from pathlib import Path

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
    from rankproof.cli.commands import fit_command
    from rankproof.report.html import check_report_path, write_report
    from rankproof.report.pages.run import REPORT, run_report
    from rankproof.runs.review import read_record
    from rankproof.runs.run_folder import read_run

    read_run(run)
    place = Path(run) / REPORT if out is None else Path(out)
    check_report_path(place)
    record = read_record(run)
    write_report(run_report(record, fit_command(record.facts, run)), place)
    click.echo(f"report  {place}")
