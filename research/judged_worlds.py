"""The plasmode worlds of the judged data sets, each fitted once and kept, and what is drawn from them."""

from __future__ import annotations

import os
import tempfile
from functools import lru_cache
from pathlib import Path

import benchmark_path  # noqa: F401  (finds shared)
import rankproof as rp
from shared.judged_sets import EXAMPLE, LETOR, SAMPLE, whole_of

__all__ = ["METRICS", "WORLDS", "digest", "test", "training", "world_of"]

WORLDS = (*LETOR, EXAMPLE, SAMPLE)
METRICS = {"nDCG@10": "nDCG(empty=0)@10", "nDCG": "nDCG(empty=0)", "AP": "AP(empty=0)", "ERR": "ERR(empty=0)"}
FOLDER = Path(os.environ.get("RANKPROOF_WORLDS", Path(tempfile.gettempdir()) / "rankproof-worlds"))
TEST_QUERIES, DRAWS = 2000, 32


@lru_cache(maxsize=1)
def world_of(name: str) -> rp.synthetic.PlasmodeWorld:
    """The world of a data set: fitted once, and kept in a file named after the data set."""
    place = FOLDER / f"{name}.world"
    if not place.exists():
        place.parent.mkdir(parents=True, exist_ok=True)
        rp.synthetic.PlasmodeWorld.fit(whole_of(name)).save(place)
    return rp.synthetic.PlasmodeWorld.load(place)


def digest(name: str) -> str:
    """What tells the runs on this world from those on another world of the same data."""
    return world_of(name).digest[:12]


@lru_cache(maxsize=1)
def training(name: str, queries: int, replicate: int) -> rp.RankingData:
    """The training queries of a replicate."""
    return world_of(name).sample(queries, seed=1000 + replicate)


@lru_cache(maxsize=1)
def test(name: str, replicate: int) -> rp.synthetic.DrawnData:
    """The test queries of a replicate."""
    return world_of(name).sample_with_draws(TEST_QUERIES, seed=2000 + replicate, draws=DRAWS)
