"""A `Scorer` gives the scores of the ranker to the last bit, in any thread and process."""

from __future__ import annotations

import json
import multiprocessing
import pickle
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import cloudpickle  # type: ignore[import-untyped]
import numpy as np
import pytest

import rankproof as rp
from rankproof.errors import ArgumentError, DataError, FileFormatError, MissingDependencyError
from rankproof.fit.model_files import read_model
from serving.served import DATA, every_model, gappy, ranker, rows, saved

every_engine = pytest.mark.parametrize("name", ["lightgbm", "xgboost", "catboost"])


@every_model
def test_scores_are_those_of_the_ranker(name: str, tmp_path: Path) -> None:
    fitted, X = saved(name, tmp_path), rows(name)
    scorer = rp.load_scorer(tmp_path / name)
    expected = fitted.predict(X, qid=DATA.qid)
    assert len(np.unique(expected)) > 20
    assert (scorer.batch(X, DATA.offsets) == expected).all()
    for low, high in zip(DATA.offsets[:9], DATA.offsets[1:10], strict=True):
        one = fitted.predict(X[low:high], qid=DATA.qid[low:high])
        assert (scorer(X[low:high]) == one).all()
    single = X.astype(np.float32)
    in_single = fitted.predict(single, qid=DATA.qid)
    for other in (single, np.asfortranarray(single)):
        assert (scorer.batch(other, DATA.offsets) == in_single).all()
    # Rows of a wider array, as a feature store hands them over.
    wide = np.full((X.shape[0], 2 * X.shape[1]), -9.0)
    wide[:, ::2] = X
    assert (scorer.batch(wide[:, ::2], DATA.offsets) == expected).all()


@every_model
def test_what_it_tells_of_the_model(name: str, tmp_path: Path) -> None:
    fitted = saved(name, tmp_path)
    scorer = rp.load_scorer(tmp_path / name, threads=2)
    assert scorer.kind == type(fitted).__name__
    assert scorer.engine == (name if scorer.kind == "BoostedRanker" else None)
    assert (scorer.features, scorer.feature_names, scorer.categories) == (8, None, {})
    assert (scorer.threads, scorer.backend) == (2, "engine")
    assert scorer.takes_missing is (scorer.kind == "BoostedRanker")
    assert scorer.by_query is (name in ("minmax", "neural-both"))
    assert scorer.version == json.loads((tmp_path / name / "model.json").read_text())["sha256"]
    assert repr(scorer).startswith(f"Scorer({scorer.kind}")


@every_model
def test_no_rows_have_no_scores(name: str, tmp_path: Path) -> None:
    saved(name, tmp_path)
    scorer = rp.load_scorer(tmp_path / name)
    for none in (scorer(np.empty((0, 8))), scorer.batch(np.empty((0, 8)), [0, 0, 0])):
        assert none.shape == (0,)
    X = rows(name)[:3]
    assert (scorer.batch(X, [0, 0, 3, 3]) == scorer(X)).all(), "a query without items"


@every_model
def test_many_threads_share_it(name: str, tmp_path: Path) -> None:
    fitted, X = saved(name, tmp_path), rows(name)
    scorer = rp.load_scorer(tmp_path / name)
    spans = list(zip(DATA.offsets[:-1], DATA.offsets[1:], strict=True))
    expected = [fitted.predict(X[a:b], qid=DATA.qid[a:b]) for a, b in spans]
    with ThreadPoolExecutor(8) as pool:
        for _ in range(5):
            together = list(pool.map(lambda span: scorer(X[span[0] : span[1]]), spans))
            assert all((one == other).all() for one, other in zip(together, expected, strict=True))


@every_model
@pytest.mark.parametrize("pickler", [pickle, cloudpickle], ids=lambda one: one.__name__)
def test_it_can_be_pickled(name: str, pickler: Any, tmp_path: Path) -> None:
    saved(name, tmp_path)
    scorer = rp.load_scorer(tmp_path / name, threads=2)
    again = pickler.loads(pickler.dumps(scorer))
    X = rows(name)
    assert (again.batch(X, DATA.offsets) == scorer.batch(X, DATA.offsets)).all()
    assert (again.threads, again.version, again.kind) == (2, scorer.version, scorer.kind)


def _scores_into(pipe: Any, scorer: rp.Scorer, X: np.ndarray) -> None:
    pipe.send(scorer(X))


