"""Whatever is public can be handed to another process: through pickle, joblib and cloudpickle."""

from __future__ import annotations

import inspect
import io
import pickle
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import cloudpickle  # type: ignore[import-untyped]
import joblib  # type: ignore[import-untyped]
import numpy as np
import pytest

import rankproof as rp
from every_case import every_case
from properties.loss_cases import VARIANTS as LOSS_VARIANTS
from properties.test_results_api import DATA, RESULTS
from rankproof.losses.margins import MARGINS
from rankproof.metrics.base import METRICS
from rankproof.targets.base import TARGETS

X = np.array([[1.0, 0.2], [0.0, 0.9], [0.8, 0.1], [0.1, 0.3]])
LABELS, QID = [2.0, 0.0, 1.0, 0.0], np.array([0, 0, 1, 1])
JUDGED = rp.RankingData(labels=LABELS, offsets=[0, 2, 4], X=X, doc_ids=["a", "b", "c", "d"])


def joblib_bytes(value: Any) -> bytes:
    file = io.BytesIO()
    joblib.dump(value, file)
    return file.getvalue()


WAYS: dict[str, tuple[Callable[[Any], bytes], Callable[[bytes], Any]]] = {
    "pickle": (pickle.dumps, pickle.loads),
    "joblib": (joblib_bytes, lambda raw: joblib.load(io.BytesIO(raw))),
    "cloudpickle": (cloudpickle.dumps, cloudpickle.loads),
}
ways = pytest.mark.parametrize("way", WAYS)


def again(value: Any, way: str) -> Any:
    write, read = WAYS[way]
    return read(write(value))


def fitted(ranker: Any) -> Any:
    return ranker.fit(X, LABELS, qid=QID)


def trees(engine: str) -> Any:
    return fitted(rp.BoostedRanker(engine=engine, n_estimators=2, min_data_in_leaf=1, threads=1))


def scorer() -> rp.Scorer:
    """One of a model that was saved, which need not be there any more."""
    with tempfile.TemporaryDirectory() as folder:
        fitted(rp.LinearRanker()).save(Path(folder, "model"))
        return rp.load_scorer(Path(folder, "model"))


def exported() -> rp.Export:
    with tempfile.TemporaryDirectory() as folder:
        return rp.export(fitted(rp.LinearRanker()), Path(folder, "model.json"), format="json", rows=100)


def run_and_qrels() -> tuple[rp.Run, rp.Qrels]:
    run = rp.Run.from_dict({"1": {"a": 0.5, "b": 0.5}, "2": {"c": 1.0}})
    return run, rp.Qrels.from_dict({"1": {"a": 1, "z": 2}, "2": {"c": 0}, "3": {"d": 1}})


def on_run() -> rp.Results:
    return rp.evaluate(*run_and_qrels(), ["nDCG@10", "AP"], convention="trec_eval")


def on_graphs() -> rp.Results:
    graph = rp.PreferenceGraph({(0, 1): 2})
    return rp.evaluate([2.0, 1.0], [graph], "PD", offsets=[0, 2])


def unlike_queries() -> rp.Comparison:
    """Systems that retrieved other queries."""
    run, qrels = run_and_qrels()
    other = rp.Run.from_dict({"1": {"b": 1.0}, "3": {"d": 2.0}})
    return rp.compare({"a": run, "b": other}, qrels, "nDCG@10", resamples=50, missing="skip")


WORLD = rp.synthetic.IntentWorld.random(features=3, items=(3, 5), seed=1)

