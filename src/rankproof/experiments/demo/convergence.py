"""First scene: the regret of losses against the size of the sample, down to what each converges to.

The regret is what the learnt ranking loses to the best possible one, in the mean over the kinds of queries.
It is computed from the law of the world, not estimated. A consistent loss goes to 0; an inconsistent one
levels off.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from statistics import mean
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankproof.data.ranking import RankingData
from rankproof.evaluation.tables import as_html
from rankproof.experiments.demo.world import ambiguous_world, draw_counted
from rankproof.feedback import Law
from rankproof.fit.linear.ranker import LinearRanker
from rankproof.losses.base import Loss
from rankproof.losses.parse import loss as loss_of
from rankproof.metrics.base import Metric
from rankproof.plain import json_text
from rankproof.theory.base.risk import regret, risks
from rankproof.theory.minima.minimise import minimise
from rankproof.worlds.finite import FiniteWorld

__all__ = ["LOSSES", "SIZES", "Curve", "Scene", "regret_curves", "rounded"]

SIZES = (100, 300, 1_000, 3_000, 10_000, 30_000, 100_000)
DRAWS = 5
# What is trained, by the name people know it by.
LOSSES = {
    "softmax on the nDCG target": "softmax:nDCG",
    "regression on raw gains": "squared:gain",
    "ListNet": "listnet",
    "XE-NDCG": "xe-ndcg",
    "RankNet": "RankNet",
    "ListMLE": "listmle",
}
LAMBDARANK = "lambdarank (LightGBM)"
# So little penalty that it does not show, but scores that would grow without end stay finite.
L2 = 1e-7
# Scores nearer than this share of their spread are ties: the solver stops at about a thousandth of it.
TIED = 1e-6


@dataclass(frozen=True)
class Curve:
    """One loss: the mean regret at each sample size, and what it converges to (None where not known)."""

    name: str
    loss: str
    regrets: tuple[float, ...]
    limit: float | None
    missed: int | None

    @property
    def consistent(self) -> bool:
        """Whether it converges to the best rankings of this world."""
        return self.limit == 0.0


@dataclass(frozen=True)
class Scene:
    """All curves, and the world they were drawn in."""

    metric: str
    seed: int
    sizes: tuple[int, ...]
    draws: int
    laws: tuple[Law, ...]
    best: float
    curves: tuple[Curve, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain data; the laws as `Law.to_dict` has them."""
        return {
            "metric": self.metric,
            "seed": self.seed,
            "sizes": list(self.sizes),
            "draws": self.draws,
            "best": self.best,
            "laws": [law.to_dict() for law in self.laws],
            "curves": [
                {**asdict(curve), "regrets": list(curve.regrets), "consistent": curve.consistent}
                for curve in self.curves
            ],
        }

    def to_json(self) -> str:
        """`to_dict` as JSON text."""
        return json_text(self.to_dict())

    def to_frame(self, backend: str = "pandas") -> Any:
        """A pandas, polars or pyarrow frame: one row per loss and sample size."""
        from rankproof.data.frames import frame_of

        columns: dict[str, NDArray[Any]] = {
            "loss": np.repeat([curve.name for curve in self.curves], len(self.sizes)),
            "queries": np.tile(np.array(self.sizes), len(self.curves)),
            "regret": np.concatenate([np.array(curve.regrets) for curve in self.curves]),
        }
        return frame_of(columns, backend)

    def _repr_html_(self) -> str:
        from rankproof.experiments.demo.tables import regret_table

        return as_html(regret_table(self))


