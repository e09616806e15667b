"""Compiled trees give the engine's bits, or are refused."""

from __future__ import annotations

import json
import pickle
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankproof as rp
from rankproof.errors import ArgumentError, DataError, MissingDependencyError
from rankproof.serving import compiled
from rankproof.serving.compiled import parity_rows, taken_for_missing
from serving.served import DATA, gappy, ranker, saved

engines = pytest.mark.parametrize("engine", ["lightgbm", "xgboost"])


@engines
@pytest.mark.parametrize(
    "more",
    [{"loss": "squared"}, {"loss": "lift"}, {"categorical_features": [3]}],
    ids=["base-score", "own-objective", "categories"],
)
def test_it_gives_the_bits_of_the_engine(engine: str, more: dict[str, Any], tmp_path: Path) -> None:
    X = gappy()
    X[:, 3] = np.where(np.isnan(X[:, 3]), np.nan, np.arange(len(X)) % 6)
    fitted = ranker(engine, **more).fit(X, DATA.y, DATA.qid)
    fitted.save(tmp_path / "model")
    scorer = rp.load_scorer(tmp_path / "model", backend="compiled")
    assert scorer.backend == "compiled"
    assert repr(scorer).endswith("threads=1, compiled)")
    plain = rp.load_scorer(tmp_path / "model")
    for each in (X, X.astype(np.float32)):
        assert (scorer.batch(each, DATA.offsets) == plain.batch(each, DATA.offsets)).all()
    # LightGBM takes numbers as small as these for 0.
    tiny = np.full((4, 8), 1e-35 * np.array([[1.0], [-1.0], [0.5], [-0.5]]))
    tiny[:, 3] = 0
    assert (scorer(tiny) == plain(tiny)).all()


@engines
def test_numbers_that_look_missing_to_compiled_code_are_not(engine: str, tmp_path: Path) -> None:
    saved(engine, tmp_path)
    plain, scorer = (rp.load_scorer(tmp_path / engine, backend=one) for one in ("engine", "compiled"))
    X = np.nextafter(DATA.X.astype(np.float32).astype(np.float64), 0.0)
    assert taken_for_missing(X).any(axis=1).mean() > 0.5
    assert (scorer(X) == plain(X)).all()
    if engine == "lightgbm":
        raw = scorer._scores._applied(X)  # type: ignore[attr-defined]
        assert (raw != plain(X)).any(), "tl2cgen has mended it: the detour is not needed any more"


@engines
def test_threads_and_pickles(engine: str, tmp_path: Path) -> None:
    saved(engine, tmp_path)
    scorer = rp.load_scorer(tmp_path / engine, backend="compiled")
    expected, spans = scorer(gappy()), list(zip(DATA.offsets[:-1], DATA.offsets[1:], strict=True))
    with ThreadPoolExecutor(8) as pool:
        for _ in range(5):
            parts = list(pool.map(lambda span: scorer(gappy()[span[0] : span[1]]), spans))
            assert (np.concatenate(parts) == expected).all()
    again = pickle.loads(pickle.dumps(scorer))  # noqa: S301
    assert again.backend == "compiled"
    assert (again(gappy()) == expected).all()


@engines
def test_what_the_engine_refuses_is_refused(engine: str, tmp_path: Path) -> None:
    saved(engine, tmp_path)
    scorer, X = rp.load_scorer(tmp_path / engine, backend="compiled"), gappy()
    X[2, 5] = np.inf
    with pytest.raises(DataError, match="Feature 5 of row 2"):
        scorer(X)
    X[2, 5] = 1e39
    if engine == "xgboost":
        with pytest.raises(DataError, match=r"Feature 5 .* of row 2"):
            scorer(X)
    else:
        assert (scorer(X) == rp.load_scorer(tmp_path / engine)(X)).all()


@pytest.mark.parametrize(
    ("engine", "broken"),
    [
        ("xgboost", {"_FLOAT32_CONSTANTS": "-O2"}),
        ("xgboost", {"_base_in_first_tree": lambda raw: raw.decode()}),
        ("lightgbm", {"_as_regression": lambda text: text.replace("threshold=", "threshold=1", 1)}),
    ],
    ids=["double-constants", "base-last", "another-threshold"],
)
def test_another_bit_is_refused(
    engine: str, broken: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ranker(engine, loss="squared").fit(gappy(), DATA.y, DATA.qid).save(tmp_path / "model")
    rp.load_scorer(tmp_path / "model", backend="compiled")
    for name, value in broken.items():
        monkeypatch.setattr(compiled, name, value)
    message = rf"'compiled' is refused: of \d+ rows .* get another score than from {engine}, by up to"
    with pytest.raises(ArgumentError, match=message):
        rp.load_scorer(tmp_path / "model", backend="compiled")


@pytest.mark.parametrize("name", ["linear", "catboost"])
def test_other_models_are_refused(name: str, tmp_path: Path) -> None:
    saved(name, tmp_path)
    what = {"linear": "LinearRanker", "catboost": "catboost"}[name]
    with pytest.raises(ArgumentError, match=f"LightGBM and XGBoost, and this is a model of {what}"):
        rp.load_scorer(tmp_path / name, backend="compiled")


@pytest.mark.parametrize("package", ["treelite", "tl2cgen"])
def test_a_package_that_is_not_there_is_named(
    package: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved("lightgbm", tmp_path)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingDependencyError, match=f"{package}.*pip install treelite tl2cgen"):
        rp.load_scorer(tmp_path / "lightgbm", backend="compiled")


def test_a_machine_without_a_compiler_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    saved("lightgbm", tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingDependencyError, match=r"C compiler .gcc or clang., and there is none"):
        rp.load_scorer(tmp_path / "lightgbm", backend="compiled")


@engines
def test_every_threshold_is_tried_with_its_neighbours(engine: str, tmp_path: Path) -> None:
    import treelite

    fitted = saved(engine, tmp_path)
    if engine == "lightgbm":
        text = compiled._as_regression(fitted.booster_.model_to_string())
        (tmp_path / "booster.txt").write_text(text)
        forest = treelite.frontend.load_lightgbm_model(tmp_path / "booster.txt")
    else:
        forest = treelite.frontend.from_xgboost_json(bytes(fitted.booster_.save_raw("json")))
    described = json.loads(forest.dump_as_json())
    tried = parity_rows(described, 8, {})
    splits = [
        (node["split_feature_id"], node["threshold"])
        for tree in described["trees"]
        for node in tree["nodes"]
        if "threshold" in node
    ]
    assert len(splits) > 50
    for column, threshold in splits:
        for value in (threshold, np.nextafter(threshold, -np.inf), np.nextafter(threshold, np.inf)):
            # What compiled code would take for missing is left to the engine.
            assert (tried[:, column] == value).any() or taken_for_missing(np.array([value])).all()
        single = np.float32(threshold)
        for ray in (-np.inf, np.inf):
            near = np.float64(np.nextafter(single, np.float32(ray)))
            assert (tried[:, column] == near).any()
    assert np.isnan(tried).any(axis=0).all()
