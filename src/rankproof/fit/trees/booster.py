"""What goes into a boosting and what comes out, and what an engine must be able to do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Protocol, cast

from rankproof.arrays import Float64s, as_scores
from rankproof.data.ranking import RankingData
from rankproof.errors import ArgumentError
from rankproof.fit.callbacks import Callback
from rankproof.fit.data import HeldOut
from rankproof.fit.progress import ShowStep
from rankproof.fit.trees.parameters import TreeParameters
from rankproof.losses.base import Loss
from rankproof.losses.supervision import Supervision
from rankproof.metrics.base import Metric
from rankproof.optional import reason_of
from rankproof.plain import html_fields, json_text, plain_fields

__all__ = [
    "ENGINES",
    "BoostingReport",
    "BoostingResult",
    "Engine",
    "Job",
    "ValidationCurve",
    "refuse_dart",
    "translated",
    "tree_engine",
]

ENGINES = ("lightgbm", "xgboost", "catboost")


@dataclass(frozen=True, eq=False)
class Job:
    """A boosting to be done. ``categorical`` are columns whose numbers are categories."""

    metric: Metric
    loss: Loss
    parameters: TreeParameters
    train: RankingData
    supervision: Supervision
    valid: RankingData | None
    categorical: tuple[int, ...]
    names: tuple[str, ...] | None
    show: ShowStep
    callbacks: tuple[Callback, ...] = ()


@dataclass(frozen=True, eq=False)
class BoostingResult:
    """The engine's model, cut after its best tree, and the metric on validation data after every tree."""

    model: Any
    trees: int
    values: tuple[float, ...] = ()
    # The value with the trees that are kept.
    value: float | None = None


class Engine(Protocol):
    """The functions of a module of this folder."""

    FILE: str

    def check(self, loss: Loss, parameters: TreeParameters, categorical: bool, held_out: bool) -> None:
        """Raise `ArgumentError` for what the engine cannot do; before any data are read."""

    def train(self, job: Job) -> BoostingResult:
        """Boost."""

    def scores(self, model: Any, X: Any, categorical: tuple[int, ...]) -> Float64s:
        """The score of every row."""

    def contributions(self, model: Any, X: Any, categorical: tuple[int, ...]) -> Float64s:
        """SHAP values of every feature, and in the last column what scores are on average."""

    def importances(self, model: Any) -> Float64s:
        """How much every feature matters, not negative."""

    def dump(self, model: Any) -> bytes:
        """The engine's own model file."""

    def load(self, raw: bytes) -> Any:
        """The model of a file."""


def tree_engine(name: str) -> Engine:
    """The module for an engine; its name may come from a model file, so that it is checked."""
    if name not in ENGINES:
        raise ArgumentError(
            f"The engine of a BoostedRanker must be one of {', '.join(ENGINES)}, got {name!r}."
        )
    return cast("Engine", import_module(f"rankproof.fit.trees.{name}"))


class ValidationCurve:
    """The exact metric on validation data, tree by tree."""

    def __init__(self, job: Job, valid: RankingData) -> None:
        self.job, self.held_out = job, HeldOut(valid, job.metric)
        self.higher = job.metric.direction == "higher"
        self.values: list[float] = []
        # The first tree, counted from 0, after which the value is best.
        self.best = 0
        # An error of metric and data comes now, and not out of the engine in the middle of its work.
        self.held_out.check()

    def value(self, scores: Any) -> float:
        """The value at these scores."""
        return self.held_out.mean(as_scores(scores, self.held_out.data.labels.size))

    def add(self, value: float) -> None:
        """Note the value after one more tree, show it, and tell the callbacks."""
        self.values.append(value)
        so_far = self.values[self.best]
        if value > so_far if self.higher else value < so_far:
            self.best = len(self.values) - 1
        self.job.show(
            len(self.values),
            f"{self.job.metric} {value:.4f}, best {self.values[self.best]:.4f} at {self.best + 1}",
        )
        for callback in self.job.callbacks:
            callback(len(self.values), value)

    def result(self, model: Any, trees: int) -> BoostingResult:
        """What came out, with a model that was cut after the best tree."""
        return BoostingResult(model, trees, tuple(self.values), self.values[self.best])


@contextmanager
def translated(
    title: str, *kinds: type[Exception], doing: str = "train with these data and parameters"
) -> Iterator[None]:
    """Errors of an engine as ours."""
    try:
        yield
    except kinds as error:
        raise ArgumentError(f"{title} cannot {doing}: {reason_of(error)}.") from None


def refuse_dart(parameter: str) -> None:
    """Raise `ArgumentError`: with dart no number of trees can be chosen; ``parameter`` is its name."""
    raise ArgumentError(
        f"parameters={{{parameter!r}: 'dart'}} changes earlier trees with every new one, so no tree can be "
        "the last to keep. Leave out validation, or dart."
    )


@dataclass(frozen=True)
class BoostingReport:
    """How a boosting ended.

    ``trees`` are in the model, ``trained`` were made; ``value`` is the metric on validation data with those
    that are in the model, None without such data.

    >>> print(BoostingReport("lightgbm", "4.7.0", 37, 87, 0.5, "nothing better in 50 trees"))
    lightgbm 4.7.0: 37 of 87 trees, validation 0.5; nothing better in 50 trees
    """

    engine: str
    version: str
    trees: int
    trained: int
    value: float | None
    message: str

    def __str__(self) -> str:
        value = "" if self.value is None else f", validation {self.value:.6g}"
        return f"{self.engine} {self.version}: {self.trees} of {self.trained} trees{value}; {self.message}"

    def to_dict(self) -> dict[str, Any]:
        """The fields, as plain data."""
        return plain_fields(self)

    def to_json(self) -> str:
        """`to_dict` as JSON text."""
        return json_text(self.to_dict())

    def _repr_html_(self) -> str:
        return html_fields(self)
