"""``rankproof report``."""

from __future__ import annotations

from pathlib import Path

import click

__all__ = ["report"]


@click.command()
@click.argument("run")
@click.option("-o", "--out", metavar="FILE", help="The file to write. [default: report.html in RUN]")
@click.option(
    "--run-code",
    is_flag=True,
    help="If the metric of RUN is your own, run its file to compute it again. Read the file first if RUN "
    "comes from someone else.",
)
def report(run: str, out: str | None, run_code: bool) -> None:
    """Write the report of RUN (a folder made by rankproof fit) as one HTML file that works offline.

    The model is scored again on the data files of the run. If they are missing or have changed, the parts of
    the report that need them are left out.

    \b
    rankproof report run/
    rankproof report run/ -o nDCG.html
    """
    from rankproof.cli.commands import fit_command
    from rankproof.cli.terminal import beside
    from rankproof.report.html import check_report_path, write_report
    from rankproof.report.pages.run import REPORT, run_report
    from rankproof.runs.review import read_record
    from rankproof.runs.run_folder import read_run

    read_run(run)
    place = Path(run) / REPORT if out is None else Path(out)
    check_report_path(place)
    record = read_record(run, run_code=run_code)
    write_report(run_report(record, fit_command(record.facts, run)), place)
    beside(str(place))(f"report  {place}")
