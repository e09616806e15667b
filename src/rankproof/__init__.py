"""rankproof: learning to rank that optimises the metric you report, with proof.

>>> import rankproof as rp
>>> rp.metric("nDCG@10")
nDCG@10

Names are loaded when first used, so that ``import rankproof`` stays quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from rankproof import deciders as _deciders
from rankproof import forks as _forks  # noqa: F401  # says what a forked process does first, so it is always loaded

if TYPE_CHECKING:
    from rankproof import errors as errors
    from rankproof import losses as losses
    from rankproof import metrics as metrics
    from rankproof import targets as targets
    from rankproof import torch as torch
    from rankproof import worlds
    from rankproof.adapters import catboost as catboost
    from rankproof.adapters import lightgbm as lightgbm
    from rankproof.adapters import xgboost as xgboost
    from rankproof.data import samples as samples
    from rankproof.data.forms.convert import convert as convert
    from rankproof.data.forms.read import read_data as read_data
    from rankproof.data.frames import from_frame as from_frame
    from rankproof.data.frames import to_frame as to_frame
    from rankproof.data.letor.folds import find_folds as find_folds
    from rankproof.data.letor.folds import read_folds as read_folds
    from rankproof.data.letor.read import read_letor as read_letor
    from rankproof.data.letor.read import write_letor as write_letor
    from rankproof.data.ranking import RankingData as RankingData
    from rankproof.data.split import QueryKFold as QueryKFold
    from rankproof.data.split import query_folds as query_folds
    from rankproof.data.split import split_queries as split_queries
    from rankproof.data.trec.prefs import Prefs as Prefs
    from rankproof.data.trec.prefs import read_prefs as read_prefs
    from rankproof.data.trec.read import Qrels as Qrels
    from rankproof.data.trec.read import Run as Run
    from rankproof.data.trec.read import read_qrels as read_qrels
    from rankproof.data.trec.read import read_run as read_run
    from rankproof.data.trec.write import write_qrels as write_qrels
    from rankproof.data.trec.write import write_run as write_run
    from rankproof.evaluation.compare import Comparison as Comparison
    from rankproof.evaluation.compare import compare as compare
    from rankproof.evaluation.evaluate import evaluate as evaluate
    from rankproof.evaluation.explain import explain as explain
    from rankproof.evaluation.results import Results as Results
    from rankproof.experiments.engines.demonstrate import demonstrate as demonstrate
    from rankproof.experiments.engines.demonstration import Demonstration as Demonstration
    from rankproof.exports.export import Export as Export
    from rankproof.exports.export import export as export
    from rankproof.exports.parity import Parity as Parity
    from rankproof.feedback import Graded as Graded
    from rankproof.feedback import Law as Law
    from rankproof.feedback import Permutation as Permutation
    from rankproof.feedback import PreferenceGraph as PreferenceGraph
    from rankproof.fit.linear.ranker import LinearRanker as LinearRanker
    from rankproof.fit.linear.ranker_cv import LinearRankerCV as LinearRankerCV
    from rankproof.fit.neural.ranker import NeuralRanker as NeuralRanker
    from rankproof.fit.saved.load import load_model as load_model
    from rankproof.fit.trees.ranker import BoostedRanker as BoostedRanker
    from rankproof.judgments.container import Judgments as Judgments
    from rankproof.judgments.pairs import PairJudgments as PairJudgments
    from rankproof.judgments.read import read_judgments as read_judgments
    from rankproof.losses.base import Loss as Loss
    from rankproof.losses.margins import Margin as Margin
    from rankproof.losses.parse import loss as loss
    from rankproof.metrics.base import Metric as Metric
    from rankproof.metrics.own_metric import own_metric as own_metric
    from rankproof.metrics.parse import metric as metric
    from rankproof.reports import write_report as write_report
    from rankproof.runs.train import train as train
    from rankproof.runs.training_run import TrainingRun as TrainingRun
    from rankproof.runs.tune import tune as tune
    from rankproof.runs.tuning_run import TuningRun as TuningRun
    from rankproof.serving.scorer import Scorer as Scorer
    from rankproof.serving.scorer import load_scorer as load_scorer
    from rankproof.targets.base import Target as Target
    from rankproof.targets.choose import target_for as target_for
    from rankproof.theory import noise as noise
    from rankproof.theory.arithmetic import functions
    from rankproof.theory.base.risk import optimal_rankings as optimal_rankings
    from rankproof.theory.base.risk import regret as regret
    from rankproof.theory.base.verdict import Consistent as Consistent
    from rankproof.theory.base.verdict import Inconsistent as Inconsistent
    from rankproof.theory.base.verdict import Undecided as Undecided
    from rankproof.theory.base.verdict import Verdict as Verdict
    from rankproof.theory.certify import certify as certify
    from rankproof.theory.certify import certify_metric as certify_metric
    from rankproof.theory.excess import excess_bound as excess_bound
    from rankproof.theory.excess import regression_bound as regression_bound
    from rankproof.theory.matrix import certify_matrix as certify_matrix
    from rankproof.theory.replay.replay import replay as replay

    arithmetic, synthetic = functions, worlds

__version__ = "0.1.0"

# Public name -> the module that defines it.
_PLACES = {
    "BoostedRanker": "rankproof.fit.trees.ranker",
    "Comparison": "rankproof.evaluation.compare",
    "Consistent": "rankproof.theory.base.verdict",
    "Demonstration": "rankproof.experiments.engines.demonstration",
    "Export": "rankproof.exports.export",
    "Graded": "rankproof.feedback",
    "Inconsistent": "rankproof.theory.base.verdict",
    "Judgments": "rankproof.judgments.container",
    "Law": "rankproof.feedback",
    "LinearRanker": "rankproof.fit.linear.ranker",
    "LinearRankerCV": "rankproof.fit.linear.ranker_cv",
    "Loss": "rankproof.losses.base",
    "Margin": "rankproof.losses.margins",
    "Metric": "rankproof.metrics.base",
    "NeuralRanker": "rankproof.fit.neural.ranker",
    "Parity": "rankproof.exports.parity",
    "PairJudgments": "rankproof.judgments.pairs",
    "Permutation": "rankproof.feedback",
    "PreferenceGraph": "rankproof.feedback",
    "Prefs": "rankproof.data.trec.prefs",
    "Qrels": "rankproof.data.trec.read",
    "QueryKFold": "rankproof.data.split",
    "RankingData": "rankproof.data.ranking",
    "Results": "rankproof.evaluation.results",
    "Run": "rankproof.data.trec.read",
    "Scorer": "rankproof.serving.scorer",
    "Target": "rankproof.targets.base",
    "TrainingRun": "rankproof.runs.training_run",
    "TuningRun": "rankproof.runs.tuning_run",
    "Undecided": "rankproof.theory.base.verdict",
    "Verdict": "rankproof.theory.base.verdict",
    "certify": "rankproof.theory.certify",
    "certify_matrix": "rankproof.theory.matrix",
    "certify_metric": "rankproof.theory.certify",
    "compare": "rankproof.evaluation.compare",
    "convert": "rankproof.data.forms.convert",
    "demonstrate": "rankproof.experiments.engines.demonstrate",
    "evaluate": "rankproof.evaluation.evaluate",
    "excess_bound": "rankproof.theory.excess",
    "explain": "rankproof.evaluation.explain",
    "export": "rankproof.exports.export",
    "find_folds": "rankproof.data.letor.folds",
    "from_frame": "rankproof.data.frames",
    "load_model": "rankproof.fit.saved.load",
    "load_scorer": "rankproof.serving.scorer",
    "loss": "rankproof.losses.parse",
    "metric": "rankproof.metrics.parse",
    "optimal_rankings": "rankproof.theory.base.risk",
    "own_metric": "rankproof.metrics.own_metric",
    "query_folds": "rankproof.data.split",
    "read_data": "rankproof.data.forms.read",
    "read_folds": "rankproof.data.letor.folds",
    "read_judgments": "rankproof.judgments.read",
    "read_letor": "rankproof.data.letor.read",
    "read_prefs": "rankproof.data.trec.prefs",
    "read_qrels": "rankproof.data.trec.read",
    "read_run": "rankproof.data.trec.read",
    "regression_bound": "rankproof.theory.excess",
    "regret": "rankproof.theory.base.risk",
    "replay": "rankproof.theory.replay.replay",
    "split_queries": "rankproof.data.split",
    "target_for": "rankproof.targets.choose",
    "to_frame": "rankproof.data.frames",
    "train": "rankproof.runs.train",
    "tune": "rankproof.runs.tune",
    "write_letor": "rankproof.data.letor.read",
    "write_qrels": "rankproof.data.trec.write",
    "write_report": "rankproof.reports",
    "write_run": "rankproof.data.trec.write",
}
# Public modules.
_MODULES = {
    "arithmetic": "rankproof.theory.arithmetic.functions",
    "catboost": "rankproof.adapters.catboost",
    "errors": "rankproof.errors",
    "lightgbm": "rankproof.adapters.lightgbm",
    "losses": "rankproof.losses",
    "metrics": "rankproof.metrics",
    "noise": "rankproof.theory.noise",
    "samples": "rankproof.data.samples",
    "synthetic": "rankproof.worlds",
    "targets": "rankproof.targets",
    "torch": "rankproof.torch",
    "xgboost": "rankproof.adapters.xgboost",
}

__all__ = ["__version__", *_PLACES, *_MODULES]


def _standing(metric: Any) -> Any:
    return import_module("rankproof.theory.existence.standing").decide_standing(metric)


# Training asks whether a metric of a user's own has a target; the theory, loaded only then, answers.
_deciders.answers("standing of a metric", _standing)


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        value: Any = import_module(_MODULES[name])
    elif name in _PLACES:
        value = getattr(import_module(_PLACES[name]), name)
    else:
        raise AttributeError(f"module 'rankproof' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
