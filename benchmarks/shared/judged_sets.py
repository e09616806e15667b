"""The judged data sets of the boosting benchmarks, read where they lie, and their folds.

The folder is ``RANKPROOF_DATA``, or ``shared/data`` beside the checkout. LETOR sets come in five parts:
fold k trains on three, stops on the fourth and tests on the fifth. LightGBM's example comes as a training
and a test file: its folds differ in the fifth of the training queries that training stops on, and share the
test.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import numpy as np

import rankproof as rp
from rankproof.data.split import query_folds

__all__ = [
    "EXAMPLE",
    "LETOR",
    "SAMPLE",
    "SETS",
    "Fold",
    "fold_of",
    "folder",
    "inner_of",
    "present",
    "whole_of",
]

LETOR = ("mq2008", "ohsumed", "mq2007-partial")
EXAMPLE = "lightgbm-example"
SAMPLE = "mslr-sample"
SETS = (*LETOR, EXAMPLE)
FOLDS = 5
Fold = tuple[rp.RankingData, rp.RankingData, rp.RankingData]


def folder() -> Path:
    """Where the data sets lie."""
    return Path(os.environ.get("RANKPROOF_DATA", Path(__file__).parents[3] / "shared" / "data"))


def present() -> list[str]:
    """The data sets that are there."""
    return [name for name in SETS if (folder() / name).is_dir()]


@cache
def _letor(name: str, parts: tuple[int, ...]) -> rp.RankingData:
    return rp.read_letor([folder() / name / f"S{part + 1}.txt.xz" for part in parts], sparse=False)


@cache
def _example(part: str) -> rp.RankingData:
    return rp.read_letor(folder() / EXAMPLE / f"rank.{part}.xz", features=300, sparse=False)


def whole_of(name: str) -> rp.RankingData:
    """All queries of a data set that worlds are fitted to; of the example those of its training part."""
    if name == EXAMPLE:
        return _example("train")
    if name == SAMPLE:
        files = [folder() / name / f"{part}.txt.xz" for part in ("train", "test")]
        return rp.read_letor(files, sparse=False)
    return _letor(name, tuple(range(FOLDS)))


def fold_of(name: str, fold: int) -> Fold:
    """Training, validation and test data of a fold, 0 to 4."""
    if name == EXAMPLE:
        whole = _example("train")
        rest, stop = _numbers(whole, 0)[fold]
        return whole[rest], whole[stop], _example("test")
    turned = [(fold + k) % FOLDS for k in range(FOLDS)]
    return _letor(name, tuple(turned[:3])), _letor(name, (turned[3],)), _letor(name, (turned[4],))


def inner_of(name: str, fold: int, turn: int) -> tuple[rp.RankingData, rp.RankingData]:
    """What to train on and what to hold out, both from the training and validation part of a fold.

    Turn 0 holds out the validation part; the others (1 to 3) one of the three training parts in its place.
    """
    if name == EXAMPLE:
        whole = _example("train")
        rest, held = _numbers(whole, turn)[fold]
        return whole[rest], whole[held]
    parts = [(fold + k) % FOLDS for k in range(FOLDS - 1)]
    held_out = parts.pop(3 - turn)
    return _letor(name, tuple(parts)), _letor(name, (held_out,))


def _numbers(data: rp.RankingData, seed: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """The queries of each of five folds: the others, and those of the fold."""
    return query_folds(data, FOLDS, seed=seed, index=True)