# What is made, and what of it must come back the same.
MADE: dict[str, tuple[Callable[[], Any], Callable[[Any], Any]]] = {
    **{name: (make, lambda made: made.to_json()) for name, (make, _) in RESULTS.items()},
    **{name: (make, lambda made: made.to_frame().to_csv()) for name, (make, _) in DATA.items()},
    "Results of a run": (on_run, lambda made: (made.to_json(), made.constant, made.random)),
    "Results on graphs": (on_graphs, lambda made: (made.to_json(), made.constant)),
    "Comparison of unlike queries": (unlike_queries, lambda made: made.to_json()),
    "Graded": (lambda: rp.Graded((1, 2)), repr),
    "PreferenceGraph": (lambda: rp.PreferenceGraph({(0, 1): 2}), repr),
    "Permutation": (lambda: rp.Permutation((2, 1)), repr),
    "QueryKFold": (lambda: rp.QueryKFold(2), lambda made: [b.tolist() for _, b in made.split(groups=QID)]),
    "Split": (lambda: rp.split_queries(JUDGED, train=0.5, valid=0, test=0.5), lambda made: repr(made.train)),
    "LinearRanker": (lambda: fitted(rp.LinearRanker()), lambda made: made.predict(X).tolist()),
    "LinearRanker, not fitted": (rp.LinearRanker, repr),
    "LinearRankerCV": (
        lambda: fitted(rp.LinearRankerCV(folds=2)),
        lambda made: (made.predict(X).tolist(), made.scores_.tolist()),
    ),
    "BoostedRanker, lightgbm": (lambda: trees("lightgbm"), lambda made: made.predict(X).tolist()),
    "BoostedRanker, xgboost": (lambda: trees("xgboost"), lambda made: made.predict(X).tolist()),
    "BoostedRanker, catboost": (lambda: trees("catboost"), lambda made: made.predict(X).tolist()),
    "Judgments": (
        lambda: rp.Judgments.from_columns(
            [1, 1, 1], ["a", "b", "b"], ["x", "x", "y"], [2, 0, 1], reading="joint"
        ),
        lambda made: made.expected_target("nDCG@2").values.tolist(),
    ),
    "PairJudgments": (
        lambda: rp.PairJudgments.from_columns([1, 1], ["a", "b"], ["b", "a"], ["x", "y"]),
        lambda made: [part.tolist() for part in made.weights],
    ),
    "Export": (exported, lambda made: made.to_json()),
    "Parity": (lambda: exported().parity, lambda made: made.to_json()),
    "Scorer": (scorer, lambda made: made(X).tolist()),
    "Consistent": (lambda: rp.certify("squared:nDCG@3", "nDCG@3"), lambda made: made.to_json()),
    "Inconsistent": (lambda: rp.certify("listnet", "nDCG@3"), lambda made: made.to_json()),
    "Undecided": (
        lambda: rp.certify("lambdarank", "nDCG@3", items=2),
        lambda made: made.to_json(),
    ),
    "a verdict on a metric": (lambda: rp.certify_metric("AP"), lambda made: made.to_json()),
    "Replay": (
        lambda: rp.replay(rp.certify("squared:nDCG@3", "nDCG@3").to_dict()),
        lambda made: made.to_json(),
    ),
    "excess bound": (
        lambda: rp.excess_bound("squared:nDCG@3", "nDCG@3", 3, 0.1),
        lambda made: made.to_json(),
    ),
    "noise": (lambda: rp.noise.check(rp.Law({(1, 0): "1/2", (0, 1): "1/2"})), repr),
    "Prefs": (
        lambda: rp.Prefs(np.array(["q1"]), (("a", "b"),), (("ann", "ann"),), (np.array([[0, 1]]),)),
        lambda made: (made.query_ids.tolist(), made.doc_ids, made.groups, made.pairs[0].tolist()),
    ),
    "TrainingRun": (
        lambda: rp.train(WORLD.sample(12, seed=1), test=WORLD.sample(4, seed=2), metric="nDCG@2"),
        lambda made: made.to_json(),
    ),
    "IntentWorld": (lambda: WORLD, lambda made: made.sample(3, seed=1).X.tolist()),
    "a world with its laws": (
        lambda: WORLD.with_laws(WORLD.sample(2, seed=1)),
        lambda made: made.regret("nDCG@2", made.bayes_scores("normalised-gain@2")),
    ),
    "LossResult": (lambda: rp.loss("squared").evaluate([1.0], [0.0], [0, 1]), lambda made: made.to_json()),
    "lightgbm.objective": (
        lambda: rp.lightgbm.objective("nDCG@2"),
        lambda made: made(np.array(LABELS), np.zeros(4), None, np.array([2, 2]))[0].tolist(),
    ),
    "lightgbm.eval_metric": (
        lambda: rp.lightgbm.eval_metric(["nDCG@2", "AP"]),
        lambda made: made(np.array(LABELS), np.arange(4.0), None, np.array([2, 2])),
    ),
    "xgboost.objective": (lambda: rp.xgboost.objective("nDCG@2"), repr),
    "xgboost.eval_metric": (lambda: rp.xgboost.eval_metric("nDCG@2"), repr),
    "catboost.eval_metric": (
        lambda: rp.catboost.eval_metric("nDCG@2", rp.catboost.pool("nDCG@2", X, LABELS, qid=QID)),
        lambda made: made.evaluate([np.arange(4.0)], made.data[0][0], None),
    ),
}


