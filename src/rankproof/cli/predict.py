"""``rankproof predict``."""

from __future__ import annotations

from typing import Any

import click

from rankproof.cli.options import reading_options, threads_option

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
    help="The file to write: a TREC run if it ends in .trec or .run, else a score file (one score per line). "
    "- is standard output.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["scores", "trec"]),
    help="A score file or a TREC run, whatever the name of FILE. [default: as the name says]",
)
@click.option("--tag", default="rankproof", show_default=True, help="The tag in a TREC run.")
@reading_options
@threads_option()
def predict(
    model: str,
    data: tuple[str, ...],
    out: str,
    form: str | None,
    tag: str,
    group: bool,
    query_files: tuple[str, ...],
) -> None:
    """Score DATA (LETOR text) with MODEL (the folder of a run or of a saved model).

    A TREC run needs document ids. If DATA has none, items are numbered from 0 within their query.

    \b
    rankproof predict run/ test.txt -o scores.txt
    rankproof predict run/ test.txt.gz -o run.trec
    cat test.txt | rankproof predict run/ - -o - --format trec | rankproof evaluate - --qrels qrels.txt
    """
    from rankproof.cli.inputs import once_standard, read_items
    from rankproof.cli.terminal import beside
    from rankproof.data.scores import in_rows, write_scores
    from rankproof.data.trec.write import write_run
    from rankproof.files import plain_name
    from rankproof.fit.saved.load import load_model
    from rankproof.runs.run_folder import check_model

    check_model(model)
    ranker = load_model(model)
    takes_missing = bool(ranker.__sklearn_tags__().input_tags.allow_nan)
    once_standard((*data, *query_files))
    items, order = read_items(
        data,
        features=int(ranker.n_features_in_),
        missing=takes_missing,
        group=group,
        query_files=query_files,
    )
    scores = ranker.predict(items.X, qid=items.qids)
    named_run = plain_name(out).suffix.lower() in _RUN_SUFFIXES
    if form == "trec" or (form is None and named_run):
        write_run(out, items.query_ids, _documents(items), scores, items.offsets, tag=tag)
    else:
        write_scores(in_rows(scores, order), out)
    beside(out)(f"{items.items} scores for {items.queries} queries: {out}")


def _documents(items: Any) -> list[str]:
    """The ids of the documents; the number in its query where an item has none."""
    import numpy as np

    numbers = (np.arange(items.items) - np.repeat(items.offsets[:-1], items.sizes)).tolist()
    ids = [""] * items.items if items.doc_ids is None else items.doc_ids.tolist()
    return [str(one) or str(number) for one, number in zip(ids, numbers, strict=True)]
