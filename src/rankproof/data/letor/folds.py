"""Folds that a data set ships with: directories ``Fold1`` ... ``Fold5``, each with three files.

LETOR 4.0 and MSLR call the files ``train.txt``, ``vali.txt``, ``test.txt``; LETOR 3.0 ``trainingset.txt``,
``validationset.txt``, ``testset.txt``. Both are found, in any case, and compressed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from os import PathLike
from pathlib import Path
from typing import NamedTuple

from rankproof.data.ranking import RankingData
from rankproof.data.split import Split
from rankproof.errors import ArgumentError, DataError

__all__ = ["FoldPaths", "find_folds", "read_folds"]

PARTS = {
    "train": r"train(ing)?(set)?",
    "valid": r"vali(d(ation)?)?(set)?",
    "test": r"test(ing)?(set)?",
}
ENDING = r"\.txt(\.(gz|bz2|xz|zst))?"


class FoldPaths(NamedTuple):
    """The three files of one fold."""

    train: Path
    valid: Path
    test: Path


def find_folds(directory: str | PathLike[str]) -> list[FoldPaths]:
    """The files of the folds in ``directory``, in the order of their numbers.

    Folds are the directories named ``Fold`` and a number, in any case; the numbers must run from 1 without a
    gap, so that a result over "all folds" is not one over those that happened to be there. Each must hold one
    file of each part: ``train`` (or ``trainingset``), ``vali`` (``valid``, ``validation``, ``validationset``)
    and ``test`` (``testset``), ending in ``.txt``, ``.txt.gz``, ``.txt.bz2``, ``.txt.xz`` or ``.txt.zst``.

    Parameters
    ----------
    directory : str or path
        The folder that holds ``Fold1``, ``Fold2`` and so on; anything else in it is ignored.

    Returns
    -------
    list of FoldPaths
        With the fields ``train``, ``valid`` and ``test``: the paths of the files.

    Examples
    --------
    >>> import tempfile
    >>> root = Path(tempfile.mkdtemp())
    >>> (root / "Fold1").mkdir()
    >>> for part in ("train", "vali", "test"):
    ...     _ = (root / "Fold1" / f"{part}.txt").write_text("1 qid:1 1:0.5\\n")
    >>> [path.name for path in find_folds(root)[0]]
    ['train.txt', 'vali.txt', 'test.txt']
    """
    root = Path(directory)
    if not root.is_dir():
        raise ArgumentError(f"Argument directory of find_folds must be a directory, got {str(root)!r}.")
    folders: dict[int, Path] = {}
    for path in sorted(root.iterdir()):
        match = re.fullmatch(r"fold[ _-]?(\d+)", path.name, re.IGNORECASE)
        if match and path.is_dir():
            number = int(match[1])
            if number in folders:
                raise DataError(
                    f"{root}: fold {number} is there twice, {folders[number].name} and {path.name}."
                )
            folders[number] = path
    if not folders:
        inside = ", ".join(sorted(path.name for path in root.iterdir())[:8]) or "nothing"
        raise DataError(f"{root}: there is no directory Fold1, Fold2, ...; it holds {inside}.")
    gaps = [f"Fold{number}" for number in range(1, max(folders)) if number not in folders]
    if gaps or 0 in folders:
        there = ", ".join(folders[number].name for number in sorted(folders))
        raise DataError(
            f"{root}: folds must be numbered from 1 without a gap, got {there}"
            + (f"; {', '.join(gaps)} is missing." if gaps else ".")
        )
    return [FoldPaths(*(_find_part(folders[number], part) for part in PARTS)) for number in sorted(folders)]


def _find_part(fold: Path, part: str) -> Path:
    there = sorted(path for path in fold.iterdir() if path.is_file())
    fitting = [path for path in there if re.fullmatch(PARTS[part] + ENDING, path.name, re.IGNORECASE)]
    if len(fitting) > 1:
        names = ", ".join(path.name for path in fitting)
        raise DataError(f"{fold}: more than one file could be the {part} part: {names}. Keep one of them.")
    if not fitting:
        usual = {"train": "train.txt", "valid": "vali.txt", "test": "test.txt"}[part]
        names = ", ".join(path.name for path in there) or "no files"
        raise DataError(
            f"{fold}: the {part} part is missing: there is no {usual} (or its compressed form), only {names}."
        )
    return fitting[0]


def read_folds(directory: str | PathLike[str]) -> Iterator[Split]:
    """The folds of ``directory``, read one at a time; all files are looked for before the first is read.

    Parameters
    ----------
    directory : str or path
        See `find_folds`.

    Returns
    -------
    iterator of Split
        With the fields ``train``, ``valid`` and ``test``, each a `RankingData`.

    Examples
    --------
    >>> import tempfile
    >>> root = Path(tempfile.mkdtemp())
    >>> (root / "Fold1").mkdir()
    >>> for part in ("train", "vali", "test"):
    ...     _ = (root / "Fold1" / f"{part}.txt").write_text("1 qid:1 1:0.5\\n")
    >>> [fold.test for fold in read_folds(root)]
    [RankingData(1 queries, 1 items, 1 features)]
    """
    folds = find_folds(directory)
    return (_read(paths) for paths in folds)


def _read(paths: FoldPaths) -> Split:
    from rankproof.data.letor.read import read_letor

    parts: list[RankingData] = [read_letor(path) for path in paths]
    return Split(*parts)
