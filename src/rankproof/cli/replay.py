"""``rankproof replay``."""

from __future__ import annotations

import click

__all__ = ["replay"]


@click.command()
@click.argument("file")
@click.option(
    "--run-code",
    is_flag=True,
    help="Run the Python file of a loss that the evidence names: only if you trust it.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def replay(file: str, run_code: bool, as_json: bool) -> None:
    """Check the evidence in FILE again, on its own: with fractions and interval bounds, without the rules.

    FILE was written by rankproof certify --evidence FILE (or --json).

    \b
    rankproof certify listnet --metric nDCG@10 --evidence why.json
    rankproof replay why.json

    Exit status: 0 when every piece of evidence holds, 1 when one does not, 3 for wrong use or a damaged file.
    """
    from rankproof.theory.replay.replay import CodeNotRunError, replay_file

    try:
        outcome = replay_file(file, run_code=run_code)
    except CodeNotRunError as error:
        raise click.UsageError(
            f"{file} is about the loss {error.place!r}, and to check it the file {error.file!r} has to be "
            "run. Evidence may name any file: read it, and if you trust it, add --run-code."
        ) from error
    if as_json:
        click.echo(outcome.to_json())
    else:
        click.echo(outcome)
    click.get_current_context().exit(0 if outcome.holds else 1)