def regret_curves(
    laws: Sequence[Law],
    metric: Metric,
    *,
    seed: int = 0,
    sizes: Sequence[int] = SIZES,
    draws: int = DRAWS,
    boosted: bool = True,
    progress: Callable[[int, int, str], None] | None = None,
) -> Scene:
    """Train every loss on growing samples of the world and compute its regret.

    ``boosted`` adds LightGBM's lambdarank when LightGBM is installed.
    """
    world = ambiguous_world(list(laws))
    trainers: dict[str, Callable[[RankingData], Any]] = {
        name: _linear(loss_of(spec)) for name, spec in LOSSES.items()
    }
    peer = _lambdarank(seed) if boosted else None
    if peer is not None:
        trainers[LAMBDARANK] = peer
    total = len(trainers) * len(sizes) * draws
    done = 0
    regrets: dict[str, list[float]] = {name: [] for name in trainers}
    samples = [
        [draw_counted(world, size, np.random.default_rng([seed, k, size])) for k in range(draws)]
        for size in sizes
    ]
    for name, train in trainers.items():
        for size, data_sets in zip(sizes, samples, strict=True):
            at_size = []
            for data in data_sets:
                if progress is not None:
                    progress(done, total, f"{name}, {size} queries")
                at_size.append(_regret(world, laws, metric, train(data)))
                done += 1
            regrets[name].append(mean(at_size))
    if progress is not None:
        progress(total, total, "done")
    best = mean(float(max(risks(metric, law).values())) for law in laws)
    curves = [
        Curve(name, LOSSES.get(name, name), tuple(values), *_limit(LOSSES.get(name), laws, metric))
        for name, values in regrets.items()
    ]
    return Scene(str(metric), seed, tuple(sizes), draws, tuple(laws), best, tuple(curves))


def _linear(loss: Loss) -> Callable[[RankingData], Any]:
    def train(data: RankingData) -> Any:
        ranker = LinearRanker(loss=loss, l2=L2, scale="none")
        ranker.fit(data.X, data.labels, qid=data.qids, query_weight=data.query_weights)
        return ranker.predict

    return train


def _lambdarank(seed: int) -> Callable[[RankingData], Any] | None:
    try:
        import lightgbm
    except ImportError:
        return None

    def train(data: RankingData) -> Any:
        # Every (kind, item) may have a leaf of its own.
        parameters = {
            "objective": "lambdarank",
            "verbosity": -1,
            "num_threads": 1,
            "num_leaves": 255,
            "min_data_in_leaf": 1,
            "min_sum_hessian_in_leaf": 1e-9,
            "min_data_in_bin": 1,
            "max_bin": 1000,
            "feature_pre_filter": False,
            "learning_rate": 0.3,
            "deterministic": True,
            "seed": seed,
        }
        sizes = np.diff(data.offsets)
        # One number that tells kind and item apart.
        places = np.argmax(np.asarray(data.X), axis=1).astype(np.float64)[:, None]
        train_set = lightgbm.Dataset(
            places,
            label=data.labels,
            group=sizes,
            weight=np.repeat(np.asarray(data.query_weights), sizes),
            params=parameters,
        )
        booster = lightgbm.train(parameters, train_set, num_boost_round=60)
        return lambda X: booster.predict(np.argmax(X, axis=1).astype(np.float64)[:, None])

    return train


def _regret(world: FiniteWorld, laws: Sequence[Law], metric: Metric, predict: Any) -> float:
    regrets = []
    for law, X in zip(laws, world.features, strict=True):
        scores = np.asarray(predict(X), dtype=np.float64)
        regrets.append(float(regret(metric, law, scores=rounded(scores))))
    return mean(regrets)


def rounded(scores: Any) -> list[float]:
    """Scores with rounding taken off, so that what is equal in truth is tied."""
    step = TIED * max(1.0, float(np.ptp(scores)))
    return [float(score) for score in np.round(np.asarray(scores) / step)]


def _limit(spec: str | None, laws: Sequence[Law], metric: Metric) -> tuple[float | None, int | None]:
    """The regret of the minimiser of the expected loss, and of how many kinds of queries it is above 0."""
    if spec is None:
        return None, None
    loss = loss_of(spec)
    regrets = [float(regret(metric, law, scores=rounded(minimise(loss, law).scores))) for law in laws]
    return mean(regrets), sum(value > 0 for value in regrets)
