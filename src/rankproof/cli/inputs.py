"""What commands read: runs with judgments, score files with data, and data to train on."""

from __future__ import annotations

from typing import Any

import click

__all__ = ["load", "read_items"]


def load(paths: tuple[str, ...], qrels: str | None, data: str | None) -> tuple[dict[str, Any], Any]:
    """Runs with qrels, or score files with LETOR data: name -> scores, and what to judge them by."""
    if not paths:
        raise click.UsageError("Name a run (with --qrels) or a score file (with --data), or try --example.")
    if (qrels is None) == (data is None):
        raise click.UsageError(
            "Give --qrels FILE for TREC runs, or --data FILE for score files (one of the two)."
        )
    names = _names(paths)
    if qrels is not None:
        from rankproof.data.trec.read import read_qrels, read_run

        return {name: read_run(path) for name, path in zip(names, paths, strict=True)}, read_qrels(qrels)
    from rankproof.data.letor.read import read_letor
    from rankproof.data.scores import read_scores
    from rankproof.errors import DataError

    judged = read_letor(str(data))
    scores = {name: read_scores(path) for name, path in zip(names, paths, strict=True)}
    for path, one in zip(paths, scores.values(), strict=True):
        if one.size != judged.items:
            raise DataError(f"{path} holds {one.size} scores, but {data} has {judged.items} items.")
    return scores, judged


def read_items(
    paths: tuple[str, ...],
    features: int | None = None,
    *,
    missing: bool = False,
) -> Any:
    """LETOR files, several as one, with features that a model can compute with.

    None of them is infinite, and none is NaN unless the model takes ``missing`` values.
    """
    import numpy as np

    from rankproof.data.letor.read import read_letor
    from rankproof.errors import DataError

    items = read_letor(list(paths), features=features)
    named = ", ".join(paths)
    if items.X is None or not items.features:
        raise DataError(
            f"{named}: there are no features. A row is written LABEL qid:QUERY 1:VALUE 2:VALUE ..."
        )
    values = items.X if isinstance(items.X, np.ndarray) else items.X.data
    wrong = np.isinf(values) if missing else ~np.isfinite(values)
    if wrong.any():
        what = "infinite" if missing else "missing (nan) or infinite"
        raise DataError(
            f"{named}: {int(wrong.sum())} feature values are {what}. The model cannot compute with them; put "
            "numbers in their place."
        )
    return items


def _names(paths: tuple[str, ...]) -> list[str]:
    """Short names where they differ: file names without suffix, else the paths as given."""
    from pathlib import PurePath

    short = [PurePath(p).name.split(".")[0] or p for p in paths]
    for candidate in (short, [PurePath(p).name for p in paths], list(paths)):
        if len(set(candidate)) == len(candidate):
            return candidate
    raise click.UsageError("The same file is named twice.")
