"""``rankproof replay``."""

from __future__ import annotations

import click

__all__ = ["replay"]


@click.command()
@click.argument("file")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def replay(file: str, as_json: bool) -> None:
    """Check the evidence in FILE again, on its own: with fractions and interval bounds, without the rules.

    FILE was written by rankproof certify --evidence FILE (or --json).

    \b
    rankproof certify listnet --metric nDCG@10 --evidence why.json
    rankproof replay why.json

    Exit status: 0 when every piece of evidence holds, 1 when one does not, 3 for wrong use or a damaged file.
    """
    import json

    from rankproof.theory.replay import replay_file

    found = replay_file(file)
    if as_json:
        click.echo(json.dumps(found.to_json(), ensure_ascii=False))
    else:
        click.echo(found)
    click.get_current_context().exit(0 if found.holds else 1)