# Python 3.12 and later warn of a fork where any library has threads; this is what is tested here.
@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
@every_model
def test_a_forked_server_scores(name: str, tmp_path: Path) -> None:
    # Loaded and used before the fork, with more than one thread, as a server does that warms up.
    saved(name, tmp_path)
    scorer, X = rp.load_scorer(tmp_path / name, threads=2), rows(name)
    expected = scorer(X)
    _check_child(multiprocessing.get_context("fork"), scorer, X, expected)
    assert (scorer(X) == expected).all(), "the parent goes on"


@pytest.mark.parametrize("name", ["linear", "lightgbm", "xgboost", "catboost"])
@pytest.mark.exhaustive
def test_a_spawned_process_scores(name: str, tmp_path: Path) -> None:
    saved(name, tmp_path)
    scorer, X = rp.load_scorer(tmp_path / name), rows(name)
    _check_child(multiprocessing.get_context("spawn"), scorer, X, scorer(X))


def _check_child(context: Any, scorer: rp.Scorer, X: np.ndarray, expected: np.ndarray) -> None:
    mine, theirs = context.Pipe()
    child = context.Process(target=_scores_into, args=(theirs, scorer, X))
    child.start()
    try:
        assert mine.poll(60), "the child waits for ever"
        assert (mine.recv() == expected).all()
    finally:
        child.kill()
        child.join()


# Input that is not right ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (np.zeros((3, 7)), r"8 features, so X must be of shape \(items, 8\), got shape \(3, 7\)"),
        (np.zeros(8), r"got shape \(8,\)\. One item is X\[np\.newaxis\]"),
        (np.zeros((3, 8), dtype=np.int64), "float32 or float64, got int64. Convert it"),
        (np.zeros((3, 8), dtype=np.float16), "got float16"),
        (np.zeros((3, 8), dtype=">f8"), "got >f8"),
        (np.zeros((3, 8), dtype=object), "got object"),
    ],
)
def test_other_arrays_are_refused(wrong: Any, message: str, tmp_path: Path) -> None:
    saved("linear", tmp_path)
    with pytest.raises(ArgumentError, match=message):
        rp.load_scorer(tmp_path / "linear")(wrong)


def test_sparse_rows_are_refused(tmp_path: Path) -> None:
    from scipy.sparse import csr_array

    saved("linear", tmp_path)
    with pytest.raises(ArgumentError, match=r"X is sparse. Hand over X\.toarray\(\)"):
        rp.load_scorer(tmp_path / "linear")(csr_array(DATA.X))


@every_model
@pytest.mark.parametrize("number", [np.nan, np.inf, -np.inf])
def test_numbers_without_a_score_are_refused(name: str, number: float, tmp_path: Path) -> None:
    fitted = saved(name, tmp_path)
    scorer, X = rp.load_scorer(tmp_path / name), rows(name).copy()
    X[4, 2] = number
    if scorer.takes_missing and np.isnan(number):
        assert (scorer.batch(X, DATA.offsets) == fitted.predict(X)).all()
        return
    with pytest.raises(DataError, match=f"Feature 2 of row 4 .* is {number:g}"):
        scorer.batch(X, DATA.offsets)
    with pytest.raises(ValueError, match=r"NaN|infinity"):
        fitted.predict(X, qid=DATA.qid)


def test_a_weight_of_zero_hides_nothing(tmp_path: Path) -> None:
    fitted = ranker("linear").fit(*DATA)
    fitted.coef_[2] = 0.0
    fitted.save(tmp_path / "model")
    scorer, X = rp.load_scorer(tmp_path / "model"), DATA.X.copy()
    X[4, 2] = np.inf
    with pytest.raises(DataError, match="Feature 2 of row 4"):
        scorer(X)


@pytest.mark.parametrize("offsets", [[0, 5], [1, 3], [0, 2, 1, 3], [0.0, 3.0]])
def test_offsets_must_fit_the_rows(offsets: Any, tmp_path: Path) -> None:
    saved("minmax", tmp_path)
    with pytest.raises(ArgumentError, match="offsets"):
        rp.load_scorer(tmp_path / "minmax").batch(DATA.X[:3], offsets)


def test_threads_and_backend_are_checked(tmp_path: Path) -> None:
    saved("linear", tmp_path)
    with pytest.raises(ArgumentError, match="threads must be an int >= 1"):
        rp.load_scorer(tmp_path / "linear", threads=0)
    with pytest.raises(ArgumentError, match="backend must be 'engine' or 'compiled', got 'gpu'"):
        rp.load_scorer(tmp_path / "linear", backend="gpu")


