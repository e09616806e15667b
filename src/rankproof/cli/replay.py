"""``rankproof replay``."""

from __future__ import annotations

import click

__all__ = ["replay"]


@click.command()
@click.argument("file")
@click.option(
    "--run-code",
    is_flag=True,
    help="Run the Python file of your own loss or metric that the evidence names. Only if you trust it.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def replay(file: str, run_code: bool, as_json: bool) -> None:
    """Check the evidence in FILE again, independently of the code that produced it, with exact arithmetic.

    FILE was written by rankproof certify with --evidence FILE (or --json). If it holds a demonstration, the
    engine is trained again and must end at orders that lose the same; that is a repetition, not a proof.

    \b
    rankproof certify listnet --metric nDCG@10 --evidence why.json
    rankproof replay why.json

    Exit status: 0 if all evidence holds, 1 if some does not, 2 if a demonstration could not be trained again
    because its engine is not installed, 3 for wrong usage or a damaged file.
    """
    from rankproof.cli.replay_engine import replay_if_engine
    from rankproof.files import open_bytes
    from rankproof.theory.replay.replay import CodeNotRunError, replay_content

    # Once: what comes through a pipe cannot be read again.
    content = bytes(open_bytes(file))
    trained = replay_if_engine(file, content, run_code)
    if trained is not None:
        click.echo(trained.to_json() if as_json else trained)
        click.get_current_context().exit(trained.exit_status)
    try:
        outcome = replay_content(content, file, run_code=run_code)
    except CodeNotRunError as error:
        raise click.UsageError(
            f"{file} is about the loss {error.place!r}. Checking it means running the file {error.file!r}. "
            "Read that file, and if you trust it, add --run-code."
        ) from error
    if as_json:
        click.echo(outcome.to_json())
    else:
        click.echo(outcome)
    click.get_current_context().exit(0 if outcome.holds else 1)
