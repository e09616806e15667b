"""The public surface: what ``rankproof`` offers is listed here, resolves, and has a docstring."""

from __future__ import annotations

import inspect
import subprocess
import sys
from types import ModuleType

import pytest

import rankproof
from every_case import exhaustive

EXPECTED = {
    *("Comparison", "Graded", "Law", "LinearRanker", "LinearRankerCV", "Loss", "Margin"),
    *("Metric", "Permutation", "PreferenceGraph", "Qrels", "QueryKFold", "RankingData", "Results"),
    "NeuralRanker",
    *("Run", "Target", "__version__", "compare", "errors", "evaluate", "explain"),
    *(
        "convert",
        "find_folds",
        "from_frame",
        "read_data",
        "load_model",
        "loss",
        "losses",
        "metric",
        "metrics",
    ),
    *("query_folds", "read_folds", "read_letor", "read_qrels", "read_run", "split_queries", "synthetic"),
    *("Consistent", "Inconsistent", "Undecided", "Verdict", "certify", "certify_matrix", "certify_metric"),
    *("excess_bound", "noise", "optimal_rankings", "regression_bound", "regret", "replay"),
    *("BoostedRanker", "catboost", "lightgbm", "torch", "xgboost"),
    *("arithmetic", "samples", "target_for", "targets"),
    *("TrainingRun", "TuningRun", "to_frame", "train", "tune", "write_letor", "write_qrels", "write_run"),
    *("Demonstration", "demonstrate", "Prefs", "own_metric", "read_prefs", "write_report"),
    *("Scorer", "load_scorer"),
    *("Export", "Parity", "export"),
    *("Judgments", "PairJudgments", "read_judgments"),
}
ENGINES = {"catboost", "lightgbm", "torch", "xgboost"}
MODULES = {"arithmetic", "errors", "losses", "metrics", "noise", "samples", "synthetic", "targets", *ENGINES}


def test_the_surface_is_the_documented_one() -> None:
    assert set(rankproof.__all__) == EXPECTED
    assert len(rankproof.__all__) == len(EXPECTED), "a name is listed twice"


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_a_public_name_resolves_and_says_what_it_is(name: str) -> None:
    thing = getattr(rankproof, name)
    if name == "__version__":
        assert thing.count(".") == 2
        return
    assert isinstance(thing, ModuleType) == (name in MODULES)
    assert inspect.getdoc(thing), f"rankproof.{name} needs a docstring"
    where = thing.__name__ if isinstance(thing, ModuleType) else thing.__module__
    assert where.startswith("rankproof.")


# A subpackage of the same name as a function would take the function's place once it is imported.
ORDERS = {
    "alphabetical": "names = sorted(rankproof.__all__)",
    "backwards": "names = sorted(rankproof.__all__, reverse=True)",
    "after-every-module": """
import importlib, pkgutil
names = sorted(rankproof.__all__)
for found in pkgutil.walk_packages(rankproof.__path__, "rankproof."):
    if not found.name.endswith("__main__"):
        importlib.import_module(found.name)
""",
}


@pytest.mark.parametrize("order", exhaustive(*ORDERS))
def test_a_name_means_the_same_in_any_order_of_use(order: str) -> None:
    code = f"""
import types
import rankproof
{ORDERS[order]}
things = {{name: getattr(rankproof, name) for name in names}}
again = {{name: getattr(rankproof, name) for name in names}}
wrong = [name for name in names if things[name] is not again[name]]
wrong += [n for n in names if isinstance(again[n], types.ModuleType) != (n in {sorted(MODULES)})]
assert not wrong, wrong
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr


def test_dir_lists_the_surface() -> None:
    assert set(rankproof.__all__) <= set(dir(rankproof))


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="nDGC"):
        rankproof.nDGC  # noqa: B018