# Categories -----------------------------------------------------------------------------------------


@every_engine
def test_codes_of_categories(name: str, tmp_path: Path) -> None:
    X = gappy()
    X[:, 3] = np.arange(len(X)) % 6
    X[5, 3] = np.nan
    fitted = ranker(name, categorical_features=[3]).fit(X, DATA.y, DATA.qid)
    fitted.save(tmp_path / "model")
    scorer = rp.load_scorer(tmp_path / "model")
    assert scorer.categories == {3: ()}
    assert (scorer.batch(X, DATA.offsets) == fitted.predict(X)).all()
    X[7, 3] = 2.5
    with pytest.raises(DataError, match=r"Column 3 .* got 2\.5 in row 7"):
        scorer(X)


@every_engine
def test_categories_of_a_data_frame_are_coded_by_their_place(name: str, tmp_path: Path) -> None:
    import pandas as pd

    frame = pd.DataFrame(DATA.X[:, :3], columns=["a", "b", "c"])
    words = np.array(["red", "green", "blue"])[np.arange(len(frame)) % 3]
    frame["colour"] = pd.Categorical(words)
    fitted = ranker(name).fit(frame, DATA.y, DATA.qid)
    fitted.save(tmp_path / "model")
    scorer = rp.load_scorer(tmp_path / "model")
    assert scorer.feature_names == ("a", "b", "c", "colour")
    assert scorer.categories == {3: ("blue", "green", "red")}
    codes = [scorer.categories[3].index(word) for word in words]
    X = np.column_stack([DATA.X[:, :3], codes])
    assert (scorer(X) == fitted.predict(frame)).all()
    # What was not there in training is missing.
    frame["colour"] = pd.Categorical(["mauve"] * len(frame))
    X[:, 3] = np.nan
    assert (scorer(X) == fitted.predict(frame)).all()
    X[0, 3] = 3
    with pytest.raises(DataError, match=r"whole numbers from 0 to 2, or NaN .* got 3 in row 0"):
        scorer(X)


# Files ------------------------------------------------------------------------------------------------


def test_the_folder_of_a_run_is_a_model(tmp_path: Path) -> None:
    train, test = rp.samples.diabetes_wards()
    run = rp.train(train, metric="nDCG@10", l2=0.1, out=tmp_path / "run")
    scorer = rp.load_scorer(tmp_path / "run")
    assert (scorer.batch(test.X, test.offsets) == run.ranker.predict(test.X)).all()


@every_model
def test_damaged_models_are_refused(name: str, tmp_path: Path) -> None:
    saved(name, tmp_path)
    target = max((tmp_path / name).iterdir(), key=lambda file: file.stat().st_size)
    target.write_bytes(target.read_bytes()[:-20] + b"x" * 20)
    with pytest.raises(FileFormatError):
        rp.load_scorer(tmp_path / name)


@every_model
def test_content_that_does_not_fit_is_refused(name: str, tmp_path: Path) -> None:
    from rankproof.fit.model_files import write_model

    saved(name, tmp_path)
    whole = read_model(tmp_path / name)
    for state in (
        {**whole.state, "scaling": "cubic", "scale": "cubic", "categories": 3},
        {key: value for key, value in whole.state.items() if key not in ("scaling", "scale", "categorical")},
    ):
        write_model(tmp_path / "other", whole.kind, whole.parameters, state, whole.arrays, whole.files)
        with pytest.raises(FileFormatError, match=r"model\.json"):
            rp.load_scorer(tmp_path / "other")
    write_model(tmp_path / "other", "OtherRanker", {}, whole.state, whole.arrays)
    with pytest.raises(FileFormatError, match="unknown kind of model 'OtherRanker'; known: LinearRanker"):
        rp.load_scorer(tmp_path / "other")


def test_an_engine_that_is_not_installed_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    saved("lightgbm", tmp_path)
    monkeypatch.setitem(sys.modules, "lightgbm", None)
    with pytest.raises(MissingDependencyError, match="pip install lightgbm"):
        rp.load_scorer(tmp_path / "lightgbm")


def test_models_are_told_apart_by_their_version(tmp_path: Path) -> None:
    ranker("linear").fit(*DATA).save(tmp_path / "one")
    ranker("linear").fit(*DATA).save(tmp_path / "same")
    ranker("linear", l2=0.5).fit(*DATA).save(tmp_path / "other")
    one, same, other = (rp.load_scorer(tmp_path / name).version for name in ("one", "same", "other"))
    assert one == same != other
