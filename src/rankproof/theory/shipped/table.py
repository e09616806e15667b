"""Which objectives of the engines are known, their parameters, and where their definitions were read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeAlias

from rankproof.registry import Registry

__all__ = ["ENGINES", "ENGINE_OBJECTIVES", "Parameter", "ShippedObjective", "Value"]

Value: TypeAlias = bool | int | float | str

# Whose definition was read and compared with the installed engine, by tests.
ENGINES: dict[str, str] = {"lightgbm": "4.7", "xgboost": "3.2", "catboost": "1.2"}
NAMES = {"lightgbm": "LightGBM", "xgboost": "XGBoost", "catboost": "CatBoost"}


@dataclass(frozen=True)
class Parameter:
    """A parameter of an engine that changes an objective.

    Attributes
    ----------
    default : the engine's
    low : a number is at least, or above, this
    above : whether ``low`` itself is excluded
    high : a number is at most this
    choices : the words that are possible
    """

    default: Value
    low: float | None = None
    above: bool = False
    high: float | None = None
    choices: tuple[str, ...] = ()

    def allows(self, value: float) -> bool:
        """Whether a number is in range."""
        if self.low is not None and (value < self.low or (self.above and value == self.low)):
            return False
        return self.high is None or value <= self.high

    @property
    def range_text(self) -> str:
        """The range in words."""
        low = "" if self.low is None else f"{'above' if self.above else 'of at least'} {self.low:g}"
        high = "" if self.high is None else f"{' and ' if low else ''}at most {self.high:g}"
        return low + high


@dataclass(frozen=True)
class ShippedObjective:
    """An objective in an engine.

    Attributes
    ----------
    engine, name : as the engine calls them
    parameters : those that change the objective, with the engine's defaults
    source : the file of the engine that defines it
    version : the engine's version whose behaviour the tests compare with
    about : what it is, in a few words
    """

    engine: str
    name: str
    parameters: Mapping[str, Parameter]
    source: str
    about: str

    @property
    def version(self) -> str:
        """The version of the engine that was read."""
        return ENGINES[self.engine]

    @property
    def cited(self) -> str:
        """Engine, version and file, for evidence and texts.

        >>> ENGINE_OBJECTIVES["lightgbm:lambdarank"].cited
        'LightGBM 4.7, src/objective/rank_objective.hpp'
        """
        return f"{NAMES[self.engine]} {self.version}, {self.source}"


def _row(engine: str, name: str, source: str, about: str, **parameters: Parameter) -> None:
    row = ShippedObjective(engine, name, MappingProxyType(parameters), source, about)
    ENGINE_OBJECTIVES.add(f"{engine}:{name}", row)


ENGINE_OBJECTIVES: Registry[ShippedObjective] = Registry("objective of an engine")

_LAMBDAMART = {
    "lambdarank_pair_method": Parameter("topk", choices=("topk", "mean")),
    "lambdarank_num_pair_per_sample": Parameter(32, low=1),
    "lambdarank_normalization": Parameter(default=True),
    "lambdarank_score_normalization": Parameter(default=True),
    "lambdarank_unbiased": Parameter(default=False),
}
_XGBOOST = "src/objective/lambdarank_obj.cc"
_LIGHTGBM = "src/objective/rank_objective.hpp"
_MODES = ("Classic", "DCG", "NDCG", "MRR", "ERR", "MAP")

_row(
    "lightgbm",
    "lambdarank",
    _LIGHTGBM,
    "pairs of different labels, weighted by the change of nDCG",
    lambdarank_norm=Parameter(default=True),
    lambdarank_truncation_level=Parameter(30, low=1),
    sigmoid=Parameter(1.0, low=0, above=True),
)
_row(
    "lightgbm",
    "rank_xendcg",
    _LIGHTGBM,
    "cross entropy with a target that is drawn anew in every iteration",
    objective_seed=Parameter(5, low=0),
)
_row(
    "xgboost",
    "rank:ndcg",
    _XGBOOST,
    "pairs of different labels, weighted by the change of nDCG",
    ndcg_exp_gain=Parameter(default=True),
    **_LAMBDAMART,
)
_row("xgboost", "rank:pairwise", _XGBOOST, "pairs of different labels, of equal weight", **_LAMBDAMART)
_row(
    "xgboost", "rank:map", _XGBOOST, "pairs of different labels, weighted by the change of AP", **_LAMBDAMART
)
_row(
    "catboost",
    "YetiRank",
    "catboost/private/libs/algo/yetirank_helpers.cpp",
    "pairs that are neighbours in randomly perturbed rankings",
    mode=Parameter("Classic", choices=_MODES),
    permutations=Parameter(10, low=1),
    decay=Parameter(0.85, low=0, high=1),
)
_row(
    "catboost",
    "QuerySoftMax",
    "catboost/private/libs/algo_helpers/error_functions.cpp",
    "cross entropy of the labels as they are with the softmax of the scores",
    beta=Parameter(1.0, low=0, above=True),
)
_row(
    "catboost",
    "PairLogit",
    "catboost/private/libs/algo_helpers/error_functions.h",
    "the logistic loss of all pairs of different labels",
)
