"""``rankproof predict``."""

from __future__ import annotations

from typing import Any

import click

from rankproof.cli.options import threads_option

__all__ = ["predict"]

_RUN_SUFFIXES = (".trec", ".run")


@click.command()
@click.argument("model")
@click.argument("data", nargs=-1, required=True)
@click.option(
    "-o",
    "--out",
    required=True,
    metavar="FILE",
    help="A name that ends in .trec or .run becomes a TREC run, any other a score file (one score a line).",
)
@click.option("--tag", default="rankproof", show_default=True, help="The tag of a TREC run.")
@threads_option()
def predict(model: str, data: tuple[str, ...], out: str, tag: str) -> None:
    """Write the scores that MODEL (the folder of a run, or of a saved model) gives to DATA (LETOR text).

    A TREC run names documents by their ids; where DATA has none, by the number of the item in its query,
    from 0.

    \b
    rankproof predict run/ test.txt -o scores.txt
    rankproof predict run/ test.txt.gz -o run.trec
    """
    from rankproof.cli.inputs import read_items
    from rankproof.data.scores import write_scores
    from rankproof.data.trec.write import write_run
    from rankproof.files import plain_name
    from rankproof.fit.saved.load import load_model
    from rankproof.runs.run_folder import check_model

    check_model(model)
    ranker = load_model(model)
    takes_missing = bool(ranker.__sklearn_tags__().input_tags.allow_nan)
    items = read_items(data, features=int(ranker.n_features_in_), missing=takes_missing)
    scores = ranker.predict(items.X, qid=items.qids)
    if plain_name(out).suffix.lower() in _RUN_SUFFIXES:
        write_run(out, items.query_ids, _documents(items), scores, items.offsets, tag=tag)
    else:
        write_scores(scores, out)
    click.echo(f"{items.items} scores for {items.queries} queries: {out}")


def _documents(items: Any) -> list[str]:
    """The ids of the documents; the number in its query where an item has none."""
    import numpy as np

    numbers = (np.arange(items.items) - np.repeat(items.offsets[:-1], items.sizes)).tolist()
    ids = [""] * items.items if items.doc_ids is None else items.doc_ids.tolist()
    return [str(one) or str(number) for one, number in zip(ids, numbers, strict=True)]