@ways
@pytest.mark.parametrize("name", MADE)
def test_what_is_made_comes_back_the_same(name: str, way: str) -> None:
    make, view = MADE[name]
    made = make()
    copied = again(made, way)
    assert type(copied) is type(made) or name == "catboost.eval_metric"
    assert view(copied) == view(made)
    # A copy of a copy, which holds what was computed on the way.
    assert view(again(copied, way)) == view(made)


@ways
@every_case(
    "value", [*LOSS_VARIANTS, *(METRICS[m]() for m in METRICS), *(TARGETS[t]() for t in TARGETS)], ids=str
)
def test_definitions_come_back_equal(value: Any, way: str) -> None:
    copied = again(value, way)
    assert copied == value
    assert hash(copied) == hash(value)
    assert str(copied) == str(value)


@ways
@pytest.mark.parametrize(
    "name", [name for name in rp.__all__ if not isinstance(getattr(rp, name), ModuleType)]
)
def test_public_names_come_back_themselves(name: str, way: str) -> None:
    assert again(getattr(rp, name), way) is getattr(rp, name) or name == "__version__"


def test_every_public_class_is_made_here() -> None:
    classes = {value for name in rp.__all__ if inspect.isclass(value := getattr(rp, name))}
    made = {base for make, _ in MADE.values() for base in type(make()).__mro__}
    # Bases of the definitions; a margin is a parameter of losses; these two are tried where they take long.
    elsewhere = {rp.Loss, rp.Metric, rp.Target, rp.Margin, rp.NeuralRanker, rp.TuningRun}
    assert classes - made <= elsewhere


@pytest.mark.torch
@ways
def test_a_network_comes_back_the_same(way: str) -> None:
    ranker = fitted(rp.NeuralRanker(hidden=(2,), max_iter=1, valid_share=0))
    assert again(ranker, way).predict(X, qid=QID).tolist() == ranker.predict(X, qid=QID).tolist()


@pytest.mark.torch
@ways
def test_a_torch_module_comes_back_the_same(way: str) -> None:
    import torch

    module = rp.torch.loss("softmax:nDCG@10")
    scores, targets = torch.tensor([0.0, 1.0]), torch.tensor([1.0, 0.0])
    assert again(module, way)(scores, targets, [0, 2]) == module(scores, targets, [0, 2])


@ways
def test_a_margin_comes_back_equal(way: str) -> None:
    for name in MARGINS:
        assert again(MARGINS[name], way) == MARGINS[name]


@ways
def test_tuning_comes_back_the_same(way: str, tmp_path: Path) -> None:
    data = WORLD.sample(12, seed=1)
    tuned = rp.tune(data, metric="nDCG@2", trials=1, folds=2, n_estimators=2, out=tmp_path / "t")
    assert again(tuned, way).to_json() == tuned.to_json()


def test_a_pickled_result_holds_no_data() -> None:
    """It holds the baselines, not the scores and labels that they were computed from."""
    items = 50_000
    labels = np.zeros(items)
    labels[:5] = 1
    results = rp.evaluate(np.arange(items), labels, "nDCG@10", offsets=[0, items])
    assert len(pickle.dumps(results)) < 10_000


def test_another_process_reads_a_result(tmp_path: Path) -> None:
    result = on_run()
    (tmp_path / "result.pkl").write_bytes(pickle.dumps(result))
    code = "import pickle, sys; print(pickle.load(open(sys.argv[1], 'rb')).constant)"
    ran = subprocess.run(
        [sys.executable, "-c", code, tmp_path / "result.pkl"], capture_output=True, text=True, check=True
    )
    assert ran.stdout.strip() == str(result.constant)
