"""``rankproof card``."""

from __future__ import annotations

import click

__all__ = ["card"]


@click.command()
@click.argument("run")
@click.option("--json", "as_json", is_flag=True, help="Print card.json instead of Markdown.")
def card(run: str, as_json: bool) -> None:
    """Print the model card of RUN (a folder made by rankproof fit): what it takes to defend its numbers.

    The card has the metric, the loss and the verdict with its evidence, what the verdict presumes, digests of
    the data and the model, results with intervals, the parity of exports, and the command that makes the run
    again. It is refused when a file of the run is not the one that it was written for.

    \b
    rankproof card run/
    rankproof card run/ --json > card.json
    """
    import json

    from rankproof.runs.card import read_card
    from rankproof.runs.card_text import card_text

    content = read_card(run)
    click.echo(
        json.dumps(content, ensure_ascii=False, indent=2) if as_json else card_text(content), nl=as_json
    )
