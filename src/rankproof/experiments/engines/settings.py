"""How an engine is told to train an objective on a law, with nothing in its way but the objective.

Every item has a column of its own, and a tree may give every item its own value. Nothing is sampled, and
nothing is added to the objective. The parameters of the objective stay at the engine's defaults, unless the
objective names others.
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import metadata
from types import MappingProxyType
from typing import Any

from rankproof.errors import MissingDependencyError
from rankproof.optional import engine as engine_module
from rankproof.theory.shipped.objective import EngineObjective

__all__ = ["TREE_SETTINGS", "engine_version", "installed_engine", "objective_settings", "tree_settings"]

# What is the same for any number of items.
TREE_SETTINGS: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "lightgbm": {
            "min_data_in_leaf": 1,
            "min_sum_hessian_in_leaf": 0.0,
            "min_data_in_bin": 1,
            "feature_pre_filter": False,
            "deterministic": True,
        },
        "xgboost": {"tree_method": "exact", "min_child_weight": 0.0, "reg_lambda": 0.0},
        "catboost": {
            "l2_leaf_reg": 0.0,
            "random_strength": 0.0,
            "bootstrap_type": "No",
            "has_time": True,
            "boost_from_average": False,
        },
    }
)
# What each engine calls the size of a tree: a leaf for every item, or a split for every item.
_SIZE = {"lightgbm": "num_leaves", "xgboost": "max_depth", "catboost": "depth"}


def tree_settings(engine: str, items: int) -> dict[str, Any]:
    """The parameters of the trees for so many items.

    >>> tree_settings("lightgbm", 3)["num_leaves"], tree_settings("catboost", 3)["depth"]
    (3, 3)
    """
    return {_SIZE[engine]: max(2, items), **TREE_SETTINGS[engine]}


def objective_settings(objective: EngineObjective) -> dict[str, Any]:
    """The parameters that choose the objective, as the engine reads them.

    >>> from rankproof.theory.shipped.objective import engine_objective
    >>> objective_settings(engine_objective("catboost:YetiRank(mode=NDCG)"))
    {'loss_function': 'YetiRank:mode=NDCG'}
    """
    chosen = dict(objective.parameters)
    if objective.engine != "catboost":
        return {"objective": objective.name, **chosen}
    inner = ";".join(f"{name}={value}" for name, value in chosen.items())
    return {"loss_function": objective.name + (f":{inner}" if inner else "")}


def installed_engine(name: str) -> Any:
    """The module of an engine; where it is not installed, which part needs it and how to get it."""
    try:
        return engine_module(name)
    except MissingDependencyError:
        raise MissingDependencyError(
            f"Training {name}'s objectives needs the package {name}, which is not installed: "
            f"pip install {name}"
        ) from None


def engine_version(name: str) -> str:
    """The version of an engine that is installed.

    >>> engine_version("lightgbm").split(".")[0]
    '4'
    """
    installed_engine(name)
    return metadata.version(name)
