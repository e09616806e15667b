"""One model that several processes save and load at once: every load gives one of those saved."""

from __future__ import annotations

import multiprocessing
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import rankproof as rp
from shared.table import Losses

__all__ = ["save_and_load"]


def save_and_load(folder: Path, count: int) -> Iterator[Losses]:
    """Two processes save, two load, until there were ``count`` of each."""
    train, _ = rp.samples.diabetes_wards()
    rankers = [rp.LinearRanker("nDCG@10", l2=l2).fit(train.X, train.labels, qid=train.qids) for l2 in (1, 2)]
    place = folder / "model"
    rankers[0].save(place)
    context = multiprocessing.get_context("fork")
    stop, saves, loads = context.Event(), context.Value("l", 0), context.Value("l", 0)
    wrong: Any = context.Queue()
    known = {one.coef_.tobytes() for one in rankers}

    def save() -> None:
        turn = 0
        while not stop.is_set():
            try:
                rankers[turn % 2].save(place)
            except Exception as error:
                wrong.put(f"save: {type(error).__name__}: {error}")
            turn += 1
            with saves.get_lock():
                saves.value += 1

    def load() -> None:
        while not stop.is_set():
            try:
                if rp.load_model(place).coef_.tobytes() not in known:
                    wrong.put("a model that nobody saved")
            except Exception as error:
                wrong.put(f"load: {type(error).__name__}: {error}")
            with loads.get_lock():
                loads.value += 1
                if loads.value >= count and saves.value >= count:
                    stop.set()

    workers = [context.Process(target=work) for work in (save, save, load, load)]
    for one in workers:
        one.start()
    problems = []
    while any(one.is_alive() for one in workers) or not wrong.empty():
        try:
            problems.append(wrong.get(timeout=0.2))
        except Exception:  # noqa: S112  # nothing was wrong meanwhile
            continue
    for problem in problems[:5]:
        print(f"  {problem}", file=sys.stderr)
    crashed = sum(one.exitcode != 0 for one in workers)
    yield Losses(
        "saves and loads of one model at once: failed", len(problems) + crashed, saves.value + loads.value
    )
    left = [path.name for path in folder.iterdir() if path != place]
    yield Losses("saves and loads of one model at once: left behind", len(left), saves.value)
