"""rankproof: learning to rank that optimises the metric you report, with proof.

>>> import rankproof as rp
>>> rp.metric("nDCG@10")
nDCG@10

Names are loaded when first used, so that ``import rankproof`` stays quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rankproof import errors as errors
    from rankproof import losses as losses
    from rankproof import metrics as metrics
    from rankproof.data import synthetic as synthetic
    from rankproof.data.folds import find_folds as find_folds
    from rankproof.data.folds import read_folds as read_folds
    from rankproof.data.frames import from_frame as from_frame
    from rankproof.data.frames import to_frame as to_frame
    from rankproof.data.letor import read_letor as read_letor
    from rankproof.data.letor import write_letor as write_letor
    from rankproof.data.ranking import RankingData as RankingData
    from rankproof.data.split import QueryKFold as QueryKFold
    from rankproof.data.split import query_folds as query_folds
    from rankproof.data.split import split_queries as split_queries
    from rankproof.data.trec import Qrels as Qrels
    from rankproof.data.trec import Run as Run
    from rankproof.data.trec import read_qrels as read_qrels
    from rankproof.data.trec import read_run as read_run
    from rankproof.data.trec_write import write_qrels as write_qrels
    from rankproof.data.trec_write import write_run as write_run
    from rankproof.evaluation.compare import Comparison as Comparison
    from rankproof.evaluation.compare import compare as compare
    from rankproof.evaluation.explain import explain as explain
    from rankproof.evaluation.results import Results as Results
    from rankproof.evaluation.run import evaluate as evaluate
    from rankproof.feedback import Graded as Graded
    from rankproof.feedback import Law as Law
    from rankproof.feedback import Permutation as Permutation
    from rankproof.feedback import PreferenceGraph as PreferenceGraph
    from rankproof.fit.linear import LinearRanker as LinearRanker
    from rankproof.fit.linear_cv import LinearRankerCV as LinearRankerCV
    from rankproof.fit.saved import load_model as load_model
    from rankproof.losses.base import Loss as Loss
    from rankproof.losses.margins import Margin as Margin
    from rankproof.losses.parse import loss as loss
    from rankproof.metrics.base import Metric as Metric
    from rankproof.metrics.parse import metric as metric
    from rankproof.standardize.base import Target as Target
    from rankproof.standardize.choose import target_for as target_for

__version__ = "0.1.0"

# Public name -> the module that defines it ("" for a submodule).
_PLACES = {
    "Comparison": "rankproof.evaluation.compare",
    "Graded": "rankproof.feedback",
    "Law": "rankproof.feedback",
    "LinearRanker": "rankproof.fit.linear",
    "LinearRankerCV": "rankproof.fit.linear_cv",
    "Loss": "rankproof.losses.base",
    "Margin": "rankproof.losses.margins",
    "Metric": "rankproof.metrics.base",
    "Permutation": "rankproof.feedback",
    "PreferenceGraph": "rankproof.feedback",
    "Qrels": "rankproof.data.trec",
    "QueryKFold": "rankproof.data.split",
    "RankingData": "rankproof.data.ranking",
    "Results": "rankproof.evaluation.results",
    "Run": "rankproof.data.trec",
    "Target": "rankproof.standardize.base",
    "compare": "rankproof.evaluation.compare",
    "errors": "",
    "evaluate": "rankproof.evaluation.run",
    "explain": "rankproof.evaluation.explain",
    "find_folds": "rankproof.data.folds",
    "from_frame": "rankproof.data.frames",
    "load_model": "rankproof.fit.saved",
    "loss": "rankproof.losses.parse",
    "losses": "",
    "metric": "rankproof.metrics.parse",
    "metrics": "",
    "query_folds": "rankproof.data.split",
    "read_folds": "rankproof.data.folds",
    "read_letor": "rankproof.data.letor",
    "read_qrels": "rankproof.data.trec",
    "read_run": "rankproof.data.trec",
    "split_queries": "rankproof.data.split",
    "synthetic": "rankproof.data",
    "target_for": "rankproof.standardize.choose",
    "to_frame": "rankproof.data.frames",
    "write_letor": "rankproof.data.letor",
    "write_qrels": "rankproof.data.trec_write",
    "write_run": "rankproof.data.trec_write",
}

__all__ = ["__version__", *_PLACES]


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module 'rankproof' has no attribute {name!r}")
    place = _PLACES[name]
    if name == "synthetic":
        value: Any = import_module("rankproof.data.synthetic")
    elif place == "":
        value = import_module(f"rankproof.{name}")
    else:
        value = getattr(import_module(place), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
