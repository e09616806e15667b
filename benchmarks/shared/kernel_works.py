"""The work by which two checkouts are compared: our side of `metrics`, `letor`, `losses` and `linear`.

A work is a function without arguments that computes and returns arrays. It is made of public names, so that
it runs with the package of any checkout; the one that is not public is looked for where it was and is.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import rankproof as rp
from shared.made_data import equal_lists, featured_queries, scored_queries

__all__ = ["GROUPS", "Sizes", "Work", "works"]

Work = Callable[[], list[Any]]
GROUPS = ("metrics", "letor", "losses", "linear")
PAIRWISE = (
    "order-preserving(margin=squared-hinge)",
    "order-preserving(margin=huber)",
    "preorder(margin=squared-hinge)",
    "preorder(margin=huber)",
)
LINEAR = ("squared", "softmax", "order-preserving(margin=huber)")
OBJECTIVE_PLACES = ("rankproof.fit.linear.model", "rankproof.fit.model")


class Sizes(NamedTuple):
    """How much data there is."""

    queries: int
    items: int


def works(group: str, sizes: Sizes, files: Path) -> Iterator[tuple[str, Work]]:
    """The works of a group, by name; ``files`` holds those that are read."""
    makers = {"metrics": _metrics, "letor": _letor, "losses": _losses, "linear": _linear}
    return makers[group](sizes, files)


def _metrics(sizes: Sizes, files: Path) -> Iterator[tuple[str, Work]]:
    scores, data = scored_queries(sizes.queries)
    pair = ["nDCG(gain=linear)@10", "AP"]
    every = [cls() for cls in rp.metrics.METRICS.values()]

    def values(metrics: Any) -> list[Any]:
        return list(rp.evaluate(scores, data, metrics).mean.values())

    def from_disk() -> list[Any]:
        run, qrels = rp.read_run(files / "run.trec"), rp.read_qrels(files / "qrels.txt")
        return list(rp.evaluate(run, qrels, pair).mean.values())

    yield "nDCG@10 + AP", partial(values, pair)
    yield "all metrics", partial(values, every)
    yield "TREC files to means", from_disk


def _letor(_: Sizes, files: Path) -> Iterator[tuple[str, Work]]:
    def read(path: Path) -> list[Any]:
        data = rp.read_letor(path)
        return [data.X, data.labels, data.offsets]

    for path in sorted(files.glob("*.letor")):
        yield f"read LETOR text, {path.stem}", partial(read, path)


def _losses(sizes: Sizes, _: Path) -> Iterator[tuple[str, Work]]:
    def evaluate(name: str, scores: np.ndarray, labels: np.ndarray, offsets: np.ndarray) -> list[Any]:
        result = rp.loss(name).fast(scores, labels, offsets, hessian=True)
        return [result.per_query, result.gradient, result.hessian]

    lists, long = equal_lists(sizes.queries, 120), equal_lists(1, 100 * sizes.queries)
    for name in PAIRWISE:
        yield name, partial(evaluate, name, *lists)
    for name in PAIRWISE[1::2]:
        yield f"{name}, one query of {long[0].size:,} items", partial(evaluate, name, *long)


def _linear(sizes: Sizes, _: Path) -> Iterator[tuple[str, Work]]:
    data = featured_queries(sizes.items)

    def evaluate(objective: Any, point: np.ndarray) -> list[Any]:
        return list(objective.evaluate(point))

    def fit(name: str) -> list[Any]:
        ranker = rp.LinearRanker("nDCG@10", loss=name, scale="none", l2=1e-3, max_iter=10, tol=1e-9)
        return [ranker.fit(data.X, data.labels, data.qids).coef_]

    for name in LINEAR:
        objective = _objective(data, name)
        point = np.zeros(objective.size)
        point[:136] = 0.1 * np.random.default_rng(1).standard_normal(136)
        yield f"evaluation with {name}", partial(evaluate, objective, point)
    yield "ten iterations of a fit with softmax", partial(fit, "softmax")


def _objective(data: rp.RankingData, name: str) -> Any:
    """The objective of a linear ranker; where it is made, and from what, differs between checkouts."""
    for place in OBJECTIVE_PLACES:
        try:
            build = import_module(place).build_objective
        except ImportError:
            continue
        more = {"threads": None} if "threads" in inspect.signature(build).parameters else {}
        return build(data, rp.loss(name, metric="nDCG@10"), scale="none", l2=1e-3, **more)[0]
    raise SystemExit(f"No build_objective in {', '.join(OBJECTIVE_PLACES)}: name its new place here.")
